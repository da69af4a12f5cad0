// Plays a game against a bot with only `fetch`: JSON over the Connect protocol, as a page would:
//   node play.mjs http://127.0.0.1:8080 duel        (a server with `--web 127.0.0.1:8080`)
const [base = "http://127.0.0.1:8080", game = "duel"] = process.argv.slice(2);

const post = (method, type, body) =>
  fetch(`${base}/clerestory.v1.${method}`, { method: "POST", headers: { "content-type": `application/${type}` }, body });
const errorOf = (told) => Object.assign(new Error(told.message), told);

/** Try until it succeeds, unless the server says why another attempt would end the same: it is not busy or away. */
const insist = (attempt) =>
  attempt().catch(async (error) => {
    if (error.details && !["unavailable", "resource_exhausted"].includes(error.code)) throw error;
    console.error(`waiting for the server: ${error.message}`);
    await new Promise((resolve) => setTimeout(resolve, 300));
    return insist(attempt);
  });

/** A unary call; if its answer is lost, the same request is sent again, which has no second effect. */
const call = (method, request) =>
  insist(async () => {
    const answer = await post(method, "json", JSON.stringify(request));
    if (!answer.ok) throw errorOf(await answer.json());
    return await answer.json();
  });

const sizeOf = (bytes) => 5 + (bytes.length < 5 ? 0 : new DataView(bytes.buffer).getUint32(1));
/** A stream: five bytes before each message, one of flags and four of length; the last one holds the error, if any. */
async function* stream(method, request) {
  const body = new TextEncoder().encode(JSON.stringify(request));
  const head = new DataView(new ArrayBuffer(5));
  head.setUint32(1, body.length);
  let rest = new Uint8Array();
  for await (const chunk of (await post(method, "connect+json", new Blob([head, body]))).body) {
    rest = new Uint8Array([...rest, ...chunk]);
    while (rest.length >= sizeOf(rest)) {
      const fields = JSON.parse(new TextDecoder().decode(rest.slice(5, sizeOf(rest))));
      if (fields.error) throw errorOf(fields.error);
      yield fields;
      rest = rest.slice(sizeOf(rest));
    }
  }
}

const seats = [{ kind: "SEAT_KIND_PERSON" }, { kind: "SEAT_KIND_BOT", bot: { level: 1 } }];
const made = await call("GameService/CreateGame", { game, seats, request_id: crypto.randomUUID() });
const mine = { game_id: made.game.game_id, tokens: made.seat_tokens.map((seat) => seat.token) };
let from_version; // of the stream, if it breaks off
await insist(async () => {
  for await (const { game: state, views } of stream("GameService/WatchGame", { ...mine, from_version })) {
    if (!state) continue; // a keep-alive message, or the end
    from_version = state.version;
    if (state.end) return console.log("shares of the win:", state.end.outcome.win_shares.join(" to "));
    const { actions, position } = views[0];
    if (!actions?.length) continue; // somebody else's turn
    const { best } = await call("AdvisorService/RecommendMove", { position, time_budget: "0.05s" });
    console.log(best.label);
    await call("GameService/PlayAction", { ...mine, version: state.version, action: best.text });
  }
  throw new Error("the stream has ended");
});
