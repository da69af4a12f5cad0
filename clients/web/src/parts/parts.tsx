// Small parts that several screens share.

import { useSignal } from "@preact/signals";
import { Component, type ComponentChildren, type FunctionComponent } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { SeatLook } from "../boards/types.ts";
import { Face } from "../faces/face.tsx";
import { text } from "../language/text.ts";
import { apart, say } from "../language/texts.ts";
import { Button } from "./button.tsx";

const SHAPES = {
  disc: <circle cx="8" cy="8" r="7" />,
  square: <rect x="1.5" y="1.5" width="13" height="13" />,
  triangle: <path d="M8 0.5 15.5 15H0.5z" />,
  diamond: <path d="M8 0 16 8 8 16 0 8z" />,
};

/** A seat's symbol: its shape, its letter, its colour. */
export function SeatSign({ look }: { look: SeatLook }) {
  return (
    <svg class={`sign seat-${look.colour}`} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[look.shape]}
      <text x="8" y={look.shape === "triangle" ? 12.6 : 11.4} text-anchor="middle">
        {look.letter}
      </text>
    </svg>
  );
}

export function SeatName({ look, mine }: { look: SeatLook; mine?: boolean }) {
  return (
    <span class="seat-name">
      <SeatSign look={look} /> <Face character={look.character} /> <bdi>{look.name}</bdi>
      {(mine || look.about) && (
        <small> ({[mine && say("you"), look.about].filter(Boolean).join(say("between"))})</small>
      )}
    </span>
  );
}

/** The way back, as a button. */
export const ToLobby = () => (
  <a class="button" href="#/">
    {say("to_lobby")}
  </a>
);

/** The heading of a row, its cells by seat, and what of a board it is about. */
export type SeatRow = readonly [string, readonly ComponentChildren[], string?];

interface SeatTableProps {
  class?: string;
  caption?: string;
  /** By seat. */
  heads: readonly ComponentChildren[];
  rows: readonly SeatRow[];
}

/** A table with a column for each seat. */
export function SeatTable({ class: shape, caption, heads, rows }: SeatTableProps) {
  return (
    <table class={shape}>
      {caption && <caption>{caption}</caption>}
      <thead>
        <tr>
          <td />
          {heads.map((head, seat) => (
            <th key={seat} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, cells, about]) => (
          <tr key={name} data-about={about}>
            <th scope="row">{name}</th>
            {cells.map((cell, seat) => (
              <td key={seat}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Win shares as one bar, a part for each seat. */
export function Gauge({ shares, seats }: { shares: readonly number[]; seats: readonly SeatLook[] }) {
  const told = seats.map((seat) => `${apart(seat.name)} ${text.share(shares[seat.seat] ?? 0)}`).join(say("between"));
  let left = 0;
  return (
    <svg
      class="gauge"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={say("gauge", { shares: told })}
    >
      <title>{told}</title>
      {seats.map((seat) => {
        const width = 100 * (shares[seat.seat] ?? 0);
        left += width;
        return <rect key={seat.seat} class={`seat-${seat.colour}`} x={left - width} y="0" width={width} height="6" />;
      })}
    </svg>
  );
}

/** A dialog over the page; `onClose` comes with Escape as well. */
export function Dialog(props: { title: string; onClose(): void; children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    box.current?.showModal();
  }, []);
  return (
    <dialog ref={box} aria-label={props.title} onClose={props.onClose}>
      <header>
        <h2>{props.title}</h2>
        <button type="button" class="plain" aria-label={say("close")} onClick={() => box.current?.close()}>
          ×
        </button>
      </header>
      {props.children}
    </dialog>
  );
}

interface StepperProps {
  /** The thing that is counted. */
  label: string;
  value: number;
  least: number;
  most: number;
  onChange(value: number): void;
}

/** A number with buttons for one less, one more, and the most. */
export function Stepper({ label, value, least, most, onChange }: StepperProps) {
  const button = (sign: string, name: string, to: number) => (
    <Button aria-label={name} off={to === value} onPress={() => onChange(to)}>
      {sign}
    </Button>
  );
  return (
    <span class="stepper" role="group" aria-label={label}>
      {button("−", say("stepper.less", { what: label }), Math.max(least, value - 1))}
      <output>{value}</output>
      {button("+", say("stepper.more", { what: label }), Math.min(most, value + 1))}
      {button("»", say("stepper.most", { what: label }), most)}
    </span>
  );
}

/** An error, announced at once. */
export function Trouble({ words }: { words: string }) {
  return words ? (
    <p class="trouble" role="alert">
      {words}
    </p>
  ) : null;
}

/** The file that was chosen; the same one can be chosen again, as it may have been changed. */
export function taken(input: HTMLInputElement): File | undefined {
  const file = input.files?.[0];
  input.value = "";
  return file;
}

/** A link for another player, to copy or to pass on to another program. */
export function Copy({ label, value }: { label: string; value: string }) {
  const done = useSignal(false);
  const input = useRef<HTMLInputElement>(null);
  const copy = async () => {
    done.value = await copied(value).catch(() => copiedOf(input.current));
  };
  return (
    <div class="copy">
      <label>
        {label}
        <input ref={input} dir="ltr" readOnly value={value} onFocus={(event) => event.currentTarget.select()} />
      </label>
      <button type="button" onClick={copy}>
        {done.value ? say("copied") : say("copy")}
      </button>
      {"share" in navigator && (
        <button type="button" onClick={() => void navigator.share({ url: value }).catch(() => undefined)}>
          {say("menu.share")}
        </button>
      )}
    </div>
  );
}

/** Copy a text; throws where the page may not, as without TLS. */
async function copied(text: string): Promise<boolean> {
  await navigator.clipboard.writeText(text);
  return true;
}

/** Copy the text of a field in the older way; return whether that succeeded. It stays selected, to be copied by hand. */
function copiedOf(field: HTMLInputElement | null): boolean {
  field?.select();
  return document.execCommand("copy");
}

/** A component that is redrawn only if one of its properties, or a signal that it reads, changes. */
export function memo<P extends object>(Part: FunctionComponent<P>): FunctionComponent<P> {
  class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      const names = Object.keys({ ...this.props, ...next }) as (keyof P)[];
      return names.some((name) => next[name] !== this.props[name as keyof typeof this.props]);
    }
    override render(props: P) {
      return <Part {...props} />;
    }
  }
  return Memo as unknown as FunctionComponent<P>;
}
