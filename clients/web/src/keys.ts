// The keys of the page.

import { browser } from "./storage.ts";

/** The key that is pressed; empty while typing, in a dialog, with Ctrl, Alt or Meta, and where keys are switched off. */
export function pressed(event: KeyboardEvent): string {
  const typing = (event.target as HTMLElement).matches("input, select, textarea");
  const meant = !typing && !event.ctrlKey && !event.altKey && !event.metaKey;
  return meant && !document.querySelector("dialog[open]") && browser.get("keys") !== "off" ? event.key : "";
}
