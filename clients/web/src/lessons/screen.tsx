// `learn/NAME`: a lesson.

import { FILES } from "../gen/table.ts";
import { learn, say } from "../language/texts.ts";
import { Opening } from "../parts/opening.tsx";
import { useLoaded } from "../service/loading.ts";
import { listed } from "./lesson.ts";
import { Player } from "./player.tsx";

async function load() {
  const [known] = await Promise.all([listed(), learn(FILES)]);
  return known;
}

export default function LearnScreen({ words: [name = ""] }: { words: string[] }) {
  const { found, trouble } = useLoaded("lessons", load);
  if (!found) return <Opening trouble={trouble} />;
  const at = found.findIndex((one) => one.lesson === name);
  const next = found[at + 1];
  if (at < 0) return <Opening trouble={say("learn.no_lesson")} />;
  return <Player key={name} name={name} following={next?.game === found[at]?.game ? (next?.lesson ?? "") : ""} />;
}
