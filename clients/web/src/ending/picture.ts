// A picture of a result, to be shared or kept.

import { PARTS } from "../boards/cathedral/church.tsx";
import { winnersOf } from "../boards/seats.ts";
import type { SeatLook } from "../boards/types.ts";
import type { Game } from "../gen/clerestory/v1/games_pb.ts";
import { gameName, text } from "../language/text.ts";
import { isTurned, language, say } from "../language/texts.ts";
import { wholePoints } from "./points.tsx";

// Pixels, as previews of links have them.
const WIDE = 1200;
const HIGH = 630;
const SKY = "#eaf3fa";
const GRASS = "#c9d9b3";
const INK = "#22252a";
const COLOURS: Readonly<Record<string, string>> = {
  red: "#d55e00",
  blue: "#0072b2",
  green: "#009e73",
  yellow: "#f0e442",
};
const CHURCH = { scale: 2.25, left: 240, top: 132 };

/** Draw the finished cathedral under the result of a game, as a PNG file. */
export async function pictureOf(game: Game, seats: readonly SeatLook[]): Promise<Blob | null> {
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: WIDE, height: HIGH });
  const pen = canvas.getContext("2d") as CanvasRenderingContext2D;
  pen.fillStyle = SKY;
  pen.fillRect(0, 0, WIDE, HIGH);
  pen.fillStyle = GRASS;
  pen.fillRect(0, HIGH - 95, WIDE, 95);
  drawChurch(pen);
  write(pen, game, seats);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

function drawChurch(pen: CanvasRenderingContext2D): void {
  pen.save();
  pen.translate(CHURCH.left, CHURCH.top);
  pen.scale(CHURCH.scale, CHURCH.scale);
  pen.lineWidth = 0.8;
  pen.strokeStyle = INK;
  for (const { walls, roofs, glass, lines } of PARTS) {
    for (const [path, colour] of [
      [walls, "#e9dfca"],
      [roofs, "#8a4f3a"],
      [glass, "#3f5870"],
    ] as const) {
      const shape = new Path2D(path);
      pen.fillStyle = colour;
      pen.fill(shape);
      pen.stroke(shape);
    }
    pen.stroke(new Path2D(lines));
  }
  pen.restore();
}

/** Write who won above the cathedral, and each seat with its points below. */
function write(pen: CanvasRenderingContext2D, game: Game, seats: readonly SeatLook[]): void {
  const outcome = game.end?.outcome;
  const won = outcome ? winnersOf(outcome, seats) : [];
  const who = won.map(({ name }) => name).join(say("between"));
  Object.assign(pen, { direction: isTurned.value ? "rtl" : "ltr", textAlign: "center", fillStyle: INK });
  const font = (size: number, weight = 400) => {
    pen.font = `${weight} ${size}px system-ui, sans-serif`;
  };
  font(64, 700);
  pen.fillText(say(won.length > 1 ? "end.share" : "end.wins", { who }), WIDE / 2, 80, WIDE - 80);
  font(28);
  const day = new Intl.DateTimeFormat(language.value, { dateStyle: "long" }).format(new Date());
  pen.fillText([gameName(game.game), say("title"), day].join(" · "), WIDE / 2, 124, WIDE - 80);
  font(36, 700);
  seats.forEach((seat, index) => {
    const place = isTurned.value ? seats.length - 1 - index : index;
    const x = (WIDE * (place + 0.5)) / seats.length;
    const points = outcome?.scores.length ? text.score(wholePoints(game.game, outcome.scores[seat.seat])) : "";
    pen.fillStyle = COLOURS[seat.colour] ?? INK;
    pen.fillRect(x - 90, HIGH - 76, 180, 8);
    pen.fillStyle = INK;
    pen.fillText([seat.name, points].filter(Boolean).join(" "), x, HIGH - 24, WIDE / seats.length - 30);
  });
}

const NAME = "clerestory.png";

/** Share a picture where the browser can, else save it. */
export async function offer(picture: Blob | null): Promise<void> {
  if (!picture) return;
  const files = [new File([picture], NAME, { type: picture.type })];
  if (navigator.canShare?.({ files })) {
    await navigator.share({ files }).catch(() => undefined); // the reader has changed their mind
    return;
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(picture);
  link.download = NAME;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
