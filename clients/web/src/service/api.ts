// The service, on the page's own origin, by @clerestory/client.

import { CallError, Code, createClient, type Interceptor, openTransport } from "@clerestory/client";
import { signal } from "@preact/signals";
import { gameOf, route } from "../browser/route.ts";
import { tab } from "../browser/storage.ts";
import { AdvisorService } from "../gen/clerestory/v1/advisor_pb.ts";
import { GameService } from "../gen/clerestory/v1/games_pb.ts";
import { RulesService } from "../gen/clerestory/v1/rules_pb.ts";
import { capital, type Key, language, say } from "../language/texts.ts";
import { hear } from "./time.ts";
import { seatShown } from "./tokens.ts";

export { requestName } from "@clerestory/client";

const TOKEN = "server-token";

/** Whether the server requires a token that the page does not have. */
export const tokenWanted = signal(false);

/** Keep the server's own token until the tab is closed. */
export function keepToken(token: string): void {
  tab.set(TOKEN, token);
  tokenWanted.value = false;
}

const withToken: Interceptor = (next) => async (request) => {
  const token = tab.get(TOKEN);
  if (token) request.header.set("authorization", `Bearer ${token}`);
  const seat = seatShown(gameOf(route.value));
  if (seat) request.header.set("x-clerestory-seat", seat);
  request.header.set("accept-language", language.value);
  const asked = Date.now();
  try {
    const answer = await next(request);
    hear(answer.header.get("date"), asked);
    return answer;
  } catch (error) {
    const replaced = tab.get(TOKEN) !== token; // by one that this refusal is not about
    if (codeOf(error) === Code.Unauthenticated && !replaced) tokenWanted.value = true;
    throw error;
  }
};

// Pages that show boards from a file, such as the gallery, make no calls.
const ORIGIN = location.protocol === "file:" ? "http://localhost" : location.origin;

// A table says what it waits for, so it tries again itself; a person ends a call by leaving.
export const transport = openTransport(ORIGIN, { interceptors: [withToken], retries: false, slack: 0 });

export const advisor = createClient(AdvisorService, transport);
export const rules = createClient(RulesService, transport);
export const games = createClient(GameService, transport);

export function codeOf(error: unknown): Code {
  return CallError.from(error).code;
}

/** Whether a retry may succeed: the connection to the server is broken, or the server is shutting down. */
export function isPassing(error: unknown): boolean {
  return CallError.from(error).passing;
}

/** The reason of an error, one of those in docs/reference.md; empty if it has none. */
export function reasonOf(error: unknown): string {
  return CallError.from(error).reason;
}

/** Which of the tokens of a call was refused, by its number; -1 for none. */
export function refusedToken(error: unknown): number {
  const { reason, violations } = CallError.from(error);
  const field = reason === "WRONG_SEAT_TOKEN" ? violations[0]?.field : undefined;
  return Number(/^tokens\[(\d+)\]$/.exec(field ?? "")?.[1] ?? -1);
}

/** An error in words for people: the server's in the language of the page, else what its code means. */
export function wordsOf(error: unknown): string {
  const { code, message, reason, told } = CallError.from(error);
  if (code === Code.Unknown || (code === Code.DeadlineExceeded && !reason)) return say("trouble.unreachable");
  const spoken = told?.locale === language.value ? told.message : undefined;
  const words = spoken ?? (language.value === "en" ? message : say(MEANING[code] ?? "trouble.failed"));
  return words ? capital(words) : say("trouble.no_reason");
}

const MEANING: Partial<Record<Code, Key>> = {
  [Code.Unavailable]: "trouble.unreachable",
  [Code.ResourceExhausted]: "trouble.busy",
};
