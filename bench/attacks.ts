import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { parentPort, workerData } from "node:worker_threads";
import { type ApiClient, createApiClient } from "../tests/support/api-client.ts";
import * as story from "../tests/support/story.ts";
import { type AttackName, CONNECTIONS, STREAMS } from "./fairness.ts";

/**
 * Runs from "go" to "stop" in its own thread, whose cost is not measured; reports when it is ready and when it ended.
 * Data: the address, and the page `tokenFrom` with the forms' token.
 */
const { url, tokenFrom, name } = workerData as {
  readonly url: string;
  readonly tokenFrom: string;
  readonly name: AttackName;
};

/** Open loop: answers are not awaited. */
const LARGE_EVERY_MS = 250;
/** Twice the rate limit of one network (limits are off here). */
const SMALL_EVERY_MS = 10;

const bytesOf = (json: unknown) => ({
  type: "application/json",
  bytes: new TextEncoder().encode(JSON.stringify(json)),
});

const ATTACKS: Readonly<Record<AttackName, (anyone: ApiClient) => () => Promise<unknown>>> = {
  accents(anyone) {
    const raw = bytesOf({
      username: `e${"\u0301".repeat(14_000)}`,
      password: story.PASSWORD,
      remember_me: false,
    });
    return sendEvery(LARGE_EVERY_MS, () => anyone.post("/api/token/", { raw }));
  },
  streams: openUnendedStreams,
  members(anyone) {
    const raw = bytesOf(
      Object.fromEntries(Array.from({ length: 170_000 }, (_, index) => [`k${index}`, 1])),
    );
    return sendEvery(LARGE_EVERY_MS, () => anyone.post("/api/token/", { raw }));
  },
  key(anyone) {
    const headers = { "idempotency-key": "la-meme-clef-pour-tous" };
    return sendEvery(SMALL_EVERY_MS, () =>
      anyone.post("/api/signature/register/", { json: {}, headers }),
    );
  },
};

if (parentPort === null) throw new Error("Expected a thread");
const port = parentPort;
const tell = (word: string) => {
  port.postMessage(word);
};
const anyone = createApiClient(tokenFrom);
await anyone.get("/api/verify-token/");
tell("ready");
for (;;) {
  await once(port, "message");
  const end = ATTACKS[name](anyone);
  tell("begun");
  await once(port, "message");
  await end();
  tell("ended");
}

function sendEvery(everyMs: number, send: () => Promise<unknown>): () => Promise<unknown> {
  const sent: Promise<unknown>[] = [];
  const timer = setInterval(() => sent.push(send().catch(() => {})), everyMs);
  return () => {
    clearInterval(timer);
    return Promise.all(sent);
  };
}

/** Sends unfinished bodies, and reopens closed streams; returns what stops them. */
function openUnendedStreams({ cookies }: ApiClient): () => Promise<void> {
  let closing = false;
  const sessions = new Set<ReturnType<typeof connectHttp2>>();
  const headers = {
    ":method": "POST",
    ":path": "/api/token/",
    "content-type": "application/json",
    cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    "x-csrftoken": cookies.get("csrftoken") ?? "",
  };
  const open = () => {
    const session = connectHttp2(url, { rejectUnauthorized: false });
    sessions.add(session);
    session.on("error", () => {});
    session.once("close", () => {
      sessions.delete(session);
      if (!closing) setTimeout(open, LARGE_EVERY_MS);
    });
    for (let stream = 1; stream <= STREAMS; stream += 1) {
      const begun = session.request(headers, { endStream: false });
      begun.on("error", () => {});
      begun.resume();
      begun.write('{"username":"');
    }
  };
  for (let connection = 1; connection <= CONNECTIONS; connection += 1) open();
  return async () => {
    closing = true;
    for (const session of sessions) session.destroy();
  };
}
