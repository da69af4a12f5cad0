// The files of the page that are loaded when they are wanted: asked for again while the server cannot be reached. The build
// makes every `import()` an `importFile()`.

import { computed, signal } from "@preact/signals";
import { tab } from "../browser/storage.ts";
import { say } from "../language/texts.ts";
import { pauses } from "./insist.ts";

const TRIES = 3; // of a file that the server says it has
const RELOADED = "reloaded"; // in the storage of the tab: the files that caused a reload of the page

const waiting = signal(0);
/** Whether a file is waited for, as the server cannot be reached. */
export const away = computed(() => waiting.value > 0);

/** How often a file could not be had: browsers remember that of a module by its address, so the next one differs. */
const failures = new Map<string, number>();

/** A file could not be had: `gone` if the server has none of its name, as it is a newer one than the page. */
class Lost extends Error {
  readonly gone: boolean;
  readonly address: string;

  constructor(address: string, gone: boolean) {
    super(say("trouble.failed"));
    this.address = address;
    this.gone = gone;
  }
}

export const isGone = (error: unknown): boolean => error instanceof Lost && error.gone;

/** Get a file of the page by its address, as soon as the server can be reached. Throws Lost. */
export async function got<T>(address: string, get: (address: string) => Promise<T>): Promise<T> {
  for (let left = TRIES; left > 0; left--) {
    const failed = failures.get(address) ?? 0;
    try {
      return await get(failed ? `${address}#${failed}` : address);
    } catch {
      failures.set(address, failed + 1);
    }
    if (!(await isThere(address))) throw new Lost(address, true);
  }
  throw new Lost(address, false); // as is what it imports, which is not asked for again
}

/** Whether the server has a file, as soon as it answers. */
async function isThere(address: string): Promise<boolean> {
  waiting.value += 1;
  const asked = new URL(address, import.meta.url);
  for (const pause = pauses(); ; await pause()) {
    const answer = await fetch(asked, { method: "HEAD", cache: "no-store" }).catch(() => undefined);
    if (!answer || answer.status >= 500) continue;
    waiting.value -= 1;
    return answer.ok;
  }
}

/** Reload the page once for a file that failed to load. Rethrows other errors, and the same error the second time. */
export async function loadAnew(error: unknown): Promise<never> {
  const before = tab.get(RELOADED) ?? "";
  if (!(error instanceof Lost) || before.includes(error.address)) throw error;
  if (!tab.set(RELOADED, `${before} ${error.address}`)) throw error; // without storage, the first time cannot be distinguished
  location.reload();
  return new Promise(() => undefined);
}

declare global {
  var importFile: (address: string) => Promise<unknown>;
}

globalThis.importFile = (address) => got(address, (one) => import(one));
