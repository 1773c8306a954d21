import { button, element, field } from "../page/elements.js";
import { complain, notice } from "../page/notices.js";
import { text } from "../text/text.js";
import { tagsOf } from "./book.js";

/**
 * @typedef {import("./book.js").Book} Book
 * @typedef {import("./books.js").Books} Books
 */

/**
 * Opens the form of a book, or of a new one.
 * @param {Books} books
 * @param {Book | null} book
 */
export function openForm(books, book) {
  const inputs = {
    title: element("input", { value: book?.title ?? "", required: true, autocomplete: "off" }),
    author: element("input", { value: book?.author ?? "", autocomplete: "off" }),
    tags: element("input", { value: (book?.tags ?? []).join(", "), autocomplete: "off" }),
    notes: element("textarea", { value: book?.notes ?? "", rows: 5 }),
    isbn: element("input", { value: book?.isbn ?? "", inputMode: "numeric", autocomplete: "off" }),
    read: element("input", { type: "checkbox", checked: book?.read ?? false }),
  };
  const rating = ratingOf(book?.rating ?? null);
  const problem = element("p", { class: "problem", role: "alert" });
  const name = text(book ? "editBook" : "newBook");
  const heading = element("h2", { id: "form-heading", tabIndex: -1 }, name);
  const dialog = element("dialog", { class: "form", "aria-labelledby": "form-heading" });
  const close = () => dialog.close();
  const form = element(
    "form", { method: "dialog", noValidate: true },
    element(
      "div", { class: "head" }, heading,
      button("×", close, "plain close", { "aria-label": text("close") }),
    ),
    field(text("title"), inputs.title), problem,
    field(text("author"), inputs.author),
    element("label", { class: "check" }, inputs.read, text("read")),
    rating.view,
    field(text("tags"), inputs.tags, text("tagsHint")),
    field(text("notes"), inputs.notes),
    field(text("isbn"), inputs.isbn),
    element(
      "div", { class: "actions" },
      book && button(text("remove"), () => removeBook(books, book, close), "danger"),
      element("span", { class: "spring" }),
      button(text("cancel"), close),
      element("button", { type: "submit", class: "primary" }, text("save")),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (inputs.title.value.trim() === "") {
      problem.textContent = text("needsTitle");
      inputs.title.setAttribute("aria-invalid", "true");
      inputs.title.focus();
      return;
    }
    try {
      await save(books, book, valuesOf(inputs, rating.value(), book));
      close();
    } catch (error) {
      complain(error);
    }
  });
  dialog.append(form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  // A person who opens a book wants to read first; a keyboard on a phone would hide half of it.
  (book ? heading : inputs.title).focus();
}

/**
 * What the form says, as far as it is another thing than the book had when the form was opened.
 * @param {Record<string, any>} inputs
 * @param {number | null} rating
 * @param {Book | null} book
 * @returns {Partial<Book>}
 */
function valuesOf(inputs, rating, book) {
  const isRead = inputs.read.checked;
  /** @type {any} */
  const said = {
    title: inputs.title.value.trim(), author: inputs.author.value.trim(),
    tags: tagsOf(inputs.tags.value), notes: inputs.notes.value,
    isbn: inputs.isbn.value.trim() || null, rating, read: isRead,
  };
  if (isRead !== (book?.read ?? false)) said.readAt = isRead ? Date.now() : null;
  if (!book) return said;
  const had = /** @type {any} */ (book);
  return Object.fromEntries(
    Object.entries(said).filter(([name, value]) => !isSame(value, had[name])),
  );
}

/**
 * @param {unknown} one
 * @param {unknown} other
 */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

/**
 * @param {Books} books
 * @param {Book | null} book
 * @param {Partial<Book>} values
 */
async function save(books, book, values) {
  if (!book) await books.add(values);
  else if (Object.keys(values).length > 0) await books.change(book.id, values);
}

/**
 * Deletes a book, and offers to take that back.
 * @param {Books} books
 * @param {Book} book
 * @param {() => void} close
 */
async function removeBook(books, book, close) {
  try {
    const key = await books.remove(book);
    close();
    notice(text("deleted", book.title), {
      label: text("undo"),
      run: async () => {
        const { isNew } = await books.undoRemove(key);
        notice(text(isNew ? "undoneAsNew" : "undone", book.title));
      },
    });
  } catch (error) {
    complain(error);
  }
}

/**
 * Five stars to choose from; the chosen one again takes them away.
 * @param {number | null} chosen
 */
function ratingOf(chosen) {
  const options = [0, 1, 2, 3, 4, 5].map((stars) =>
    element("input", {
      type: "radio", name: "rating", value: String(stars), checked: stars === (chosen ?? 0),
      "aria-label": stars === 0 ? text("noRating") : text("stars", stars),
    }),
  );
  const view = element(
    "fieldset", { class: "rating" }, element("legend", {}, text("rating")),
    ...options.map((option, stars) =>
      element("label", {}, option, element("span", {}, stars === 0 ? "–" : "★")),
    ),
  );
  const value = () => Number(options.find((option) => option.checked)?.value ?? 0) || null;
  return { view, value };
}
