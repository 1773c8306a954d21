import { headers } from "./transport.js";

/** The first pause before the stream is opened anew, and the longest, in milliseconds. */
const firstPause = 1_000;
const longestPause = 60_000;

/** A stream that has been silent for so long is dead: heartbeats come more often. */
const silenceLimit = 90_000;

/**
 * The stream of hints: “this feed is at this revision”. A hint is never data; it asks for a round.
 *
 * It is read with `fetch`, because an `EventSource` cannot carry a token but in its address.
 */
export class LiveHints {
  /**
   * @param {() => string | null} token
   * @param {() => Promise<Map<string, number>>} cursors how far each feed was read
   * @param {() => void} onNews something is there that was not read
   */
  constructor(token, cursors, onNews) {
    this.token = token;
    this.cursors = cursors;
    this.onNews = onNews;
    this.isOpen = false;
    this.pause = firstPause;
    /** @type {AbortController | null} */
    this.running = null;
  }

  /** Opens the stream, and opens it anew whenever it ends. */
  start() {
    this.stop();
    this.running = new AbortController();
    this.keepReading(this.running.signal);
  }

  /** Closes it. */
  stop() {
    this.running?.abort();
    this.running = null;
    this.isOpen = false;
  }

  /** @param {AbortSignal} signal */
  async keepReading(signal) {
    while (!signal.aborted) {
      try {
        await this.read(signal);
      } catch {
        // It ended; what is missed meanwhile comes with the next round.
      }
      if (signal.aborted) return;
      this.isOpen = false;
      await new Promise((resolve) => setTimeout(resolve, this.pause * (0.5 + Math.random() / 2)));
      this.pause = Math.min(this.pause * 2, longestPause);
    }
  }

  /** @param {AbortSignal} signal */
  async read(signal) {
    const silence = new AbortController();
    const response = await fetch("/v1/live", {
      headers: headers(this.token(), { Accept: "text/event-stream" }),
      cache: "no-store", credentials: "omit", redirect: "error",
      signal: AbortSignal.any([signal, silence.signal]),
    });
    const kind = response.headers.get("Content-Type") ?? "";
    if (response.status !== 200 || !kind.startsWith("text/event-stream") || !response.body) {
      this.pause = longestPause;
      return;
    }
    this.isOpen = true;
    this.pause = firstPause;
    this.onNews();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const timer = setTimeout(() => silence.abort(), silenceLimit);
      const { value, done } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      const lines = (rest + value).split(/\r?\n/);
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("data:")) await this.hear(line.slice(5));
    }
  }

  /**
   * Asks for a round where a hint names more than was read; one that cannot be read asks, too.
   * @param {string} text
   */
  async hear(text) {
    try {
      const { feed, revision } = JSON.parse(text);
      const cursor = (await this.cursors()).get(feed);
      if (cursor === undefined || revision <= cursor) return;
    } catch {
      // Asking once too often does no harm.
    }
    this.onNews();
  }
}
