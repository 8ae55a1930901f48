import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiClient } from "../support/api-client.ts";
import { makeContract } from "../support/make-contract.ts";
import { openDatabase } from "../support/open-database.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { runTool } from "../support/run-tool.ts";
import { findFreePort, type RunningServer, startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { EVERY_INVARIANT_HOLDS, verifyStoreOf } from "../support/verify-store.ts";

const OWNER = { username: "solene", email: "solene@exemple.fr", firstName: "Solène", lastName: "Haÿ" };
const AT_ONCE = 3;
/** After the last answer: before the checkpoint's job is due, while it runs or is about to, and after. */
const KILL_AFTER_MS = [50, 2_300, 4_500] as const;
/** A job whose process died is taken up once its heartbeat has been missing. */
const COVERED_WITHIN_MS = 120_000;

let server: RunningServer;
let owner: ApiClient;
let copies: string;
let pdf: Uint8Array;
const options = () => ({ env: { RATE_LIMITS: "off", CHECKPOINT_DIR: copies } });

beforeAll(async () => {
  copies = await mkdtemp(join(tmpdir(), "paraphe-copies-"));
  server = await startServer({ ...options(), port: await findFreePort() });
  await story.registerPerson({ url: server.url, mails: readLocalMailbox(server.url) }, OWNER);
  owner = await story.logIn(server.url, OWNER.username);
  pdf = await makeContract("1");
}, 240_000);
afterAll(async () => {
  owner?.close();
  await server?.close();
  await rm(copies, { recursive: true, force: true });
});

async function selfSign(): Promise<void> {
  const form = new FormData();
  form.append("signature", JSON.stringify(story.typed("Solène Haÿ")));
  form.append("file", new Blob([new Uint8Array(pdf)], { type: "application/pdf" }), "contrat.pdf");
  story.expectStatus(await owner.post("/api/signature/self-sign/", { form }), 201, "self-sign");
}

/** Completed envelopes whose completion no checkpoint covers. */
async function countUncovered(): Promise<number> {
  const database = await openDatabase(server.dataDir);
  try {
    const [row] = await database.query<{ count: number }>(
      `select count(*)::int as count from audit_events e where e.action = 'envelope_completed' and not exists (
        select from transparency_leaves l where l.envelope_id = e.envelope_id and l.sequence >= e.sequence
          and l.leaf_index < (select max(size) from transparency_checkpoints))`,
    );
    return row?.count ?? -1;
  } finally {
    await database.close();
  }
}

test.each(KILL_AFTER_MS)(
  "kill -9 %i ms after a completion loses no head, doubles none, and the checkpoint is made by the next process",
  async (delayMs) => {
    await Promise.all(Array.from({ length: AT_ONCE }, selfSign));
    await sleep(delayMs);
    await server.kill();
    server = await startServer({ ...options(), dataDir: server.dataDir, port: Number(new URL(server.localUrl).port) });
    await expect.poll(countUncovered, { timeout: COVERED_WITHIN_MS, interval: 500 }).toBe(0);
    await expect.poll(async () => (await readdir(copies)).filter((name) => name.startsWith("checkpoint-")).length).toBeGreaterThan(0);
    const audit = runTool(process.execPath, ["scripts/audit.ts", "check"], { DATA_DIR: server.dataDir, CHECKPOINT_DIR: copies });
    expect(audit.output).toContain("Rien n’a été modifié, déplacé ni retiré.");
    expect(audit.code).toBe(0);
    expect(verifyStoreOf(server)).toEqual(EVERY_INVARIANT_HOLDS);
  },
  180_000,
);
