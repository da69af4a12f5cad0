// Starts what the page needs to play without a server: the worker that answers its calls, and the one that keeps its files.

import { fetchFrom } from "./answering.ts";
import { offline } from "./switch.ts";

/** How the page's calls reach who answers them: a server, or the worker. */
export function answered(): { fetch?: typeof fetch } {
  if (!offline) return {};
  const { content = "" } = document.querySelector<HTMLMetaElement>("meta[name=worker]") ?? {};
  return { fetch: fetchFrom(new URL(content, location.href).href) };
}

/** Keep the page's files for later visits, and ask the browser not to remove its games for want of space. */
export async function keep(): Promise<void> {
  if (!offline) return;
  await navigator.serviceWorker?.register("./sw.js"); // only in secure contexts
  await navigator.storage?.persist?.();
}
