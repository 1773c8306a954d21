/**
 * The features of the app: a folder and a line here each.
 *
 * @typedef {object} Feature
 * @property {string} id its part of the address
 * @property {import("../text/text.js").TextName} name
 * @property {() => Promise<{ show: (context: import("./context.js").Context) => () => void }>} load
 *   its page: shows itself in the main part, and gives back what ends that
 */

/** @type {Feature[]} */
export const features = [
  { id: "books", name: "readingList", load: () => import("../reading-list/page.js") },
];
