import { text } from "../text/text.js";
import { notice } from "./notices.js";

/** Lets the service worker keep the pages, and offers a new build when one is ready. */
export async function registerWorker() {
  if (!("serviceWorker" in navigator)) return;
  const hadOne = navigator.serviceWorker.controller !== null;
  const registration = await navigator.serviceWorker.register(
    new URL("../service-worker.js", import.meta.url),
  );
  const offer = () => {
    notice(text("newVersion"), {
      label: text("reload"), run: () => registration.waiting?.postMessage("take over"),
    });
  };
  if (hadOne && registration.waiting) offer();
  registration.addEventListener("updatefound", () => {
    const found = registration.installing;
    found?.addEventListener("statechange", () => {
      if (found.state === "installed" && hadOne) offer();
    });
  });
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (hadOne) location.reload();
  });
}
