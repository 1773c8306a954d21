/**
 * Why a request brought no answer, in the words of the core.
 * @typedef {{ kind?: string, status?: number, after?: number, message?: string }} Failure
 */

/** What stood in the way of a request. */
export class NoAnswer extends Error {
  /**
   * @param {Failure} failure
   * @param {boolean} settledNothing whether it is certain that the server settled nothing
   */
  constructor(failure, settledNothing = false) {
    super(failure.message ?? `status ${failure.status}`);
    this.failure = failure;
    this.settledNothing = settledNothing;
  }
}

/** How long an answer may take, in milliseconds. */
const timeLimit = 60_000;

/** A request that every server of ours takes, in bytes. */
const smallBody = 65_536;

/**
 * Sends a request of sync and brings back the answer's text.
 * @param {string} body
 * @param {string | null} token
 * @param {AbortSignal} [signal] gives the request up
 * @returns {Promise<string>}
 */
export async function exchange(body, token, signal) {
  const limit = AbortSignal.timeout(timeLimit);
  let response;
  try {
    response = await fetch("/v1/sync", {
      method: "POST", body, cache: "no-store", credentials: "omit", redirect: "manual",
      headers: headers(token, { "Content-Type": "application/json" }),
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
    });
    if (response.status === 200) {
      if (!isJSON(response)) throw new NoAnswer({ kind: "notAnAnswer", message: "it is no JSON" });
      return await response.text();
    }
  } catch (error) {
    if (error instanceof NoAnswer) throw error;
    if (signal?.aborted) throw new NoAnswer({ kind: "cancelled" });
    if (limit.aborted) throw new NoAnswer({ kind: "timedOut" });
    throw new NoAnswer({ kind: "unreachable", message: "no connection" });
  }
  throw refusal(response, body.length);
}

/**
 * @param {Response} response
 * @param {number} size
 */
function refusal(response, size) {
  const { status } = response;
  if (response.type === "opaqueredirect") {
    return new NoAnswer({ kind: "notAnAnswer", message: "it leads elsewhere" });
  }
  if (status === 413 && size <= smallBody && !isJSON(response)) {
    return new NoAnswer({ kind: "notAnAnswer", message: `it took no ${size} bytes` }, true);
  }
  const seconds = Number(response.headers.get("Retry-After") ?? 0);
  const after = Number.isInteger(seconds) ? Math.min(Math.max(seconds, 0), 86_400) * 1_000 : 0;
  const settledNothing = [401, 403, 409, 413, 426, 429].includes(status);
  return new NoAnswer({ status, after }, settledNothing);
}

/** @param {Response} response */
function isJSON(response) {
  const kind = response.headers.get("Content-Type") ?? "";
  return kind.toLowerCase().startsWith("application/json");
}

/**
 * The headers of a request; a token never stands in an address.
 * @param {string | null} token
 * @param {Record<string, string>} more
 */
export function headers(token, more) {
  const signedIn = token ? { Authorization: `Bearer ${token}` } : {};
  return { Accept: "application/json", ...more, ...signedIn };
}
