// What somebody has learned in this browser: the stars of each lesson.

const STARS = "lessons";

/** The stars of lessons, by name. */
export function starsOf(): Readonly<Record<string, number>> {
  return JSON.parse(localStorage.getItem(STARS) ?? "{}") as Record<string, number>;
}

/** Keep the stars of a lesson, unless it had more. */
export function keepStars(lesson: string, stars: number): void {
  const known = starsOf();
  localStorage.setItem(STARS, JSON.stringify({ ...known, [lesson]: Math.max(stars, known[lesson] ?? 0) }));
}
