"""Signing in and out, refused changes, and values that lost."""
import hashlib

from book_tests import add, is_up_to_date
from offline_tests import wait_for_worker


def tokens(scene, *lines):
    path = f"{scene.folder}/tokens"
    with open(path, "w") as out:
        for tenant, user, token in lines:
            out.write(f"{tenant} {user} {hashlib.sha256(token.encode()).hexdigest()}\n")
    return path


def sign_in(browser, scene, line):
    browser.run("location.hash = '#/settings'")
    browser.wait("shows('.panel', 'Signed in as')")
    browser.run("fill('Token', given[0]); press('.panel .primary', 'Sign in')", line)
    browser.wait("document.documentElement.dataset.ready")


def test_without_a_token_it_works_and_says_what_is_missing(scene):
    path = tokens(scene, ("club", "ada", "a" * 43), ("club", "bob", "b" * 43))
    browser = scene.serve("--tokens", path).browser()
    browser.wait("line() === 'Sign-in needed: give a valid token'")
    add(browser, "Before signing in")
    browser.wait("line() === 'Sign-in needed: give a valid token · 1 change waiting'")
    sign_in(browser, scene, "club ada " + "a" * 43)
    browser.wait("shows('.panel', 'Signed in as club/ada')")
    is_up_to_date(browser)
    browser.run("location.hash = '#/books'")
    browser.wait("document.querySelector('.add')")
    assert browser.run("return titles()") == []
    add(browser, "Ada's")
    is_up_to_date(browser)
    other = scene.browser()
    sign_in(other, scene, "club bob " + "b" * 43)
    is_up_to_date(other)
    other.run("location.hash = '#/books'")
    other.wait("row(\"Ada's\")")


def test_signing_out_with_unsent_work_asks_and_wipes_nothing_by_itself(scene):
    browser = scene.serve().browser()
    is_up_to_date(browser)
    wait_for_worker(browser)
    scene.stop_server()
    add(browser, "Emma")
    browser.wait("line() === 'Server not reachable · 1 change waiting'")
    browser.run("location.hash = '#/settings'")
    browser.wait("shows('.panel', 'Signed in as')")
    browser.run("press('.panel button', 'Sign out')")
    browser.wait("shows('dialog', '1 change was not sent yet')")
    browser.run("press('dialog button', 'Keep them and stay')")
    browser.run("location.hash = '#/books'")
    browser.wait("row('Emma')")
    scene.serve()
    browser.run("again()")
    is_up_to_date(browser)
    assert scene.server_books().keys() == {"Emma"}


def test_a_note_that_lost_can_be_restored_from_the_inbox(scene):
    browser = scene.serve().browser()
    add(browser, "Emma")
    is_up_to_date(browser)
    scene.device("Kitchen tablet", "sync")
    scene.stop_server()
    browser.run(
        "row('Emma').querySelector('.open').click(); fill('Notes', 'mine');"
        "press('dialog .primary')")
    browser.wait("line() === 'Server not reachable · 1 change waiting'")
    scene.device("Kitchen tablet", "note", "Emma", "theirs", environment={})
    scene.serve()
    scene.device("Kitchen tablet", "sync")
    browser.run("again()")
    is_up_to_date(browser)
    browser.wait("document.querySelector('.badge').textContent === '1'")
    browser.run("location.hash = '#/inbox'")
    browser.wait("shows('.card', 'Your note lost to a newer one from Kitchen tablet')")
    browser.run("press('.card .primary', 'Restore')")
    browser.wait("shows('.empty', 'Nothing waits')")
    assert "false" not in browser.run("return document.querySelector('main').innerText")
    is_up_to_date(browser)
    assert scene.server_books()["Emma"]["notes"] == "mine"


def test_a_refused_change_can_be_tried_again_from_the_inbox(scene):
    """The record is deleted elsewhere and purged; the refused change waits and can be discarded."""
    browser = scene.serve().browser()
    add(browser, "Emma")
    is_up_to_date(browser)
    refuse = """
        const real = globalThis.fetch;
        globalThis.fetch = async (address, options) => {
          const answer = await real(address, options);
          if (address !== "/v1/sync") return answer;
          const told = await answer.json();
          for (const verdict of told.verdicts ?? []) {
            if (globalThis.refusing) Object.assign(verdict, {
              verdict: "rejected", code: "invalid", message: "the library is closed" });
          }
          return new Response(JSON.stringify(told), { status: 200, headers: answer.headers });
        };
        globalThis.refusing = true;
        """
    browser.run(refuse)
    browser.run("row('Emma').querySelector('input').click()")
    browser.wait("document.querySelector('.badge').textContent === '1'")
    browser.run("location.hash = '#/inbox'")
    browser.wait("shows('.card', 'the library is closed')")
    browser.run("globalThis.refusing = false; press('.card .primary', 'Try again')")
    browser.wait("shows('.empty', 'Nothing waits')")
    is_up_to_date(browser)
    assert scene.server_books()["Emma"]["read"] is True
