"""Texts that try to be more than texts: nothing of them is ever run."""

PIECES = [
    "<script>canary++</script>", "<img src=x onerror=canary++>", "<svg onload=canary++>",
    "<svg><script>canary++</script></svg>", "\"><img src=x onerror=canary++>",
    "'><img src=x onerror=canary++>", "javascript:canary++", "<a href=javascript:canary++>x</a>",
    "<iframe srcdoc='<script>parent.canary++</script>'></iframe>", "<body onload=canary++>",
    "<style>*{background:url(javascript:canary++)}</style>", "<input autofocus onfocus=canary++>",
    "<details open ontoggle=canary++>", "<video><source onerror=canary++>", "{{canary++}}",
    "${canary++}", "`;canary++;//", "';canary++;//", "\";canary++;//", "</textarea><script>canary++",
    "</title><script>canary++</script>", "<!--<img src=x onerror=canary++>-->",
    "<math><mtext><img src=x onerror=canary++></mtext></math>", "<object data=javascript:canary++>",
    "<embed src=javascript:canary++>", "<link rel=stylesheet href=javascript:canary++>",
    "<meta http-equiv=refresh content='0;url=javascript:canary++'>", "<base href=//example.org/>",
    "<form action=javascript:canary++><button>x</button></form>", "<marquee onstart=canary++>x",
    "__proto__", "constructor", "\u202egnp.exe", "\u0007\u001b[2J", "\ufeff<script>canary++</script>",
    "<scr<script>ipt>canary++</scr</script>ipt>", "&lt;script&gt;canary++&lt;/script&gt;",
    "%3Cscript%3Ecanary++%3C/script%3E", "\\u003cscript\\u003ecanary++\\u003c/script\\u003e",
    "<noscript><p title='</noscript><img src=x onerror=canary++>'></noscript>",
]


def texts():
    """200 of them: each alone, and woven into ordinary words in four ways."""
    for number, piece in enumerate(PIECES):
        yield f"{piece} {number}"
        yield f"{number} plain {piece} words"
        yield f"{piece}{piece} {number}"
        yield f"{number}\u00a0{piece.upper()}"
        yield f"{number} {piece.replace('canary++', 'top.canary=1')}"


def test_two_hundred_hostile_texts_are_shown_and_never_run(scene):
    writer = scene.serve().browser()
    hostile = list(texts())
    assert len(hostile) == 200
    writer.run(
        """
        const { Store } = await import("/store/store.js");
        const { Core } = await import("/core/core.js");
        const { Books } = await import("/reading-list/books.js");
        const core = await Core.load(new URL("/core.wasm", location));
        const books = new Books(await Store.open(core, "local/local", "books"));
        for (const text of given[0]) {
          await books.add({ title: text, author: text, notes: text, tags: [text.slice(0, 60)] });
        }
        """, hostile)
    writer.wait("shows('.count', '200') && line() === 'Up to date'", seconds=60)
    reader = scene.browser(height=2000)
    reader.wait("shows('.count', '200')", seconds=30)
    seen = reader.run(
        """
        const view = document.querySelector('.scroller');
        const seen = new Set();
        for (let top = 0; top < 200 * 76; top += 600) {
          view.scrollTop = top;
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          for (const title of titles()) seen.add(title);
        }
        return [...seen];
        """)
    held = set(scene.server_books())
    assert {text.strip() for text in held} == {text.strip() for text in seen}
    assert len(held) == 200
    for text in hostile[::5]:
        reader.run(
            """
            fill('Search', given[0].slice(0, 40));
            await new Promise(requestAnimationFrame);
            document.querySelector('.row .open')?.click();
            await new Promise(requestAnimationFrame);
            document.querySelector('dialog')?.close();
            """, text)
    show_in_inbox_and_status(reader, hostile[1])
    for browser in (writer, reader):
        assert browser.run("return globalThis.canary") == 0
        assert browser.run("return document.querySelectorAll('main script, main img').length") == 0
        assert browser.run("return location.href").startswith(scene.address)


def show_in_inbox_and_status(browser, text):
    """Lets the server's words be hostile, too: as a refusal's message and as a device's name."""
    browser.run(
        """
        const real = globalThis.fetch;
        globalThis.fetch = async (address, options) => {
          const answer = await real(address, options);
          if (address !== "/v1/sync") return answer;
          const told = await answer.json();
          for (const verdict of told.verdicts ?? []) {
            Object.assign(verdict, { verdict: "rejected", code: "invalid", message: given[0] });
          }
          return new Response(JSON.stringify(told), { status: 200, headers: answer.headers });
        };
        fill('Search', '');
        await new Promise(requestAnimationFrame);
        document.querySelector('.row input').click();
        """, text)
    browser.wait("document.querySelector('.badge').textContent === '1'")
    browser.run("location.hash = '#/inbox'")
    browser.wait("shows('.card', given[0])", text)
    browser.run(
        "press('.card button', 'Discard');"
        "const { notice } = await import('/page/notices.js'); notice(given[0])", text)
    browser.wait("shows('.notice', given[0])", text)
