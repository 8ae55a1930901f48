import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../apps/server/testing/app.ts";
import { createSent, PAUL } from "../../apps/server/testing/envelope.ts";
import { signAsGuest } from "../../apps/server/testing/guest.ts";
import { createMember, type Member, signIn } from "../../apps/server/testing/member.ts";
import { proofIn, sealedBy } from "../../apps/server/testing/proven-envelope.ts";
import type { HashedEvent } from "../../apps/server/src/features/journal/store.ts";
import { eventHash } from "../../apps/server/src/features/journal/journal.ts";
import { makeCheckpoint } from "../../apps/server/src/features/journal/transparency/make-checkpoint.ts";
import { presentCheckpoint } from "../../apps/server/src/features/journal/transparency/read-inclusion.ts";
import { createTrust, rotateAuthority } from "../../apps/server/src/features/trust/public.ts";
import { type AskLog, type LogAnswer, runLog } from "../../apps/cli/src/log/run-log.ts";
import { compiled } from "../support/audit-stage.ts";

/** The verifier has a kept checkpoint and the public calls; the operator has the database. */
let service: TestApp;
let anne: Member;
let folder: string;
let envelopeId: string;
let print: { id: string; sig: string };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-kept-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  await service?.close();
  service = await createTestApp({ settings: { rateLimits: "off" } });
  anne = await createMember(service.platform);
  const browser = await signIn(service, anne);
  await createSent(browser, { recipients: [PAUL] });
  envelopeId = (await createSent(browser, { recipients: [PAUL] })).id;
  await signAsGuest(service, envelopeId, PAUL.email);
  print = await addPrint("page");
  await checkpoint();
  await writeFile(
    join(folder, "garde.json"),
    (await service.app.inject("/api/signature/transparency/checkpoints/latest/")).rawPayload,
  );
}, 120_000);
afterAll(() => service?.close());

/** Appends an event to the envelope's journal. */
async function addPrint(
  kind: "page" | "last" | "certificate",
): Promise<{ id: string; sig: string }> {
  const browser = await signIn(service, anne);
  const answer = await browser.post("/api/signature/prints/generate/", {
    envelope: envelopeId,
    qr_type: kind,
  });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}

async function checkpoint(): Promise<void> {
  await service.settle({ deferred: "run" });
  service.platform.clock.advance({ minutes: 30 });
  await makeCheckpoint({ platform: service.platform, trust: await createTrust(service.platform) });
}

const ask: AskLog = async (_origin, call) => {
  const answer = await service.app.inject(`/api/signature/transparency/${call}`);
  return answer.statusCode === 200 ? answer.json() : null;
};

/** Compares the kept checkpoint with the log and with today's proof. */
async function compareKept(): Promise<LogAnswer> {
  const proof = await service.app.inject(
    `/api/signature/prints/${print.id}/proof/?sig=${print.sig}`,
  );
  expect(proof.statusCode).toBe(200);
  await writeFile(join(folder, "preuve.json"), proof.rawPayload);
  return runLog(["garde.json", "preuve.json"], { folder, ask, now: service.platform.clock() });
}

const publicVerdict = async (): Promise<string> =>
  (await service.app.inject(`/api/signature/prints/${print.id}/verify/?sig=${print.sig}`)).json()
    .verdict;

async function asOperator(statements: readonly string[]): Promise<void> {
  await service.platform.owner.transaction().execute(async (trx) => {
    for (const statement of ["set local session_replication_role = replica", ...statements])
      await trx.executeQuery(compiled(statement));
  });
}

type Row = Omit<HashedEvent, "at" | "envelope_id"> & {
  readonly at: Date;
  readonly sequence: number;
};

/** Rewrites a journal with consistent numbers and hashes. */
async function rewriteJournal(change: (events: readonly Row[]) => readonly Row[]): Promise<void> {
  const { rows } = await service.platform.owner.executeQuery<Row>(
    compiled(
      `select sequence, at, actor, action, detail from audit_events where envelope_id = '${envelopeId}' order by sequence`,
    ),
  );
  let previous: Uint8Array | null = null;
  const kept = change(rows);
  const gone = rows
    .filter(({ sequence }) => kept.every((event) => event.sequence !== sequence))
    .map(({ sequence }) => sequence);
  const statements = [
    `delete from audit_events where envelope_id = '${envelopeId}'`,
    `delete from audit_details where envelope_id = '${envelopeId}' and sequence = any('{${gone.join(",")}}')`,
  ];
  for (const [index, { sequence, at, actor, action, detail }] of kept.entries()) {
    const hash = eventHash(previous, {
      envelope_id: envelopeId,
      at: at.toISOString(),
      actor,
      action,
      detail,
    });
    statements.push(
      `insert into audit_events values ('${envelopeId}', ${index + 1}, '${at.toISOString()}', '${actor}', '${action}',
        '${JSON.stringify(detail).replaceAll("'", "''")}', ${byteaOf(hash)}, ${previous === null ? "null" : byteaOf(previous)})`,
      `update audit_details set sequence = ${-index - 1} where envelope_id = '${envelopeId}' and sequence = ${sequence}`,
    );
    previous = hash;
  }
  await asOperator([
    ...statements,
    `update audit_details set sequence = -sequence where envelope_id = '${envelopeId}'`,
  ]);
}

const byteaOf = (bytes: Uint8Array): string => `'\\x${Buffer.from(bytes).toString("hex")}'`;

/** Rebuilds the log from today's journals: leaves, nodes, checkpoints, signatures, time-stamps. */
async function rewriteLog(): Promise<void> {
  await asOperator([
    "delete from transparency_checkpoints",
    "delete from transparency_nodes",
    "delete from transparency_leaves",
    "delete from transparency_due",
    `insert into transparency_due (envelope_id, sequence, head) select envelope_id, sequence, hash from audit_events e
      where sequence = (select max(sequence) from audit_events l where l.envelope_id = e.envelope_id) order by envelope_id`,
  ]);
  await checkpoint();
}

const EDITED = (events: readonly Row[]): readonly Row[] =>
  events.map((event) =>
    event.action === "recipient_viewed"
      ? { ...event, at: new Date(event.at.getTime() - 86_400_000) }
      : event,
  );
const REMOVED = (events: readonly Row[]): readonly Row[] =>
  events.filter(({ action }) => action !== "recipient_viewed");

test("a kept checkpoint stays true while the log and the journals grow", async () => {
  expect(await compareKept()).toMatchObject({ code: 0 });
  await addPrint("last");
  await checkpoint();
  const { code, lines } = await compareKept();
  expect(lines.map((line) => line.split("  ")[0])).toEqual(["juste", "juste"]);
  expect(code).toBe(0);
});

describe.each([
  ["edited", EDITED],
  ["removed", REMOVED],
])("a past event %s, with its chain recomputed,", (_what, change) => {
  test("is found when the whole log was rewritten to match", async () => {
    await rewriteJournal(change);
    await rewriteLog();
    expect(await publicVerdict()).toBe("valid");
    const { code, lines } = await compareKept();
    expect(lines.join("\n")).toContain("FAUX  Continuité du journal\u00a0: ");
    expect(code).toBe(1);
  });

  test("is found when the log's past was left and the journal has grown, and its proof is invalid", async () => {
    await rewriteJournal(change);
    await addPrint("last");
    // The log takes no number twice: a shortened journal has to grow past it.
    await addPrint("certificate");
    await checkpoint();
    const { code, lines } = await compareKept();
    expect(lines[0]).toContain("juste  Continuité du journal");
    expect(lines[1]).toContain("FAUX  preuve.json\u00a0: ");
    expect(code).toBe(1);
    expect(await publicVerdict()).toBe("invalid");
  });
});

describe("a journal whose dates moved past the kept checkpoint", () => {
  const SIGNED_BEFORE_MS = 15 * 60_000;
  /** More than clocks may differ, less than the age that a checkpoint has to cover. */
  const LATER_MS = 9 * 60_000;

  /** Kept 15 minutes after the signing, so that only a print is too young to be covered. */
  beforeEach(async () => {
    const browser = await signIn(service, anne);
    envelopeId = (await createSent(browser, { recipients: [PAUL] })).id;
    await signAsGuest(service, envelopeId, PAUL.email);
    await service.settle({ deferred: "run" });
    service.platform.clock.advance({ minutes: SIGNED_BEFORE_MS / 60_000 });
    print = await addPrint("page");
    await makeCheckpoint({
      platform: service.platform,
      trust: await createTrust(service.platform),
    });
    await writeFile(
      join(folder, "garde.json"),
      (await service.app.inject("/api/signature/transparency/checkpoints/latest/")).rawPayload,
    );
    service.platform.clock.advance({ minutes: 30 });
  }, 60_000);

  test("is right while unchanged", async () => {
    const { code, lines } = await compareKept();
    expect([code, lines.map((line) => line.split("  ")[0])]).toEqual([0, ["juste", "juste"]]);
  });

  test("is found by the time-stamps of its signatures alone", async () => {
    const { rawPayload } = await service.app.inject(
      `/api/signature/prints/${print.id}/proof/?sig=${print.sig}`,
    );
    const { completion_logged: _logged, ...proof } = {
      completion_logged: null,
      ...proofIn(rawPayload).proof,
    };
    let previous: Uint8Array | null = null;
    for (const event of proof.journal.events) {
      if (event.action !== "print_generated")
        event.at = new Date(Date.parse(event.at) + LATER_MS).toISOString();
      const { at, actor, action, detail } = event;
      event.previous_hash = previous === null ? null : Buffer.from(previous).toString("hex");
      previous = eventHash(previous, {
        envelope_id: proof.envelope,
        at,
        actor,
        action,
        detail,
      } as HashedEvent);
      event.hash = Buffer.from(previous).toString("hex");
    }
    await writeFile(
      join(folder, "autre.json"),
      await sealedBy(service, { ...proof, inclusion: null }),
    );
    const { code, lines } = await runLog(["garde.json", "autre.json"], {
      folder,
      ask,
      now: service.platform.clock(),
    });
    expect(lines[0]).toContain("juste  Continuité du journal");
    expect(lines[1]).toContain(
      "FAUX  autre.json\u00a0: son historique n’est pas celui que le point de contrôle gardé couvre",
    );
    expect(code).toBe(1);
  });
});

test("a kept checkpoint reveals a removed envelope and a shorter log", async () => {
  await asOperator([`delete from audit_events where envelope_id <> '${envelopeId}'`]);
  await rewriteLog();
  const { code, lines } = await compareKept();
  expect(lines.join("\n")).toMatch(
    /le journal n’a plus que 1 empreintes, le point de contrôle gardé en atteste \d/,
  );
  expect(code).toBe(1);
});

test("the command reports a file that is no checkpoint as proof of nothing, and refuses to run without one", async () => {
  await writeFile(join(folder, "autre.json"), "{}");
  const run = (words: readonly string[]) =>
    runLog(words, { folder, ask, now: service.platform.clock() });
  expect(await run(["autre.json"])).toMatchObject({ code: 2 });
  for (const words of [[], ["--aide"], ["absent.json"]])
    expect(await run(words)).toMatchObject({ code: 64 });
});

describe("a checkpoint that another seal and authority signed in the service's name", () => {
  const runWith = (words: readonly string[]) =>
    runLog(words, { folder, ask, now: service.platform.clock() });
  let otherRoot: Uint8Array;
  beforeEach(async () => {
    const other = await createTestApp({ settings: { rateLimits: "off" } });
    try {
      const browser = await signIn(other, await createMember(other.platform));
      await createSent(browser, { recipients: [PAUL] });
      const trust = await createTrust(other.platform);
      const forged = await makeCheckpoint({ platform: other.platform, trust });
      if (forged === null) throw new Error("Expected a checkpoint");
      await writeFile(join(folder, "faux.json"), JSON.stringify(presentCheckpoint(forged)));
      otherRoot = trust.certificates.root;
      await writeFile(join(folder, "autre.crt"), otherRoot);
      await writeFile(
        join(folder, "racine.crt"),
        (await createTrust(service.platform)).certificates.root,
      );
    } finally {
      await other.close();
    }
  }, 60_000);

  test("proves nothing against an honest service", async () => {
    const { code, lines } = await runWith(["faux.json"]);
    expect(lines.join(" ")).toContain(
      "n’est pas signé et horodaté par les autorités de ce service",
    );
    expect(lines.join(" ")).not.toMatch(/FAUX|réécrit/);
    expect(code).toBe(2);
  });

  test("leaves the true one right, by the published roots and by a kept root, but not by another root", async () => {
    expect(await runWith(["garde.json"])).toMatchObject({ code: 0 });
    expect(await runWith(["garde.json", "--root", "racine.crt"])).toMatchObject({ code: 0 });
    expect(await runWith(["garde.json", "--root", "autre.crt"])).toMatchObject({ code: 2 });
    expect(await runWith(["garde.json", "--root", "faux.json"])).toMatchObject({ code: 64 });
  });

  test("leaves the kept one right after each key was replaced", async () => {
    await rotateAuthority(service.platform, "root");
    await addPrint("certificate");
    await checkpoint();
    expect(await runWith(["garde.json", "--root", "racine.crt"])).toMatchObject({ code: 0 });
  });
});
