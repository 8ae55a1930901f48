import { createServer, type Server, type Socket } from "node:net";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import type { Notice } from "./domain/notice.ts";
import { enqueueNotice } from "./enqueue-notice.ts";
import { registerNoticeJobs } from "./jobs.ts";

/** A message as it came over the line. */
type Taken = { readonly to: string; readonly messageId: string };
/** What the server does with a message once it has it whole. */
type Manners = "accept" | "accept and hang up" | "hang up";

const MESSAGES = 12;
const STEP_MINUTES = 5;
const HOUR_STEPS = 60 / STEP_MINUTES;

let platform: TestPlatform;
let server: Server;
let taken: Taken[];
let manners: Manners[];
let port: number;
const lines = new Set<Socket>();

beforeEach(async () => {
  taken = [];
  manners = [];
  server = createServer(talk);
  port = await listen(0);
  platform = await createTestPlatform({ settings: { smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom: "paraphe@exemple.fr" } });
  registerNoticeJobs(platform);
});
afterEach(async () => {
  await platform.close();
  await hangUp();
});

function listen(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    server.listen(wanted, "127.0.0.1", () => {
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : 0);
    });
  });
}

async function hangUp(): Promise<void> {
  for (const line of lines) line.destroy();
  if (server.listening) await new Promise((resolve) => server.close(resolve));
}

/** Enough of RFC 5321 for one message after the other, and a will of its own at the end of each. */
function talk(line: Socket): void {
  lines.add(line);
  let pending = "";
  let to = "";
  let inData = false;
  line.on("error", () => line.destroy());
  line.on("close", () => lines.delete(line));
  line.write("220 bonjour\r\n");
  line.on("data", (chunk: Buffer) => {
    pending += chunk.toString("latin1");
    if (inData) {
      if (!pending.endsWith("\r\n.\r\n")) return;
      const messageId = /^Message-ID: (.+)\r$/im.exec(pending)?.[1] ?? "";
      pending = "";
      inData = false;
      const manner = manners.shift() ?? "accept";
      if (manner !== "hang up") taken.push({ to, messageId });
      if (manner === "accept") line.write("250 2.0.0 pris en charge\r\n");
      else line.destroy();
      return;
    }
    for (let end = pending.indexOf("\r\n"); end >= 0; end = pending.indexOf("\r\n")) {
      const command = pending.slice(0, end);
      pending = pending.slice(end + 2);
      if (/^RCPT/i.test(command)) to = /<(.+)>/.exec(command)?.[1] ?? "";
      if (/^DATA/i.test(command)) inData = true;
      line.write(inData ? "354 allez\r\n" : /^QUIT/i.test(command) ? "221 au revoir\r\n" : "250 oui\r\n");
    }
  });
}

async function enqueueAll(): Promise<string[]> {
  const addresses = Array.from({ length: MESSAGES }, (_, index) => `personne${index}@exemple.fr`);
  for (const address of addresses) {
    const to = { fullName: "Zoë Œuvrard", address };
    const notice: Notice = { kind: "invitation", channel: "email", dedupeKey: address, to, content: NOTICE_SAMPLES.invitation };
    await platform.db.transaction().execute((trx) => enqueueNotice(trx, platform, notice));
  }
  return addresses;
}

/** Lets time pass, for the service's clock and for the queue's, which is the database's; then runs what is due. */
async function letPass(steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    platform.clock.advance({ minutes: STEP_MINUTES });
    await sql`update jobs.job set start_after = start_after - make_interval(mins => ${STEP_MINUTES}) where state = 'retry'`.execute(
      platform.db,
    );
    await platform.settle({ failures: "keep" });
  }
}

const rows = () =>
  platform.db.selectFrom("notices").select(["state", "tries", "message_id", "destination"]).orderBy("destination").execute();

test("with the server down for an hour, then up, every mail arrives once", async () => {
  const addresses = await enqueueAll();
  await hangUp();
  await platform.settle({ failures: "keep" });
  await letPass(HOUR_STEPS);
  const down = await rows();
  expect(down.map(({ state }) => state)).toEqual(addresses.map(() => "queued"));
  // 10 s, doubled each time: about nine tries in an hour, and never one a minute.
  for (const { tries } of down) {
    expect(tries).toBeGreaterThanOrEqual(6);
    expect(tries).toBeLessThanOrEqual(12);
  }
  await listen(port);
  await letPass(HOUR_STEPS);
  expect(taken.map(({ to }) => to).toSorted()).toEqual(addresses.toSorted());
  expect(new Set(taken.map(({ messageId }) => messageId)).size).toBe(MESSAGES);
  expect((await rows()).map(({ state }) => state)).toEqual(addresses.map(() => "sent"));
  await letPass(2);
  expect(taken).toHaveLength(MESSAGES);
});

test("a server that hangs up before its answer gets each message again, under the same Message-ID: once for its reader", async () => {
  const addresses = await enqueueAll();
  manners = ["accept and hang up", "hang up", "accept", "accept and hang up", "accept and hang up"];
  await platform.settle({ failures: "keep" });
  await letPass(HOUR_STEPS);
  expect((await rows()).map(({ state }) => state)).toEqual(addresses.map(() => "sent"));
  const ids = new Map((await rows()).map((row) => [row.destination, row.message_id]));
  expect(new Set(taken.map(({ to }) => to))).toEqual(new Set(addresses));
  for (const { to, messageId } of taken) expect(messageId).toBe(ids.get(to));
  // Three were taken twice: their answers were lost. A reader's server knows them by their Message-ID.
  expect(taken).toHaveLength(MESSAGES + 3);
  expect(new Set(taken.map(({ messageId }) => messageId)).size).toBe(MESSAGES);
});

test("with the server down for more than 48 hours, each is given up once, and the sender can read why", async () => {
  const addresses = await enqueueAll();
  await hangUp();
  await platform.settle({ failures: "keep" });
  platform.clock.advance({ hours: 49 });
  await letPass(HOUR_STEPS);
  expect((await rows()).map(({ state }) => state)).toEqual(addresses.map(() => "refused"));
  await listen(port);
  await letPass(HOUR_STEPS);
  expect(taken).toEqual([]);
});
