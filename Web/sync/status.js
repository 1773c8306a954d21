import { text } from "../text/text.js";

/**
 * What sync is doing, in one line, as `Server not reachable · 1 change waiting`.
 * @param {any} status where the conversation stands
 * @param {number} waiting how many changes wait here
 * @returns {{ line: string, tone: "good" | "busy" | "waiting" | "bad" }}
 */
export function statusLine(status, waiting) {
  const [word, tone] = statusWord(status, waiting);
  const line = waiting === 0 ? word : `${word} · ${text("changesWaiting", waiting)}`;
  return { line, tone };
}

/**
 * @param {any} status
 * @param {number} waiting
 * @returns {[string, "good" | "busy" | "waiting" | "bad"]}
 */
function statusWord(status, waiting) {
  if (status.isOffline) return [text("workingOffline"), "waiting"];
  switch (status.state) {
    case "exchanging":
      return [text("syncing"), "busy"];
    case "waiting":
      return [
        status.failure.kind === "unreachable" ? text("notReachable") : failureWord(status.failure),
        "waiting",
      ];
    case "blocked":
      return [blockWord(status), "bad"];
    default:
      return waiting === 0 ? [text("upToDate"), "good"] : [text("notSentYet"), "waiting"];
  }
}

/** @param {{ kind: string, status?: number, message: string }} failure */
function failureWord({ kind, status, message }) {
  if (kind === "timedOut") return text("timedOut");
  if (kind === "notAnAnswer") return text("notAnAnswer");
  if (kind === "unavailable") return text("unavailable", status ?? 0);
  return message;
}

/** @param {{ block: string, message?: string, status?: number }} blocked */
function blockWord({ block, message, status }) {
  if (block === "signIn") return text("needsSignIn");
  if (block === "otherAccount") return text("otherAccount");
  if (block === "update") return text("needsUpdate");
  return message ?? text("refusedRequest", status ?? 0);
}
