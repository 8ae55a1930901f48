import { verifyInclusion, verifyTrustedCheckpoint, logEvidence } from "@paraphe/proof";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { appendEvents, SYSTEM_ACTOR } from "../audit/index.ts";
import { createTrust, rotateAuthority } from "../trust/index.ts";
import { leafOf, makeCheckpoint, readInclusion } from "./index.ts";

const LOG = "/api/signature/transparency";
let service: TestApp;
let envelopeId: string;

beforeEach(async () => {
  service = await createTestApp();
  for (let made = 0; made < 3; made += 1) await grow();
});
afterEach(() => service.close());

async function grow(): Promise<void> {
  const { platform } = service;
  envelopeId = platform.newId();
  await platform.db
    .transaction()
    .execute((trx) => appendEvents(trx, platform, [{ envelopeId, action: "envelope_created", actor: SYSTEM_ACTOR }]));
  await makeCheckpoint({ platform, trust: await createTrust(platform) });
}

const get = async (path: string) => {
  const { statusCode, body } = await service.app.inject(`${LOG}/${path}`);
  return { status: statusCode, json: JSON.parse(body) };
};
const LEAF = sql`
  insert into transparency_leaves (leaf_index, envelope_id, sequence, head)
  select 999999, envelope_id, 999, head from transparency_leaves limit 1`;
const CHECKPOINT = sql`
  insert into transparency_checkpoints
  select number + 1, size + 1000, root, at, key_id, signature, timestamp_der from transparency_checkpoints order by number desc limit 1`;

test("the service's own role cannot put a leaf or a checkpoint out of their order", async () => {
  const { db } = service.platform;
  await expect(LEAF.execute(db)).rejects.toThrow("a leaf comes after the one before");
  await expect(CHECKPOINT.execute(db)).rejects.toThrow("a checkpoint is of the whole log");
});

test("where somebody put a leaf and a checkpoint by hand, whoever asks is answered, and nothing is proven", async () => {
  await service.platform.owner.transaction().execute(async (trx) => {
    for (const statement of [sql`set local session_replication_role = replica`, LEAF, CHECKPOINT]) await statement.execute(trx);
  });
  const inclusion = await readInclusion(service.platform.db, envelopeId);
  if (inclusion === null) throw new Error("Expected the proof that there is");
  const { entry, leaf_index: leafIndex, size, path, checkpoint } = inclusion;
  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
  expect(verifyInclusion({ leafHash: leafOf(entry), leafIndex, size, path: path.map(bytes), root: bytes(checkpoint.root) })).toBe(false);
  expect((await get("inclusion/?leaf=1")).status).toBe(200);
  expect((await get("consistency/?first=1")).status).toBe(404);
});

test("its authorities, those replaced since too, are given to whoever checks a checkpoint", async () => {
  const { json: kept } = await get("checkpoints/latest/");
  await rotateAuthority(service.platform, "root");
  service.platform.clock.advance({ minutes: 5 });
  await grow();
  const { status, json } = await get("authorities/");
  expect([status, json.roots.length, json.timestamps]).toEqual([200, 2, []]);
  const now = service.platform.clock();
  for (const checkpoint of [kept, (await get("checkpoints/latest/")).json])
    expect(await verifyTrustedCheckpoint(checkpoint, { evidence: logEvidence(json), now })).toMatchObject({ ok: true });
});
