// Where a client's calls go and what they carry, checked before anything is sent. No error quotes a token or a password.

import { LOCAL } from "./blocked.ts";

const WORD = /^[!-~]+$/; // of printable ASCII
const TAGS = /^[ -~]*$/;

export const LONGEST_TIMER = 2 ** 31 - 1; // milliseconds; a longer timer ends at once

/** How the calls of a client are made; all of it may be left out. */
export interface JsonSettings {
  /** Token of the server, if it requires one; never sent to another machine in plaintext. */
  token?: string | undefined;
  /** Of texts for people, as a BCP 47 tag. */
  language?: string | undefined;
  /** Instead of the global one. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** The address before the path of a call, and the headers of every call. Throws TypeError, which names the argument. */
export function connection(address: string, settings: JsonSettings) {
  const { token, language } = settings;
  const { protocol, hostname, host } = serverOf(address);
  require(!token || WORD.test(String(token).trim()), "token: is not one word of printable ASCII");
  const open = protocol === "http:" && !LOCAL.includes(hostname);
  require(!token || !open, `token: would travel in plaintext to ${host}; use https`);
  require(!language || TAGS.test(language), "language: is not a BCP 47 tag");
  require(typeof (settings.fetch ?? globalThis.fetch) === "function", "fetch: is not a function");
  return {
    base: address.replace(/\/+$/, ""),
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(language && { "accept-language": language }),
    } as Record<string, string>,
  };
}

function serverOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const http = url?.protocol === "http:" || url?.protocol === "https:";
  require(http && url.href === url.origin + url.pathname, "address: is not a plain http:// or https:// URL");
  return url;
}

/** The argument of a call that cannot be used, and what is wrong with it; undefined if there is none. */
export function callFault(signal: unknown, timeoutMs: unknown): [string, string] | undefined {
  if (signal !== undefined && !(signal instanceof AbortSignal)) return ["signal", "is not an AbortSignal"];
  if (!(timeoutMs === undefined || timeoutMs === null || isTime(timeoutMs))) return ["timeoutMs", notTime(timeoutMs)];
  return undefined;
}

export const isTime = (value: unknown): value is number => typeof value === "number" && value >= 0;
export const notTime = (value: unknown): string => `${quoted(value)} is not a time in milliseconds`;
export const quoted = (value: unknown): string => (typeof value === "string" ? `"${value}"` : String(value));

function require(condition: unknown, problem: string): asserts condition {
  if (!condition) throw new TypeError(problem);
}
