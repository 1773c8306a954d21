import { instant, integer, plain } from "../core/values.js";

/** The table and the feed of books. */
export const table = "book";
export const feed = "books";

/**
 * A book as a page uses it.
 * @typedef {object} Book
 * @property {string} key
 * @property {string} id
 * @property {string} title
 * @property {string} author
 * @property {string[]} tags
 * @property {boolean} read
 * @property {number | null} readAt
 * @property {number | null} rating
 * @property {string} notes
 * @property {string | null} isbn
 * @property {"" | "waiting" | "sending"} mark whether something of it is still to be sent
 */

/**
 * @param {import("../store/rows.js").Shown} shown
 * @returns {Book}
 */
export function bookOf(shown) {
  const fields = shown.fields ?? {};
  const rating = plain(fields.rating);
  const readAt = plain(fields.readAt);
  return {
    key: shown.key,
    id: shown.id,
    title: asText(fields.title),
    author: asText(fields.author),
    tags: Array.isArray(fields.tags) ? fields.tags : [],
    read: fields.read === true,
    readAt: typeof readAt === "number" ? readAt : null,
    rating: typeof rating === "number" && rating >= 1 && rating <= 5 ? rating : null,
    notes: asText(fields.notes),
    isbn: typeof fields.isbn === "string" ? fields.isbn : null,
    mark: shown.line === undefined ? "" : shown.isInFlight ? "sending" : "waiting",
  };
}

/** @param {unknown} value */
const asText = (value) => (typeof value === "string" ? value : "");

/**
 * The edits that make a book of these values; what is not named stays as it is.
 * @param {Partial<Book>} values
 */
export function editsOf(values) {
  /** @type {Record<string, { set: unknown }>} */
  const edits = {};
  for (const name of /** @type {const} */ (["title", "author", "notes", "isbn", "tags", "read"])) {
    if (values[name] !== undefined) edits[name] = { set: values[name] };
  }
  if (values.rating !== undefined) edits.rating = { set: integer(values.rating) };
  if (values.readAt !== undefined) edits.readAt = { set: instant(values.readAt) };
  return edits;
}

/** All fields of a book of which nothing is known. */
export const blank = {
  title: "", author: "", notes: "", isbn: null, tags: [], read: false, rating: null, readAt: null,
};

/**
 * Tags as they are kept: trimmed, each once, in the order they were given.
 * @param {string} typed
 * @returns {string[]}
 */
export function tagsOf(typed) {
  const tags = typed.split(/[,\n\r]/).map((tag) => tag.trim()).filter((tag) => tag !== "");
  return [...new Set(tags)];
}
