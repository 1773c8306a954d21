import { statusLine } from "../sync/status.js";
import { lostValues, refusedChanges } from "../store/inbox.js";
import { text } from "../text/text.js";
import { button, element, symbol } from "./elements.js";
import { features } from "./features.js";

/** The head of the page: where one can go, and what sync is doing. */
export class Bar {
  /**
   * @param {import("../store/store.js").Store} store
   * @param {import("../reading-list/books.js").Books} books
   * @param {import("../sync/loop.js").SyncLoop} loop
   */
  constructor(store, books, loop) {
    this.store = store;
    this.books = books;
    /** @type {any} */
    this.status = { state: "idle" };
    this.line = element("span", { class: "line" });
    this.state = element(
      "p", { class: "status", role: "status", id: "status" }, element("span", { class: "dot" }),
      this.line,
    );
    this.again = button(text("tryNow"), () => store.announce({ kind: "wanted" }), "plain again");
    this.progress = element("progress", { class: "progress", "aria-label": text("syncing") });
    this.badge = element("span", { class: "badge" });
    this.links = new Map(
      [
        ...features.map(({ id, name }) => link(id, text(name), "book")),
        link("inbox", text("inbox"), "inbox", this.badge),
        link("settings", text("settings"), "settings"),
      ].map((made) => [made.dataset.page ?? "", made]),
    );
    const nav = element("nav", { "aria-label": text("appName") }, ...this.links.values());
    document.getElementById("bar")?.replaceChildren(nav, this.state, this.again, this.progress);
    store.addEventListener("news", (event) => this.hear(/** @type {CustomEvent} */ (event).detail));
    this.show();
    this.count();
  }

  /**
   * Marks the page that is shown.
   * @param {string} id
   */
  mark(id) {
    for (const [page, made] of this.links) {
      if (page === id) made.setAttribute("aria-current", "page");
      else made.removeAttribute("aria-current");
    }
  }

  /** @param {{ kind: string, status?: any }} news */
  hear(news) {
    if (news.kind === "status") this.status = news.status;
    if (["status", "edited", "synced"].includes(news.kind)) this.show();
    if (["edited", "synced"].includes(news.kind)) this.count();
  }

  async show() {
    const waiting = await this.store.waiting();
    const isFirst =
      this.status.state === "exchanging" && (await this.store.setting("syncedAt")) === undefined;
    const { line, tone } = statusLine(this.status, waiting);
    this.progress.hidden = !isFirst;
    this.state.dataset.tone = tone;
    const shown = isFirst ? text("firstSync", this.books.all.size) : line;
    // A reader is told what is new, and not the same again.
    if (this.line.textContent !== shown) this.line.textContent = shown;
    this.again.hidden = !["waiting", "blocked"].includes(this.status.state) ||
      this.status.isOffline === true;
  }

  /** Counts what waits for a decision. */
  async count() {
    const refused = await refusedChanges(this.store);
    const lost = await lostValues(this.store);
    const count = refused.filter((entry) => entry.behind === null).length + lost.length;
    this.badge.textContent = count === 0 ? "" : String(count);
    this.badge.hidden = count === 0;
  }
}

/**
 * @param {string} page
 * @param {string} name
 * @param {string} drawing
 * @param {HTMLElement} [badge]
 */
function link(page, name, drawing, badge) {
  return element(
    "a", { href: `#/${page}`, data: { page } }, symbol(drawing), element("span", {}, name), badge,
  );
}
