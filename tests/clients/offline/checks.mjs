// What tests ask of the services of the page that plays without a server, in Node: node checks.mjs ENGINE PAGE DATA CHECK ARGUMENT
//
// ENGINE and PAGE are addresses of modules, DATA is the folder of the page's data.

import { readFile } from "node:fs/promises";
import { join } from "node:path";

const [engineAt, pageAt, data, check, argument] = process.argv.slice(2);
const { Engine } = await import(engineAt);
const page = await import(pageAt);
const { GameService, AdvisorService, RulesService, SeatKind, TakeBacks } = page;

/** Clients of the services over a store. */
function serve(load, store = page.inMemory(), announced = []) {
  let random = 0;
  const { routes, changed } = page.servicesOf({
    store,
    load,
    read: async (name) => new Uint8Array(await readFile(join(data, name))),
    random: (count) => Uint8Array.from({ length: count }, () => (random = (5 * random + 3) % 256)),
    now: () => 1_700_000_000_000,
    announce: (id) => announced.push(id),
  });
  const transport = page.createRouterTransport(routes);
  const [games, advisor, rules] = [GameService, AdvisorService, RulesService].map((one) => page.createClient(one, transport));
  return { games, advisor, rules, changed };
}

const loaded = new Map();
const load = (game) => loaded.get(game) ?? loaded.set(game, Engine.load(game)).get(game);
const person = { kind: SeatKind.PERSON, name: "Ann" };
const bot = { kind: SeatKind.BOT, bot: { level: 1 } };
const keysOf = ({ game, seatTokens }) => ({ gameId: game.gameId, tokens: seatTokens.map(({ token }) => token) });

async function first(stream) {
  for await (const message of stream) return message;
  return undefined;
}

/** Wait until a person is to decide, or the game is over. */
async function settled(games, keys) {
  for await (const { game, views } of games.watchGame(keys)) {
    if (!game) continue;
    const actions = views.flatMap((view) => view.actions);
    if (game.end || actions.length) return { game, actions, views };
  }
  return undefined;
}

const checks = {
  /** The margins of the scores of each seat. */
  margins: async (scores) => page.marginsOf(JSON.parse(scores)),

  /** A game to its end; a second page continues it in the middle, from what the first has stored. */
  async course(name) {
    const store = page.inMemory();
    let { games } = serve(load, store);
    const made = await games.createGame({ game: name, seats: [person, bot], options: { playForced: true }, seed: 7n, requestId: "r" });
    const again = await games.createGame({ game: name, seats: [person, bot], seed: 7n, requestId: "r" });
    const keys = keysOf(made);
    let own = 0;
    for (let now = await settled(games, keys); !now.game.end; now = await settled(games, keys)) {
      const { version } = now.game;
      const action = now.actions[own % now.actions.length].action.text;
      const played = await games.playAction({ ...keys, version, action });
      if ((await store.get(keys.gameId)).entries.length < played.game.version) throw new Error("not stored");
      if (++own === 5) games = serve(load, store).games;
    }
    const { game, entries } = await games.getGame({ ...keys, entriesFromPly: 1 });
    const hebrew = await games.getGame({ ...keys, entriesFromPly: 1 }, { headers: { "accept-language": "he" } });
    const changes = [entries, hebrew.entries].map((told) => told.map(({ what }) => what.value.changes.map(change)));
    const { games: listed } = await games.listGames({ tokens: keys.tokens });
    return {
      changes,
      parts: game.end.outcome.scores.map(({ parts }) => Object.fromEntries(parts.map((one) => [one.source, one.points]))),
      same: again.game.gameId === keys.gameId,
      plies: game.ply === entries.length && entries.every(({ ply, version }, i) => ply === i + 1 && version === i + 1),
      texts: entries.map(({ what }) => what.value.action.text),
      shares: game.end.outcome.winShares,
      margins: game.end.outcome.margins,
      listed: listed.map(({ gameId }) => gameId === keys.gameId),
    };
  },

  /** The bytes of all answers to seat 0 in worlds that it cannot distinguish, and the number of different worlds. */
  async secrets(name) {
    const engine = await load(name);
    const known = engine.newGame({ seats: 2, seed: 7 }).observe(0);
    const worlds = Array.from({ length: 6 }, (_, seed) => known.determinize(seed));
    const answers = [];
    for (const world of worlds) {
      const dealt = { identity: engine.identity, newGame: () => engine.position(world.toJSON(), { seed: 9 }) };
      const { games } = serve(async () => dealt);
      const made = await games.createGame({ game: name, seats: [person, person], options: { takeBacks: TakeBacks.ALL } });
      const keys = { ...keysOf(made), tokens: [made.seatTokens[0].token] };
      const got = await games.getGame(keys);
      const watched = await first(games.watchGame(keys));
      const { games: listed } = await games.listGames({ tokens: keys.tokens });
      const action = got.views[0].actions[0].action.text;
      const played = await games.playAction({ ...keys, version: got.game.version, action });
      const back = await games.takeBack({ ...keys, version: played.game.version, ply: 0 });
      const seen = [[page.GetGameResponseSchema, got], [page.WatchGameResponseSchema, watched]];
      seen.push([page.PlayActionResponseSchema, played], [page.TakeBackResponseSchema, back]);
      seen.push(...listed.map((one) => [page.GameSchema, one]));
      answers.push(seen.map(([schema, message]) => Buffer.from(page.toBinary(schema, message)).toString("hex")).join());
    }
    return { worlds: new Set(worlds.map((world) => `${world.toBytes()}`)).size, answers: new Set(answers).size };
  },

  /** What callers see while a change is being stored: no answer, and no news. */
  async storing() {
    const kept = page.inMemory();
    let hold = Promise.resolve();
    const store = { ...kept, put: async (...change) => (await hold, kept.put(...change)) };
    const { games } = serve(load, store);
    const keys = keysOf(await games.createGame({ game: "duel", seats: [person, person], seed: 3n }));
    const { game, actions } = await settled(games, keys);
    let release;
    hold = new Promise((resolve) => (release = resolve));
    const seen = [];
    const watching = (async () => {
      for await (const news of games.watchGame({ ...keys, fromVersion: game.version })) {
        if (news.game) seen.push(news.game.version);
        if (seen.length > 1) return;
      }
    })();
    const answered = games.playAction({ ...keys, version: game.version, action: actions[0].action.text });
    void answered.then(() => seen.push("answered"));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const before = [...seen];
    const stored = (await games.getGame(keys)).game.version;
    release();
    await Promise.all([answered, watching]);
    return { before: before.map((version) => version - game.version), stored: stored - game.version, after: seen.length };
  },

  /** Errors by their reasons, and what is not supported. */
  async failures() {
    const { games, advisor, rules } = serve(load);
    const keys = keysOf(await games.createGame({ game: "duel", seats: [person, bot], seed: 3n }));
    const { game, views } = await settled(games, keys);
    const { position } = views[0];
    const question = { position, iterations: 50n };
    const asked = [
      () => games.getGame({ gameId: "none", tokens: [] }),
      () => games.getGame({ ...keys, tokens: ["none"] }),
      () => games.getGame({ ...keys, ply: 999 }),
      () => games.playAction({ ...keys, version: game.version + 1, action: "pass" }),
      () => games.playAction({ ...keys, version: game.version, action: "fly" }),
      () => games.takeBack({ ...keys, version: game.version, ply: 0 }),
      () => games.createGame({ game: "toy", seats: [person, bot] }),
      () => games.createGame({ game: "duel", seats: [person, bot, bot] }),
      () => games.createGame({ game: "duel", seats: [person, { kind: SeatKind.OPEN }] }),
      () => games.getRecord(keys),
      () => advisor.recommendMove({ ...question, avoidActions: ["pass"] }),
      () => advisor.recommendMove({ position }),
      () => rules.listCharacters({}),
      () => rules.applyActions({ position: { kind: { case: "position", value: position } }, actions: ["fly"] }),
    ];
    const found = [];
    for (const ask of asked) found.push(await ask().then(() => "answered", (error) => reasonOf(error)));
    return found;
  },

  /** The tables of an analysis: of the seat to decide, and of an onlooker. */
  async hints(name) {
    const { games, advisor } = serve(load);
    const keys = keysOf(await games.createGame({ game: name, seats: [person, person], seed: 5n }));
    const { views } = await settled(games, keys);
    const { position } = views.find((view) => view.actions.length);
    const question = { position, iterations: 20_000n, seed: 4n };
    const tables = [];
    for await (const table of advisor.analyze({ question, updateInterval: { nanos: 10_000_000 } })) tables.push(table);
    const others = await first(advisor.analyze({ question: { ...question, iterations: 1n }, observer: {} }));
    const engine = await load(name);
    const json = page.toJson(page.PositionSchema, position, { useProtoFieldName: true, alwaysEmitImplicit: true });
    const expected = await engine.analyze(engine.position(json), { iterations: 20_000, seed: 4, onUpdate: () => undefined });
    const { recommendation: last, final } = tables.at(-1);
    return {
      final,
      finals: tables.filter((one) => one.final).length,
      rising: tables.every((one, i) => one.sequence === i + 1),
      same: JSON.stringify(last.lines.map(figures)) === JSON.stringify(expected.lines.map(figures)),
      labelled: last.lines.every((line) => line.action.label && line.variation.length === line.principalVariation.length),
      onlooker: others.recommendation.observer !== undefined,
    };
  },

  /** The labels of a game's actions in German, and whether the catalogue names its cards. */
  async words() {
    const { games, rules } = serve(load);
    const keys = keysOf(await games.createGame({ game: "cathedral", seats: [person, person], seed: 5n }));
    const labels = async (language) => {
      const { views } = await games.getGame(keys, { headers: { "accept-language": language } });
      return views.flatMap((view) => view.actions.map(({ action }) => action.label));
    };
    const [english, german] = [await labels("en"), await labels("de")];
    const { entries } = await rules.describeCatalogue({ game: "cathedral" });
    return { differ: english.filter((label, i) => label !== german[i]).length > 0, cards: entries.length > 0 };
  },
};

const change = ({ seat = null, thing, item, amount, text }) => [seat, thing, item, amount, text];

const figures = ({ visits, winShares, margin, score, loss, doubtful }) => [Number(visits), winShares, margin, score, loss, doubtful];

function reasonOf(error) {
  const [info] = error.findDetails(page.ErrorInfoSchema);
  return info?.reason ?? page.Code[error.code];
}

console.log(JSON.stringify(await checks[check](argument)));
for (const engine of loaded.values()) (await engine).close();
process.exit(0); // streams that nobody reads any more wait for news
