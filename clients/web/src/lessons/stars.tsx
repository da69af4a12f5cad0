// Stars, of three.

import { say } from "../texts.ts";

export function Stars({ count }: { count: number }) {
  return (
    <span class="stars" role="img" aria-label={say("learn.stars", { count })}>
      {"★".repeat(count)}
      {"☆".repeat(3 - count)}
    </span>
  );
}
