// Creating a game: its rules, players and options.

import { durationFromMs } from "@bufbuild/protobuf/wkt";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { colourName, look } from "../boards/seats.ts";
import { browser } from "../browser/storage.ts";
import { BOTS, botName, botPlan, characters, introduced, meet, opponent } from "../faces/characters.ts";
import { Face } from "../faces/face.tsx";
import { beginning, PLAYERS } from "../game/beginning.ts";
import { useCreate } from "../game/creating.ts";
import { Hints, Onlookers, SeatKind, TakeBacks } from "../gen/clerestory/v1/games_pb.ts";
import { gameName } from "../language/text.ts";
import { type Key, say } from "../language/texts.ts";
import { offline } from "../offline/switch.ts";
import { SeatSign, Trouble } from "../parts/parts.tsx";
import { requestName } from "../service/api.ts";

/** Who can be given a seat: `me`, `here` (at this screen), `open`, or a bot. */
const HOLDERS = ["me", "here", ...(offline ? [] : ["open"]), ...BOTS];

function holderName(holder: string): string {
  if (BOTS.includes(holder)) return botName(holder);
  return say(holder === "me" ? "new.me" : holder === "here" ? "new.here" : "new.open");
}

function plan(holder: string, name: string, milliseconds: number) {
  if (holder === "open") return { kind: SeatKind.OPEN };
  if (holder === "me" || holder === "here") return { kind: SeatKind.PERSON, name };
  return { kind: SeatKind.BOT, bot: { timeBudget: durationFromMs(milliseconds), ...botPlan(holder) } };
}

const CHOICES = [
  {
    name: "hints",
    label: "new.hints",
    of: {
      [Hints.ALWAYS]: "new.hints.always",
      [Hints.AFTERWARDS]: "new.hints.afterwards",
      [Hints.NEVER]: "new.hints.never",
    },
  },
  {
    name: "takeBacks",
    label: "new.back",
    of: {
      [TakeBacks.FAIR]: "new.back.fair",
      [TakeBacks.ALL]: "new.back.all",
      [TakeBacks.NEVER]: "new.back.never",
    },
  },
  {
    name: "onlookers",
    label: "new.watch",
    of: {
      [Onlookers.NONE]: "new.watch.none",
      [Onlookers.LINK]: "new.watch.link",
      [Onlookers.ALL]: "new.watch.all",
    },
  },
  {
    name: "minutes",
    label: "new.time",
    of: { 0: "new.time.none", 1: "new.time.1", 5: "new.time.5", 1440: "new.time.day" },
  },
] as const;
/** Times for the whole game: minutes, and seconds that each move adds. */
const CLOCKS = [
  [0, 0],
  [10, 0],
  [10, 10],
  [30, 0],
  [30, 30],
] as const;
const THINK = [200, 1000, 3000, 10000]; // milliseconds
const SHOWN = CHOICES.filter(({ name }) => !offline || name === "hints" || name === "takeBacks");
const TICKS = [
  { name: "listed", label: "new.listed" },
  { name: "table", label: "new.table" },
] as const;

/** A time for the whole game in words. */
function clockTold(minutes: number, seconds: number): string {
  const whole = minutes ? say("new.minutes", { count: minutes }) : say("new.time.none");
  return seconds ? `${whole} + ${say("seconds", { seconds })}` : whole;
}

/** The default holders by seat: opponents of about one level, no two alike. */
const PROPOSED = ["me", "bot4", "bot3", "bot5"];

export function NewGame() {
  const from = beginning.value;
  const game = useSignal(from?.game ?? "cathedral");
  const holders = useSignal(PROPOSED.slice(0, from?.seats ?? 3));
  const name = useSignal(browser.get("name") ?? "");
  const guests = useSignal<Readonly<Record<number, string>>>({}); // names of the others at this screen, by seat
  const think = useSignal(1000);
  const options = useSignal({
    hints: Hints.ALWAYS,
    takeBacks: TakeBacks.FAIR,
    onlookers: Onlookers.LINK,
    table: false,
    listed: true,
    minutes: 0,
    clock: 0,
  });
  useEffect(meet, []);
  const { busy, trouble, create } = useCreate();
  const seats = (count: number) => {
    holders.value = PROPOSED.slice(0, count).map((usual, seat) => holders.value[seat] ?? usual);
  };
  const set = (change: Partial<typeof options.value>) => {
    options.value = { ...options.value, ...change };
  };
  const make = () => {
    browser.set("name", name.value);
    const { minutes, clock, ...chosen } = options.value;
    const [whole, gained] = CLOCKS[clock] ?? [0, 0];
    const timed = {
      ...(minutes && { timePerMove: durationFromMs(60_000 * minutes) }),
      ...(whole && { timePerGame: durationFromMs(60_000 * whole), increment: durationFromMs(1000 * gained) }),
    };
    const asked = () => ({
      game: game.value,
      seats: holders.value.map((holder, seat) =>
        plan(holder, holder === "me" ? name.value : (guests.value[seat] ?? ""), think.value),
      ),
      options: { ...chosen, ...timed, playForced: true },
      requestId: requestName(),
      ...(from ? { beginning: { opening: from.opening, actions: from.actions } } : {}),
    });
    return create(introduced().then(asked), () => {
      beginning.value = undefined;
    });
  };
  return (
    <form
      class="new"
      onSubmit={(event) => {
        event.preventDefault();
        void make();
      }}
    >
      <h2>{say("new")}</h2>
      <Trouble words={trouble} />
      {from ? (
        <p class="notice">
          {say("new.from", {
            game: gameName(from.game),
            players: say("players", { count: from.seats }),
            moves: say("moves", { count: from.actions.length }),
          })}{" "}
          <button type="button" onClick={() => (beginning.value = undefined)}>
            {say("new.deal")}
          </button>
        </p>
      ) : (
        <>
          <div class="row" role="radiogroup" aria-label={say("new.game")}>
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
                {gameName(one)}
              </label>
            ))}
          </div>
          <div class="row" role="radiogroup" aria-label={say("new.players")}>
            {(PLAYERS[game.value] ?? []).map((count) => (
              <label key={count} class="pill">
                <input
                  type="radio"
                  name="players"
                  value={count}
                  checked={holders.value.length === count}
                  onChange={() => seats(count)}
                />
                {say("players", { count })}
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
            {/^bot\d/.test(holder) && characters.value.length > 0 && (
              <Opponents
                seat={seat}
                level={Number(holder.slice(3))}
                onChoice={(level) => {
                  holders.value = holders.value.map((one, index) => (index === seat ? `bot${level}` : one));
                }}
              />
            )}
            {holder === "here" && (
              <input
                maxLength={40}
                aria-label={say("new.whose", { colour: colourName(seat) })}
                placeholder={say("new.whose", { colour: colourName(seat) })}
                value={guests.value[seat] ?? ""}
                onInput={(event) => (guests.value = { ...guests.value, [seat]: event.currentTarget.value })}
              />
            )}
          </li>
        ))}
      </ul>
      <label>
        {say("name")}
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
        <summary>{say("new.more")}</summary>
        <Choice
          label={say("new.think")}
          value={think.value}
          of={Object.fromEntries(THINK.map((time) => [time, say("seconds", { seconds: time / 1000 })]))}
          onChoice={(value) => (think.value = value)}
        />
        {SHOWN.map(({ name: field, label, of }) => (
          <Choice
            key={field}
            label={say(label)}
            value={options.value[field]}
            of={Object.fromEntries(Object.entries(of).map(([value, key]) => [value, say(key as Key)]))}
            onChoice={(value) => set({ [field]: value })}
          />
        ))}
        {!offline && (
          <Choice
            label={say("new.clock")}
            value={options.value.clock}
            of={Object.fromEntries(CLOCKS.map(([minutes, seconds], at) => [at, clockTold(minutes, seconds)]))}
            onChoice={(clock) => set({ clock })}
          />
        )}
        {(options.value.minutes > 0 || options.value.clock > 0) && <p class="muted">{say("new.time.out")}</p>}
        {(offline ? [] : TICKS).map(({ name: field, label }) => (
          <label key={field}>
            <input
              type="checkbox"
              checked={options.value[field]}
              onChange={(event) => set({ [field]: event.currentTarget.checked })}
            />{" "}
            {say(label)}
          </label>
        ))}
      </details>
      <button type="submit" class="main" aria-disabled={busy}>
        {say("new.start")}
      </button>
    </form>
  );
}

interface OpponentsProps {
  seat: number;
  level: number;
  onChoice(level: number): void;
}

/** The opponents by their faces, and how the chosen one plays. */
function Opponents({ seat, level, onChoice }: OpponentsProps) {
  const known = characters.value;
  const chosen = known.find((one) => one.level === level);
  return (
    <div class="opponents" role="radiogroup" aria-label={say("new.opponents", { colour: colourName(seat) })}>
      {known.map((one) => (
        <label key={one.character} title={opponent(one.level)}>
          <input
            type="radio"
            name={`opponent${seat}`}
            aria-label={opponent(one.level)}
            checked={one === chosen}
            onChange={() => onChoice(one.level)}
          />
          <Face character={one.character} />
        </label>
      ))}
      <p>{chosen?.about}</p>
    </div>
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
