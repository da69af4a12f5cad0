// The lesson that fits what went wrong in a game.

import FITTING from "../../../../server/lessons/fitting.json";
import { link } from "../browser/route.ts";
import { FILES } from "../gen/table.ts";
import { learn, say } from "../language/texts.ts";
import { listed } from "../lessons/lesson.ts";
import { useLoaded } from "../service/loading.ts";
import { MOST_STARS, starsOf } from "./progress.ts";

async function load() {
  const [lessons] = await Promise.all([listed(), learn(FILES)]);
  return lessons;
}

/** The lesson for some actions, the worst first: one that is not known by heart yet, if there is any. */
export function fitting(game: string, actions: readonly string[]): string | undefined {
  const lessons = (FITTING as Readonly<Record<string, Readonly<Record<string, string>>>>)[game] ?? {};
  const found = actions.flatMap((action) => lessons[action.split(" ")[0] ?? ""] ?? []);
  const stars = starsOf();
  return found.find((lesson) => (stars[lesson] ?? 0) < MOST_STARS) ?? found[0];
}

/** The same as a link. */
export function Fitting({ game, actions }: { game: string; actions: readonly string[] }) {
  const { found: lessons } = useLoaded("lessons", load);
  const name = fitting(game, actions);
  const lesson = lessons?.find((one) => one.lesson === name);
  return (
    lesson && (
      <p>
        {say("learn.fitting")}{" "}
        <a class="button" href={link("learn", lesson.lesson)}>
          {lesson.title}
        </a>
      </p>
    )
  );
}
