import { english } from "./english.js";
import { german } from "./german.js";

/** The languages there are, by their code. */
export const languages = { en: english, de: german };

/** @typedef {keyof typeof english} TextName */

/** @type {typeof english} */
let table = english;

/**
 * Chooses the language: the one that was set, else the first of the browser's that there is.
 * @param {string | null} wanted
 * @returns {"en" | "de"} its code
 */
export function chooseLanguage(wanted) {
  const candidates = [wanted ?? "", ...navigator.languages].map((code) => code.slice(0, 2));
  const found = candidates.find((code) => code in languages) ?? "en";
  table = languages[/** @type {"en" | "de"} */ (found)];
  return /** @type {"en" | "de"} */ (found);
}

/**
 * A text of the page in the chosen language; some depend on numbers or names.
 * @param {TextName} name
 * @param {...(string | number)} values
 * @returns {string}
 */
export function text(name, ...values) {
  const entry = table[name];
  return typeof entry === "function" ? /** @type {any} */ (entry)(...values) : entry;
}
