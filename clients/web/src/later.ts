// The screens that are loaded when they are first opened.

export const LATER = {
  game: () => import("./views/game.tsx"),
  study: () => import("./views/study.tsx"),
  puzzle: () => import("./views/puzzle.tsx"),
  box: () => import("./views/box.tsx"),
};
