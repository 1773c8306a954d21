/**
 * What every page works with.
 *
 * @typedef {object} Context
 * @property {HTMLElement} main where it shows itself
 * @property {import("../store/store.js").Store} store
 * @property {import("../reading-list/books.js").Books} books
 */
export {};
