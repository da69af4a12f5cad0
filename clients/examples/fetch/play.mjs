// Plays a game against a bot with only `fetch`: JSON over the Connect protocol, as a page would.
//
//   node play.mjs http://127.0.0.1:8080 duel        (a server with `--web 127.0.0.1:8080`)

const [base = "http://127.0.0.1:8080", game = "duel"] = process.argv.slice(2);
const END = 2; // flag of the envelope that ends a stream

/** A unary call: the answer, or an Error with the server's message and the `reason` for programs. */
async function call(method, request) {
  const answer = await fetch(`${base}/clerestory.v1.${method}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(request),
  });
  const fields = await answer.json();
  if (!answer.ok) throw Object.assign(new Error(fields.message), { reason: fields.details?.[0]?.debug?.reason });
  return fields;
}

/** A stream: five bytes before each message, one of flags and four of length; the last one holds the error, if any. */
async function* stream(method, request) {
  const body = new TextEncoder().encode(JSON.stringify(request));
  const head = new DataView(new ArrayBuffer(5));
  head.setUint32(1, body.length);
  const headers = { "content-type": "application/connect+json" };
  const answer = await fetch(`${base}/clerestory.v1.${method}`, { method: "POST", headers, body: new Blob([head, body]) });
  let rest = new Uint8Array();
  for await (const chunk of answer.body) {
    rest = new Uint8Array([...rest, ...chunk]);
    while (rest.length >= 5) {
      const length = new DataView(rest.buffer).getUint32(1);
      if (rest.length < 5 + length) break;
      const fields = JSON.parse(new TextDecoder().decode(rest.slice(5, 5 + length)));
      if (rest[0] & END && fields.error) throw new Error(fields.error.message);
      if (!(rest[0] & END)) yield fields;
      rest = rest.slice(5 + length);
    }
  }
}

const made = await call("GameService/CreateGame", {
  game,
  seats: [{ kind: "SEAT_KIND_PERSON" }, { kind: "SEAT_KIND_BOT", bot: { level: 1 } }],
  request_id: crypto.randomUUID(),
});
const game_id = made.game.game_id;
const tokens = made.seat_tokens.map((seat) => seat.token);

for await (const { game: state, views } of stream("GameService/WatchGame", { game_id, tokens })) {
  if (!state) continue; // a keep-alive message
  if (state.end) {
    console.log("shares of the win:", state.end.outcome.win_shares.join(" to "));
    break;
  }
  const [mine] = views;
  if (!mine.actions?.length) continue; // somebody else's turn
  const { best } = await call("AdvisorService/RecommendMove", { position: mine.position, time_budget: "0.05s" });
  console.log(best.label);
  await call("GameService/PlayAction", { game_id, tokens, version: state.version, action: best.text });
}
