// Plays a game against a bot with only `fetch`: JSON over the Connect protocol, as a page would.
//
//   node play.mjs http://127.0.0.1:8080 duel        (a server with `--web 127.0.0.1:8080`)

const [base = "http://127.0.0.1:8080", game = "duel"] = process.argv.slice(2);
const END = 2; // flag of the envelope that ends a stream

const post = (method, type, body) =>
  fetch(`${base}/clerestory.v1.${method}`, { method: "POST", headers: { "content-type": `application/${type}` }, body });
const errorOf = ({ message, details }) => Object.assign(new Error(message), { reason: details?.[0]?.debug?.reason });

/** Wait before the next attempt. An error of the server has a reason: then another attempt would end the same. */
async function wait(error) {
  if (error.reason) throw error;
  console.error(`waiting for the server: ${error.message}`);
  await new Promise((resolve) => setTimeout(resolve, 300));
}

/** A unary call; if its answer is lost, the same request is sent again, which has no second effect. */
async function call(method, request) {
  for (;;) {
    try {
      const answer = await post(method, "json", JSON.stringify(request));
      const fields = await answer.json();
      if (answer.ok) return fields;
      throw errorOf(fields);
    } catch (error) {
      await wait(error);
    }
  }
}

/** A stream: five bytes before each message, one of flags and four of length; the last one holds the error, if any. */
async function* stream(method, request) {
  const body = new TextEncoder().encode(JSON.stringify(request));
  const head = new DataView(new ArrayBuffer(5));
  head.setUint32(1, body.length);
  const answer = await post(method, "connect+json", new Blob([head, body]));
  let rest = new Uint8Array();
  for await (const chunk of answer.body) {
    rest = new Uint8Array([...rest, ...chunk]);
    while (rest.length >= 5) {
      const length = new DataView(rest.buffer).getUint32(1);
      if (rest.length < 5 + length) break;
      const fields = JSON.parse(new TextDecoder().decode(rest.slice(5, 5 + length)));
      if (rest[0] & END && fields.error) throw errorOf(fields.error);
      if (!(rest[0] & END)) yield fields;
      rest = rest.slice(5 + length);
    }
  }
}

/** The states of a game until its end. A stream that breaks off begins again where it was. */
async function* watch(request) {
  for (let from_version, over = false; !over; ) {
    try {
      for await (const { game, views } of stream("GameService/WatchGame", { ...request, from_version })) {
        if (!game) continue; // a keep-alive message
        [from_version, over] = [game.version, Boolean(game.end)];
        yield { game, views };
      }
      if (!over) throw new Error("the stream has ended");
    } catch (error) {
      await wait(error);
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

for await (const { game: state, views } of watch({ game_id, tokens })) {
  if (state.end) console.log("shares of the win:", state.end.outcome.win_shares.join(" to "));
  const [mine] = views;
  if (state.end || !mine.actions?.length) continue; // over, or somebody else's turn
  const { best } = await call("AdvisorService/RecommendMove", { position: mine.position, time_budget: "0.05s" });
  console.log(best.label);
  await call("GameService/PlayAction", { game_id, tokens, version: state.version, action: best.text });
}
