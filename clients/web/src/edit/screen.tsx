// The editor of positions: a form made from the schema of positions, checked by the server while it is filled in.

import type { JsonObject } from "@bufbuild/protobuf";
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { go, link, numberOf } from "../browser/route.ts";
import { tab } from "../browser/storage.ts";
import { beginning, PLAYERS } from "../game/beginning.ts";
import { FILES } from "../gen/edit.ts";
import { gameName } from "../language/text.ts";
import { learn, say } from "../language/texts.ts";
import { Button } from "../parts/button.tsx";
import { Opening } from "../parts/opening.tsx";
import { ToLobby, Trouble, taken } from "../parts/parts.tsx";
import { wordsOf } from "../service/api.ts";
import { useCatalogue } from "../service/catalogues.ts";
import { useLoaded } from "../service/loading.ts";
import { IMPORTED } from "../study/study.ts";
import { type Editor, fresh, opened, parsed } from "./editor.ts";
import { Fields, idOf, pathName, seatName } from "./fields.tsx";
import type { Schema } from "./schema.ts";

const told = (error: unknown) => (error instanceof Error && !("code" in error) ? error.message : wordsOf(error));

/** `edit/GAME/SEATS` for a new game, `edit/file` for the imported position. */
export default function EditScreen({ words }: { words: string[] }) {
  const { found, trouble } = useLoaded(words.join("/"), () => open(words), told);
  const replacing = useSignal<Editor | undefined>(undefined);
  const editor = replacing.value ?? found;
  if (!editor || (trouble && !replacing.value)) return <Opening trouble={trouble} />;
  return <Form editor={editor} onOpen={(other) => (replacing.value = other)} />;
}

async function open([game = "", seats]: string[]): Promise<Editor> {
  const text = game === "file" ? (tab.get(IMPORTED) ?? "") : undefined;
  const [editor] = await Promise.all([
    text === undefined ? fresh(game, numberOf(seats)) : opened(parsed(text)),
    learn(FILES),
  ]);
  return editor;
}

interface FormProps {
  editor: Editor;
  onOpen(editor: Editor): void;
}

function Form({ editor, onOpen }: FormProps) {
  const catalogue = useCatalogue(editor.game);
  const { schema, fields } = editor;
  const players = (fields.players ?? []) as JsonObject[];
  const player: Schema = schema.properties?.players?.items ?? {};
  return (
    <main class="page edit">
      <h1>{say("lobby.edit")}</h1>
      <p>{say("edit.about")}</p>
      <Fresh />
      <State editor={editor} />
      <section aria-label={gameName(editor.game)}>
        <h2>{gameName(editor.game)}</h2>
        <Fields editor={editor} catalogue={catalogue} schema={schema} path={[]} value={fields} />
      </section>
      {players.map((one, seat) => (
        <section key={seat} id={idOf(["players", seat])} aria-label={seatName(seat)} tabIndex={-1}>
          <h2>{seatName(seat)}</h2>
          <Fields editor={editor} catalogue={catalogue} schema={player} path={["players", seat]} value={one} />
        </section>
      ))}
      <Text editor={editor} onOpen={onOpen} />
      <p>
        <ToLobby />
      </p>
    </main>
  );
}

/** New positions of each game and number of players. */
const Fresh = () => (
  <p class="row">
    {Object.entries(PLAYERS).flatMap(([game, counts]) =>
      counts.map((seats) => (
        <a key={`${game}${seats}`} class="button" href={link("edit", game, seats)}>
          {say("edit.fresh")}: {gameName(game)}, {say("players", { count: seats })}
        </a>
      )),
    )}
  </p>
);

/** Whether the position is valid, with the fields at fault; and what can be done with it. */
function State({ editor }: { editor: Editor }) {
  const faults = [...(editor.faults.value ?? [])];
  const trouble = useSignal("");
  const analyze = () => {
    keep(editor);
    go(["study", "file"]);
  };
  const play = () =>
    begin(editor).catch((error: unknown) => {
      trouble.value = told(error);
    });
  return (
    <section class="state" aria-live="polite">
      <Trouble words={editor.asked.trouble.value || trouble.value} />
      {editor.isValid.value && <p>{say("edit.valid")}</p>}
      {faults.length > 0 && (
        <>
          <p>{say("edit.faults")}</p>
          <ul>
            {faults.map(([path, words]) => (
              <li key={path}>
                <button type="button" class="plain link" onClick={() => lead(path)}>
                  {pathName(editor.game, path)}
                </button>{" "}
                <span class="wrong">{words}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="row">
        <Button class="main" off={!editor.isValid.value} onPress={analyze}>
          {say("edit.analyze")}
        </Button>
        <Button off={!editor.isValid.value} onPress={() => void play()}>
          {say("edit.play")}
        </Button>
      </p>
    </section>
  );
}

/** Go to a field, or to the nearest part that holds it. */
function lead(path: string): void {
  for (let rest = path; rest; rest = rest.replace(/(?:^|\.|\[)[^.[]*$/, "")) {
    const element = document.getElementById(idOf(rest));
    if (!element) continue;
    for (const closed of document.querySelectorAll("details")) if (closed.contains(element)) closed.open = true;
    element.focus();
    return;
  }
}

/** Keep the position, so that going back leads to it. */
function keep(editor: Editor): void {
  tab.set(IMPORTED, editor.file);
  go(["edit", "file"], true);
}

/** Fill in the form of a new game that begins here, with what is hidden dealt at random. */
async function begin(editor: Editor): Promise<void> {
  const opening = await editor.dealt();
  keep(editor);
  beginning.value = { game: editor.game, seats: editor.seats, opening, actions: [] };
  go([]);
}

/** The position as text, to copy, save, and replace. */
function Text({ editor, onOpen }: FormProps) {
  const text = useSignal(editor.file);
  const trouble = useSignal("");
  useEffect(() => {
    text.value = editor.file;
  }, [editor.position.value]);
  const take = async (given: string) => {
    trouble.value = "";
    try {
      onOpen(await opened(parsed(given)));
    } catch (error) {
      trouble.value = told(error);
    }
  };
  return (
    <details>
      <summary>{say("edit.json")}</summary>
      <Trouble words={trouble.value} />
      <textarea
        dir="ltr"
        rows={12}
        spellcheck={false}
        aria-label={say("edit.json")}
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
      />
      <p class="row">
        <button type="button" onClick={() => void take(text.value)}>
          {say("edit.take")}
        </button>
        <a
          class="button"
          download={`${editor.game}.json`}
          href={`data:application/json,${encodeURIComponent(editor.file)}`}
        >
          {say("edit.save")}
        </a>
        <input
          type="file"
          accept=".json,application/json"
          aria-label={say("lobby.import")}
          onChange={async (event) => {
            const file = taken(event.currentTarget);
            if (file) await take(await file.text());
          }}
        />
      </p>
    </details>
  );
}
