// Why `fetch` failed, which its error does not say: nobody answers, or the browser keeps a page from a server.

/** Hosts of this machine: plaintext to them is safe. */
export const LOCAL = ["localhost", "127.0.0.1", "[::1]"];

type Fetch = typeof globalThis.fetch;

/**
 * Why the browser lets this page have no answer of a server, in a sentence; undefined outside of browsers, for the
 * page's own origin, and if nothing answers there, as far as a browser reports it.
 */
export async function whyBlocked(server: string, fetch: Fetch = globalThis.fetch): Promise<string | undefined> {
  const page = globalThis.location as Location | undefined;
  const { origin, protocol, hostname } = new URL(server);
  if (page === undefined || page.origin === origin) return undefined;
  if (page.protocol === "https:" && protocol === "http:" && !LOCAL.includes(hostname))
    return `a page that came over https may not call ${origin}; the server needs https, too`;
  try {
    await fetch(`${server}/health`, { mode: "no-cors", cache: "no-store" });
  } catch {
    return undefined;
  }
  return `${origin} answers, but not to pages of ${page.origin}; start it with --web-origin ${page.origin}`;
}

/** What happened to the connection, which the error of `fetch` has as its cause in Node; empty elsewhere. */
export function brokenBy(error: unknown): string {
  const { cause } = (error ?? {}) as { cause?: { message?: string; code?: string } };
  return cause?.message || cause?.code || ""; // of several addresses, there is only the code
}
