// Creating a game: its rules, players and options.

import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import { games, requestName, wordsOf } from "../api.ts";
import { beginning } from "../beginning.ts";
import { Hints, Onlookers, SeatKind, TakeBacks } from "../gen/clerestory/v1/games_pb.ts";
import { SeatSign, Trouble } from "../parts.tsx";
import { go } from "../route.ts";
import { colourName, look } from "../seats.ts";
import { levelName, text } from "../text.ts";
import { addKeys } from "../tokens.ts";

/** Who can be given a seat: `me`, `here` (at this screen), `open`, `bot` (full strength), `bot1` to `bot8`. */
const HOLDERS = ["me", "here", "open", "bot", ...[8, 7, 6, 5, 4, 3, 2, 1].map((level) => `bot${level}`)];
const PLAYERS: Record<string, number[]> = { cathedral: [2, 3, 4], duel: [2] };

function holderName(holder: string): string {
  const level = holder.match(/^bot(\d?)$/)?.[1];
  if (level !== undefined) return `Bot: ${levelName(level ? Number(level) : undefined).toLowerCase()}`;
  return { me: "Me", here: "Somebody at this screen", open: "Whoever joins" }[holder] ?? holder;
}

function plan(holder: string, name: string, milliseconds: number) {
  if (holder === "open") return { kind: SeatKind.OPEN };
  if (holder === "me") return { kind: SeatKind.PERSON, name };
  if (holder === "here") return { kind: SeatKind.PERSON };
  const level = holder.slice(3);
  const timeBudget = durationFromMs(milliseconds);
  return { kind: SeatKind.BOT, bot: { timeBudget, ...(level ? { level: Number(level) } : {}) } };
}

const CHOICES = [
  {
    name: "hints",
    label: "Hints",
    of: { [Hints.ALWAYS]: "At any time", [Hints.AFTERWARDS]: "Once the game is over", [Hints.NEVER]: "None" },
  },
  {
    name: "takeBacks",
    label: "Taking back",
    of: {
      [TakeBacks.FAIR]: "Moves that revealed nothing",
      [TakeBacks.ALL]: "Everything",
      [TakeBacks.NEVER]: "Nothing",
    },
  },
  {
    name: "onlookers",
    label: "Onlookers",
    of: { [Onlookers.NONE]: "None", [Onlookers.LINK]: "Anyone with the link", [Onlookers.ALL]: "Everybody" },
  },
  {
    name: "minutes",
    label: "A person's time per move",
    of: { 0: "No limit", 1: "1 minute", 5: "5 minutes", 1440: "A day" },
  },
] as const;
const TICKS = [
  { name: "listed", label: "Show it in the lobby while it has an open seat" },
  { name: "table", label: "A real box lies on the table: we enter what comes up" },
] as const;

/** The default holders for a number of seats. */
const proposed = (count: number) => ["me", "bot4", "bot4", "bot4"].slice(0, count);

export function NewGame() {
  const from = beginning.value;
  const game = useSignal(from?.game ?? "cathedral");
  const holders = useSignal(proposed(from?.seats ?? 3));
  const name = useSignal(localStorage.getItem("name") ?? "");
  const think = useSignal(1000);
  const options = useSignal({
    hints: Hints.ALWAYS,
    takeBacks: TakeBacks.FAIR,
    onlookers: Onlookers.LINK,
    table: false,
    listed: true,
    minutes: 0,
  });
  const busy = useSignal(false);
  const trouble = useSignal("");
  const seats = (count: number) => {
    holders.value = Array.from({ length: count }, (_, seat) => holders.value[seat] ?? "bot4");
  };
  const set = (change: Partial<typeof options.value>) => {
    options.value = { ...options.value, ...change };
  };
  const make = async () => {
    busy.value = true;
    localStorage.setItem("name", name.value);
    const { minutes, ...chosen } = options.value;
    const timed = minutes ? { timePerMove: durationFromMs(60_000 * minutes) } : {};
    try {
      const made = await games.createGame({
        game: game.value,
        seats: holders.value.map((holder) => plan(holder, name.value, think.value)),
        options: { ...chosen, ...timed },
        requestId: requestName(),
        ...(from ? { beginning: { opening: from.opening, actions: from.actions } } : {}),
      });
      beginning.value = undefined;
      const id = made.game?.gameId ?? "";
      const tokens = Object.fromEntries(made.seatTokens.map((one) => [one.seat, one.token]));
      addKeys(id, {
        seats: tokens,
        owner: made.ownerToken,
        ...(made.onlookerToken ? { onlooker: made.onlookerToken } : {}),
      });
      go(["game", id]);
    } catch (error) {
      trouble.value = wordsOf(error);
    } finally {
      busy.value = false;
    }
  };
  return (
    <form
      class="new"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <h2>New game</h2>
      <Trouble words={trouble.value} />
      {from ? (
        <p class="notice">
          {text.games[from.game] ?? from.game}, {from.seats} players: it goes on after {text.moves(from.actions.length)}
          .{" "}
          <button type="button" onClick={() => (beginning.value = undefined)}>
            Start a new deal instead
          </button>
        </p>
      ) : (
        <>
          <div class="row" role="radiogroup" aria-label="Game">
            {Object.keys(PLAYERS).map((one) => (
              <label key={one} class="pill">
                <input
                  type="radio"
                  name="game"
                  value={one}
                  checked={game.value === one}
                  onChange={() => {
                    game.value = one;
                    if (!PLAYERS[one]?.includes(holders.value.length)) seats(2);
                  }}
                />
                {text.games[one]}
              </label>
            ))}
          </div>
          <div class="row" role="radiogroup" aria-label="Players">
            {(PLAYERS[game.value] ?? []).map((count) => (
              <label key={count} class="pill">
                <input
                  type="radio"
                  name="players"
                  value={count}
                  checked={holders.value.length === count}
                  onChange={() => seats(count)}
                />
                {count} players
              </label>
            ))}
          </div>
        </>
      )}
      <ul class="seats">
        {holders.value.map((holder, seat) => (
          <li key={seat}>
            <SeatSign look={look(seat)} />
            <label>
              {colourName(seat)}
              <select
                aria-label={colourName(seat)}
                value={holder}
                onChange={(event) => {
                  holders.value = holders.value.map((one, index) => (index === seat ? event.currentTarget.value : one));
                }}
              >
                {HOLDERS.map((one) => (
                  <option key={one} value={one}>
                    {holderName(one)}
                  </option>
                ))}
              </select>
            </label>
          </li>
        ))}
      </ul>
      <label>
        Your name
        <input
          maxLength={40}
          autocomplete="nickname"
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
      </label>
      <details>
        <summary>More options</summary>
        <Choice
          label="A bot's time per move"
          value={think.value}
          of={{ 200: "0.2 s", 1000: "1 s", 3000: "3 s", 10000: "10 s" }}
          onChoice={(value) => (think.value = value)}
        />
        {CHOICES.map(({ name: field, label, of }) => (
          <Choice
            key={field}
            label={label}
            value={options.value[field]}
            of={of}
            onChoice={(value) => set({ [field]: value })}
          />
        ))}
        {TICKS.map(({ name: field, label }) => (
          <label key={field}>
            <input
              type="checkbox"
              checked={options.value[field]}
              onChange={(event) => set({ [field]: event.currentTarget.checked })}
            />{" "}
            {label}
          </label>
        ))}
      </details>
      <button type="submit" class="main" disabled={busy.value}>
        Start
      </button>
    </form>
  );
}

interface ChoiceProps<T extends number> {
  label: string;
  value: T;
  of: Record<number, string>;
  onChoice(value: T): void;
}

function Choice<T extends number>({ label, value, of, onChoice }: ChoiceProps<T>) {
  return (
    <label>
      {label}
      <select aria-label={label} value={value} onChange={(event) => onChoice(Number(event.currentTarget.value) as T)}>
        {Object.entries(of).map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
