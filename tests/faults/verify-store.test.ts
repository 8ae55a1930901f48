import { mkdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../support/api-client.ts";
import { openDatabase } from "../support/open-database.ts";
import { readLocalMailbox } from "../support/read-local-mailbox.ts";
import { runHere } from "../support/run-here.ts";
import { findFreePort, type RunningServer, startServer } from "../support/start-server.ts";
import * as story from "../support/story.ts";
import { personOf } from "../support/of-this-worker.ts";

const OWNER = personOf("ysaline", "Ysaline Œillet");
const PAUL = { email: "paul@exemple.fr", full_name: "Paul Morel" };
const AT_ONCE = 12;
const NO_FAULTS = Array(8).fill(0);

let server: RunningServer;
let owner: ApiClient;
let database: Awaited<ReturnType<typeof openDatabase>>;
let envelopeId: string;

beforeAll(async () => {
  server = await startServer({ env: { RATE_LIMITS: "off" }, port: await findFreePort() });
  const world = { url: server.url, mails: readLocalMailbox(server.url) };
  owner = await story.signUp(server.url, OWNER);
  database = await openDatabase(server.dataDir);
  envelopeId = await story.sendContract(owner, "Bail", [PAUL]);
  await story.signInvitation(world, PAUL, envelopeId);
}, 240_000);
afterAll(async () => {
  await database?.close();
  owner?.close();
  await server?.close();
});

/** Exit code and faults counted per invariant. */
async function verifyStore(): Promise<{ code: number; faults: readonly number[]; output: string }> {
  const { code, output } = await runHere(["verify-store"], { DATA_DIR: server.dataDir });
  const faults = NO_FAULTS.map((_, index) => {
    const invariant = index + 1;
    const cells = output
      .split("\n")
      .find((line) => line.startsWith(`${invariant}. `) && line.endsWith("\u00a0s"));
    return Number(cells?.split(/ {2,}/)[2]);
  });
  return { code, faults, output };
}

/** Runs as a superuser, so that no trigger fires. */
async function run(sql: string): Promise<void> {
  await database.query("set session_replication_role = replica");
  await database.query(sql.replaceAll(":envelope", `'${envelopeId}'`));
}

async function pathOf(name: string): Promise<string> {
  return join(server.dataDir, "files", name.slice(0, 2), name.slice(2, 4), name);
}

type Harm = {
  readonly invariant: number;
  readonly what: string;
  readonly harm: () => Promise<() => Promise<void>>;
};
const bySql = (harm: string, mend: string) => async () => {
  await run(harm);
  return () => run(mend);
};

const HARMS: readonly Harm[] = [
  {
    invariant: 1,
    what: "a signature whose certificate differs from the journal",
    harm: bySql(
      "update signatures set serial_number = 'f' || serial_number",
      "update signatures set serial_number = substr(serial_number, 2)",
    ),
  },
  {
    invariant: 2,
    what: "a byte of a stored file flipped",
    async harm() {
      const [row] = await database.query<{ name: string }>(
        "select encode(r.blob_sha256, 'hex') as name from document_revisions r join documents d on d.id = r.document_id where d.envelope_id = $1 and r.number = 0",
        [envelopeId],
      );
      const path = await pathOf(row?.name ?? "");
      const kept = await readFile(path);
      await writeFile(path, Buffer.from(kept).fill((kept[300] ?? 0) ^ 1, 300, 301));
      return () => writeFile(path, kept);
    },
  },
  {
    invariant: 3,
    what: "an event edited",
    harm: bySql(
      "update audit_events set action = action || '!' where envelope_id = :envelope and sequence = 3",
      "update audit_events set action = rtrim(action, '!') where envelope_id = :envelope and sequence = 3",
    ),
  },
  {
    invariant: 4,
    what: "a completed document pointed back to what was sent",
    harm: bySql(
      "update documents set current_revision = current_revision - 2 where envelope_id = :envelope",
      "update documents set current_revision = current_revision + 2 where envelope_id = :envelope",
    ),
  },
  {
    invariant: 5,
    what: "a signature of a recipient who has not signed",
    harm: bySql(
      "update recipients set status = 'notified' where envelope_id = :envelope",
      "update recipients set status = 'signed' where envelope_id = :envelope",
    ),
  },
  {
    invariant: 6,
    what: "a completion without notices",
    harm: bySql(
      "update notices set envelope_id = null where envelope_id = :envelope and kind = 'completed'",
      "update notices set envelope_id = :envelope where envelope_id is null and kind = 'completed'",
    ),
  },
  {
    invariant: 7,
    what: "a signature after the cancellation",
    harm: bySql(
      "update envelopes set status = 'cancelled', status_before_cancel = 'completed', cancelled_at = sent_at where id = :envelope",
      "update envelopes set status = 'completed', status_before_cancel = null, cancelled_at = null where id = :envelope",
    ),
  },
  {
    invariant: 8,
    what: "an unreferenced file two days old",
    async harm() {
      const bytes = Buffer.from("orphelin");
      const path = await pathOf(createHash("sha256").update(bytes).digest("hex"));
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, bytes);
      const then = new Date(Date.now() - 2 * 86_400_000);
      await utimes(path, then, then);
      return () => rm(path);
    },
  },
];

describe("paraphe verify-store, beside the running service,", () => {
  test("reports that every invariant holds while people sign, with exit code 0", async () => {
    const signing = Array.from({ length: AT_ONCE }, () =>
      story.postSelfSign(owner, "Ysaline Œillet"),
    );
    expect(await verifyStore()).toMatchObject({ code: 0, faults: NO_FAULTS });
    expect((await Promise.all(signing)).map(({ status }) => status)).toEqual(
      Array(AT_ONCE).fill(201),
    );
    const { code, output } = await verifyStore();
    expect([code, output.trim().split("\n").at(-1)]).toEqual([0, "Tous les invariants tiennent."]);
  });

  test.each(HARMS)(
    "finds against invariant $invariant $what, with exit code 1",
    async ({ invariant, harm }) => {
      const mend = await harm();
      const broken = await verifyStore();
      await mend();
      expect(broken.code, broken.output).toBe(1);
      expect(broken.faults[invariant - 1], broken.output).toBeGreaterThan(0);
    },
  );

  test("finds nothing once each fault is repaired", async () => {
    expect(await verifyStore()).toMatchObject({ code: 0, faults: NO_FAULTS });
  });
});

test("the service connects only as the role that cannot change the past", async () => {
  // An idle connection was given back.
  await owner.get("/api/health/");
  const who = await database.query<{ usename: string }>(
    "select distinct usename from pg_stat_activity where application_name = 'paraphe'",
  );
  expect(who).toEqual([{ usename: "paraphe_service" }]);
});
