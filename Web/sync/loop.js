import { abandonRound, applyAnswer, beginRound, setAside } from "../store/rounds.js";
import { build } from "../build.js";
import { exchange, NoAnswer } from "./transport.js";
import { LiveHints } from "./live.js";

/** @typedef {import("../store/store.js").Store} Store */

/** How many rounds may bring nothing and ask for another before that counts as a failure. */
const fruitlessLimit = 20;

/** How often the server is asked where live hints do not come, in milliseconds. */
const pollPause = 30_000;

/**
 * Rounds of sync, made by one tab of all; the core's conversation decides when.
 *
 * The tab holds a lock while it makes them. What it finds out goes to the others as a status.
 */
export class SyncLoop extends EventTarget {
  /**
   * @param {Store} store
   * @param {() => string | null} token
   */
  constructor(store, token) {
    super();
    this.store = store;
    this.token = token;
    this.conversation = "null";
    /** @type {any} */
    this.state = { state: "idle" };
    this.isOffline = false;
    this.isLeader = false;
    this.fruitless = 0;
    /** @type {number | undefined} */
    this.timer = undefined;
    this.giveUp = new AbortController();
    this.stopped = new AbortController();
    this.live = new LiveHints(token, () => this.cursors(), () => this.tell({ event: "requested" }));
    store.addEventListener("news", (event) => this.hear(/** @type {CustomEvent} */ (event).detail));
    addEventListener("online", () => this.tell({ event: "cameOnline" }));
  }

  /** Waits until this tab is the one that syncs, and begins. */
  start() {
    const options = { signal: this.stopped.signal };
    const held = navigator.locks.request(`commute:sync:${this.store.owner}`, options, () =>
      this.lead(),
    );
    held.catch((error) => {
      if (error.name !== "AbortError") throw error;
    });
  }

  /** Ends for good, as at a sign-out. */
  stop() {
    this.stopped.abort();
    this.giveUp.abort();
    this.live.stop();
    clearTimeout(this.timer);
  }

  async lead() {
    this.isLeader = true;
    this.isOffline = (await this.store.setting("offline")) === true;
    this.conversation = (await this.store.setting("conversation")) ?? "null";
    if (!this.isOffline) {
      this.live.start();
      await this.tell({ event: this.conversation === "null" ? "requested" : "unblocked" });
    }
    const polling = setInterval(() => this.poll(), pollPause);
    await new Promise((resolve) => {
      this.stopped.signal.addEventListener("abort", resolve);
    });
    clearInterval(polling);
  }

  poll() {
    if (!this.live.isOpen && this.state.state === "idle") this.tell({ event: "requested" });
  }

  /**
   * What other tabs, and this one, have done.
   * @param {{ kind: string, name?: string }} news
   */
  async hear(news) {
    if (news.kind === "edited") await this.tell({ event: "changed" });
    if (news.kind === "wanted") await this.tell({ event: "unblocked" });
    if (news.kind !== "setting" || news.name !== "offline" || !this.isLeader) return;
    this.isOffline = (await this.store.setting("offline")) === true;
    if (this.isOffline) {
      this.giveUp.abort();
      this.live.stop();
    } else {
      this.live.start();
      await this.tell({ event: "cameOnline" });
      await this.tell({ event: "requested" });
    }
    this.show();
  }

  /**
   * Tells the conversation what happened, and does what it wants.
   * @param {{ event: string, [member: string]: unknown }} event
   */
  async tell(event) {
    if (!this.isLeader || this.stopped.signal.aborted) return;
    if (this.isOffline && !["failed", "answered"].includes(event.event)) return;
    const { header, pieces } = this.store.core.call({ call: "converse", ...event }, [
      this.conversation,
    ]);
    this.conversation = pieces[0];
    this.state = JSON.parse(pieces[0]);
    this.show();
    for (const effect of header.effects) {
      if (effect.do === "exchange") this.round(effect.batch);
      if (effect.do === "cancelRetry") await this.wait(undefined);
      if (effect.do === "retry") await this.wait(effect.after);
    }
  }

  /**
   * Waits before the next attempt; the time is kept, so that it counts after a restart, too.
   * @param {number | undefined} milliseconds
   */
  async wait(milliseconds) {
    clearTimeout(this.timer);
    if (milliseconds !== undefined) {
      this.timer = setTimeout(() => this.tell({ event: "retryDue" }), milliseconds);
    }
    await this.store.set("conversation", milliseconds === undefined ? "null" : this.conversation);
  }

  /**
   * Makes a round, and tells the conversation how it ended.
   * @param {number} batch
   */
  async round(batch) {
    if (this.isOffline) return this.tell({ event: "failed", failure: { kind: "cancelled" } });
    try {
      await this.tell(await this.outcome(batch));
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      await this.tell({ event: "failed", failure: { kind: "storage", message } });
    }
  }

  /**
   * @param {number} batch
   * @returns {Promise<{ event: string, [member: string]: unknown }>}
   */
  async outcome(batch) {
    const device = (await this.store.setting("name")) ?? "Browser";
    const round = await beginRound(this.store, { batch, build: `web ${build}`, device });
    this.giveUp = new AbortController();
    const started = performance.now();
    let text;
    try {
      text = await exchange(round.request, this.token(), this.giveUp.signal);
    } catch (error) {
      if (error instanceof NoAnswer) return this.blame(round, error);
      throw error;
    }
    let applied;
    try {
      applied = await applyAnswer(this.store, round, text, performance.now() - started);
    } catch (error) {
      if (/** @type {any} */ (error)?.code !== "wire") throw error;
      return this.blame(round, new NoAnswer({ kind: "notAnAnswer", message: String(error) }));
    }
    return this.judge(applied);
  }

  /**
   * What an answer that was applied means for the conversation.
   * @param {import("../store/rounds.js").Applied} applied
   */
  judge(applied) {
    if (applied.reading === "stop") {
      this.dispatchEvent(new CustomEvent("stopped", { detail: applied.message }));
      return { event: "failed", failure: { status: 400, message: applied.message } };
    }
    const isNothing = applied.more && applied.done === 0;
    this.fruitless = isNothing ? this.fruitless + 1 : 0;
    if (applied.reading === "ignored" || this.fruitless > fruitlessLimit) {
      const message = "it answers another request";
      return { event: "failed", failure: { kind: "notAnAnswer", message } };
    }
    return { event: "answered", more: applied.more };
  }

  /**
   * Keeps what was sent in line, and finds out whether a lone operation is to blame.
   * @param {import("../store/rounds.js").Round} round
   * @param {NoAnswer} noAnswer
   */
  async blame(round, { failure, settledNothing }) {
    const batch = round.operations.length;
    if (failure.status === 413 && batch === 1) {
      await setAside(this.store, round, { reason: "the server takes no operation of this size" });
      return { event: "answered", more: true };
    }
    await abandonRound(this.store, round, settledNothing);
    return { event: "failed", failure, batch };
  }

  /** How far each feed was read, as live hints are compared with it. */
  async cursors() {
    const device = JSON.parse((await this.store.setting("device")) ?? "{}");
    return new Map(
      (device.feeds ?? []).map((/** @type {any} */ feed) => [feed.feed, feed.cursor ?? -1]),
    );
  }

  /** Shows the status here and in the other tabs. */
  show() {
    const status = { kind: "status", status: { ...this.state, isOffline: this.isOffline } };
    this.store.announce(status);
  }
}
