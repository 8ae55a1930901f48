import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiClient } from "../support/api-client.ts";
import { makeContract } from "../support/make-contract.ts";
import { openDatabase } from "../support/open-database.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { findFreePort, type RunningServer, startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { EVERY_INVARIANT_HOLDS, verifyStoreOf } from "../support/verify-store.ts";

const API = "/api/signature";
const OWNER = { username: "zelie", email: "zelie@exemple.fr", firstName: "Zélie", lastName: "Œuvrard" };
const AT_ONCE = 4;
/** What signing one's own document costs lies between the first and the last. */
const KILL_AFTER_MS = [60, 250, 700] as const;

let server: RunningServer;
let owner: ApiClient;
let pdf: Uint8Array;
const options = { env: { RATE_LIMITS: "off" } };

beforeAll(async () => {
  server = await startServer({ ...options, port: await findFreePort() });
  await story.registerPerson({ url: server.url, mails: readLocalMailbox(server.url) }, OWNER);
  owner = await story.logIn(server.url, OWNER.username);
  pdf = await makeContract("1");
}, 240_000);
afterAll(async () => {
  owner?.close();
  await server?.close();
});

/** Gives the envelope that was acknowledged; null when the connection died first. */
async function selfSign(): Promise<string | null> {
  const form = new FormData();
  form.append("signature", JSON.stringify(story.typed("Zélie Œuvrard")));
  form.append("file", new Blob([new Uint8Array(pdf)], { type: "application/pdf" }), "contrat.pdf");
  try {
    const { status, json } = await owner.post(`${API}/self-sign/`, { form });
    return status === 201 ? json.id : null;
  } catch {
    return null;
  }
}

/** Envelopes that are not whole: each is completed with one signature, one act sealed, its certificate and its journal, or is not there at all. */
async function readStore() {
  const database = await openDatabase(server.dataDir);
  try {
    const [row] = await database.query<{ envelopes: number; half: number; orphans: number }>(
      `select count(*)::int as envelopes,
        (count(*) filter (where e.status <> 'completed' or e.level <> 'B-LTA'
          or (select count(*) from signatures s where s.envelope_id = e.id) <> 1
          or (select count(*) from signing_acts a where a.envelope_id = e.id and a.sealed_at is not null) <> 1
          or (select count(*) from audit_events a where a.envelope_id = e.id) <> 4
          or (select count(*) from recipients r where r.envelope_id = e.id and r.status = 'signed') <> 1))::int as half,
        (select count(*)::int from signatures s where not exists (select 1 from envelopes e where e.id = s.envelope_id)) as orphans
      from envelopes e`,
    );
    return row ?? { envelopes: 0, half: 0, orphans: 0 };
  } finally {
    await database.close();
  }
}

test.each(KILL_AFTER_MS)("kill -9 %i ms after four documents were sent to be signed leaves nothing half", async (delayMs) => {
  const answers = Array.from({ length: AT_ONCE }, selfSign);
  await sleep(delayMs);
  await server.kill();
  const acknowledged = (await Promise.all(answers)).filter((id) => id !== null);
  server = await startServer({ ...options, dataDir: server.dataDir, port: Number(new URL(server.localUrl).port) });
  expect(await readStore()).toMatchObject({ half: 0, orphans: 0 });
  for (const id of acknowledged)
    expect((await owner.get(`${API}/envelopes/${id}/`)).json).toMatchObject({ status: "completed", level: "B-LTA" });
  // Whoever got no answer signs by asking again.
  const again = await selfSign();
  expect((await owner.get(`${API}/envelopes/${again}/signed-document/`)).status).toBe(200);
  expect(verifyStoreOf(server)).toEqual(EVERY_INVARIANT_HOLDS);
});
