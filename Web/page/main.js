import { build } from "../build.js";
import { Core } from "../core/core.js";
import { Books } from "../reading-list/books.js";
import { feed } from "../reading-list/book.js";
import { Store } from "../store/store.js";
import { SyncLoop } from "../sync/loop.js";
import { chooseLanguage, text } from "../text/text.js";
import { currentAccount } from "./account.js";
import { Bar } from "./bar.js";
import { features } from "./features.js";
import { notice } from "./notices.js";
import { preference } from "./preferences.js";
import { registerWorker } from "./worker.js";

/** Begins the page. */
async function begin() {
  const language = chooseLanguage(preference("language"));
  document.documentElement.lang = language;
  document.documentElement.dataset.look = preference("look") ?? "system";
  const skip = document.getElementById("skip");
  if (skip) skip.textContent = text("skip");
  if (!fitsBuild()) return;
  registerWorker();
  const core = await Core.load(new URL(`../core.wasm?build=${build}`, import.meta.url));
  const { owner, token } = currentAccount();
  const store = await Store.open(core, owner, feed);
  const books = new Books(store);
  const loop = new SyncLoop(store, () => token);
  const bar = new Bar(store, books, loop);
  const main = /** @type {HTMLElement} */ (document.getElementById("main"));
  await route({ main, store, books, bar });
  store.addEventListener("news", (event) => {
    const { kind } = /** @type {CustomEvent} */ (event).detail;
    if (kind === "signedOut") location.reload();
  });
  store.addEventListener("outdated", () => notice(text("outdated"), reload()));
  await books.load();
  loop.start();
  document.documentElement.dataset.ready = "true";
  // The other pages must open without a network even before the service worker has them.
  for (const page of pages) page.load().catch(() => {});
}

/** What a notice offers to a page that is too old. */
const reload = () => ({ label: text("reload"), run: () => location.reload() });

/**
 * Whether page and modules are of one build; where a cache has mixed two, it is thrown away once.
 */
function fitsBuild() {
  const page = document.documentElement.dataset.build;
  if (page === build) {
    sessionStorage.removeItem("commute:mixed");
    return true;
  }
  if (sessionStorage.getItem("commute:mixed")) {
    notice(text("outdated"), reload());
    return false;
  }
  sessionStorage.setItem("commute:mixed", "true");
  const emptied = caches.keys().then((names) => Promise.all(names.map((n) => caches.delete(n))));
  emptied.finally(() => location.reload());
  return false;
}

/** All pages; what the address does not name is the first. */
const pages = [
  ...features,
  { id: "inbox", name: "inbox", load: () => import("./inbox.js") },
  { id: "settings", name: "settings", load: () => import("./settings.js") },
];

/**
 * Shows the page that the address names, and another one when the address changes.
 * @param {import("./context.js").Context & { bar: Bar }} context
 */
function route(context) {
  let end = () => {};
  const go = async (/** @type {Event | undefined} */ event) => {
    const id = location.hash.replace("#/", "");
    const page = pages.find((one) => one.id === id) ?? pages[0];
    const { show } = await page.load();
    end();
    context.main.className = `page-${page.id}`;
    end = show(context);
    context.bar.mark(page.id);
    const name = text(/** @type {import("../text/text.js").TextName} */ (page.name));
    document.title = `${name} – ${text("appName")}`;
    if (event) context.main.focus();
  };
  addEventListener("hashchange", go);
  return go(undefined);
}

begin().catch((error) => {
  const main = document.getElementById("main");
  if (main) main.textContent = error instanceof Error ? error.message : String(error);
});
