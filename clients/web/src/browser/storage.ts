// What this browser keeps from visit to visit, and a tab until it is closed, by key. Where a browser keeps nothing, or has
// no room, the page remembers it.

import { signal } from "@preact/signals";

class Storing {
  /** Whether something will be lost when the page is closed. */
  readonly losing = signal(false);
  readonly #storage: () => Storage; // asking for it may throw as well
  readonly #remembered = new Map<string, string>();

  constructor(storage: () => Storage) {
    this.#storage = storage;
  }

  get(key: string): string | null {
    return this.#remembered.get(key) ?? tried(() => this.#storage().getItem(key)) ?? null;
  }

  /** Keep a text; return whether it outlives the page. */
  set(key: string, text: string): boolean {
    const kept = succeeds(() => this.#storage().setItem(key, text));
    if (kept) this.#remembered.delete(key);
    else this.#remembered.set(key, text);
    this.losing.value ||= !kept;
    return kept;
  }

  remove(key: string): void {
    this.#remembered.delete(key);
    tried(() => this.#storage().removeItem(key));
  }

  keys(): string[] {
    return [...new Set([...(tried(() => Object.keys(this.#storage())) ?? []), ...this.#remembered.keys()])];
  }
}

/** Whether the browser does not refuse something. */
const succeeds = (something: () => void): boolean =>
  tried(() => {
    something();
    return true;
  }) ?? false;

/** What something returns; nothing where the browser refuses it. */
function tried<T>(something: () => T): T | undefined {
  try {
    return something();
  } catch {
    return undefined;
  }
}

/** What this browser keeps. */
export const browser = new Storing(() => localStorage);

/** What a tab keeps. */
export const tab = new Storing(() => sessionStorage);

/** The JSON value under a key; `otherwise` if there is none, or it cannot be read. */
export const stored = <T>(key: string, otherwise: T): T =>
  tried(() => JSON.parse(browser.get(key) ?? "null") as T | null) ?? otherwise;

/** Keep something as JSON. */
export const store = (key: string, value: unknown): boolean => browser.set(key, JSON.stringify(value));
