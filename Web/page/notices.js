import { button, element } from "./elements.js";
import { text } from "../text/text.js";

/** How long a notice without anything to do stays, in milliseconds, and one with. */
const pause = 4_000;
const longPause = 12_000;

/**
 * Says something at the foot of the page, and to those who listen; it may offer one thing to do.
 * @param {string} message
 * @param {{ label: string, run: () => void }} [action]
 */
export function notice(message, action) {
  const place = document.getElementById("notices");
  if (!place) return;
  const shown = element("div", { class: "notice" }, element("span", {}, message));
  const leave = () => shown.remove();
  if (action) {
    const run = () => {
      leave();
      action.run();
    };
    shown.append(button(action.label, run, "plain"));
  }
  shown.append(button("×", leave, "plain close", { "aria-label": text("close") }));
  place.replaceChildren(shown);
  setTimeout(leave, action ? longPause : pause);
}

/**
 * Says why something could not be saved.
 * @param {unknown} error
 */
export function complain(error) {
  const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
  const reason = isFull ? text("storageFull") : error instanceof Error ? error.message : `${error}`;
  notice(text("couldNotSave", reason));
}
