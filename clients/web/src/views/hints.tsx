// The hints: how much is shown, the time of the analysis, and its result.

import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect } from "preact/hooks";
import { seatOf } from "../boards/seats.ts";
import type { SeatLook } from "../boards/types.ts";
import { usePointer } from "../browser/pointing.ts";
import * as hints from "../game/hints.ts";
import { endPreview, playOut, preview, walk } from "../game/preview.ts";
import type { Line, Rate } from "../gen/clerestory/v1/advisor_pb.ts";
import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import { beginningOf, labelOf } from "../language/labels.ts";
import { scoring, text } from "../language/text.ts";
import { BACK, gameText, ON, say } from "../language/texts.ts";
import { Gauge, SeatSign, Trouble } from "../parts/parts.tsx";
import { Mover } from "./mover.tsx";

const ROWS = 8;
const SHOWN_MARGIN = 0.05; // points that are shown as more than none

interface Props {
  /** The request to analyse; not set if there is none. */
  question: hints.Question | undefined;
  seats: readonly SeatLook[];
  /** Why hints may not be shown now. */
  barred?: string | undefined;
  pointed: string | undefined;
  onPoint(text: string | undefined): void;
}

export function Hints({ question, seats, barred, pointed, onPoint }: Props) {
  const step = hints.step.value;
  const seconds = hints.seconds.value;
  const wanted = step !== "off" && !barred ? question : undefined;
  const rates = step === "table";
  useLayoutEffect(() => {
    if (wanted)
      void hints.ask({ ...wanted, rates }); // before the next picture: the first table is waited for
    else hints.clear();
    endPreview();
    return hints.clear;
  }, [wanted?.position, wanted?.seat, wanted?.observer?.seat, seconds, rates]);
  useEffect(() => hints.forget, []);
  return (
    <section class="hints" aria-label={say("hints")}>
      <Choice barred={barred} />
      <Trouble words={hints.trouble.value} />
      {wanted && step !== "off" && <Told question={wanted} seats={seats} pointed={pointed} onPoint={onPoint} />}
    </section>
  );
}

function Choice({ barred }: { barred: string | undefined }) {
  return (
    <div class="choice">
      <label>
        {say("hints")} <kbd>?</kbd>
        <select
          id="hints"
          value={hints.step.value}
          disabled={!!barred}
          onChange={(event) => hints.choose(event.currentTarget.value as hints.Step)}
        >
          {hints.STEPS.map((step) => (
            <option key={step} value={step}>
              {say(`hints.${step}`)}
            </option>
          ))}
        </select>
      </label>
      {barred && <small>{barred}</small>}
      {hints.step.value !== "off" && (
        <label>
          {say("hints.time")}
          <input
            type="range"
            min="1"
            max="30"
            value={hints.seconds.value}
            onChange={(event) => hints.chooseSeconds(Number(event.currentTarget.value))}
          />
          <output>{say("seconds", { seconds: hints.seconds.value })}</output>
        </label>
      )}
      {hints.step.value !== "off" && (
        // the button stays when there is nothing to stop: otherwise the lines below would move under a pointer
        <button type="button" class={hints.running.value ? "" : "absent"} onClick={hints.stop}>
          {say("hints.stop")}
        </button>
      )}
    </div>
  );
}

function Told({ question, seats, pointed, onPoint }: Props & { question: hints.Question }) {
  const found = hints.table.value;
  const best = hints.best.value;
  const gauge = hints.shares.value.length > 0 && (
    <div>
      <Gauge shares={hints.shares.value} seats={seats} />
      <p class="bar" aria-hidden="true">
        {seats.map((seat) => (
          <span key={seat.seat}>
            <SeatSign look={seat} /> {text.share(hints.shares.value[seat.seat] ?? 0)}
          </span>
        ))}
      </p>
    </div>
  );
  if (!found || !best)
    return (
      <div class="told">
        {gauge}
        <p class="muted">{hints.running.value ? say("hints.thinking") : ""}</p>
      </div>
    );
  const reason = found.reasons.map((one) => one.text).join(" ") || found.reason;
  const count = Number(found.statistics?.iterations ?? 0);
  const share = text.share(found.statistics?.certainty ?? 0);
  const wins = best.winShares[found.seat ?? -1];
  const mixed =
    wins !== undefined && (wins - 1 / seats.length) * best.margin < 0 && Math.abs(best.margin) >= SHOWN_MARGIN;
  return (
    <div class="told">
      {hints.step.value === "table" && reason && <p class="reason">{reason}</p>}
      {gauge}
      {found.lead && !question.observer && <p>{found.lead.text}</p>}
      {found.lead && !question.observer && mixed && <p class="muted">{say("hints.mixed")}</p>}
      {question.observer && <p class="muted">{say("hints.of", { who: seats[found.seat ?? 0]?.name ?? "" })}</p>}
      {hints.step.value === "where" && (
        <p>
          {say("hints.look", {
            what: gameText(question.position.game.case ?? "", `action.${best.action?.text.split(" ")[0]}`),
          })}
        </p>
      )}
      {hints.step.value === "move" && <p class="hint-move">{beginningOf(best, found.lines)}</p>}
      {hints.step.value === "table" && (
        <>
          <Table
            lines={found.lines}
            seat={found.seat}
            question={question.position}
            pointed={pointed}
            onPoint={onPoint}
          />
          <Shown seats={seats} />
          {found.seat !== undefined && (
            <p class="muted">
              {say("hints.legend")} {scoring(question.position.game.case)}
            </p>
          )}
          <Rates rates={found.rates} />
          {found.favour && <p class="muted">{found.favour.text}</p>}
          <Higher lines={found.lines} seat={found.seat} />
          <p class="muted">
            {hints.running.value ? say("hints.tries", { count }) : say("hints.tried", { count, share })}
          </p>
        </>
      )}
    </div>
  );
}

interface TableProps {
  lines: readonly Line[];
  seat: number | undefined;
  question: Position;
  pointed: string | undefined;
  onPoint(text: string | undefined): void;
}

function Table({ lines, seat, question, pointed, onPoint }: TableProps) {
  const held = useSignal<string[] | undefined>(undefined); // rows keep their order while the pointer is on one of them
  const first = lines.slice(0, ROWS);
  const rows = held.value?.flatMap((name) => lines.filter((line) => line.action?.text === name)) ?? first;
  const show = (line: Line) => {
    held.value ??= first.map((one) => one.action?.text ?? "");
    onPoint(line.action?.text);
    void playOut(question, line.principalVariation);
  };
  const hide = () => {
    held.value = undefined;
    onPoint(undefined);
    endPreview();
  };
  usePointer("[data-line]", (row) => {
    const line = row && rows.find((one) => one.action?.text === row.dataset.line);
    if (line) show(line);
    else hide();
  });
  return (
    <div class="scroll">
      <table class="lines">
        <thead>
          <tr>
            <th scope="col">{say("hints.action")}</th>
            <th scope="col">{say("hints.win")}</th>
            <th scope="col">{say("hints.points")}</th>
            <th scope="col">{say("hints.loss")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((line) => (
            <tr
              key={line.action?.text}
              data-line={line.action?.text}
              class={`${pointed === line.action?.text ? "pointed" : ""} ${line === lines[0] ? "first" : ""}`}
            >
              <th scope="row">
                <button
                  type="button"
                  class="plain"
                  aria-label={say("hints.play_out", { what: beginningOf(line, lines) })}
                  onFocus={() => show(line)}
                  onBlur={hide}
                  onWheel={(event) => {
                    if (walk(Math.sign(event.deltaY), true)) event.preventDefault(); // at its ends the page scrolls
                  }}
                  onKeyDown={(event) => {
                    const by = { [ON.value]: 1, [BACK.value]: -1 }[event.key];
                    if (by === undefined) return;
                    event.stopPropagation();
                    event.preventDefault();
                    walk(by, true);
                  }}
                >
                  {beginningOf(line, lines)}
                  {line.doubtful && <small title={say("hints.doubtful")}> {say("hints.doubt")}</small>}
                </button>
              </th>
              <td>{seat === undefined || !line.visits ? "" : text.share(line.winShares[seat] ?? 0)}</td>
              <td>{line.visits ? text.points(line.margin) : ""}</td>
              <td>{line === lines[0] || !line.visits ? "" : text.loss(line.loss)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What one more of each good is worth, with errors; goods that the seat can have neither more nor less of are left out. */
function Rates({ rates }: { rates: readonly Rate[] }) {
  const known = rates.filter((rate) => rate.amount !== 0);
  if (known.length === 0) return null;
  return (
    <div class="scroll">
      <table class="figures">
        <thead>
          <tr>
            <th scope="col">{say("hints.rates")}</th>
            <th scope="col">{say("hints.win")}</th>
            <th scope="col">{say("hints.points")}</th>
          </tr>
        </thead>
        <tbody>
          {known.map((rate) => (
            <tr key={rate.good?.id}>
              <th scope="row">{rate.good?.name}</th>
              <td>
                {text.change(rate.winShare ?? 0)} <small>± {text.loss(100 * (rate.winShareError ?? 0))}</small>
              </td>
              <td>
                {text.points(rate.points ?? 0)} <small>± {text.loss(rate.pointsError ?? 0)}</small>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Why the first line is the one to play, if another one has a higher displayed margin. */
function Higher({ lines, seat }: { lines: readonly Line[]; seat: number | undefined }) {
  const first = lines[0];
  if (seat === undefined || !first) return null;
  const shown = (line: Line) => Math.round(10 * line.margin);
  const tried = lines.filter((line) => line.visits > 0n);
  const higher = tried.reduce((most, line) => (shown(line) > shown(most) ? line : most), tried[0] ?? first);
  if (higher === first) return null;
  const share = (line: Line) => line.winShares[seat] ?? 0;
  const label = beginningOf(higher, lines);
  return (
    <p class="muted">{say(share(higher) < share(first) ? "hints.wins_less" : "hints.tried_less", { what: label })}</p>
  );
}

/** The display of a line that is played out, with who makes each move and the current step. */
function Shown({ seats }: { seats: readonly SeatLook[] }) {
  const shown = preview.value;
  if (!shown) return null;
  return (
    <ol class="shown" aria-live="polite">
      {shown.applied.map((one, index) => (
        <li key={index} class={index === shown.at ? "at" : ""}>
          <Mover look={seats[seatOf(one.turn) ?? -1]} /> {labelOf(one.action)}
        </li>
      ))}
    </ol>
  );
}
