// The service, by the Connect protocol, on the page's own origin.

import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { signal } from "@preact/signals";
import { AdvisorService } from "./gen/clerestory/v1/advisor_pb.ts";
import { GameService } from "./gen/clerestory/v1/games_pb.ts";
import { RulesService } from "./gen/clerestory/v1/rules_pb.ts";
import { ErrorInfoSchema, LocalizedMessageSchema } from "./gen/google/rpc/error_details_pb.ts";
import { gameOf, route } from "./route.ts";
import { capital, type Key, language, say } from "./texts.ts";
import { seatShown } from "./tokens.ts";

const TOKEN = "server-token";

/** Whether the server requires a token that the page does not have. */
export const tokenWanted = signal(false);

/** Keep the server's own token until the tab is closed. */
export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN, token);
  tokenWanted.value = false;
}

const withToken: Interceptor = (next) => async (request) => {
  const token = sessionStorage.getItem(TOKEN);
  if (token) request.header.set("authorization", `Bearer ${token}`);
  const seat = seatShown(gameOf(route.value));
  if (seat) request.header.set("x-clerestory-seat", seat);
  request.header.set("accept-language", language.value);
  try {
    return await next(request);
  } catch (error) {
    if (codeOf(error) === Code.Unauthenticated) tokenWanted.value = true;
    throw error;
  }
};

export const transport = createConnectTransport({ baseUrl: location.origin, interceptors: [withToken] });

export const advisor = createClient(AdvisorService, transport);
export const rules = createClient(RulesService, transport);
export const games = createClient(GameService, transport);

/** An unguessable name for a request; `crypto.randomUUID` exists only on pages with TLS. */
export function requestName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function codeOf(error: unknown): Code {
  return ConnectError.from(error).code;
}

/** Whether a retry may succeed: the connection to the server is broken, or the server is shutting down. */
export function isPassing(error: unknown): boolean {
  const passing = [Code.Unavailable, Code.DeadlineExceeded, Code.Unknown, Code.Canceled];
  return passing.includes(codeOf(error)) || isReset(error);
}

/** Whether an answer broke off, as where a proxy loses its server: an error of the server itself has a reason. */
function isReset(error: unknown): boolean {
  const { code, rawMessage } = ConnectError.from(error);
  const cut = code === Code.InvalidArgument && rawMessage.startsWith("protocol error");
  return reasonOf(error) === "" && (cut || code === Code.Internal);
}

/** The reason of an error's ErrorInfo, one of those in docs/protocol.md; empty if it has none. */
export function reasonOf(error: unknown): string {
  return ConnectError.from(error).findDetails(ErrorInfoSchema)[0]?.reason ?? "";
}

/** An error in words for people: the server's in the language of the page, else what its code means. */
export function wordsOf(error: unknown): string {
  const code = codeOf(error);
  if (code === Code.Unknown) return say("trouble.unreachable");
  const found = ConnectError.from(error);
  const told = found.findDetails(LocalizedMessageSchema).find((one) => one.locale === language.value)?.message;
  const words = told ?? (language.value === "en" ? found.rawMessage : say(MEANING[code] ?? "trouble.failed"));
  return words ? capital(words) : say("trouble.no_reason");
}

const MEANING: Partial<Record<Code, Key>> = {
  [Code.Unavailable]: "trouble.unreachable",
  [Code.ResourceExhausted]: "trouble.busy",
};
