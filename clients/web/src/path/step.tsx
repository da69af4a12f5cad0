// A step of the path, as a link or a button.

import { link } from "../browser/route.ts";
import { FILES } from "../gen/table.ts";
import { levelName } from "../language/text.ts";
import { language, learn, say } from "../language/texts.ts";
import { listed } from "../lessons/lesson.ts";
import { useLoaded } from "../service/loading.ts";
import { PlayButton } from "./play.tsx";
import { reviewed } from "./progress.ts";
import { nextStep } from "./steps.ts";

export interface StepProps {
  game: string;
  /** A game of one's own that may be reviewed. */
  played?: { gameId: string; ply: number } | undefined;
}

async function load() {
  const [lessons] = await Promise.all([listed(), learn(FILES)]);
  return lessons;
}

export default function NextStep(props: StepProps) {
  const { found: lessons } = useLoaded(`lessons ${language.value}`, load);
  return (
    lessons && (
      <p class="row next-step">
        <Step {...props} lessons={lessons} />
        <a class="button" href={link("path")}>
          {say("learn.path")}
        </a>
      </p>
    )
  );
}

interface Listed {
  lesson: string;
  title: string;
}

/** The step itself. */
export function Step({ game, played, lessons }: StepProps & { lessons: readonly Listed[] }) {
  const own = played !== undefined && !reviewed(game).includes(played.gameId);
  const names = lessons.map((one) => one.lesson);
  const step = nextStep(game, names, own);
  if (step.kind === "level")
    return (
      <PlayButton game={game} bot={{ level: step.count }} shape="main">
        {say("learn.next_step", { what: say("learn.against", { level: levelName(step.count) }) })}
      </PlayButton>
    );
  const [words, address] =
    step.kind === "lesson"
      ? [lessons.find((one) => one.lesson === step.lesson)?.title ?? "", link("learn", step.lesson)]
      : step.kind === "review"
        ? [say("learn.look_back"), link("study", "game", played?.gameId ?? "", played?.ply ?? 0, "review")]
        : [say("learn.solve", { count: step.count }), link("puzzle", game)];
  return (
    <a class="button main" href={address}>
      {say("learn.next_step", { what: words })}
    </a>
  );
}
