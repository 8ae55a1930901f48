import { createHash, X509Certificate } from "node:crypto";
import { checkpointPayload, type Inclusion } from "@paraphe/contracts";
import { verifyTimestampToken } from "@paraphe/pades";
import { consistencyRanges, rootOf, verifyConsistency, verifyInclusion } from "@paraphe/proof";
import canonicalize from "canonicalize";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { writeHeads, writeJournal, writeJournals } from "../../../testing/journals.ts";
import { openTestTsa } from "../../../testing/tsa-server.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { appendEvents, SYSTEM_ACTOR } from "../audit/index.ts";
import { createTrust, rotateAuthority, type Trust } from "../trust/index.ts";
import {
  createTransparency,
  leafOf,
  makeCheckpoint,
  presentCheckpoint,
  readInclusion,
  registerTransparencyJobs,
  requestCheckpoint,
} from "./index.ts";
import { readRanges } from "./read-ranges.ts";

let platform: TestPlatform;
let trust: Trust;

beforeEach(async () => {
  platform = await createTestPlatform();
  trust = await createTrust(platform);
});
afterEach(() => platform.close());

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
    select envelope_id, sequence, encode(head, 'hex') as head from transparency_leaves order by leaf_index`.execute(platform.db);
  return rows.map(leafOf);
}

function holds(inclusion: Inclusion): boolean {
  const { leaf_index, size, path, entry, checkpoint } = inclusion;
  return verifyInclusion({ leafHash: leafOf(entry), leafIndex: leaf_index, size, path: path.map(bytes), root: bytes(checkpoint.root) });
}

describe("a checkpoint", () => {
  test("covers the head of every journal, in the order in which they grew, one leaf for each", async () => {
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

  test("is not made anew while nothing was written", async () => {
    await writeMany(1);
    expect(await makeCheckpoint(deps())).toMatchObject({ size: 1 });
    expect(await makeCheckpoint(deps())).toBeNull();
    await writeMany(1);
    expect(await makeCheckpoint(deps())).toMatchObject({ number: 2, size: 2 });
  });

  test("is signed by the seal and time-stamped, and names the one before", async () => {
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
      await subtle.verify({ name: "ECDSA", hash: "SHA-256" }, key, Buffer.from(value, "base64url"), Buffer.from(`${header}.${payload}`)),
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
    expect(await verifyTimestampToken(made.timestampDer, { imprint })).toMatchObject({ time: platform.clock() });
    expect(presentCheckpoint(made)).toMatchObject({
      size: 5,
      key_id: made.keyId,
      timestamp: Buffer.from(made.timestampDer).toString("base64"),
    });
  });

  test("is signed by the living seal, replaced by another process a minute ago", async () => {
    const other = await rotateAuthority(platform, "seal");
    const living = other.ok ? other.value.find(({ purpose }) => purpose === "seal") : undefined;
    platform.clock.advance({ minutes: 1 });
    await writeMany(1);
    const made = await makeCheckpoint(deps());
    const { x5c } = JSON.parse(Buffer.from(made?.signature.split(".")[0] ?? "", "base64url").toString());
    expect(x5c[0]).toBe(Buffer.from(living?.certificateDer ?? []).toString("base64"));
  });

  test("leaves what is not committed to the next one, and loses none of it", async () => {
    const [early = ""] = await writeMany(1);
    const late = platform.newId();
    const open = await platform.db.startTransaction().execute();
    await appendEvents(open, platform, [{ envelopeId: late, action: "envelope_created", actor: SYSTEM_ACTOR }]);
    const [after = ""] = await writeMany(1);
    expect(await makeCheckpoint(deps())).toMatchObject({ size: 2 });
    await open.commit().execute();
    expect(await makeCheckpoint(deps())).toMatchObject({ size: 3 });
    const { rows } = await sql<{ envelope_id: string }>`select envelope_id from transparency_leaves order by leaf_index`.execute(
      platform.db,
    );
    expect(rows.map(({ envelope_id }) => envelope_id)).toEqual([early, after, late]);
  });

  test("made by several at once is made once", async () => {
    await writeMany(20);
    const made = await Promise.all([1, 2, 3, 4].map(() => makeCheckpoint(deps())));
    expect(made.filter((checkpoint) => checkpoint !== null)).toHaveLength(1);
    expect(await leaves()).toHaveLength(20);
  });

  test("takes a past of any length, a part at a time", async () => {
    await writeHeads(platform, 12_001);
    const made = await makeCheckpoint(deps());
    expect(made?.size).toBe(12_001);
    expect(hex(made?.root ?? new Uint8Array())).toBe(hex(rootOf(await leaves())));
  });
});

describe("proofs", () => {
  test("show each journal in the latest checkpoint, whatever came after, and each checkpoint in the next", async () => {
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

  test("are of the last head that a checkpoint covers; none before the first", async () => {
    const [id = ""] = await writeMany(1);
    expect(await readInclusion(platform.db, id)).toBeNull();
    await makeCheckpoint(deps());
    await write(id, 2);
    expect(await readInclusion(platform.db, id)).toMatchObject({ entry: { sequence: 1 } });
    await makeCheckpoint(deps());
    expect(await readInclusion(platform.db, id)).toMatchObject({ entry: { sequence: 3 }, leaf_index: 1 });
    expect(await readInclusion(platform.db, platform.newId())).toBeNull();
  });

  test("read as many rows for a large log as for a small one, but for its depth", async () => {
    await writeHeads(platform, 20_000);
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
    expect(read).toBeLessThan(2 * Math.ceil(Math.log2(20_001)) + 4);
  });
});

describe("the time-stamping authority away", () => {
  test("makes nothing weaker: the heads stay in their order, and the next try covers them", async () => {
    const tsa = await openTestTsa({ now: platform.clock() });
    const away = await createTestPlatform({ settings: { tsaUrl: tsa.url } });
    try {
      const transparency = createTransparency({ platform: away, trust: await createTrust(away) });
      registerTransparencyJobs(transparency);
      const id = away.newId();
      await away.db.transaction().execute(async (trx) => {
        await appendEvents(trx, away, [{ envelopeId: id, action: "envelope_created", actor: SYSTEM_ACTOR }]);
        await requestCheckpoint(trx, away);
      });
      tsa.behave({ away: true });
      await away.settle({ failures: "keep" });
      expect(await readInclusion(away.db, id)).toBeNull();
      const leafCount = async () => (await sql`select leaf_index from transparency_leaves`.execute(away.db)).rows.length;
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
});

test("who asks for a checkpoint while one begins shares it; who asks later has one that began after", async () => {
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
      verifyConsistency({ first, firstRoot: rootOf(all.slice(0, first)), second, secondRoot: rootOf(all.slice(0, second)), path }),
    ).toBe(true);
  }
});
