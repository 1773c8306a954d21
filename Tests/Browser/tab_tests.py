"""Several tabs of one browser: one database, one tab that syncs."""
from book_tests import add, is_up_to_date


def test_two_tabs_write_four_hundred_changes_and_none_is_lost(scene):
    browser = scene.serve().browser()
    first = browser.handle()
    second = browser.tab()
    scene.show(browser)
    begin = """
        globalThis.done = (async () => {
          const { Store } = await import("/store/store.js");
          const { Core } = await import("/core/core.js");
          const core = await Core.load(new URL("/core.wasm", location));
          const store = await Store.open(core, "local/local", "books");
          const { Books } = await import("/reading-list/books.js");
          const books = new Books(store);
          for (let index = 0; index < 200; index += 1) {
            await books.add({ title: `${given[0]} ${index}` });
          }
          return 200;
        })();
        """
    browser.run(begin, "second")
    browser.switch(first)
    browser.run(begin, "first")
    assert browser.run("return await globalThis.done") == 200
    browser.switch(second)
    assert browser.run("return await globalThis.done") == 200
    for tab in (first, second):
        browser.switch(tab)
        browser.wait("shows('.count', '400 books') && line() === 'Up to date'", seconds=60)
    assert len(scene.server_books()) == 400


def test_an_edit_shows_in_the_other_tab(scene):
    browser = scene.serve().browser()
    first = browser.handle()
    browser.tab()
    scene.show(browser)
    add(browser, "Emma")
    browser.switch(first)
    browser.wait("row('Emma') && line() === 'Up to date'")
    assert scene.server_books().keys() == {"Emma"}


def test_another_tab_takes_over_when_the_syncing_one_is_closed(scene):
    browser = scene.serve().browser()
    first = browser.handle()
    second = browser.tab()
    scene.show(browser)
    browser.switch(first)
    browser.close_tab()
    browser.switch(second)
    add(browser, "Emma")
    is_up_to_date(browser)
    assert scene.server_books().keys() == {"Emma"}
