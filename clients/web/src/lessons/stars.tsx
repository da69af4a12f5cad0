// Stars, of three.

import { say } from "../language/texts.ts";
import { MOST_STARS } from "../path/progress.ts";

export function Stars({ count }: { count: number }) {
  return (
    <span class="stars" role="img" aria-label={say("learn.stars", { count })}>
      {"★".repeat(count)}
      {"☆".repeat(MOST_STARS - count)}
    </span>
  );
}
