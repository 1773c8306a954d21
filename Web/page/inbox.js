import {
  discardRefused, dismissLost, lostValues, refusedChanges, restoreLost, retryRefused,
} from "../store/inbox.js";
import { plain } from "../core/values.js";
import { text } from "../text/text.js";
import { button, element, symbol } from "./elements.js";
import { complain, notice } from "./notices.js";

/** @typedef {import("./context.js").Context} Context */

/**
 * The page of what waits for a decision: values that lost, and changes that were refused.
 * @param {Context} context
 * @returns {() => void}
 */
export function show(context) {
  const refresh = () => fill(context);
  const hear = (/** @type {any} */ event) => {
    if (["edited", "synced"].includes(event.detail.kind)) refresh();
  };
  context.store.addEventListener("news", hear);
  refresh();
  return () => context.store.removeEventListener("news", hear);
}

/** @param {Context} context */
async function fill(context) {
  const { main, store, books } = context;
  const [lost, refused] = [await lostValues(store), await refusedChanges(store)];
  const entries = refused.filter((entry) => entry.behind === null);
  const titleOf = (/** @type {string} */ key) => books.all.get(key)?.title ?? text("goneBook");
  const parts = [element("h1", {}, text("inbox"))];
  if (lost.length > 0) {
    parts.push(section("lostHeading", lost.map((one) => lostCard(store, one, titleOf))));
  }
  if (entries.length > 0) {
    parts.push(section("refusedHeading", entries.map((one) => refusedCard(store, one, titleOf))));
  }
  if (parts.length === 1) parts.push(nothingWaits());
  main.replaceChildren(...parts);
}

function nothingWaits() {
  return element(
    "div", { class: "empty" }, symbol("inbox"), element("h2", {}, text("inboxEmpty")),
    element("p", {}, text("inboxEmptyHint")),
  );
}

/**
 * @param {import("../text/text.js").TextName} name
 * @param {HTMLElement[]} cards
 */
const section = (name, cards) =>
  element("section", { class: "cards" }, element("h2", {}, text(name)), ...cards);

/**
 * @param {import("../store/store.js").Store} store
 * @param {import("../store/inbox.js").Lost} lost
 * @param {(key: string) => string} titleOf
 */
function lostCard(store, lost, titleOf) {
  const device = lost.keptBy || text("anotherDevice");
  const restore = () =>
    restoreLost(store, lost).then(() => notice(text("restored")), complain);
  return card(
    titleOf(lost.record), text("lostTo", fieldName(lost.field), device), lost.time,
    [[text("yours"), lost.lost], [text("theirs"), lost.kept]],
    button(text("restore"), restore, "primary"),
    button(text("dismiss"), () => dismissLost(store, lost).catch(complain)),
  );
}

/**
 * @param {import("../store/store.js").Store} store
 * @param {import("../store/inbox.js").Refused} refused
 * @param {(key: string) => string} titleOf
 */
function refusedCard(store, refused, titleOf) {
  const { entry, creates, deletes, fields, message, key, at } = refused;
  const name = creates ? "refusedCreate" : deletes ? "refusedDelete" : "refusedChange";
  const title = creates && typeof fields.title === "string" ? fields.title : titleOf(key);
  const wanted = Object.entries(fields).filter(([, value]) => plain(value) !== null);
  return card(
    title, `${text(name)}: ${message}`, at,
    wanted.map(([field, value]) => /** @type {[string, any]} */ ([fieldName(field), value])),
    button(text("tryAgain"), () => retryRefused(store, entry).catch(complain), "primary"),
    button(text("discard"), () => discardRefused(store, entry).catch(complain)),
  );
}

/**
 * @param {string} title
 * @param {string} line
 * @param {number} time
 * @param {[string, any][]} values
 * @param {...HTMLElement} actions
 */
function card(title, line, time, values, ...actions) {
  const moment = new Date(time);
  return element(
    "article", { class: "card" },
    element("h3", {}, title),
    element("p", { class: "why" }, line),
    element(
      "time", { dateTime: moment.toISOString() },
      moment.toLocaleString(document.documentElement.lang, {
        dateStyle: "medium", timeStyle: "short",
      }),
    ),
    element(
      "dl", {},
      ...values.flatMap(([name, value]) => [
        element("dt", {}, name), element("dd", {}, words(value)),
      ]),
    ),
    element("div", { class: "actions" }, ...actions),
  );
}

/**
 * What people call a field.
 * @param {string} field
 */
function fieldName(field) {
  const name = `field${field.slice(0, 1).toUpperCase()}${field.slice(1)}`;
  return text(/** @type {any} */ (name)) ?? field;
}

/**
 * A value in words.
 * @param {any} value
 * @returns {string}
 */
function words(value) {
  if (value && typeof value.t === "string") {
    return new Date(Number(value.t)).toLocaleDateString(document.documentElement.lang);
  }
  const simple = plain(value);
  if (simple === true) return text("yes");
  if (simple === false) return text("no");
  if (Array.isArray(simple)) return simple.join(", ") || text("nothing");
  if (simple === null || simple === "") return text("nothing");
  return typeof simple === "object" ? JSON.stringify(simple) : String(simple);
}
