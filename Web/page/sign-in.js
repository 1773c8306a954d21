import { exportList } from "../reading-list/export.js";
import { text } from "../text/text.js";
import { keepAccount, readToken } from "./account.js";
import { button, element, field } from "./elements.js";

/**
 * @typedef {import("../store/store.js").Store} Store
 * @typedef {import("../reading-list/books.js").Books} Books
 */

/**
 * Who is signed in, and the way to another account or out.
 * @param {Store} store
 * @param {Books} books
 */
export function signInSection(store, books) {
  const token = element("input", { type: "password", autocomplete: "off" });
  const owner = element("input", { value: store.owner, autocomplete: "off" });
  const problem = element("p", { class: "problem", role: "alert" });
  const signIn = () => {
    const account = readToken(token.value, owner.value.trim());
    if (!account) {
      problem.textContent = text("wrongToken");
      return;
    }
    keepAccount(account);
    location.reload();
  };
  return element(
    "section", { class: "panel" },
    element("h2", {}, text("signIn")),
    element("p", {}, text("signedInAs", store.owner)),
    field(text("account"), owner, text("accountHint")),
    field(text("token"), token, text("tokenHint")),
    problem,
    element(
      "div", { class: "actions" }, button(text("exportList"), () => exportList(books)),
      element("span", { class: "spring" }),
      button(text("signOut"), () => signOut(store, books)),
      button(text("signIn"), signIn, "primary"),
    ),
  );
}

/**
 * Deletes what this browser holds of the account; what was not sent yet is asked about first.
 * @param {Store} store
 * @param {Books} books
 */
async function signOut(store, books) {
  const waiting = await store.waiting();
  if (waiting === 0) return wipe(store);
  const dialog = element("dialog", { class: "form", "aria-labelledby": "sign-out-ask" });
  const choose = (/** @type {() => void} */ run) => () => {
    dialog.close();
    run();
  };
  dialog.append(
    element("p", { id: "sign-out-ask" }, text("signOutAsk", waiting)),
    element(
      "div", { class: "actions column" },
      button(text("signOutKeep"), choose(() => {}), "primary"),
      button(
        text("signOutExport"),
        choose(() => {
          exportList(books);
          wipe(store);
        }),
      ),
      button(text("signOutWipe"), choose(() => wipe(store)), "danger"),
    ),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** @param {Store} store */
async function wipe(store) {
  const name = `commute:${store.owner}`;
  store.channel.postMessage({ kind: "signedOut" });
  store.close();
  localStorage.removeItem(`commute:host:${store.owner}`);
  keepAccount({ owner: "local/local", token: null });
  const deleting = indexedDB.deleteDatabase(name);
  deleting.onsuccess = deleting.onerror = () => location.reload();
}
