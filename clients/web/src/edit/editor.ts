// A position that is set up by hand: its fields, and the faults that the server finds in it.

import { create, fromJson, type JsonObject, type JsonValue, toJson } from "@bufbuild/protobuf";
import { computed, signal } from "@preact/signals";
import { PositionSchema } from "../gen/clerestory/v1/position_pb.ts";
import { type AnyPosition, AnyPositionSchema, type PositionFault } from "../gen/clerestory/v1/rules_pb.ts";
import { say } from "../language/texts.ts";
import { rules } from "../service/api.ts";
import { Newest } from "../service/newest.ts";
import { type Path, positionSchema, replaced, type Schema } from "./schema.ts";

const PAUSE = 250; // milliseconds after a change before the server is asked

/** The first position of a new game as an onlooker sees it. */
export async function fresh(game: string, seats: number): Promise<Editor> {
  const { referee } = await rules.startPosition({ game, seats });
  const { position } = await rules.observePosition({ referee: referee ?? {} });
  return opened(toJson(PositionSchema, position ?? create(PositionSchema)));
}

/** The position in a text. Throws an Error that says what is wrong with it. */
export async function opened(json: JsonValue): Promise<Editor> {
  const whole = complete(json);
  const schema = await positionSchema();
  const [game] = Object.keys(whole).filter((name) => schema.properties?.[name]?.properties);
  const fields = game && schema.properties?.[game];
  if (!fields) throw new Error(say("study.not_position"));
  return new Editor(game, fields, whole);
}

/** The JSON of a text. Throws an Error that says what is wrong with it. */
export function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new Error(say("study.not_position"));
  }
}

/** A position with all its fields, named as in files. */
function complete(json: JsonValue): JsonObject {
  try {
    const options = { useProtoFieldName: true, alwaysEmitImplicit: true };
    return toJson(PositionSchema, fromJson(PositionSchema, json), options) as JsonObject;
  } catch {
    throw new Error(say("study.not_position"));
  }
}

export class Editor {
  readonly game: string;
  /** The schema of the game's fields. */
  readonly schema: Schema;
  readonly position = signal<JsonObject>({});
  /** The faults by the paths of their fields; not set while they are not known. */
  readonly faults = signal<ReadonlyMap<string, string> | undefined>(undefined);
  readonly isValid = computed(() => this.faults.value?.size === 0);
  readonly asked = new Newest();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(game: string, schema: Schema, position: JsonObject) {
    this.game = game;
    this.schema = schema;
    this.position.value = position;
    void this.check();
  }

  /** The fields of the game. */
  get fields(): JsonObject {
    return (this.position.value[this.game] ?? {}) as JsonObject;
  }

  get seats(): number {
    return (this.fields.players as JsonValue[] | undefined)?.length ?? 0;
  }

  /** The position as a file. */
  get file(): string {
    return `${JSON.stringify(this.position.value, undefined, 2)}\n`;
  }

  /** Change a field; the server checks the position soon after the last change. */
  set(path: Path, value: JsonValue): void {
    this.position.value = replaced(this.position.value, [this.game, ...path], value) as JsonObject;
    this.faults.value = undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.check(), PAUSE);
  }

  /** Let the server check the position. */
  async check(): Promise<void> {
    await this.asked.ask(
      () => rules.validatePosition({ position: this.#message }),
      ({ faults }) => {
        this.faults.value = new Map(faults.map((fault) => [this.#field(fault), fault.text?.text || fault.description]));
      },
    );
  }

  /** The position as one to play from, with what is hidden dealt at random. */
  async dealt(): Promise<AnyPosition> {
    const { referee } = await rules.dealPosition({ position: this.#message });
    return create(AnyPositionSchema, { kind: { case: "referee", value: referee ?? {} } });
  }

  get #message(): AnyPosition {
    const kind = { case: "position" as const, value: fromJson(PositionSchema, this.position.value) };
    return create(AnyPositionSchema, { kind });
  }

  /** The path of the field at fault within the game's fields. */
  #field({ field }: PositionFault): string {
    const inside = `position.position.${this.game}.`;
    return field.startsWith(inside) ? field.slice(inside.length) : field.replace(/^position\.position\.?/, "");
  }
}
