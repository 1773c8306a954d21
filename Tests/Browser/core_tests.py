"""The core in the browser: the same bytes as natively, and nothing lost when it traps."""
from pathlib import Path

VECTORS = Path(__file__).resolve().parents[1] / "Vectors" / "calls.txt"


def test_chromium_gives_the_same_bytes_as_this_machine(scene):
    lines = [line.split("\t") for line in VECTORS.read_text().split("\n")
             if line and not line.startswith("#")]
    browser = scene.serve().browser()
    hashes = browser.run(
        """
        const { Core } = await import("/core/core.js");
        const core = await Core.load(new URL("/core.wasm", location));
        const hashes = [];
        for (const call of given[0]) {
          const answer = core.callBytes(new TextEncoder().encode(call));
          const digest = await crypto.subtle.digest("SHA-256", answer);
          hashes.push([...new Uint8Array(digest)].map(b => b.toString(16).padStart(2, "0")).join(""));
        }
        return hashes;
        """,
        [line[1] for line in lines])
    assert len(lines) >= 50
    assert hashes == [line[2] for line in lines]


def test_a_trap_loses_nothing_and_the_next_call_works(scene):
    browser = scene.serve().browser()
    traps = browser.run(
        """
        const { Core, CoreTrap } = await import("/core/core.js");
        const core = await Core.load(new URL("/core.wasm", location));
        const open = { call: "open", owner: "local/ada", feed: "books" };
        core.call(open, ["null"]);
        let trapped = false;
        core.instance = { exports: { ...core.instance.exports, commute_call() {
          throw new WebAssembly.RuntimeError("unreachable"); } } };
        try { core.call(open, ["null"]); } catch (error) { trapped = error instanceof CoreTrap; }
        const answer = core.call(open, ["null"]);
        return [trapped, core.traps, answer.pieces.length];
        """)
    assert traps == [True, 1, 1], traps
