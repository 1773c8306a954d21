import { choice, element, field, symbol } from "../page/elements.js";
import { complain } from "../page/notices.js";
import { text } from "../text/text.js";
import { find, tagsIn } from "./finding.js";
import { openForm } from "./form.js";
import { BookList } from "./list.js";

/** @typedef {import("./finding.js").Filter} Filter */

/** @type {Filter} What was looked for last stays while the page does. */
const filter = { text: "", state: "all", tag: "", order: "title" };

/**
 * The page of the reading list.
 * @param {import("../page/context.js").Context} context
 * @returns {() => void}
 */
export function show({ main, books }) {
  const list = new BookList({
    open: (book) => openForm(books, book),
    tick: (book, isRead) => books.tick(book, isRead).catch(complain),
  });
  const count = element("p", { class: "count", role: "status" });
  const empty = element("div", { class: "empty" });
  const tags = element("select", {
    on: {
      change: () => {
        filter.tag = tags.value;
        refresh();
      },
    },
  });
  const search = element("input", {
    type: "search", value: filter.text, placeholder: text("searchHint"),
    on: {
      input: () => {
        filter.text = search.value;
        refresh();
      },
    },
  });
  const refresh = () => {
    const found = find(books.all.values(), filter);
    list.show(found);
    count.textContent = books.isLoaded ? text("bookCount", found.length) : text("loading");
    showEmpty(empty, books, found.length);
    list.view.hidden = found.length === 0;
    showTags(tags, tagsIn(books.all.values()));
  };
  main.replaceChildren(
    toolbar(search, tags, refresh, () => openForm(books, null)), count, empty, list.view,
  );
  const soon = paced(refresh);
  books.addEventListener("change", soon);
  refresh();
  return () => {
    books.removeEventListener("change", soon);
    list.end();
  };
}

/**
 * Runs something once before the next picture, however often it is asked for.
 * @param {() => void} run
 */
function paced(run) {
  let isAsked = false;
  return () => {
    if (isAsked) return;
    isAsked = true;
    queueMicrotask(() => {
      isAsked = false;
      run();
    });
  };
}

/**
 * @param {HTMLInputElement} search
 * @param {HTMLSelectElement} tags
 * @param {() => void} refresh
 * @param {() => void} add
 */
function toolbar(search, tags, refresh, add) {
  const state = choice(
    [["all", text("allBooks")], ["unread", text("unread")], ["read", text("read")]],
    filter.state,
    (value) => {
      filter.state = /** @type {Filter["state"]} */ (value);
      refresh();
    },
  );
  const order = choice(
    [["title", text("byTitle")], ["author", text("byAuthor")], ["rating", text("byRating")]],
    filter.order,
    (value) => {
      filter.order = /** @type {Filter["order"]} */ (value);
      refresh();
    },
  );
  return element(
    "div", { class: "toolbar" },
    element("div", { class: "wide" }, field(text("search"), search)),
    field(text("show"), state), field(text("tag"), tags), field(text("order"), order),
    element(
      "button", { type: "button", class: "primary add", on: { click: add } },
      symbol("plus"), text("addBook"),
    ),
  );
}

/**
 * @param {HTMLElement} empty
 * @param {import("./books.js").Books} books
 * @param {number} found
 */
function showEmpty(empty, books, found) {
  empty.hidden = found > 0 || !books.isLoaded;
  const isFiltered = books.all.size > 0;
  empty.replaceChildren(
    symbol(isFiltered ? "search" : "book"),
    element("h2", {}, text(isFiltered ? "nothingFound" : "emptyList")),
    isFiltered ? "" : element("p", {}, text("emptyHint")),
  );
}

/**
 * Shows the tags to choose from, where they are others than before.
 * @param {HTMLSelectElement} select
 * @param {string[]} tags
 */
function showTags(select, tags) {
  if (filter.tag !== "" && !tags.includes(filter.tag)) tags = [filter.tag, ...tags];
  const known = [...select.options].slice(1).map((option) => option.value);
  if (select.options.length > 0 && known.join("\n") === tags.join("\n")) return;
  select.replaceChildren(
    element("option", { value: "" }, text("anyTag")),
    ...tags.map((tag) => element("option", { value: tag, selected: tag === filter.tag }, tag)),
  );
}
