// Usage: node recommend.mjs TARGET POSITION [MILLISECONDS] [analyze]
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { credentials, loadPackageDefinition, status } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const ROOT = process.env.CLERESTORY_ROOT ?? fileURLToPath(new URL("../../..", import.meta.url));
const SLACK = 5000; // ms that a call has beyond its time
const FILES = ["clerestory/v1/advisor.proto", "google/rpc/status.proto", "google/rpc/error_details.proto"];
const FOLDERS = [`${ROOT}/proto`, `${ROOT}/proto/third_party`];
// longs as strings: 64-bit numbers do not fit into a number of JavaScript
const OPTIONS = { keepCase: true, longs: String, enums: String, defaults: true, includeDirs: FOLDERS };
const messages = loadSync(FILES, OPTIONS);

function connect(target) {
  const { clerestory } = loadPackageDefinition(messages);
  return new clerestory.v1.AdvisorService(target, credentials.createInsecure());
}

function question(position, milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  return { position, time_budget: { seconds, nanos: (milliseconds % 1000) * 1e6 }, max_lines: 5 };
}

function show({ seat, best, lines, statistics }) {
  console.log(`seat ${seat}: ${best?.label ?? "a chance event"} (${statistics.iterations} iterations)`);
  console.table(lines.map((line) => ({
    action: line.action.text,
    "win share": line.win_shares[seat]?.toFixed(3),
    visits: Number(line.visits),
  })));
}

// The details of an error are google.rpc messages in a google.rpc.Status, which travels in the trailing metadata.
function detail(error, name) {
  const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
  const { details } = bytes ? messages["google.rpc.Status"].deserialize(bytes) : { details: [] };
  const packed = details.find(({ type_url }) => type_url === `type.googleapis.com/${name}`);
  return packed && messages[name].deserialize(packed.value);
}

function fail(error) {
  const reason = detail(error, "google.rpc.ErrorInfo")?.reason; // what a program decides by; docs/reference.md lists them
  console.error(`${reason ?? status[error.code]}: ${error.details || error.message}`);
  process.exitCode = 1;
}

const [target, file, milliseconds = "500", method = "recommend"] = process.argv.slice(2);
if (file === undefined || !/^[1-9]\d*$/.test(milliseconds) || !["recommend", "analyze"].includes(method)) {
  console.error("usage: node recommend.mjs TARGET POSITION [MILLISECONDS] [analyze]");
  process.exit(2);
}
const client = connect(target);
const asked = question(JSON.parse(readFileSync(file, "utf8")), Number(milliseconds));
const deadline = Date.now() + Number(milliseconds) + SLACK;
if (method === "analyze") {
  const stream = client.Analyze({ question: asked }, { deadline });
  stream.on("data", ({ sequence, final, recommendation }) => {
    console.log(`table ${sequence}${final ? ", final" : ""}`);
    show(recommendation);
  });
  stream.on("error", fail);
  stream.on("end", () => client.close());
} else {
  client.RecommendMove(asked, { deadline }, (error, answer) => {
    if (error) fail(error);
    else show(answer);
    client.close();
  });
}
