"""Without a network, with a server that goes and comes back, and with little room."""
from book_tests import add, is_up_to_date


def go_offline(browser, is_off=True):
    browser.devtools("Network.enable")
    browser.devtools(
        "Network.emulateNetworkConditions", offline=is_off, latency=0,
        downloadThroughput=-1, uploadThroughput=-1)


def wait_for_worker(browser):
    browser.wait(
        "navigator.serviceWorker.ready.then(async () =>"
        " (await caches.keys()).length === 1 && navigator.serviceWorker.controller !== null)")


def test_changes_of_both_sides_meet_after_a_time_without_a_server(scene):
    """The demonstration: one device offline ticks, a browser writes a note, both end with both."""
    first = scene.serve().browser()
    add(first, "Emma")
    is_up_to_date(first)
    second = scene.browser()
    second.wait("row('Emma')")
    go_offline(first)
    first.run("row('Emma').querySelector('input').click()")
    first.wait("line() === 'Server not reachable · 1 change waiting'")
    first.wait("row('Emma').querySelector('.mark.sending, .mark.waiting')")
    second.run(
        "row('Emma').querySelector('.open').click(); fill('Notes', 'from the other');"
        "press('dialog .primary')")
    is_up_to_date(second)
    go_offline(first, False)
    is_up_to_date(first)
    scene.device("cli", "sync")
    assert [(b["read"], b["notes"]) for b in scene.books("cli")] == [(True, "from the other")]
    later = scene.browser()
    later.wait("row('Emma')?.classList.contains('is-read')")
    for browser in (first, second):
        browser.wait("row('Emma')?.classList.contains('is-read')", seconds=40)
        browser.run("row('Emma').querySelector('.open').click()")
        note = browser.run("return document.querySelector('dialog textarea').value")
        assert note == "from the other", note


def test_a_reload_without_network_opens_and_edits(scene):
    browser = scene.serve().browser()
    add(browser, "Emma")
    is_up_to_date(browser)
    wait_for_worker(browser)
    scene.stop_server()
    scene.show(browser)
    browser.wait("row('Emma')")
    add(browser, "Persuasion")
    browser.wait("line() === 'Server not reachable · 1 change waiting'")
    scene.serve()
    browser.run("again()")
    is_up_to_date(browser)
    assert scene.server_books().keys() == {"Emma", "Persuasion"}


def test_a_server_that_died_in_the_middle_gets_each_change_once(scene):
    browser = scene.serve().browser()
    add(browser, "Emma")
    is_up_to_date(browser)
    for round_ in range(3):
        scene.stop_server()
        add(browser, f"Book {round_}")
        browser.wait("line().startsWith('Server not reachable')")
        scene.serve()
        browser.run("again()")
        is_up_to_date(browser)
    titles = [book["title"] for book in scene.server_books().values()]
    assert sorted(titles) == ["Book 0", "Book 1", "Book 2", "Emma"], titles


def test_the_switch_keeps_changes_here_until_it_is_off(scene):
    browser = scene.serve().browser()
    browser.run("location.hash = '#/settings'")
    browser.wait("document.getElementById('work-offline')")
    browser.run("document.getElementById('work-offline').click(); location.hash = '#/books'")
    browser.wait("line() === 'Working offline' && document.querySelector('.add')")
    add(browser, "Emma")
    browser.wait("line() === 'Working offline · 1 change waiting'")
    assert scene.server_books() == {}
    browser.run("location.hash = '#/settings'")
    browser.wait("document.getElementById('work-offline')?.checked")
    browser.run("document.getElementById('work-offline').click()")
    is_up_to_date(browser)
    assert scene.server_books().keys() == {"Emma"}


def test_cleared_storage_is_read_anew_and_deletes_nothing(scene):
    browser = scene.serve().browser()
    for title in ("Emma", "Persuasion"):
        add(browser, title)
    is_up_to_date(browser)
    browser.devtools(
        "Storage.clearDataForOrigin", origin=scene.address.rstrip("/"), storageTypes="all")
    scene.show(browser)
    browser.wait("row('Emma') && row('Persuasion')")
    is_up_to_date(browser)
    assert scene.server_books().keys() == {"Emma", "Persuasion"}


def test_without_room_nothing_is_saved_and_the_form_stays(scene):
    """Chromium gives the error where a disk is full; here each write gets it."""
    browser = scene.serve().browser()
    add(browser, "Emma")
    is_up_to_date(browser)
    browser.run(
        """
        const real = IDBObjectStore.prototype.put;
        globalThis.makeRoom = () => { IDBObjectStore.prototype.put = real; };
        IDBObjectStore.prototype.put = () => {
          throw new DOMException("no room", "QuotaExceededError");
        };
        press('.add');
        fill('Title', 'Too much');
        press('dialog .primary');
        """)
    browser.wait("shows('.notice', 'Nothing was saved: the browser has no more room')")
    assert browser.run("return titles()") == ["Emma"]
    assert browser.run("return document.querySelector('dialog input').value") == "Too much"
    browser.run("makeRoom(); press('dialog .primary')")
    browser.wait("row('Too much')")
    is_up_to_date(browser)
    assert scene.server_books().keys() == {"Emma", "Too much"}


def test_a_cache_with_two_builds_is_thrown_away(scene):
    browser = scene.serve().browser()
    wait_for_worker(browser)
    browser.run(
        """
        const [name] = await caches.keys();
        const cache = await caches.open(name);
        const page = await (await cache.match("./")).text();
        const older = page.replace(/data-build="[^"]*"/, 'data-build="older"');
        const address = (await cache.keys()).find(one => new URL(one.url).pathname === "/");
        await cache.put(address, new Response(older, {
          headers: { "Content-Type": "text/html; charset=utf-8" } }));
        """)
    browser.open(scene.address)
    browser.wait("document.documentElement.dataset.ready")
    assert browser.run("return document.documentElement.dataset.build") != "older"


def test_a_clock_a_year_ahead_makes_nothing_win(scene):
    browser = scene.serve().browser()
    ahead = "const year = 31536000000, now = Date.now; Date.now = () => now() + year;"
    browser.prepare(ahead)
    scene.show(browser)
    add(browser, "Emma")
    is_up_to_date(browser)
    scene.device("cli", "sync")
    scene.device("cli", "note", "Emma", "later, and right", "--sync")
    browser.wait(
        "(async () => { if (!document.querySelector('dialog')) {"
        " row('Emma').querySelector('.open').click(); }"
        " const value = document.querySelector('dialog textarea').value;"
        " if (value !== 'later, and right') document.querySelector('dialog').close();"
        " return value === 'later, and right'; })()", seconds=40)
    assert scene.server_books()["Emma"]["notes"] == "later, and right"
