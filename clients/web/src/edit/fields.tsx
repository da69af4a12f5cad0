// The fields of a position as a form, derived from their schema.

import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { plain } from "../boards/catalogue.ts";
import type { Card, Catalogue } from "../boards/types.ts";
import { capital, gameText, type Key, knows, number, say, sayAny } from "../language/texts.ts";
import type { Editor } from "./editor.ts";
import { first, isCard, isOpen, type Path, type Schema, written } from "./schema.ts";

interface Props {
  editor: Editor;
  catalogue: Catalogue;
  schema: Schema;
  path: Path;
  value: JsonValue;
}

const SECTIONS = ["craftsmen", "starting_craftsmen", "resource_cards", "advantage_cards", "event_cards", "cards"];

/** The name of a field: its own, that of a good, or that of a place on the board. */
export function fieldName(game: string, name: string): string {
  if (knows(`${game}.good.${name}`)) return capital(gameText(game, `good.${name}`));
  const key = [`field.${name}`, `place.${name}`].find(knows);
  return key ? sayAny(key as Key) : plain(name);
}

/** A field by its path: `players[0].gold` is that of the first seat. */
export function pathName(game: string, path: string): string {
  const parts = path.split(/[.[\]]+/).filter(Boolean);
  const named = parts.map((part, index) => {
    if (!/^\d+$/.test(part)) return part === "players" ? "" : fieldName(game, part);
    return parts[index - 1] === "players" ? seatName(Number(part)) : number(Number(part) + 1);
  });
  return named.filter(Boolean).join(say("between"));
}

const SEATS = ["red", "blue", "green", "yellow"] as const;
export const seatName = (seat: number): string => say(`colour.${SEATS[seat] ?? "red"}`);

/** The identifier of the element of a field. */
export const idOf = (path: Path | string): string => `field-${typeof path === "string" ? path : written(path)}`;

/** All fields of an object: those with one value in a grid, then the parts, then the lists of any length. */
export function Fields({ schema, path, value, ...props }: Props) {
  const entries = Object.entries(schema.properties ?? {}).filter(([name]) => name !== "players");
  const of = (wanted: (schema: Schema) => boolean) =>
    entries
      .filter(([, one]) => wanted(one))
      .map(([name, one]) => (
        <Field key={name} {...props} schema={one} path={[...path, name]} value={(value as JsonObject)[name] ?? null} />
      ));
  const lists = of(isList);
  return (
    <>
      <div class="fields">{of((one) => !isPart(one) && !isList(one))}</div>
      {of((one) => isPart(one) && !isList(one))}
      {lists.length > 0 && (
        <details open={path.length > 0}>
          <summary>{say("edit.lists")}</summary>
          {lists}
        </details>
      )}
    </>
  );
}

const isPart = ({ type }: Schema) => type === "object" || type === "array";
const isList = (schema: Schema) => schema.type === "array" && isOpen(schema);

function Field(props: Props) {
  const { schema, path } = props;
  const name = fieldName(props.editor.game, String(path.at(-1)));
  if (schema.type === "object")
    return (
      <Part name={name} {...props}>
        <Fields {...props} />
      </Part>
    );
  if (schema.type === "array")
    return isOpen(schema) ? <List name={name} {...props} /> : <Places name={name} {...props} />;
  return <Single name={name} {...props} />;
}

type Named = Props & { name: string };

/** Several fields under a name, with the fault of the whole. */
const Part = ({ name, editor, path, children }: Named & { children: ComponentChildren }) => (
  <fieldset id={idOf(path)} tabIndex={-1}>
    <legend>{name}</legend>
    <Fault editor={editor} path={path} />
    {children}
  </fieldset>
);

/** A field with one value. */
function Single({ name, ...props }: Named) {
  const { editor, path } = props;
  const wrong = editor.faults.value?.has(written(path)) ?? false;
  const given = {
    id: idOf(path),
    "aria-invalid": wrong,
    ...(wrong ? { "aria-describedby": `${idOf(path)}-wrong` } : {}),
  };
  return (
    <div class="field">
      <label for={given.id}>{name}</label>
      <Input {...props} given={given} />
      <Fault editor={editor} path={path} />
    </div>
  );
}

function Fault({ editor, path }: { editor: Editor; path: Path }) {
  const words = editor.faults.value?.get(written(path));
  return words ? (
    <small id={`${idOf(path)}-wrong`} class="wrong">
      {words}
    </small>
  ) : null;
}

function Input({ editor, catalogue, schema, path, value, given }: Props & { given: { id: string } }) {
  const set = (to: JsonValue) => editor.set(path, to);
  if (schema.type === "boolean")
    return (
      <input
        {...given}
        type="checkbox"
        checked={value === true}
        onChange={(event) => set(event.currentTarget.checked)}
      />
    );
  if (schema.type === "integer")
    return (
      <input
        {...given}
        type="number"
        inputMode="numeric"
        min={schema.minimum}
        max={schema.maximum}
        value={Number(value)}
        onInput={({ currentTarget: { valueAsNumber } }) => Number.isInteger(valueAsNumber) && set(valueAsNumber)}
      />
    );
  const options = optionsOf(editor.game, schema, path, catalogue);
  return (
    <select {...given} value={String(value)} onChange={(event) => set(event.currentTarget.value)}>
      <Options options={isCard(schema) ? [["", say("edit.none")], ...options] : options} />
    </select>
  );
}

type Option = readonly [string, string];

const Options = ({ options }: { options: readonly Option[] }) => (
  <>
    {options.map(([one, name]) => (
      <option key={one} value={one}>
        {name}
      </option>
    ))}
  </>
);

/** The values of a field with their names; the cards of the game if it holds one. */
function optionsOf(game: string, schema: Schema, path: Path, catalogue: Catalogue): Option[] {
  if (schema.enum) return schema.enum.map((one) => [one, valueName(game, one, path, catalogue)]);
  if (schema.type === "integer")
    return Array.from({ length: (schema.maximum ?? 0) + 1 }, (_, index) => [`${index}`, number(index)]);
  const cards = SECTIONS.flatMap((section) => catalogue.all(section));
  const named = cards.map((card): Option => [card.id, cardName(game, card, catalogue)]);
  return named.sort(([, one], [, other]) => one.localeCompare(other));
}

/** The name of a card, with its round where there are several of its name. */
function cardName(game: string, { id, values }: Card, catalogue: Catalogue): string {
  const card = catalogue.name(id);
  return /_\d$/.test(id) && "round" in values ? gameText(game, "of_round", { card, round: values.round }) : card;
}

/** The name of a value of a field. */
function valueName(game: string, value: string, path: Path, catalogue: Catalogue): string {
  if (!value) return say("edit.none");
  const step = path.at(-1) === "step" ? `step.${game}.${value}` : "";
  const key = [step, `colour.${value}`, value === "nature" ? value : ""].find(knows);
  if (key) return sayAny(key as Key);
  const card = catalogue.card(value);
  if (card) return cardName(game, card, catalogue);
  return knows(`${game}.good.${value}`) ? gameText(game, `good.${value}`) : plain(value);
}

/** A list with a place for each entry. */
function Places({ schema, path, value, ...props }: Named) {
  const entries = Array.isArray(value) ? value : [];
  return (
    <Part {...props} schema={schema} path={path} value={value}>
      <div class="fields">
        {entries.map((one, index) => (
          <Single
            key={index}
            {...props}
            name={say("edit.entry", { name: props.name, number: number(index + 1) })}
            schema={schema.items ?? {}}
            path={[...path, index]}
            value={one}
          />
        ))}
      </div>
    </Part>
  );
}

/** A list of any length: its entries, each with a button that removes it, and one more to add. */
function List({ schema, path, value, ...props }: Named) {
  const { editor, catalogue } = props;
  const items = schema.items ?? {};
  const entries = Array.isArray(value) ? value : [];
  const without = (index: number) => editor.set(path, entries.toSpliced(index, 1));
  const add = (one: JsonValue) => editor.set(path, [...entries, one]);
  const told = (one: JsonValue, index: number) =>
    items.type === "object" ? number(index + 1) : valueName(editor.game, String(one), path, catalogue);
  return (
    <Part {...props} schema={schema} path={path} value={value}>
      <ul class="chosen">
        {entries.map((one, index) => (
          <li key={index}>
            {items.type === "object" ? (
              <Fields {...props} schema={items} path={[...path, index]} value={one} />
            ) : (
              told(one, index)
            )}{" "}
            <button
              type="button"
              aria-label={say("edit.remove", { what: told(one, index) })}
              onClick={() => without(index)}
            >
              ×
            </button>
          </li>
        ))}
      </ul>
      <Adding schema={items} name={props.name} options={optionsOf(editor.game, items, path, catalogue)} onAdd={add} />
    </Part>
  );
}

interface AddingProps {
  schema: Schema;
  name: string;
  options: readonly Option[];
  onAdd(value: JsonValue): void;
}

function Adding({ schema, name, options, onAdd }: AddingProps) {
  const label = say("edit.add", { what: name });
  if (schema.type === "object")
    return (
      <button type="button" onClick={() => onAdd(first(schema))}>
        {label}
      </button>
    );
  return (
    <select
      aria-label={label}
      value="+"
      onChange={(event) => {
        const { value } = event.currentTarget;
        event.currentTarget.value = "+";
        onAdd(schema.type === "integer" ? Number(value) : value);
      }}
    >
      <Options options={[["+", say("edit.choose")], ...options]} />
    </select>
  );
}
