import { build } from "../build.js";
import { languages, text } from "../text/text.js";
import { signInSection } from "./sign-in.js";
import { button, choice, element, field } from "./elements.js";
import { preference, setPreference } from "./preferences.js";

/** @typedef {import("./context.js").Context} Context */

/**
 * The page of settings.
 * @param {Context} context
 * @returns {() => void}
 */
export function show({ main, store, books }) {
  main.replaceChildren(
    element("h1", {}, text("settings")),
    syncSection(store),
    signInSection(store, books),
    lookSection(),
    storageSection(),
    element("p", { class: "hint" }, text("about", build)),
  );
  return () => {};
}

/** @param {import("../store/store.js").Store} store */
function syncSection(store) {
  const offline = element("input", {
    type: "checkbox", id: "work-offline", "aria-describedby": "offline-hint",
    on: { change: () => store.set("offline", offline.checked) },
  });
  const name = element("input", {
    autocomplete: "off", maxLength: 80,
    on: { change: () => store.set("name", name.value.trim() || "Browser") },
  });
  store.setting("offline").then((isOffline) => {
    offline.checked = isOffline === true;
  });
  store.setting("name").then((known) => {
    name.value = known ?? "Browser";
  });
  return element(
    "section", { class: "panel" },
    element("label", { class: "check switch" }, offline, text("workOffline")),
    element("p", { class: "hint", id: "offline-hint" }, text("workOfflineHint")),
    field(text("deviceName"), name, text("deviceNameHint")),
  );
}

function lookSection() {
  const language = choice(
    Object.keys(languages).map((code) => [
      code, new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code,
    ]),
    document.documentElement.lang,
    (code) => {
      setPreference("language", code);
      location.reload();
    },
  );
  const look = choice(
    [["system", text("asSystem")], ["light", text("light")], ["dark", text("dark")]],
    preference("look") ?? "system",
    (value) => {
      setPreference("look", value);
      document.documentElement.dataset.look = value;
    },
  );
  return element(
    "section", { class: "panel" }, field(text("language"), language),
    field(text("appearance"), look),
  );
}

function storageSection() {
  const state = element("p", {});
  const ask = button(text("keepStorage"), async () => {
    await navigator.storage.persist();
    await tell();
  });
  const tell = async () => {
    const isKept = await navigator.storage.persisted();
    state.textContent = text(isKept ? "storageDurable" : "storageFleeting");
    state.className = isKept ? "" : "loud";
    ask.hidden = isKept;
  };
  tell();
  return element("section", { class: "panel" }, element("h2", {}, text("storage")), state, ask);
}
