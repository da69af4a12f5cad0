// Whether the luck of a finished game was fixed before its first move: the published hash against the revealed seed.

import type { Game } from "../gen/clerestory/v1/games_pb.ts";
import type { Keys } from "../service/tokens.ts";

export type Checked = "right" | "wrong" | "changed" | "chosen" | "none" | "hidden" | "insecure";

/** The verdict; `changed` if this browser has seen another hash at the beginning. */
export async function check(game: Game, keys: Keys): Promise<Checked> {
  if (!game.commitment) return "none";
  if (game.seed === undefined || !game.salt) return "hidden";
  if (!crypto.subtle) return "insecure";
  if (keys.commitment && keys.commitment !== game.commitment) return "changed";
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`${game.seed}:${game.salt}`));
  const found = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
  if (found !== game.commitment) return "wrong";
  return game.seedChosen ? "chosen" : "right";
}
