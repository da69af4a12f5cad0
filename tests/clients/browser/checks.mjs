// What tests ask of the engine, in Node and in browsers: each function gets the engines by game, and JSON.

export async function answers(engines, cases) {
  const found = [];
  for (const { game, position, seed, ...limits } of cases) {
    const engine = engines[game];
    const { elapsedMs, ...answer } = await engine.recommend(engine.position(position), { seed: BigInt(seed), ...limits });
    found.push({ ...answer, seed: `${answer.seed}` });
  }
  return found;
}

export function forms(engines, cases) {
  return cases.map(({ game, position }) => {
    const read = engines[game].position(position);
    return [hex(read), `${read}`];
  });
}

export function replays(engines, records) {
  return records.map(({ game, position, actions }) => {
    const played = engines[game].position(position);
    const seen = actions.map((action) => hex(played.play(action)));
    const scores = played.over ? [played.winShares(), played.scores(), played.pointSources(), played.tieBreak() ?? null] : null;
    if (seen.some((one, i) => one !== hex(played.at(i + 1)))) return "at";
    for (const action of actions.toReversed()) if (played.undo().text !== action) return "undo";
    return { seen, scores, first: hex(played), opening: `${played}` };
  });
}

export function views(engines, cases) {
  return cases.map(({ game, position }) => {
    const read = engines[game].position(position);
    const seats = [-1, ...Array(read.seats).keys()];
    return [read.turn, read.legalActions().map(({ text }) => text), seats.map((seat) => hex(read.observe(seat)))];
  });
}

export function deals(engines, cases) {
  return cases.map(({ game, seats, seed }) => {
    const dealt = engines[game].newGame({ seats, seed, automatic: false });
    const begun = engines[game].newGame({ seats, seed });
    const chances = begun.history.length;
    const moved = begun.copy().play(begun.legalActions()[0]);
    moved.undo();
    return [hex(dealt), chances, hex(begun), hex(moved), dealt.odds()];
  });
}

export async function refusals(engines, cases, { Engine }) {
  const found = [];
  for (const { game = "cathedral", json, call, argument } of cases) {
    try {
      const position = json === undefined ? engines[game].newGame({ seats: 2, seed: 7 }) : engines[game].position(json);
      if (call === "play") position.play(argument);
      else if (call === "observe") position.observe(argument);
      else if (call === "determinize") position.determinize(argument);
      else if (call === "analyze") await engines[game].analyze(position, argument);
      else if (call === "undo") position.undo();
      else if (call === "at") position.at(argument);
      else if (call === "load") await Engine.load(game, argument);
      else if (call === "new") engines[game].newGame(argument);
      else if (call === "other") await engines.duel.recommend(position, argument);
      else await engines[game].recommend(position, argument);
      found.push(null);
    } catch (error) {
      found.push([error.name, error.violations?.[0].field ?? error.option ?? error.legal?.length ?? error.message]);
    }
  }
  return found;
}

/** What rejects the promises of a search whose listener throws, and of a search by a closed engine. */
export async function endings(_engines, _given, { Engine }) {
  const rejection = (promise) => promise.then(() => "answered", (error) => error.message);
  const found = {};
  for (const [name, worker] of Object.entries({ worker: true, here: false })) {
    const engine = await Engine.load("duel", { worker });
    const position = engine.newGame({ seats: 2, seed: 1 });
    const onUpdate = () => {
      throw new Error("the listener fails");
    };
    found[name] = [await rejection(engine.analyze(position, { iterations: 1_000_000, everyMs: 1, onUpdate }))];
    engine.close();
    found[name].push(await rejection(engine.recommend(position, { iterations: 9 })));
  }
  return found;
}

/** The bytes of an engine in one thread, with the rules and a search whose tree is full. */
export async function memory(_engines, games, { Engine }) {
  const found = {};
  const { Instance } = WebAssembly;
  for (const game of games) {
    const memories = [];
    WebAssembly.Instance = class extends Instance {
      constructor(...given) {
        super(...given);
        memories.push(this.exports.memory);
      }
    };
    const engine = await Engine.load(game, { worker: false });
    const { memoryFull } = await engine.recommend(engine.newGame({ seats: 2, seed: 7 }), { iterations: 1_000_000, early: false });
    found[game] = { memoryFull, bytes: memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0) };
  }
  return found;
}

/** Searches in several ways that must not differ, and one that is stopped. */
export async function manners(engines, { game, position, iterations }, { Engine }) {
  const engine = engines[game];
  const here = await Engine.load(game, { worker: false });
  const limits = { seed: 3, iterations, early: false };
  const updates = [];
  const told = (update) => updates.push(update.iterations);
  const found = [
    await engine.recommend(engine.position(position), limits),
    await here.recommend(here.position(position), limits),
    await engine.analyze(engine.position(position), { ...limits, onUpdate: told, everyMs: 1 }),
  ];
  const stop = new AbortController();
  const onUpdate = () => stop.abort();
  const stopped = await engine.analyze(engine.position(position), { signal: stop.signal, onUpdate, everyMs: 1 });
  const timed = await engine.recommend(engine.position(position), { timeMs: 30, early: false });
  const lines = found.map(({ lines }) => JSON.stringify(lines));
  return {
    same: new Set(lines).size,
    rising: updates.every((one, i) => !i || updates[i - 1] < one),
    updates: updates.length > 0,
    endings: [...found, stopped, timed].map(({ stopReason }) => stopReason),
    some: [stopped, timed].every((one) => one.iterations > 0 && one.lines.length > 0),
  };
}

function hex(position) {
  return [...position.toBytes()].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
