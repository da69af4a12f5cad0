// The keys of the page.

import { browser } from "./storage.ts";

/** The key that is pressed; empty while typing, in a dialog, with Ctrl, Alt or Meta, and where keys are switched off. */
export function pressed(event: KeyboardEvent): string {
  const typing = (event.target as HTMLElement).matches("input, select, textarea");
  const meant = !typing && !event.ctrlKey && !event.altKey && !event.metaKey;
  return meant && !document.querySelector("dialog[open]") && browser.get("keys") !== "off" ? latin(event) : "";
}

const ASCII = /^[ -~]+$/; // as are the names of keys such as Home

/** What a key says, on a keyboard of other letters what it would say on one of Latin ones. */
function latin({ key, code, shiftKey }: KeyboardEvent): string {
  if (ASCII.test(key)) return key;
  if (code === "Slash") return shiftKey ? "?" : "/";
  const letter = /^Key([A-Z])$/.exec(code)?.[1] ?? "";
  return shiftKey ? letter : letter.toLowerCase();
}
