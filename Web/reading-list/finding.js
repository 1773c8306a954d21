/** @typedef {import("./book.js").Book} Book */

/**
 * Which books are shown, and in which order.
 * @typedef {object} Filter
 * @property {string} text words that must all stand in title, author, notes or tags
 * @property {"all" | "unread" | "read"} state
 * @property {string} tag empty for any
 * @property {"title" | "author" | "rating"} order
 */

/**
 * A text as people look for it: without case, accents and surplus blanks.
 * @param {string} text
 */
export function folded(text) {
  const bare = /[^\x00-\x7f]/.test(text) ? text.normalize("NFKD").replace(/\p{Mn}/gu, "") : text;
  return bare.toLowerCase().replace(/\s+/g, " ").trim();
}

/** @type {WeakMap<Book, { title: string, author: string, all: string }>} */
const known = new WeakMap();

/**
 * What a book is found and ordered by; a changed book is another one.
 * @param {Book} book
 */
function foldedBook(book) {
  let found = known.get(book);
  if (!found) {
    const title = folded(book.title);
    const author = folded(book.author);
    const all = [title, author, folded(book.notes), ...book.tags.map(folded)].join("\n");
    found = { title, author, all };
    known.set(book, found);
  }
  return found;
}

/**
 * The books that pass a filter, in its order.
 * @param {Iterable<Book>} books
 * @param {Filter} filter
 * @returns {Book[]}
 */
export function find(books, filter) {
  const words = folded(filter.text).split(" ").filter((word) => word !== "");
  const passing = [];
  for (const book of books) {
    if (filter.state === "read" && !book.read) continue;
    if (filter.state === "unread" && book.read) continue;
    if (filter.tag !== "" && !book.tags.includes(filter.tag)) continue;
    if (words.length > 0) {
      const { all } = foldedBook(book);
      if (!words.every((word) => all.includes(word))) continue;
    }
    passing.push(book);
  }
  return passing.sort(orders[filter.order]);
}

/** @type {Record<string, (one: Book, other: Book) => number>} */
const orders = {
  title: (one, other) => compare("title", one, other) || compare("author", one, other),
  author: (one, other) => compare("author", one, other) || compare("title", one, other),
  rating: (one, other) =>
    (other.rating ?? 0) - (one.rating ?? 0) || compare("title", one, other),
};

/**
 * @param {"title" | "author"} by
 * @param {Book} one
 * @param {Book} other
 */
function compare(by, one, other) {
  const left = foldedBook(one)[by];
  const right = foldedBook(other)[by];
  if (left !== right) return left < right ? -1 : 1;
  return one.key < other.key ? -1 : one.key > other.key ? 1 : 0;
}

/**
 * All tags of the books, each once.
 * @param {Iterable<Book>} books
 * @returns {string[]}
 */
export function tagsIn(books) {
  const tags = new Set();
  for (const book of books) for (const tag of book.tags) tags.add(tag);
  return [...tags].sort((one, other) => (folded(one) < folded(other) ? -1 : 1));
}
