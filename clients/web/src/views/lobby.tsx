// The lobby: a new game, the user's games, games that wait for people, records and positions to study.

import { timestampDate } from "@bufbuild/protobuf/wkt";
import { signal, useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { actor, isToMove, looks } from "../boards/seats.ts";
import { go, link } from "../browser/route.ts";
import { tab } from "../browser/storage.ts";
import { notice } from "../game/title.ts";
import { type Game, GameStatus } from "../gen/clerestory/v1/games_pb.ts";
import { gameName, text } from "../language/text.ts";
import { rich, say } from "../language/texts.ts";
import { offline } from "../offline/switch.ts";
import { SeatName, Trouble, taken } from "../parts/parts.tsx";
import { games, isPassing, wordsOf } from "../service/api.ts";
import { LIMIT, retried } from "../service/insist.ts";
import { useHere } from "../service/loading.ts";
import { forget, keysOf, ownGames, ownTokens } from "../service/tokens.ts";
import { LanguageChoice } from "./language.tsx";
import { NewGame } from "./newgame.tsx";
import { Opponents, Welcome } from "./welcome.tsx";

const EVERY = 5000; // milliseconds between updates of the lists

const own = signal<Game[]>([]);
const others = signal<Game[]>([]);

async function look(here: () => boolean): Promise<void> {
  const tokens = ownTokens();
  const [mine, listed] = await Promise.all([
    tokens.length ? games.listGames({ tokens, pageSize: 100 }, LIMIT) : undefined,
    games.listGames({ pageSize: 50 }, LIMIT),
  ]);
  if (!here()) return;
  const known = new Set(ownGames());
  own.value = (mine?.games ?? []).filter((game) => known.has(game.gameId)); // one may have been forgotten meanwhile
  others.value = listed.games.filter((game) => !known.has(game.gameId));
}

/** The lobby; `lost` if the address led to nothing else. */
export function Lobby({ lost }: { lost: boolean }) {
  const trouble = useSignal("");
  const here = useHere();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const again = async () => {
      if (!document.hidden)
        await look(here).then(
          () => {
            trouble.value = "";
          },
          (error) => {
            trouble.value = isPassing(error) ? retried(say("trouble.unreachable")) : wordsOf(error);
          },
        );
      if (here()) timer = setTimeout(() => void again(), EVERY);
    };
    void again();
    return () => clearTimeout(timer);
  }, []);
  const waiting = own.value.find((game) => mayMove(game));
  notice(waiting ? say("your_turn") : "", waiting?.gameId);
  const over = own.value.filter((game) => game.status === GameStatus.OVER);
  const going = own.value.filter((game) => game.status !== GameStatus.OVER);
  return (
    <main class="page lobby">
      <header class="row">
        <h1>{say("title")}</h1>
        <LanguageChoice />
      </header>
      {lost && (
        <p class="notice" role="status">
          {say("lobby.lost")}
        </p>
      )}
      <Trouble words={trouble.value} />
      <Welcome />
      <List title={say("lobby.yours")} games={going} own />
      {!offline && <Opponents />}
      <NewGame />
      <List title={say("lobby.open")} games={others.value} />
      {!offline && (
        <>
          <Train />
          <Import />
          <p>
            <a href={link("box", "duel")}>{say("lobby.box")}</a>
          </p>
        </>
      )}
      <List title={say("lobby.over")} games={over} own />
    </main>
  );
}

/** Whether a game waits for a player at this browser. */
function mayMove(game: Game): boolean {
  return !game.end && isToMove(game, Object.keys(keysOf(game.gameId).seats).map(Number));
}

function List({ title, games: listed, own: mine }: { title: string; games: Game[]; own?: boolean }) {
  if (!listed.length) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul class="games">
        {listed.map((game) => (
          <li key={game.gameId}>
            <a href={link("game", game.gameId)}>
              <strong>{gameName(game.game) || say("lobby.a_game")}</strong>
              <span class={mayMove(game) ? "mine" : ""}>{stands(game)}</span>
              {game.status === GameStatus.OPEN && game.created && (
                <small>{text.since(timestampDate(game.created))}</small>
              )}
            </a>
            <span class="row">
              {looks(game.seats).map((seat) => (
                <SeatName key={seat.seat} look={seat} />
              ))}
            </span>
            {mine && game.end && (
              <button
                type="button"
                onClick={() => {
                  forget(game.gameId);
                  own.value = own.value.filter((one) => one !== game);
                }}
              >
                {say("lobby.forget")}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The progress of a game, in words. */
function stands(game: Game): string {
  if (game.status === GameStatus.OPEN) return say("lobby.waiting");
  if (game.status === GameStatus.FROZEN) return say("lobby.frozen", { why: game.frozenReason });
  if (game.end) return say("lobby.is_over");
  return mayMove(game)
    ? say("your_turn")
    : say("turn.other", { who: actor(game.turn, looks(game.seats)) || say("nature") });
}

/** Positions to train on. */
function Train() {
  return (
    <section>
      <h2>{say("lobby.puzzles")}</h2>
      <p class="row">
        {["cathedral", "duel"].map((game) => (
          <a key={game} class="button" href={link("puzzle", game)}>
            {gameName(game)}
          </a>
        ))}
      </p>
    </section>
  );
}

/** A record or a position from elsewhere. */
function Import() {
  const trouble = useSignal("");
  const here = useHere();
  const open = async (file: string) => {
    try {
      const { IMPORTED, read } = await import("../study/study.ts");
      await read(file);
      if (!here()) return;
      tab.set(IMPORTED, file);
      go(["study", "file"]);
    } catch (error) {
      trouble.value = error instanceof Error && !("code" in error) ? error.message : wordsOf(error);
    }
  };
  return (
    <details>
      <summary>{say("lobby.import")}</summary>
      <Trouble words={trouble.value} />
      <label>
        {rich("lobby.file", {
          play: <code>clerestory play --record</code>,
          fresh: <code>clerestory new</code>,
        })}
        <input
          type="file"
          onChange={async (event) => {
            const file = taken(event.currentTarget);
            trouble.value = "";
            if (file) await open(await file.text());
          }}
        />
      </label>
      <p class="row">
        {["cathedral", "duel"].map((game) => (
          <a key={game} class="button" href={link("study", "new", game, 2)}>
            {say("lobby.position", { game: gameName(game) })}
          </a>
        ))}
        <a class="button" href={link("edit", "cathedral", 2)}>
          {say("lobby.edit")}
        </a>
      </p>
    </details>
  );
}
