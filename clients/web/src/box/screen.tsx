// The form of the owner of a box of Builders Duel: what the cards say, card by card, and the file that comes of it.

import { useMemo } from "preact/hooks";
import { DuelCard } from "../boards/duel/grid.tsx";
import { look } from "../boards/seats.ts";
import { Exhibit } from "../boards/spots.tsx";
import { FILES } from "../gen/box.ts";
import { gameText, type Key, knows, language, learn, number, say } from "../language/texts.ts";
import { Opening } from "../parts/opening.tsx";
import { useLoaded } from "../service/loading.ts";
import { Box, type Entry, GAME, guessed, kindsFor, type Mistake, type Value } from "./box.ts";

const SEATS = [look(0), look(1)];

/** `box/duel`. */
export default function BoxScreen() {
  const box = useMemo(() => new Box(), []);
  const { trouble } = useLoaded(language.value, () => learn(FILES).then(() => box.load()));
  if (!box.entries.value.length || !knows("box")) return <Opening trouble={trouble} />;
  const cards = [...box.cards.value].sort((one, other) => guessed(other) - guessed(one));
  return (
    <main class="page owner">
      <h1>{say("box")}</h1>
      <p>{say("box.why")}</p>
      <p class="muted">{say("box.kept")}</p>
      <Exhibit catalogue={box.drawn.value} seats={SEATS}>
        <ol class="boxed">
          {[...box.buildings.value, ...cards].map((entry) => (
            <Card key={`${entry.section}/${entry.id}`} box={box} entry={entry} />
          ))}
        </ol>
      </Exhibit>
      <Outcome box={box} />
      <a href="#/">{say("to_lobby")}</a>
    </main>
  );
}

function Card({ box, entry }: { box: Box; entry: Entry }) {
  const isCard = entry.section === "cards";
  const name = box.drawn.value.name(entry.id);
  return (
    <li class="boxed-card" aria-label={name}>
      {isCard ? (
        <div class="drawn">
          <DuelCard id={entry.id} />
        </div>
      ) : (
        <h2>
          {say(entry.id === "castle" ? "place.castle" : entry.id === "cathedral" ? "place.cathedral" : "box.building")}
        </h2>
      )}
      <div class="fields">
        {isCard && (
          <label class="field">
            {say("box.name")}
            <input
              maxLength={60}
              value={String(box.typed.value[`${entry.id}/name`] ?? name)}
              onInput={(event) => box.type(entry, "name", event.currentTarget.value)}
            />
          </label>
        )}
        {[...entry.fields.keys()].map((field) => (
          <Field key={field} box={box} entry={entry} field={field} />
        ))}
      </div>
    </li>
  );
}

function Field({ box, entry, field }: { box: Box; entry: Entry; field: string }) {
  const wrong = box.mistakes.value.get(`${entry.id}/${field}`);
  const id = `${entry.id}-${field}`;
  const given = { "aria-invalid": wrong !== undefined, ...(wrong ? { "aria-describedby": `${id}-wrong` } : {}) };
  const guess = (entry.sources.get(field.split(".")[0] ?? "") ?? "").startsWith("reconstructed");
  return (
    <div class={guess ? "field guessed" : "field"}>
      <label for={id}>{nameOf(field)}</label>
      <Input box={box} entry={entry} field={field} given={{ id, ...given }} />
      {wrong && (
        <small id={`${id}-wrong`} class="wrong" role="alert">
          {told(wrong)}
        </small>
      )}
    </div>
  );
}

interface InputProps {
  box: Box;
  entry: Entry;
  field: string;
  given: { id: string };
}

function Input({ box, entry, field, given }: InputProps) {
  const shipped = entry.fields.get(field);
  const value = box.value(entry, field);
  const type = (typed: Value) => box.type(entry, field, typed);
  if (Array.isArray(shipped))
    return <Kinds id={given.id} value={value as readonly string[]} field={field} onChange={type} />;
  if (typeof shipped === "string")
    return (
      <select {...given} value={String(value)} onChange={(event) => type(event.currentTarget.value)}>
        {kindsFor(field).map((kind) => (
          <option key={kind} value={kind}>
            {gameText(GAME, `good.${kind}`)}
          </option>
        ))}
      </select>
    );
  return (
    <input
      {...given}
      type="number"
      inputMode="numeric"
      value={String(value)}
      onInput={(event) => type(event.currentTarget.value === "" ? "" : Number(event.currentTarget.value))}
    />
  );
}

interface KindsProps {
  id: string;
  value: readonly string[];
  field: string;
  onChange(kinds: Value): void;
}

/** Several kinds of chips. */
function Kinds({ id, value, field, onChange }: KindsProps) {
  return (
    <span class="row" id={id} role="group" aria-label={nameOf(field)}>
      {kindsFor(field).map((kind) => (
        <label key={kind}>
          <input
            type="checkbox"
            checked={value.includes(kind)}
            onChange={(event) =>
              onChange(event.currentTarget.checked ? [...value, kind] : value.filter((one) => one !== kind))
            }
          />
          {gameText(GAME, `good.${kind}`)}
        </label>
      ))}
    </span>
  );
}

/** The name of a field: `effect.price` is the price, `II.1` the second material of section II. */
function nameOf(field: string): string {
  const [name = "", part] = field.split(".");
  if (name === "effect") return say(`box.${part}` as Key);
  if (part === undefined) return say(`box.${name}` as Key);
  const what = name === "placing" ? say("box.placing") : say("camp.section", { name });
  return `${what}, ${number(Number(part) + 1)}`;
}

const told = (wrong: Mistake): string =>
  wrong.key === "box.range" ? say("box.range", { least: wrong.least, most: wrong.most }) : say(wrong.key);

/** How the decks add up, and what comes of all that was typed. */
function Outcome({ box }: { box: Box }) {
  const [a = 0, b = 0] = box.counts.value;
  const count = box.mistakes.value.size;
  return (
    <section aria-live="polite">
      <h2>{say("box.outcome")}</h2>
      <p class={a === 27 && b === 27 ? "" : "trouble"}>{say("box.decks", { a, b })}</p>
      {count > 0 && <p class="trouble">{say("box.mistakes", { count })}</p>}
      <label>
        <input
          type="checkbox"
          checked={box.compared.value}
          onChange={(event) => (box.compared.value = event.currentTarget.checked)}
        />{" "}
        {say("box.compared")}
      </label>
      {box.right.value && (
        <>
          <p>
            <a class="button main" download="builders-duel.toml" href={link(box.file)}>
              {say("box.file")}
            </a>
          </p>
          <p>
            {say("box.start")} <code>clerestory --catalogue builders-duel.toml serve --web 127.0.0.1:8080</code>
          </p>
        </>
      )}
      <label class="send">
        {say("box.send")}
        <textarea readOnly dir="ltr" rows={6} value={box.told} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <p>
        <button type="button" class="danger" onClick={() => box.clear()}>
          {say("box.clear")}
        </button>
      </p>
    </section>
  );
}

const link = (text: string): string => `data:application/toml;charset=utf-8,${encodeURIComponent(text)}`;
