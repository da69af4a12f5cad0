// The screens that are loaded when they are first opened.

export const LATER = {
  game: () => import("./views/game.tsx"),
  study: () => import("./views/study.tsx"),
  learn: () => import("./lessons/screen.tsx"),
  puzzle: () => import("./views/puzzle.tsx"),
  box: () => import("./views/box.tsx"),
};
