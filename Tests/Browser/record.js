// What two devices of one account do, all of whose calls are written down.
const { Core } = await import("/core/core.js");
const { openDatabase } = await import("/store/database.js");
const { Store } = await import("/store/store.js");
const { Books } = await import("/reading-list/books.js");
const { abandonRound, applyAnswer, beginRound, setAside } = await import("/store/rounds.js");
const { exchange } = await import("/sync/transport.js");
const { lostValues, refusedChanges, restoreLost, retryRefused } = await import("/store/inbox.js");

const recorded = [];
const known = new Set();
const core = await Core.load(new URL("/core.wasm", location));
const real = core.callBytes.bind(core);
core.callBytes = (bytes) => {
  const answer = real(bytes);
  const call = new TextDecoder().decode(bytes);
  const form = call.replace(/"random":"[^"]*"|"wall":\d+|"nonce":"[^"]*"/g, "");
  if (!known.has(form)) recorded.push([call, answer]);
  known.add(form);
  return answer;
};

const device = async (name) => {
  const database = await openDatabase(`recorded ${name}`, () => {});
  const store = new Store(core, database, "local/local");
  await store.openDevice("books");
  return { store, books: new Books(store) };
};
const options = { batch: 500, build: "web", device: "recorded" };
const sync = async ({ store }) => {
  for (;;) {
    const round = await beginRound(store, options);
    const answer = await exchange(round.request, null);
    if (!(await applyAnswer(store, round, answer, 3)).more) return;
  }
};

const one = await device("one");
const two = await device("two");
const key = await one.books.add({
  title: "Emma", author: "Jane Austen", tags: ["classics"], rating: 4, notes: "ü 🙂",
});
const id = key.slice(5);
await one.books.change(id, { notes: "changed" });
await sync(one);
await sync(two);
await one.books.change(id, { notes: "from one" });
await two.books.change(id, { notes: "from two" });
await sync(one);
await sync(two);
await sync(one);
await two.books.change(id, { title: "Two" });
const lost = await beginRound(two.store, options);
await abandonRound(two.store, lost, false);
await sync(two);
for (const { store } of [one, two]) {
  for (const value of await lostValues(store)) await restoreLost(store, value);
}
await one.books.remove({ id });
await one.books.undoRemove(key);
await one.books.remove({ id });
await two.books.change(id, { rating: 2 });
await sync(one);
await sync(two);
await one.books.add({ title: "Refused" });
await setAside(one.store, await beginRound(one.store, options), { reason: "too large" });
for (const { entry } of await refusedChanges(one.store)) await retryRefused(one.store, entry);
await sync(one);
const tell = (state, event) => core.call({ call: "converse", ...event }, [state]).pieces[0];
let state = tell("null", { event: "changed" });
state = tell(state, { event: "failed", failure: { status: 503, after: 2000 } });
state = tell(state, { event: "requested" });
state = tell(state, { event: "failed", failure: { status: 401 } });
tell(state, { event: "unblocked" });

return Promise.all(
  recorded.map(async ([call, answer]) => {
    const digest = await crypto.subtle.digest("SHA-256", answer);
    const text = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0"));
    return [call, text.join("")];
  }),
);
