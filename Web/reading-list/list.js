import { element, symbol } from "../page/elements.js";
import { text } from "../text/text.js";

/** @typedef {import("./book.js").Book} Book */

/** How high a row is, in pixels; the style says the same. */
const rowHeight = 76;

/** How many rows stand ready above and below what is seen. */
const spare = 4;

/**
 * A long list of which only the rows that can be seen are in the page.
 */
export class BookList {
  /**
   * @param {{ open: (book: Book) => void, tick: (book: Book, isRead: boolean) => void }} actions
   */
  constructor(actions) {
    this.actions = actions;
    /** @type {Book[]} */
    this.books = [];
    /** @type {Map<string, HTMLElement>} */
    this.rows = new Map();
    this.canvas = element("ul", { class: "canvas", role: "list" });
    this.view = element("div", { class: "scroller" }, this.canvas);
    this.view.addEventListener("scroll", () => this.draw(), { passive: true });
    this.resizing = new ResizeObserver(() => this.draw());
    this.resizing.observe(this.view);
  }

  /**
   * Shows books in this order; a row whose book is the same stays as it is.
   * @param {Book[]} books
   */
  show(books) {
    this.books = books;
    this.canvas.style.height = `${books.length * rowHeight}px`;
    this.draw();
  }

  draw() {
    const top = Math.max(0, Math.floor(this.view.scrollTop / rowHeight) - spare);
    const count = Math.ceil(this.view.clientHeight / rowHeight) + 2 * spare;
    const shown = this.books.slice(top, top + count);
    const wanted = new Set(shown.map((book) => book.key));
    for (const [key, row] of this.rows) {
      if (wanted.has(key) || row.contains(document.activeElement)) continue;
      row.remove();
      this.rows.delete(key);
    }
    /** @type {HTMLElement | null} */
    let previous = null;
    for (const [index, book] of shown.entries()) {
      const row = this.rowOf(book);
      row.style.transform = `translateY(${(top + index) * rowHeight}px)`;
      row.ariaSetSize = String(this.books.length);
      row.ariaPosInSet = String(top + index + 1);
      // The order in the page is the order in which keys and readers go through it.
      const next = previous ? previous.nextElementSibling : this.canvas.firstElementChild;
      if (next !== row) this.canvas.insertBefore(row, next);
      previous = row;
    }
  }

  /**
   * The row of a book, made anew where the book has changed.
   * @param {Book} book
   */
  rowOf(book) {
    const known = this.rows.get(book.key);
    if (known && /** @type {any} */ (known).book === book) return known;
    const row = makeRow(book, this.actions);
    /** @type {any} */ (row).book = book;
    if (known) {
      const focused = focusWithin(known);
      known.replaceWith(row);
      if (focused) /** @type {HTMLElement | null} */ (row.querySelector(focused))?.focus();
    }
    this.rows.set(book.key, row);
    return row;
  }

  /** Ends it. */
  end() {
    this.resizing.disconnect();
  }
}

/**
 * Which part of a row has the focus, as a selector.
 * @param {HTMLElement} row
 */
function focusWithin(row) {
  const active = document.activeElement;
  if (!active || !row.contains(active)) return null;
  return active.matches("input") ? "input" : "button";
}

/**
 * @param {Book} book
 * @param {{ open: (book: Book) => void, tick: (book: Book, isRead: boolean) => void }} actions
 */
function makeRow(book, actions) {
  const title = book.title || text("untitled");
  const tick = element("input", {
    type: "checkbox", checked: book.read, "aria-label": text("tickBook", title),
    on: { change: () => actions.tick(book, tick.checked) },
  });
  const open = element(
    "button",
    {
      type: "button", class: "open", "aria-label": text("openBook", title),
      on: { click: () => actions.open(book) },
    },
    element("span", { class: "title" }, title),
    element("span", { class: "author" }, book.author),
  );
  return element(
    "li", { class: book.read ? "row is-read" : "row", data: { key: book.key } },
    element("label", { class: "tick" }, tick), open, aside(book), mark(book),
  );
}

/** @param {Book} book */
function aside(book) {
  const tags = book.tags.slice(0, 3).map((tag) => element("span", { class: "tag" }, tag));
  const rating = book.rating
    ? element(
      "span", { class: "stars", role: "img", "aria-label": text("stars", book.rating) },
      "★".repeat(book.rating),
    )
    : null;
  return element(
    "span", { class: "aside" }, ...tags, book.notes ? symbol("note") : null, rating,
  );
}

/** @param {Book} book */
function mark(book) {
  if (book.mark === "") return element("span", { class: "mark" });
  const name = book.mark === "sending" ? text("underWay") : text("waitsHere");
  return element(
    "span", { class: `mark ${book.mark}`, role: "img", "aria-label": name, title: name },
    symbol(book.mark === "sending" ? "send" : "clock"),
  );
}
