// The server's time, which decides when a limit for a move ends: the clock of this computer may be wrong.

const VAGUE = 2000; // milliseconds: a server sends the time in whole seconds, and may have read it a second earlier

let ahead = 0; // milliseconds that its clock is ahead of this one's, as far as is known

/** Note the `date` of an answer, which was asked for at a time of this clock: as little as it forces is changed. */
export function hear(date: string | null, asked: number): void {
  const told = Date.parse(date ?? "");
  if (told) ahead = Math.min(Math.max(ahead, told - Date.now()), told + VAGUE - asked);
}

export const serverTime = (): number => Date.now() + ahead;
