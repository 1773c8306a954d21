/** @typedef {import("./books.js").Books} Books */

/**
 * Gives the list to the person as a file of JSON.
 * @param {Books} books
 */
export function exportList(books) {
  const list = [...books.all.values()].map(({ key: _key, mark: _mark, ...book }) => book);
  const file = new Blob([JSON.stringify(list, null, 2)], { type: "application/json" });
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = "reading-list.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
