import { createTree, rootOf, verifyInclusion } from "@paraphe/proof";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeHeads, writeJournal, writeJournals } from "../../../testing/journals.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { createTrust, type Trust } from "../trust/index.ts";
import { leafOf, makeCheckpoint, readInclusion } from "./index.ts";

let platform: TestPlatform;
let trust: Trust;
let ids: readonly string[];

beforeEach(async () => {
  platform = await createTestPlatform();
  trust = await createTrust(platform);
  ids = await writeJournals(platform, 3);
  await checkpoint();
});
afterEach(() => platform.close());

const checkpoint = () => makeCheckpoint({ platform, trust });
/** As the service's own role: the statements of one session, in one transaction. */
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
    expect(verifyInclusion({ leafHash: leafOf(entry), leafIndex, size, path: path.map(bytes), root: bytes(latest.root) })).toBe(true);
  }
}

const NEXT = "(select max(leaf_index) + 1 from transparency_leaves)";
const EVENT = "from audit_events order by at desc, envelope_id limit 1";

describe("the service's own role cannot", () => {
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
    ["put a leaf a second time", `insert into transparency_leaves select ${NEXT}, envelope_id, sequence, hash ${EVENT}`, "duplicate key"],
    ["put a node that stands above no leaves", "insert into transparency_nodes values (1, 1, sha256('x'))", "a node is the hash"],
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
  ])("%s", async (_what, statement, refusal) => {
    // The checkpoints here are one leaf behind: one more of a true event is there.
    if (statement.includes("size + 1")) {
      const [id = ""] = await writeJournals(platform, 1);
      await asService(
        `insert into transparency_leaves select ${NEXT}, envelope_id, sequence, hash from audit_events where envelope_id = '${id}'`,
      );
    }
    await expect(asService(statement)).rejects.toThrow(refusal);
    await expectGoesOn();
  });

  test("take a head off the list before its leaf is there", async () => {
    await writeJournal(platform, ids[0] ?? "");
    await expect(asService("delete from transparency_due")).rejects.toThrow("a head is due until its leaf is there");
    await expectGoesOn();
    expect(await readInclusion(platform.db, ids[0] ?? "")).toMatchObject({ entry: { sequence: 2 } });
  });

  test.each([
    ["audit_events", `create temp table audit_events as select gen_random_uuid() as envelope_id, 1 as sequence, sha256('x') as hash`],
    ["transparency_leaves", "create temp table transparency_leaves as select 9 as leaf_index"],
  ])("have a temporary table of its own believed: %s", async (table, shadow) => {
    const leaf = `insert into public.transparency_leaves select ${table === "audit_events" ? NEXT : "10"}, envelope_id, sequence, hash from ${table === "audit_events" ? "" : "public."}audit_events limit 1`;
    await expect(asService(shadow, leaf)).rejects.toThrow("a leaf");
    await expectGoesOn();
  });

  test("keep an event's head from the list by a temporary table", async () => {
    const event = (id: string) =>
      `insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash) values ('${id}', 1, now(), 'system', 'x', '{}', sha256('x'))`;
    const id = platform.newId();
    await asService("create temp table transparency_due (envelope_id uuid, sequence int, head bytea) on commit drop", event(id));
    await checkpoint();
    expect(await readInclusion(platform.db, id)).not.toBeNull();
  });
});

test("a leaf of a true event that somebody put by hand is a leaf like another: the log goes on", async () => {
  await writeJournal(platform, ids[1] ?? "", 3);
  await asService(
    `insert into transparency_leaves select ${NEXT}, envelope_id, sequence, hash from audit_events where envelope_id = '${ids[1]}' and sequence = 4`,
  );
  await asService(
    `insert into transparency_leaves select ${NEXT}, envelope_id, sequence, hash from audit_events where envelope_id = '${ids[1]}' and sequence = 2`,
  );
  await expectGoesOn();
  expect(await readInclusion(platform.db, ids[1] ?? "")).toMatchObject({ entry: { sequence: 4 } });
});

test("what is due of no event, put there past the triggers, is left where it is and stops nothing", async () => {
  await platform.owner.transaction().execute(async (trx) => {
    await sql`set local session_replication_role = replica`.execute(trx);
    await sql`insert into transparency_due (envelope_id, sequence, head) values (gen_random_uuid(), 1, sha256('x'))`.execute(trx);
  });
  await expectGoesOn();
});

test("the tree that the database builds is the one of RFC 9162, node by node, and so is its root at every size", async () => {
  await writeHeads(platform, 130);
  await checkpoint();
  const { rows: entries } = await sql<{ envelope_id: string; sequence: number; head: string }>`
    select envelope_id, sequence, encode(head, 'hex') as head from transparency_leaves order by leaf_index`.execute(platform.db);
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
    select transparency_root(size) as root from generate_series(1, ${leaves.length}::bigint) size order by size`.execute(platform.db);
  expect(roots.map(({ root }) => hex(root))).toEqual(leaves.map((_, index) => hex(rootOf(leaves.slice(0, index + 1)))));
});
