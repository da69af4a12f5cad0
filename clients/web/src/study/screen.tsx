// Stepping through a record, and trying other moves.

import { toJson } from "@bufbuild/protobuf";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { actor, look, looks, seatCount, seatOf } from "../boards/seats.ts";
import { go, link, numberOf } from "../browser/route.ts";
import { tab } from "../browser/storage.ts";
import { Early, Result } from "../ending/ending.tsx";
import { beginning } from "../game/beginning.ts";
import { newsOf } from "../game/news.ts";
import { forget } from "../game/plan.ts";
import { type Position, PositionSchema } from "../gen/clerestory/v1/position_pb.ts";
import { TurnKind } from "../gen/clerestory/v1/rules_pb.ts";
import { say } from "../language/texts.ts";
import { Button } from "../parts/button.tsx";
import { Opening } from "../parts/opening.tsx";
import { Trouble } from "../parts/parts.tsx";
import { games, wordsOf } from "../service/api.ts";
import { insist, mayPass } from "../service/insist.ts";
import { useLater, useLoaded, useRetold } from "../service/loading.ts";
import { keysOf, tokensOf } from "../service/tokens.ts";
import { Table } from "../views/table.tsx";
import { firstRecord, fresh, IMPORTED, read, Study } from "./study.ts";

/** `study/game/ID/PLY`, `study/new/GAME/SEATS`, `study/file`; with `/review` to review it at once. */
export default function StudyScreen({ words }: { words: string[] }) {
  const { found, trouble } = useLoaded(words.join("/"), () => open(words), told);
  return found && !trouble ? (
    <Studied study={found} reviewed={words.at(-1) === "review"} />
  ) : (
    <Opening trouble={trouble} />
  );
}

/** The fault of an imported record, or of the call. */
const told = (error: unknown) => (error instanceof Error && !("code" in error) ? error.message : wordsOf(error));

async function open([kind, name = "", number]: string[]): Promise<Study> {
  if (kind === "new") return new Study(await fresh(name, numberOf(number)), { record: "" });
  if (kind === "file") {
    const record = firstRecord(tab.get(IMPORTED) ?? "");
    return new Study(await read(record), { record });
  }
  const source = { gameId: name, tokens: tokensOf(keysOf(name)) };
  const [{ record }, { game }] = await Promise.all([games.getRecord(source), games.getGame(source)]);
  return new Study(await read(record), source, numberOf(number), name, game?.seats);
}

function Studied({ study, reviewed }: { study: Study; reviewed: boolean }) {
  const reached = study.reached.value;
  const position = study.position.value;
  const seat = seatOf(reached?.turn);
  const known = useSignal<Position | undefined>(undefined);
  useEffect(() => () => study.leave(), [study]);
  useEffect(() => {
    let here = true;
    known.value = undefined;
    if (seat !== undefined)
      insist(() => study.question(seat), { wanted: () => here, passes: mayPass }).then(
        (found) => {
          if (here) known.value = found;
        },
        () => undefined, // then there are no hints
      );
    return () => {
      here = false;
    };
  }, [reached]);
  useRetold(() => study.again());
  if (!reached || !position) return <Opening trouble={study.trouble.value} />;
  const seats = study.seats.length
    ? looks(study.seats)
    : Array.from({ length: seatCount(position) }, (_, index) => look(index));
  const chance = reached.turn?.kind === TurnKind.NATURE;
  const { actions, early } = study.told;
  const ended = early && !study.strayed.value && study.at.value === actions.length;
  const asked = useSignal(reviewed);
  const Review = useLater(() => import("../review/screen.tsx"), asked.value);
  const plan = `study:${study.name || position.game.case}:${study.at.value}`;
  return (
    <Table
      version={study.at.value}
      position={position}
      whole={reached.position}
      points={reached.points}
      seats={seats}
      viewer={ownSeat(study.name, seat)}
      seat={seat}
      actions={study.actions.value}
      busy={study.busy.value}
      onAction={(action) => void study.play(action)}
      onPlan={(actions) => {
        forget(plan);
        void study.playAll(actions);
      }}
      planned={plan}
      turn={
        reached.outcome || ended
          ? say("turn.over")
          : chance
            ? say(asked.value ? "end.review" : "study.chance")
            : say("turn.other", { who: actor(reached.turn, seats) })
      }
      myTurn={false}
      barred={chance ? say("hints.chance") : undefined}
      question={known.value && seat !== undefined ? { position: known.value, seat, game: "" } : undefined}
      applied={study.applied.value}
      newsAt={study.at.value}
      news={newsOf(study.applied.value.slice(study.at.value - 1, study.at.value), seats, false)}
      at={study.wanted.value}
      glyphs={study.strayed.value ? undefined : study.glyphs.value}
      onGo={(ply) => void study.go(ply)}
      onTakeBack={() => void study.go(study.wanted.value - 1)}
      menu={
        <>
          {!reached.outcome && (
            <button type="button" onClick={() => playOn(study)}>
              {say("study.play_on")}
            </button>
          )}
          {known.value && (
            <button type="button" onClick={() => edit(known.value)}>
              {say("lobby.edit")}
            </button>
          )}
          {study.strayed.value && (
            <button type="button" onClick={() => void study.back()}>
              {say("study.back")}
            </button>
          )}
          {study.name && (
            <a class="button" href={link("game", study.name)}>
              {say("study.game")}
            </a>
          )}
          <a class="button" href="#/">
            {say("menu.lobby")}
          </a>
        </>
      }
      review={Review && actions.length > 0 && <Review study={study} seats={seats} known={known.value} />}
      below={
        <>
          {early && <Early early={early} seats={seats} />}
          {actions.length > 0 && !Review && (
            <Button class="wide" off={asked.value} onPress={() => (asked.value = true)}>
              {say("study.review")}
            </Button>
          )}
        </>
      }
    >
      <Trouble words={study.trouble.value} />
      {chance && (
        <Button class="wide" off={study.busy.value} onPress={() => void study.draw()}>
          {say("study.draw")}
        </Button>
      )}
      {reached.outcome && <Result game={position.game.case ?? ""} outcome={reached.outcome} seats={seats} />}
    </Table>
  );
}

/** Whose "you" is: the seat to move of a kept game if this browser holds it, else the first that it holds. */
function ownSeat(game: string, seat: number | undefined): number | undefined {
  const own = Object.keys(keysOf(game).seats).map(Number);
  return own.find((one) => one === seat) ?? own[0];
}

/** Begin a kept game that continues from the displayed position. */
function playOn(study: Study): void {
  const position = study.position.value;
  beginning.value = {
    game: position?.game.case ?? "",
    seats: seatCount(position),
    opening: study.told.opening,
    actions: study.line.value.slice(0, study.at.value),
  };
  go([]);
}

/** Open the editor with a position. */
function edit(position: Position | undefined): void {
  if (!position) return;
  tab.set(IMPORTED, JSON.stringify(toJson(PositionSchema, position)));
  go(["edit", "file"]);
}
