import { writeTogether } from "../../../platform/database/in-transaction.ts";
import { createHash, X509Certificate } from "node:crypto";
import { checkpointPayload, type Inclusion } from "@paraphe/contracts";
import { verifyTimestampToken } from "@paraphe/pades";
import {
  consistencyRanges,
  createTree,
  rootOf,
  verifyConsistency,
  verifyInclusion,
} from "@paraphe/proof";
import canonicalize from "canonicalize";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { multipart, type TestBrowser } from "../../../../testing/browser.ts";
import { createSent, PAUL } from "../../../../testing/envelope.ts";
import { TYPED, openConfirmedGuest } from "../../../../testing/guest.ts";
import { writeHeads, writeJournal, writeJournals } from "../../../../testing/journals.ts";
import { openMember } from "../../../../testing/member.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { createTestPlatform, type TestPlatform } from "../../../../testing/platform.ts";
import { rememberRows } from "../../../../testing/forged-rows.ts";
import { openTestTsa } from "../../../../testing/tsa-server.ts";
import { createTrust, rotateAuthority, type Trust } from "../../trust/public.ts";
import { appendEvents } from "../journal.ts";
import { SYSTEM_ACTOR } from "../store.ts";
import { createTransparency, registerTransparencyJobs } from "./create-transparency.ts";
import { makeCheckpoint, requestCheckpoint } from "./make-checkpoint.ts";
import { leafOf, presentCheckpoint, readLog, readRanges } from "./read-inclusion.ts";

const readInclusion = async (...asked: Parameters<typeof readLog>) =>
  (await readLog(...asked)).inclusion;

describe("the log", () => {
  let platform: TestPlatform;
  let trust: Trust;

  let start: Date;
  let putBack: () => Promise<void>;
  beforeAll(async () => {
    platform = await createTestPlatform();
    trust = await createTrust(platform);
    start = platform.clock();
    putBack = await rememberRows(platform);
  });
  afterEach(async () => {
    await putBack();
    platform.clock.set(start);
  });
  afterAll(() => platform.close());

  const deps = () => ({ platform, trust });
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
  const hex = (value: Uint8Array) => Buffer.from(value).toString("hex");

  const write = (envelopeId: string, count?: number) => writeJournal(platform, envelopeId, count);
  const writeMany = (count: number) => writeJournals(platform, count);

  async function headOf(envelopeId: string): Promise<{ sequence: number; head: string }> {
    const { rows } = await sql<{ sequence: number; head: string }>`
    select sequence, encode(hash, 'hex') as head from audit_events where envelope_id = ${envelopeId}::uuid order by sequence desc limit 1`.execute(
      platform.db,
    );
    return rows[0] as { sequence: number; head: string };
  }

  async function leaves(): Promise<readonly Uint8Array[]> {
    const { rows } = await sql<{ envelope_id: string; sequence: number; head: string }>`
    select envelope_id, sequence, encode(head, 'hex') as head from transparency_leaves order by leaf_index`.execute(
      platform.db,
    );
    return rows.map(leafOf);
  }

  function holds(inclusion: Inclusion): boolean {
    const { leaf_index, size, path, entry, checkpoint } = inclusion;
    return verifyInclusion({
      leafHash: leafOf(entry),
      leafIndex: leaf_index,
      size,
      path: path.map(bytes),
      root: bytes(checkpoint.root),
    });
  }

  test("a checkpoint covers the head of every journal, one leaf each, in order", async () => {
    const [first = "", second = ""] = await writeMany(2);
    await write(first, 3);
    const made = await makeCheckpoint(deps());
    expect(made).toMatchObject({ number: 1, size: 2 });
    const { rows } =
      await sql`select leaf_index, envelope_id, sequence, encode(head, 'hex') as head from transparency_leaves order by leaf_index`.execute(
        platform.db,
      );
    expect(rows).toEqual([
      { leaf_index: 0, envelope_id: first, ...(await headOf(first)) },
      { leaf_index: 1, envelope_id: second, ...(await headOf(second)) },
    ]);
    expect(hex(made?.root ?? new Uint8Array())).toBe(hex(rootOf(await leaves())));
  });

  test("no checkpoint is made while nothing was written", async () => {
    await writeMany(1);
    expect(await makeCheckpoint(deps())).toMatchObject({ size: 1 });
    expect(await makeCheckpoint(deps())).toBeNull();
    await writeMany(1);
    expect(await makeCheckpoint(deps())).toMatchObject({ number: 2, size: 2 });
  });

  test("a checkpoint is signed, time-stamped, and names the one before", async () => {
    await writeMany(3);
    const first = await makeCheckpoint(deps());
    await writeMany(2);
    platform.clock.advance({ hours: 1 });
    const made = await makeCheckpoint(deps());
    if (first === null || made === null) throw new Error("no checkpoint");
    const [header = "", payload = "", value = ""] = made.signature.split(".");
    const { alg, x5c } = JSON.parse(Buffer.from(header, "base64url").toString());
    expect(alg).toBe("ES256");
    const certificate = new X509Certificate(Buffer.from(x5c[0], "base64"));
    const { subtle } = globalThis.crypto;
    const key = await subtle.importKey(
      "spki",
      certificate.publicKey.export({ type: "spki", format: "der" }),
      { name: "ECDSA", namedCurve: "P-256" },
      false,
      ["verify"],
    );
    expect(
      await subtle.verify(
        { name: "ECDSA", hash: "SHA-256" },
        key,
        Buffer.from(value, "base64url"),
        Buffer.from(`${header}.${payload}`),
      ),
    ).toBe(true);
    const text = Buffer.from(payload, "base64url").toString();
    const stated = checkpointPayload.parse(JSON.parse(text));
    expect(canonicalize(stated)).toBe(text);
    expect(stated).toEqual({
      log: platform.settings.publicUrl,
      size: 5,
      root: hex(rootOf(await leaves())),
      at: platform.clock().toISOString(),
      previous: { size: 3, root: hex(first.root) },
    });
    const imprint = new Uint8Array(createHash("sha256").update(made.signature).digest());
    expect(await verifyTimestampToken(made.timestampDer, { imprint })).toMatchObject({
      time: platform.clock(),
    });
    expect(presentCheckpoint(made)).toMatchObject({
      size: 5,
      key_id: made.keyId,
      timestamp: Buffer.from(made.timestampDer).toString("base64"),
    });
  });

  test("a checkpoint is signed by the seal that another process has just installed", async () => {
    const here = await createTrust(platform);
    const other = await rotateAuthority(platform, "seal");
    const living = other.ok ? other.value.find(({ purpose }) => purpose === "seal") : undefined;
    platform.clock.advance({ minutes: 1 });
    await writeMany(1);
    const made = await makeCheckpoint({ platform, trust: here });
    const { x5c } = JSON.parse(
      Buffer.from(made?.signature.split(".")[0] ?? "", "base64url").toString(),
    );
    expect(x5c[0]).toBe(Buffer.from(living?.certificateDer ?? []).toString("base64"));
  });

  test("an uncommitted event is left for the next checkpoint, and not lost", async () => {
    const [early = ""] = await writeMany(1);
    const late = platform.newId();
    const open = await platform.db.startTransaction().execute();
    await writeTogether(open, [
      appendEvents(platform, [
        { envelopeId: late, action: "envelope_created", actor: SYSTEM_ACTOR },
      ]),
    ]);
    const [after = ""] = await writeMany(1);
    expect(await makeCheckpoint(deps())).toMatchObject({ size: 2 });
    await open.commit().execute();
    expect(await makeCheckpoint(deps())).toMatchObject({ size: 3 });
    const { rows } = await sql<{
      envelope_id: string;
    }>`select envelope_id from transparency_leaves order by leaf_index`.execute(platform.db);
    expect(rows.map(({ envelope_id }) => envelope_id)).toEqual([early, after, late]);
  });

  test("concurrent calls make one checkpoint", async () => {
    await writeMany(20);
    const made = await Promise.all([1, 2, 3, 4].map(() => makeCheckpoint(deps())));
    expect(made.filter((checkpoint) => checkpoint !== null)).toHaveLength(1);
    expect(await leaves()).toHaveLength(20);
  });

  test("a long backlog is logged in batches", async () => {
    await writeHeads(platform, 12_001);
    const made = await makeCheckpoint(deps());
    expect(made?.size).toBe(12_001);
    expect(hex(made?.root ?? new Uint8Array())).toBe(hex(rootOf(await leaves())));
  });

  test("each journal is proven in the latest checkpoint, and each checkpoint in the next", async () => {
    const roots: { size: number; root: Uint8Array }[] = [];
    const ids: string[] = [];
    for (const count of [1, 2, 4, 6, 1]) {
      ids.push(...(await writeMany(count)));
      await write(ids[0] ?? "");
      const made = await makeCheckpoint(deps());
      if (made !== null) roots.push({ size: made.size, root: made.root });
    }
    for (const id of ids) {
      const inclusion = await readInclusion(platform.db, id);
      if (inclusion === null) throw new Error("not included");
      expect(inclusion.entry).toEqual({ envelope_id: id, ...(await headOf(id)) });
      expect(inclusion.checkpoint.size).toBe(roots.at(-1)?.size);
      expect(holds(inclusion)).toBe(true);
    }
    expect(roots.length).toBe(5);
  });

  test("a proof is of the last covered head, and none exists before the first checkpoint", async () => {
    const [id = ""] = await writeMany(1);
    expect(await readInclusion(platform.db, id)).toBeNull();
    await makeCheckpoint(deps());
    await write(id, 2);
    expect(await readInclusion(platform.db, id)).toMatchObject({ entry: { sequence: 1 } });
    await makeCheckpoint(deps());
    expect(await readInclusion(platform.db, id)).toMatchObject({
      entry: { sequence: 3 },
      leaf_index: 1,
    });
    expect(await readInclusion(platform.db, platform.newId())).toBeNull();
  });

  test("a proof reads as many rows for a large log as for a small one, except its depth", async () => {
    await writeHeads(platform, 2_000);
    const [id = ""] = await writeMany(1);
    await makeCheckpoint(deps());
    let read = 0;
    const counted = platform.db.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        read += result.rows.length;
        return result;
      },
    });
    const inclusion = await readInclusion(counted, id);
    expect(inclusion && holds(inclusion)).toBe(true);
    expect(read).toBeLessThan(2 * Math.ceil(Math.log2(2_001)) + 4);
  });

  test("without a time-stamp the heads keep their order until the next try", async () => {
    const tsa = await openTestTsa({ now: platform.clock() });
    const away = await createTestPlatform({ settings: { tsaUrl: tsa.url } });
    try {
      const transparency = createTransparency({ platform: away, trust: await createTrust(away) });
      registerTransparencyJobs(transparency);
      const id = away.newId();
      await away.db.transaction().execute(async (trx) => {
        await writeTogether(trx, [
          appendEvents(away, [{ envelopeId: id, action: "envelope_created", actor: SYSTEM_ACTOR }]),
        ]);
        await requestCheckpoint(trx, away);
      });
      tsa.behave({ away: true });
      await away.settle({ failures: "keep" });
      expect(await readInclusion(away.db, id)).toBeNull();
      const leafCount = async () =>
        (await sql`select leaf_index from transparency_leaves`.execute(away.db)).rows.length;
      expect(await leafCount()).toBe(1);
      tsa.behave({});
      await away.settle({ deferred: "run" });
      const inclusion = await readInclusion(away.db, id);
      expect(inclusion && holds(inclusion)).toBe(true);
      expect(await leafCount()).toBe(1);
    } finally {
      await away.close();
      await tsa.close();
    }
  }, 60_000);

  test("calls during a checkpoint share the next one, which begins after them", async () => {
    const { checkpoint } = createTransparency(deps());
    await writeMany(1);
    const running = checkpoint();
    await Promise.all([running, ...Array.from({ length: 5 }, checkpoint)]);
    const [late = ""] = await writeMany(1);
    await checkpoint();
    expect(await readInclusion(platform.db, late)).not.toBeNull();
  });

  test("consistency paths of the stored log verify between any two sizes", async () => {
    await writeMany(37);
    await makeCheckpoint(deps());
    const all = await leaves();
    for (const [first, second] of [
      [1, 37],
      [16, 37],
      [7, 30],
      [36, 37],
      [37, 37],
    ] as const) {
      const path = await readRanges(platform.db, consistencyRanges(first, second));
      expect(
        verifyConsistency({
          first,
          firstRoot: rootOf(all.slice(0, first)),
          second,
          secondRoot: rootOf(all.slice(0, second)),
          path,
        }),
      ).toBe(true);
    }
  });
});

describe("the leaves of the log", () => {
  let platform: TestPlatform;
  let trust: Trust;
  let ids: readonly string[];

  let putBack: () => Promise<void>;

  beforeAll(async () => {
    platform = await createTestPlatform();
    trust = await createTrust(platform);
    ids = await writeJournals(platform, 3);
    await checkpoint();
    putBack = await rememberRows(platform);
  });
  afterEach(() => putBack());
  afterAll(() => platform.close());

  const checkpoint = () => makeCheckpoint({ platform, trust });
  /** Runs these statements as the service's own role, in one session and transaction. */
  const asService = (...statements: readonly string[]) =>
    platform.db.transaction().execute(async (trx) => {
      for (const statement of statements) await sql.raw(statement).execute(trx);
    });

  async function expectGoesOn(): Promise<void> {
    const [late = ""] = await writeJournals(platform, 1);
    await checkpoint();
    for (const id of [...ids, late]) {
      const inclusion = await readInclusion(platform.db, id);
      if (inclusion === null) throw new Error("Expected a proof");
      const { leaf_index: leafIndex, size, path, entry, checkpoint: latest } = inclusion;
      const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
      expect(
        verifyInclusion({
          leafHash: leafOf(entry),
          leafIndex,
          size,
          path: path.map(bytes),
          root: bytes(latest.root),
        }),
      ).toBe(true);
    }
  }

  const NEXT = "(select max(leaf_index) + 1 from transparency_leaves)";
  const EVENT = "from audit_events order by at desc, envelope_id limit 1";

  test.each([
    [
      "put a leaf of an event that there is not",
      `insert into transparency_leaves values (${NEXT}, gen_random_uuid(), 1, sha256('x'))`,
      "a leaf is the hash of an event",
    ],
    [
      "put a leaf of another hash than its event's",
      `insert into transparency_leaves select ${NEXT}, envelope_id, sequence, sha256(hash) ${EVENT}`,
      "a leaf is the hash of an event",
    ],
    [
      "put a leaf a second time",
      `insert into transparency_leaves select ${NEXT}, envelope_id, sequence, hash ${EVENT}`,
      "duplicate key",
    ],
    [
      "put a node that stands above no leaves",
      "insert into transparency_nodes values (1, 1, sha256('x'))",
      "a node is the hash",
    ],
    [
      "note a head of no journal",
      "insert into transparency_due (envelope_id, sequence, head) values (gen_random_uuid(), 1, '')",
      "what is due",
    ],
    ["change what is due", "update transparency_due set head = sha256('x')", "permission denied"],
    [
      "put a checkpoint of another root",
      "insert into transparency_checkpoints select number + 1, size + 1, sha256(root), at, key_id, signature, timestamp_der from transparency_checkpoints",
      "a checkpoint bears the root of its leaves",
    ],
    [
      "put a checkpoint that signs another state",
      "insert into transparency_checkpoints select number + 1, size + 1, transparency_root(size + 1), at, key_id, signature, timestamp_der from transparency_checkpoints",
      "a checkpoint signs what it states",
    ],
    [
      "put a checkpoint that signs nothing",
      "insert into transparency_checkpoints select number + 1, size + 1, transparency_root(size + 1), at, key_id, '..', timestamp_der from transparency_checkpoints",
      "a checkpoint signs what it states",
    ],
  ])("the service's own role cannot %s", async (_what, statement, refusal) => {
    // The checkpoints here are one leaf behind: a true event gives one more.
    if (statement.includes("size + 1")) {
      const [id = ""] = await writeJournals(platform, 1);
      await asService(
        `insert into transparency_leaves select ${NEXT}, envelope_id, sequence, hash from audit_events where envelope_id = '${id}'`,
      );
    }
    await expect(asService(statement)).rejects.toThrow(refusal);
    await expectGoesOn();
  });

  test("the service's own role cannot remove a due head without a leaf", async () => {
    await writeJournal(platform, ids[0] ?? "");
    await expect(asService("delete from transparency_due")).rejects.toThrow(
      "a head is due until its leaf is there",
    );
    await expectGoesOn();
    expect(await readInclusion(platform.db, ids[0] ?? "")).toMatchObject({
      entry: { sequence: 2 },
    });
  });

  test.each([
    [
      "audit_events",
      `create temp table audit_events as select gen_random_uuid() as envelope_id, 1 as sequence, sha256('x') as hash`,
    ],
    ["transparency_leaves", "create temp table transparency_leaves as select 9 as leaf_index"],
  ])("the service's own role cannot substitute a temporary table: %s", async (table, shadow) => {
    const leaf = `insert into public.transparency_leaves select ${table === "audit_events" ? NEXT : "10"}, envelope_id, sequence, hash from ${table === "audit_events" ? "" : "public."}audit_events limit 1`;
    await expect(asService(shadow, leaf)).rejects.toThrow("a leaf");
    await expectGoesOn();
  });

  test("the service's own role cannot hide an event's head by a temporary table", async () => {
    const event = (id: string) =>
      `insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash) values ('${id}', 1, now(), 'system', 'x', '{}', sha256('x'))`;
    const id = platform.newId();
    await asService(
      "create temp table transparency_due (envelope_id uuid, sequence int, head bytea) on commit drop",
      event(id),
    );
    await checkpoint();
    expect(await readInclusion(platform.db, id)).not.toBeNull();
  });

  test("a forged leaf of a true event does not stop the log", async () => {
    await writeJournal(platform, ids[1] ?? "", 3);
    await asService(
      `insert into transparency_leaves select ${NEXT}, envelope_id, sequence, hash from audit_events where envelope_id = '${ids[1]}' and sequence = 4`,
    );
    await asService(
      `insert into transparency_leaves select ${NEXT}, envelope_id, sequence, hash from audit_events where envelope_id = '${ids[1]}' and sequence = 2`,
    );
    await expectGoesOn();
    expect(await readInclusion(platform.db, ids[1] ?? "")).toMatchObject({
      entry: { sequence: 4 },
    });
  });

  test("a due head without an event is ignored and stops nothing", async () => {
    await platform.owner.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      await sql`insert into transparency_due (envelope_id, sequence, head) values (gen_random_uuid(), 1, sha256('x'))`.execute(
        trx,
      );
    });
    await expectGoesOn();
  });

  test("the database builds the tree of RFC 9162, node by node, with its root at every size", async () => {
    await writeHeads(platform, 130);
    await checkpoint();
    const { rows: entries } = await sql<{ envelope_id: string; sequence: number; head: string }>`
    select envelope_id, sequence, encode(head, 'hex') as head from transparency_leaves order by leaf_index`.execute(
      platform.db,
    );
    const leaves = entries.map(leafOf);
    const tree = createTree();
    const expected = leaves.flatMap((leaf) => tree.append(leaf)).filter(({ level }) => level > 0);
    const { rows: nodes } = await sql<{ level: number; index: number; hash: Uint8Array }>`
    select level, index, hash from transparency_nodes order by index, level`.execute(platform.db);
    const hex = (hash: Uint8Array) => Buffer.from(hash).toString("hex");
    const named = (all: readonly { level: number; index: number; hash: Uint8Array }[]) =>
      all.map(({ level, index, hash }) => `${level}:${index} ${hex(hash)}`).toSorted();
    expect(named(nodes)).toEqual(named(expected));
    const { rows: roots } = await sql<{ root: Uint8Array }>`
    select transparency_root(size) as root from generate_series(1, ${leaves.length}::bigint) size order by size`.execute(
      platform.db,
    );
    expect(roots.map(({ root }) => hex(root))).toEqual(
      leaves.map((_, index) => hex(rootOf(leaves.slice(0, index + 1)))),
    );
  });
});

describe("the completion in the log", () => {
  let service: TestApp;
  let anne: TestBrowser;

  beforeAll(async () => {
    service = await createTestApp({ settings: { rateLimits: "off" } });
    anne = await openMember(service);
  }, 60_000);
  afterAll(() => service.close());

  /** The number of the event that records the completion. */
  async function completedAt(envelopeId: string): Promise<number | undefined> {
    const { rows } = await sql<{ sequence: number }>`
    select sequence from audit_events where envelope_id = ${envelopeId}::uuid and action = 'envelope_completed'`.execute(
      service.platform.db,
    );
    return rows[0]?.sequence;
  }

  async function expectProven(envelopeId: string): Promise<void> {
    await service.settle({ deferred: "run" });
    const inclusion = await readInclusion(service.platform.db, envelopeId);
    if (inclusion === null) throw new Error("its completion is in no checkpoint");
    const { leaf_index, size, path, entry, checkpoint } = inclusion;
    expect(entry.sequence).toBeGreaterThanOrEqual(
      (await completedAt(envelopeId)) ?? Number.POSITIVE_INFINITY,
    );
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
    expect(
      verifyInclusion({
        leafHash: leafOf(entry),
        leafIndex: leaf_index,
        size,
        path: path.map(bytes),
        root: bytes(checkpoint.root),
      }),
    ).toBe(true);
  }

  test("a completion requests the checkpoint that covers it", async () => {
    const sent = await createSent(anne, { recipients: [PAUL] });
    const guest = await openConfirmedGuest(service, sent.id, PAUL.email);
    await expectStatus(guest.post("sign/", TYPED), 200);
    await expectProven(sent.id);
  }, 60_000);

  test("a document signed alone requests the checkpoint that covers it", async () => {
    const placement = JSON.stringify({ page: -1, x: 0.6, y: 0.8, width: 0.3, height: 0.07 });
    const signature = JSON.stringify({ kind: "typed", text: "Anne Roux", font: "caveat" });
    const { body, headers } = multipart({ placement, signature }, [
      { field: "file", name: "a.pdf", type: "application/pdf", bytes: makePdf() },
    ]);
    const answer = await anne.send("POST", "/api/signature/self-sign/", { body, headers });
    expect(answer.status).toBe(201);
    await expectProven(answer.body.id);
  }, 60_000);
});
