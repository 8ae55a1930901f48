import { randomUUID } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { startMailServer } from "../tests/support/start-mail-server.ts";
import { openDatabase } from "../tests/support/open-database.ts";
import { startServer } from "../tests/support/start-server.ts";
import * as story from "../tests/support/story.ts";
import { type BenchRow, percentile, readCpuSeconds } from "./figures.ts";

/** A person has at most 20 webhooks. */
const SENDERS = ["crochets", "agrafes", "epingles"].map((username) => ({
  username,
  email: `${username}@exemple.fr`,
  firstName: "Basile",
  lastName: "Étalon",
}));
const OF_ONE = 20;
const RECEIVERS = 50;
const EVENTS_A_MINUTE = 10_000;
const SECONDS = 30;
const TICK_MS = 100;
const INSERT = `insert into webhook_events (webhook_id, envelope_id, type, at)
  select w.id, $1::uuid, 'envelope.sent', now() from webhooks w order by random() limit $2`;

const addressOf = (server: Server) => `http://localhost:${(server.address() as AddressInfo).port}/`;

type Receivers = { readonly delays: number[]; readonly servers: readonly Server[] };

/** The first receiver never answers; the others note how long each event took. */
async function startReceivers(): Promise<Receivers> {
  const delays: number[] = [];
  const servers = await Promise.all(
    Array.from({ length: RECEIVERS }, async (_, index) => {
      const server = createServer(async (request, response) => {
        if (index === 0) return;
        const body = Buffer.concat(await request.toArray()).toString();
        delays.push(Date.now() - Date.parse(JSON.parse(body).timestamp));
        response.writeHead(204).end();
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      return server;
    }),
  );
  return { delays, servers };
}

/**
 * Events written at 10,000 a minute, as commits write them, for 50 receivers of which one never
 * answers.
 */
export async function benchWebhooks(): Promise<BenchRow[]> {
  const mails = await startMailServer();
  const server = await startServer({ env: { SMTP_URL: mails.url, RATE_LIMITS: "off" } });
  const { delays, servers } = await startReceivers();
  const database = await openDatabase(server.dataDir);
  try {
    for (const [place, sender] of SENDERS.entries()) {
      await story.registerPerson({ url: server.url, mails }, sender);
      const client = await story.logIn(server.url, sender.username);
      for (const one of servers.slice(place * OF_ONE, (place + 1) * OF_ONE))
        await client.post("/api/signature/me/webhooks/", {
          json: { url: addressOf(one), types: ["envelope.sent"] },
        });
    }
    const before = await readCpuSeconds(server.pid, server.dataDir);
    const perTick = Math.round((EVENTS_A_MINUTE / 60_000) * TICK_MS);
    for (let tick = 0; tick < (SECONDS * 1_000) / TICK_MS; tick++) {
      const began = performance.now();
      await database.query(INSERT, [randomUUID(), perTick]);
      // As the process of a commit tells the others.
      await database.query("select pg_notify('webhooks', '')");
      await sleep(Math.max(0, TICK_MS - (performance.now() - began)));
    }
    await sleep(3_000);
    const used = (await readCpuSeconds(server.pid, server.dataDir)) - before;
    const row = { part: "webhooks" } as const;
    return [
      {
        ...row,
        what: `events of ${EVENTS_A_MINUTE} a minute delivered to ${RECEIVERS - 1} receivers beside a dead one: delay, p95`,
        value: percentile(delays, 95),
        unit: "ms",
        goal: { atMost: 2_000 },
      },
      {
        ...row,
        what: `the same, CPU of the whole service for each of ${delays.length} delivered`,
        value: (used * 1_000) / delays.length,
        unit: "ms",
        goal: { atMost: 3 },
      },
    ];
  } finally {
    await database.close();
    await server.stop();
    await mails.close();
    for (const one of servers) {
      one.closeAllConnections();
      one.close();
    }
  }
}
