import { writeTogether } from "../../../platform/database/in-transaction.ts";
import {
  logEvidence,
  rootOf,
  verifyConsistency,
  verifyInclusion,
  verifyTrustedCheckpoint,
} from "@paraphe/proof";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { expectStatus } from "../../../../testing/answers.ts";
import { createTestApp, type TestApp } from "../../../../testing/app.ts";
import { createTrust, rotateAuthority } from "../../trust/public.ts";
import { appendEvents } from "../journal.ts";
import { SYSTEM_ACTOR } from "../store.ts";
import { makeCheckpoint } from "./make-checkpoint.ts";
import { leafOf, readLog } from "./read-inclusion.ts";

const LOG = "/api/signature/transparency";

describe("the calls of the log", () => {
  let service: TestApp;
  const envelopeIds: string[] = [];

  async function grow(count: number): Promise<void> {
    const { platform } = service;
    for (let made = 0; made < count; made += 1) {
      const envelopeId = platform.newId();
      envelopeIds.push(envelopeId);
      const event = { envelopeId, action: "envelope_created", actor: SYSTEM_ACTOR } as const;
      await platform.db
        .transaction()
        .execute((trx) => writeTogether(trx, [appendEvents(platform, [event])]));
    }
    platform.clock.advance({ minutes: 5 });
    await makeCheckpoint({ platform, trust: await createTrust(platform) });
  }

  beforeAll(async () => {
    service = await createTestApp();
  });
  afterAll(() => service.close());

  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "hex"));
  const get = async (path: string) => {
    const { statusCode, headers, body } = await service.app.inject({
      method: "GET",
      url: `${LOG}/${path}`,
    });
    return { status: statusCode, headers, body, json: JSON.parse(body) };
  };

  test("a log without checkpoints says so", async () => {
    expect(await get("checkpoints/")).toMatchObject({
      status: 200,
      json: { count: 0, results: [] },
    });
    await expectStatus(get("checkpoints/latest/"), 404);
    await expectStatus(get("inclusion/?leaf=0"), 404);
    await expectStatus(get("consistency/?first=1"), 404);
    expect((await get("leaves/")).json).toEqual({ from: 0, to: 0, size: 0, hashes: [] });
  });

  describe("with its checkpoints", () => {
    beforeAll(async () => {
      for (const count of [3, 4, 6]) await grow(count);
    });

    test("checkpoints are listed newest first, by pages", async () => {
      const { json } = await get("checkpoints/?page_size=2");
      expect([json.count, json.results.map(({ size }: { size: number }) => size)]).toEqual([
        3,
        [13, 7],
      ]);
      const second = await get("checkpoints/?page=2&page_size=2");
      expect(second.json.results.map(({ size }: { size: number }) => size)).toEqual([3]);
      expect((await get("checkpoints/latest/")).json).toEqual(json.results[0]);
      expect(Object.keys(json.results[0])).toEqual([
        "size",
        "root",
        "at",
        "key_id",
        "signature",
        "timestamp",
      ]);
    });

    test("the tree of the leaf hashes has the signed root", async () => {
      const { json, body } = await get("leaves/");
      const { json: latest } = await get("checkpoints/latest/");
      expect(Buffer.from(rootOf(json.hashes.map(bytes))).toString("hex")).toBe(latest.root);
      for (const id of envelopeIds) expect(body).not.toContain(id);
      expect((await get("leaves/?from=10&to=12")).json).toEqual({
        from: 10,
        to: 12,
        size: 13,
        hashes: json.hashes.slice(10, 12),
      });
      expect((await get("leaves/?from=40&to=2")).json).toEqual({
        from: 13,
        to: 13,
        size: 13,
        hashes: [],
      });
    });

    test.each([undefined, 3, 7, 13])(
      "a leaf is proven in the latest checkpoint or in one of that size (%s)",
      async (size) => {
        const { json, body } = await get(
          `inclusion/?leaf=2${size === undefined ? "" : `&size=${size}`}`,
        );
        const { leaf_hash, leaf_index, path, checkpoint } = json;
        expect(json.size).toBe(size ?? 13);
        expect(
          verifyInclusion({
            leafHash: bytes(leaf_hash),
            leafIndex: leaf_index,
            size: json.size,
            path: path.map(bytes),
            root: bytes(checkpoint.root),
          }),
        ).toBe(true);
        for (const id of envelopeIds) expect(body).not.toContain(id);
      },
    );

    test("each checkpoint is proven to extend the one before", async () => {
      const { json } = await get("checkpoints/");
      for (const later of json.results) {
        for (const earlier of json.results.filter(
          ({ size }: { size: number }) => size <= later.size,
        )) {
          const { json: consistency } = await get(
            `consistency/?first=${earlier.size}&second=${later.size}`,
          );
          const claim = {
            first: earlier.size,
            firstRoot: bytes(earlier.root),
            second: later.size,
            secondRoot: bytes(later.root),
          };
          expect(verifyConsistency({ ...claim, path: consistency.path.map(bytes) })).toBe(true);
        }
      }
    });

    test.each([
      "inclusion/?leaf=13",
      "inclusion/?leaf=0&size=5",
      "inclusion/?leaf=5&size=3",
      "consistency/?first=0",
      "consistency/?first=8&second=7",
      "consistency/?first=3&second=14",
    ])("the log answers 404 for %s", async (path) => {
      await expectStatus(get(path), 404);
    });

    test.each([
      "inclusion/",
      "inclusion/?leaf=-1",
      "inclusion/?leaf=x",
      "inclusion/?leaf=1.5",
      "consistency/?first=1&third=2",
      "checkpoints/?page=0",
    ])("the log refuses %s", async (path) => {
      await expectStatus(get(path), 400);
    });

    test("the log needs no session, sets no cookie, and caches unchanging answers for ever", async () => {
      for (const [path, rule] of [
        ["checkpoints/", "public, max-age=60"],
        ["checkpoints/latest/", "public, max-age=60"],
        ["inclusion/?leaf=1", "public, max-age=60"],
        ["inclusion/?leaf=1&size=7", "public, max-age=31536000, immutable"],
        ["consistency/?first=3", "public, max-age=60"],
        ["consistency/?first=3&second=7", "public, max-age=31536000, immutable"],
      ]) {
        const { status, headers } = await get(path ?? "");
        expect([status, headers["cache-control"], headers["set-cookie"]]).toEqual([
          200,
          rule,
          undefined,
        ]);
      }
    });
  });

  test("an address with too many calls is asked to wait", async () => {
    service.platform.clock.advance({ minutes: 5 });
    for (let call = 0; call < 300; call += 1) await expectStatus(get("checkpoints/latest/"), 200);
    const { status, headers, json } = await get("checkpoints/latest/");
    expect([status, json.code, Number(headers["retry-after"]) > 0]).toEqual([
      429,
      "too_many_requests",
      true,
    ]);
  });
});

describe("a broken log", () => {
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
      .execute((trx) =>
        writeTogether(trx, [
          appendEvents(platform, [{ envelopeId, action: "envelope_created", actor: SYSTEM_ACTOR }]),
        ]),
      );
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

  test("the service's role cannot insert a leaf or a checkpoint out of order", async () => {
    const { db } = service.platform;
    await expect(LEAF.execute(db)).rejects.toThrow("a leaf comes after the one before");
    await expect(CHECKPOINT.execute(db)).rejects.toThrow("a checkpoint is of the whole log");
  });

  test("a forged leaf and checkpoint are answered without a proof", async () => {
    await service.platform.owner.transaction().execute(async (trx) => {
      for (const statement of [sql`set local session_replication_role = replica`, LEAF, CHECKPOINT])
        await statement.execute(trx);
    });
    const { inclusion } = await readLog(service.platform.db, envelopeId);
    if (inclusion === null) throw new Error("Expected the proof that there is");
    const { entry, leaf_index: leafIndex, size, path, checkpoint } = inclusion;
    const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, "hex"));
    expect(
      verifyInclusion({
        leafHash: leafOf(entry),
        leafIndex,
        size,
        path: path.map(bytes),
        root: bytes(checkpoint.root),
      }),
    ).toBe(false);
    await expectStatus(get("inclusion/?leaf=1"), 200);
    await expectStatus(get("consistency/?first=1"), 404);
  });

  test("authorities, replaced ones included, are published for checking checkpoints", async () => {
    const { json: kept } = await get("checkpoints/latest/");
    await rotateAuthority(service.platform, "root");
    service.platform.clock.advance({ minutes: 5 });
    await grow();
    const { status, json } = await get("authorities/");
    expect([status, json.roots.length, json.timestamps]).toEqual([200, 2, []]);
    const now = service.platform.clock();
    for (const checkpoint of [kept, (await get("checkpoints/latest/")).json])
      expect(
        await verifyTrustedCheckpoint(checkpoint, { evidence: logEvidence(json), now }),
      ).toMatchObject({ ok: true });
  });
});
