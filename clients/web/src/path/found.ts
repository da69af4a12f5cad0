// Written by `python -m tools.lab.facts write`: mean and 95 % interval of each answer, by players.

export const FOUND = {
  first: [[58.0, 46.6, 69.4], [27.3, 17.1, 37.6], [25.3, 15.3, 35.4]],
  leader: [[53.0, 40.8, 65.2], [38.1, 25.8, 50.4], [32.6, 21.1, 44.1]],
  luck: [[2.4, 0.0, 13.5], [5.3, 0.0, 18.9], [6.6, 0.1, 20.9]],
  waiting: [[7.3, 5.9, 8.7], [-3.7, -4.9, -2.5], [-6.1, -7.4, -4.8]],
  mill: [[8.6, 8.3, 8.8], [10.3, 10.2, 10.5], [6.5, 6.2, 6.8]],
  gold: [],
  metal: [],
} as const;
