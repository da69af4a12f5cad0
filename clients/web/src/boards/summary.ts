// The state of a game in one line: the current step, its cost, what comes next.

import type { Position } from "../gen/clerestory/v1/position_pb.ts";
import type { Catalogue } from "./types.ts";

interface Due {
  now: string;
  next: string;
}

const CATHEDRAL: Record<string, Due> = {
  advantages: { now: "Advantage cards are turned up", next: "draft" },
  craftsmen: { now: "Craftsmen are turned up", next: "draft" },
  resources: { now: "Resource cards are laid out", next: "draft" },
  draft: { now: "Take a card, or pass", next: "master builders" },
  draw: { now: "A master builder is drawn", next: "placing it" },
  redraw: { now: "Keep the builder, or draw again", next: "placing it" },
  builder: { now: "Place the builder, or wait", next: "the next builder" },
  waiting: { now: "Place a builder that waited", next: "the event" },
  event: { now: "The event is turned up", next: "the places on the board" },
  protection: { now: "Protection from the event, or not", next: "the event" },
  thomas: { now: "Be spared by the event, or keep the card", next: "the event" },
  event_choice: { now: "The event asks for a choice", next: "the places on the board" },
  archbishop: { now: "A gift of the archbishop", next: "the wool mill and Kingsbridge" },
  tax: { now: "The tax is rolled", next: "the tax" },
  exemption: { now: "Use the exemption, or save it", next: "Shiring" },
  shiring: { now: "A craftsman too many", next: "the market" },
  market: { now: "Buy and sell", next: "the cathedral" },
  cathedral: { now: "Convert goods to victory points", next: "the next round" },
  keep: { now: "Too many goods: discard", next: "the next round" },
  over: { now: "The game is over", next: "" },
};

const DUEL: Record<string, Due> = {
  deal: { now: "Cards are dealt", next: "claims" },
  claim: { now: "Claim a line of three cards", next: "turns" },
  storm: { now: "Storm the castle, or pass", next: "the conflict" },
  take_back: { now: "Take a marker back", next: "the conflict" },
  conflict: { now: "Flip a seal, or stop", next: "the turns" },
  flip: { now: "A seal is flipped", next: "the conflict" },
  keep: { now: "Choose which seals to keep", next: "the turns" },
  turn: { now: "Use cards, build, or end the turn", next: "the other turn" },
  copy: { now: "Choose the card to use", next: "the turn" },
  influence: { now: "Buy a seal, or finish", next: "the turn" },
  draw: { now: "A seal is drawn", next: "the turn" },
  craftsman: { now: "Turn chips", next: "the turn" },
  market: { now: "Buy and sell at the market", next: "the turn" },
  aliena: { now: "Sell wool", next: "the turn" },
  take: { now: "Take a chip", next: "the turn" },
  regan: { now: "Turn a chip, or finish", next: "the turn" },
  alfred: { now: "Buy a turned chip, or finish", next: "the turn" },
  maud: { now: "Pay a seal for a chip, or finish", next: "the turn" },
  tom: { now: "Place a chip in a section", next: "the turn" },
  william: { now: "Return a material to the supply", next: "the other player's turn" },
  bonus: { now: "Section III is complete: turn chips, or finish", next: "the turn" },
  over: { now: "The game is over", next: "" },
};

/** The line. */
export function summary(position: Position, catalogue: Catalogue): string {
  const { game } = position;
  if (game.case === "cathedral") {
    const { round, step, drawn, cost, event } = game.value;
    const builder = drawn ? ` · ${drawn} builder drawn, costs ${cost} gold` : "";
    return `Round ${round} of 6 · ${told(CATHEDRAL[step], step)}${builder}${event ? ` · event: ${catalogue.name(event)}` : ""}`;
  }
  if (game.case === "duel") {
    const { phase, round, step, card } = game.value;
    return `Phase ${phase} of 4, round ${round} · ${told(DUEL[step], step)}${card ? ` · ${catalogue.name(card)}` : ""}`;
  }
  return "";
}

function told(due: Due | undefined, step: string): string {
  if (!due) return step.replaceAll("_", " ");
  return due.next ? `${due.now} (then ${due.next})` : due.now;
}

/** A longer version, for screen readers. */
export function scores(position: Position): number[] {
  return position.game.case === "cathedral" ? position.game.value.players.map((player) => player.vp) : [];
}
