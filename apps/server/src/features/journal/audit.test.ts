import { writeTogether } from "../../platform/database/in-transaction.ts";
import { createHash } from "node:crypto";
import canonicalize from "canonicalize";
import { type KyselyPlugin, sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import {
  appendEvents,
  commitment,
  eventFault,
  eventHash,
  listEvents,
  verifyChain,
} from "./journal.ts";
import {
  type AuditActor,
  type AuditValue,
  SYSTEM_ACTOR,
  type StoredEvent,
  erasePersonalValues,
} from "./store.ts";

describe("the journal", () => {
  let platform: TestPlatform;
  let envelopeId: string;
  const ANNE: AuditActor = {
    kind: "user",
    id: "0192f000-0000-7000-8000-000000000001",
    name: "Anne Roux",
    ip: "192.0.2.7",
    userAgent: "Firefox",
  };
  const page = { page: 1, page_size: 10 };

  beforeAll(async () => {
    platform = await createTestPlatform();
  });
  afterAll(() => platform.close());
  beforeEach(() => {
    envelopeId = platform.newId();
  });

  async function append(
    ...events: {
      action: "envelope_created" | "envelope_sent" | "envelope_expired";
      actor?: AuditActor;
      detail?: Record<string, string>;
    }[]
  ): Promise<void> {
    for (const { actor = ANNE, ...event } of events) {
      await platform.db
        .transaction()
        .execute((trx) =>
          writeTogether(trx, [appendEvents(platform, [{ envelopeId, actor, ...event }])]),
        );
      platform.clock.advance({ seconds: 1 });
    }
  }

  /** Does what a superuser could do behind the service's back. */
  async function tamper(statement: ReturnType<typeof sql>): Promise<void> {
    await platform.owner.transaction().execute(async (trx) => {
      // No trigger fires.
      await sql`set local session_replication_role = replica`.execute(trx);
      await statement.execute(trx);
    });
  }

  test("events appended in one go keep their order, chain and personal values", async () => {
    await append({ action: "envelope_created" });
    await platform.db.transaction().execute((trx) =>
      writeTogether(trx, [
        appendEvents(
          platform,
          ["un", "deux", "trois"].map((name) => ({
            envelopeId,
            action: "recipient_invited" as const,
            actor: { kind: "system", id: null } as const,
            detail: { recipient: name },
            personal: { full_name: `Personne ${name}` },
          })),
        ),
      ]),
    );
    const { results } = await listEvents(platform, envelopeId, { page: 1, page_size: 10 });
    expect(
      results.map((event) => [event.detail["recipient"], event.detail["full_name"]]).reverse(),
    ).toEqual([
      [undefined, undefined],
      ["un", "Personne un"],
      ["deux", "Personne deux"],
      ["trois", "Personne trois"],
    ]);
    expect(await verifyChain(platform.db, envelopeId)).toMatchObject({ ok: true, count: 4 });
  });

  test("events of several envelopes appended in one go extend each chain in order", async () => {
    await append({ action: "envelope_created" }, { action: "envelope_sent" });
    const fresh = platform.newId();
    const of = (
      id: string,
      action: "envelope_created" | "envelope_sent" | "envelope_updated",
      name: string,
    ) => ({
      envelopeId: id,
      action,
      actor: ANNE,
      detail: { of: name },
      personal: { full_name: `Personne ${name}` },
    });
    const mixed = [
      of(fresh, "envelope_created", "a"),
      of(envelopeId, "envelope_updated", "b"),
      of(fresh, "envelope_updated", "c"),
      of(envelopeId, "envelope_sent", "d"),
    ];
    await platform.db
      .transaction()
      .execute((trx) => writeTogether(trx, [appendEvents(platform, mixed)]));
    const told = async (id: string) => {
      const { results } = await listEvents(platform, id, { page: 1, page_size: 10 });
      return results
        .map(({ action, detail }) => [action, detail["of"], detail["full_name"]])
        .reverse();
    };
    expect(await told(fresh)).toEqual([
      ["envelope_created", "a", "Personne a"],
      ["envelope_updated", "c", "Personne c"],
    ]);
    expect((await told(envelopeId)).slice(2)).toEqual([
      ["envelope_updated", "b", "Personne b"],
      ["envelope_sent", "d", "Personne d"],
    ]);
    expect(await verifyChain(platform.db, fresh)).toMatchObject({ ok: true, count: 2 });
    expect(await verifyChain(platform.db, envelopeId)).toMatchObject({ ok: true, count: 4 });
  });

  test("each hash is SHA-256(previous ‖ canonical JSON)", async () => {
    await append(
      { action: "envelope_created", detail: { b: "2", a: "1" } },
      { action: "envelope_sent" },
    );
    const rows = await platform.db
      .selectFrom("audit_events")
      .selectAll()
      .where("envelope_id", "=", envelopeId)
      .orderBy("sequence")
      .execute();
    expect(rows.map((row) => row.sequence)).toEqual([1, 2]);
    const body = (row: (typeof rows)[number]) =>
      canonicalize({
        envelope_id: envelopeId,
        at: row.at.toISOString(),
        actor: `user:${ANNE.id}`,
        action: row.action,
        detail: row.detail,
      }) ?? "";
    expect(Buffer.from(rows[0]?.hash ?? [])).toEqual(
      createHash("sha256")
        .update(body(rows[0] as never))
        .digest(),
    );
    expect(Buffer.from(rows[1]?.hash ?? [])).toEqual(
      createHash("sha256")
        .update(rows[0]?.hash as Uint8Array)
        .update(body(rows[1] as never))
        .digest(),
    );
    expect(rows[1]?.previous_hash).toEqual(rows[0]?.hash);
    expect(await verifyChain(platform.db, envelopeId)).toMatchObject({
      ok: true,
      count: 2,
      head: rows[1]?.hash,
    });
  });

  test("a journal without events verifies, but is listed as broken", async () => {
    expect(await verifyChain(platform.db, envelopeId)).toEqual({
      ok: true,
      count: 0,
      head: null,
    });
    // An envelope has an event as long as it exists: an empty journal has lost them.
    const chain = { ok: false, count: 0, head: null, broken_at: 1 };
    expect(await listEvents(platform, envelopeId, page)).toEqual({
      count: 0,
      page: 1,
      page_size: 10,
      results: [],
      chain,
    });
  });

  test("personal data enters the chain as a salted commitment only", async () => {
    await platform.db.transaction().execute((trx) =>
      writeTogether(trx, [
        appendEvents(platform, [
          {
            envelopeId,
            action: "recipient_invited",
            actor: ANNE,
            personal: { email: "paul@exemple.fr" },
          },
        ]),
      ]),
    );
    const row = await platform.db
      .selectFrom("audit_events")
      .selectAll()
      .where("envelope_id", "=", envelopeId)
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toMatch(/Anne|192\.0\.2|Firefox|paul/);
    const detail = row.detail as { commitments: Record<string, string> };
    expect(Object.keys(detail.commitments).sort()).toEqual([
      "actor_name",
      "email",
      "ip",
      "user_agent",
    ]);
    const kept = await platform.db
      .selectFrom("audit_details")
      .selectAll()
      .where("envelope_id", "=", envelopeId)
      .where("name", "=", "email")
      .executeTakeFirstOrThrow();
    expect(createHash("sha256").update(kept.salt).update('"paul@exemple.fr"').digest("hex")).toBe(
      detail.commitments["email"],
    );
  });

  test("events are listed newest first, page by page", async () => {
    await append(
      { action: "envelope_created" },
      { action: "envelope_sent", detail: { flow: "parallel" } },
      { action: "envelope_expired", actor: SYSTEM_ACTOR },
    );
    const first = await listEvents(platform, envelopeId, { page: 1, page_size: 2 });
    expect(first).toMatchObject({ count: 3, page: 1, page_size: 2 });
    expect(first.results).toMatchObject([
      { action: "envelope_expired", actor: "Paraphe", ip: null, user_agent: null },
      {
        action: "envelope_sent",
        actor: "Anne Roux",
        ip: "192.0.2.7",
        user_agent: "Firefox",
        detail: { flow: "parallel" },
      },
    ]);
    expect(first.results[0]?.previous_hash).toBe(first.results[1]?.hash);
    const second = await listEvents(platform, envelopeId, { page: 2, page_size: 2 });
    expect(second.results).toMatchObject([{ action: "envelope_created", previous_hash: null }]);
    expect(await listEvents(platform, envelopeId, { page: 3, page_size: 2 })).toMatchObject({
      count: 3,
      results: [],
    });
    for (const answer of [first, second])
      expect(answer.chain).toEqual({
        ok: true,
        count: 3,
        head: first.results[0]?.hash,
        broken_at: null,
      });
  });

  test("a list of one kind still verifies the whole chain", async () => {
    await append(
      { action: "envelope_created" },
      { action: "envelope_sent" },
      { action: "envelope_expired" },
    );
    const sends = await listEvents(platform, envelopeId, {
      page: 1,
      page_size: 1,
      kind: "sends",
    });
    expect(sends).toMatchObject({
      count: 1,
      results: [{ action: "envelope_sent" }],
      chain: { ok: true, count: 3 },
    });
    expect(await listEvents(platform, envelopeId, { ...page, kind: "signatures" })).toMatchObject({
      count: 0,
      results: [],
      chain: { ok: true },
    });
    expect(
      await listEvents(platform, envelopeId, { page: 2, page_size: 2, kind: "changes" }),
    ).toMatchObject({ count: 2, results: [] });
  });

  test("3 000 events are verified and listed in less than a second of processor time", async () => {
    const event = {
      envelopeId,
      action: "envelope_updated",
      actor: ANNE,
      detail: { changed: ["fields"] },
    } as const;
    await platform.db.transaction().execute((trx) =>
      writeTogether(trx, [
        appendEvents(
          platform,
          Array.from({ length: 3_000 }, () => event),
        ),
      ]),
    );
    // Processor time is the same on a busy machine, where a wall clock would measure its
    // neighbours.
    const before = process.cpuUsage();
    expect((await listEvents(platform, envelopeId, page)).chain).toMatchObject({
      ok: true,
      count: 3_000,
    });
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1);
  });

  test("3 000 events are recomputed once, then only the last and new ones", async () => {
    const event = {
      envelopeId,
      action: "envelope_updated",
      actor: ANNE,
      detail: { changed: ["fields"] },
    } as const;
    const events = Array.from({ length: 3_000 }, () => event);
    await platform.db
      .transaction()
      .execute((trx) => writeTogether(trx, [appendEvents(platform, events)]));
    let read = 0;
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => ((read += result.rows.length), result),
    };
    const counted = { clock: platform.clock, db: platform.db.withPlugin(counter) };
    const readFor = async (asked: Parameters<typeof listEvents>[2]) => {
      read = 0;
      const { chain } = await listEvents(counted, envelopeId, asked);
      return [chain.ok, chain.count, read];
    };
    expect(await readFor(page)).toEqual([true, 3_000, 3_010]);
    expect(await readFor({ ...page, page: 2 })).toEqual([true, 3_000, 11]);
    expect(await readFor({ ...page, kind: "changes" })).toEqual([true, 3_000, 11]);
    await append({ action: "envelope_sent" });
    expect(await readFor(page)).toEqual([true, 3_001, 12]);
    expect(await readFor({ ...page, verify: "now" })).toEqual([true, 3_001, 3_011]);
    platform.clock.advance({ minutes: 5 });
    expect(await readFor(page)).toEqual([true, 3_001, 3_011]);
  });

  test("a chain verifies once personal data is erased", async () => {
    await append({ action: "envelope_created" }, { action: "envelope_sent" });
    await platform.db.transaction().execute((trx) => erasePersonalValues(trx, envelopeId));
    expect(await verifyChain(platform.db, envelopeId)).toMatchObject({ ok: true, count: 2 });
    expect((await listEvents(platform, envelopeId, page)).results[0]).toMatchObject({
      actor: "Donnée effacée",
      ip: null,
      user_agent: null,
    });
  });

  test.each([
    "update audit_events set action = 'x'",
    "delete from audit_events",
    "truncate audit_events cascade",
  ])("a journal takes inserts only: %s is refused", async (statement) => {
    await append({ action: "envelope_created" });
    await expect(sql.raw(statement).execute(platform.db)).rejects.toThrow("permission denied");
    await expect(sql.raw(statement).execute(platform.owner)).rejects.toThrow("inserts only");
  });

  const edits: readonly [string, number, string, (id: string) => ReturnType<typeof sql>[]][] = [
    [
      "an edited event breaks the chain",
      1,
      "hash",
      (id) => [
        sql`update audit_events set detail = '{"flow":"x"}' where envelope_id = ${id} and sequence = 1`,
      ],
    ],
    [
      "a removed event breaks the chain",
      2,
      "gap",
      (id) => [
        sql`delete from audit_details where envelope_id = ${id} and sequence = 2`,
        sql`delete from audit_events where envelope_id = ${id} and sequence = 2`,
      ],
    ],
    [
      "two swapped events break the chain",
      1,
      "previous_hash",
      (id) => [
        sql`update audit_events set sequence = sequence + 10 where envelope_id = ${id}`,
        sql`update audit_events set sequence = 14 - sequence where envelope_id = ${id}`,
      ],
    ],
    [
      "an edited personal value breaks its commitment",
      1,
      "commitment",
      (id) => [
        sql`update audit_details set value = '"Paul"' where envelope_id = ${id} and name = 'actor_name'`,
      ],
    ],
  ];
  test.each(edits)("%s", async (name, sequence, reason, edit) => {
    // Personal values refer to their event, so swapped events have none.
    const actor = name.startsWith("two swapped") ? SYSTEM_ACTOR : ANNE;
    const actions = ["envelope_created", "envelope_sent", "envelope_expired"] as const;
    await append(...actions.map((action) => ({ action, actor })));
    for (const statement of edit(envelopeId)) await tamper(statement);
    expect(await verifyChain(platform.db, envelopeId)).toEqual({
      ok: false,
      count: sequence,
      sequence,
      reason,
    });
  });

  test("every page names the first altered event", async () => {
    await append(
      { action: "envelope_created" },
      { action: "envelope_sent" },
      { action: "envelope_expired" },
    );
    await tamper(
      sql`update audit_events set at = at + interval '1 hour' where envelope_id = ${envelopeId} and sequence = 2`,
    );
    for (const asked of [
      page,
      { page: 2, page_size: 2 },
      { ...page, kind: "signatures" as const },
    ]) {
      const { chain } = await listEvents(platform, envelopeId, asked);
      expect(chain).toEqual({ ok: false, count: 2, head: null, broken_at: 2 });
    }
  });

  test("an altered event is found on request, and without it within minutes", async () => {
    await append(
      { action: "envelope_created" },
      { action: "envelope_sent" },
      { action: "envelope_expired" },
    );
    const chainOf = async (verify?: "now") =>
      (await listEvents(platform, envelopeId, { ...page, verify })).chain;
    const broken = { ok: false, count: 1, head: null, broken_at: 1 };
    expect(await chainOf()).toMatchObject({ ok: true, count: 3 });
    const edit = (by: string) =>
      tamper(
        sql`update audit_events set at = at + ${by}::interval where envelope_id = ${envelopeId} and sequence = 1`,
      );
    await edit("1 hour");
    expect(await chainOf("now")).toEqual(broken);
    // The break then shows to whoever asks.
    expect(await chainOf()).toEqual(broken);
    await edit("-1 hour");
    expect(await chainOf()).toMatchObject({ ok: true, count: 3 });
    await edit("1 hour");
    platform.clock.advance({ minutes: 5 });
    expect(await chainOf()).toEqual(broken);
  });

  test("an altered last event is found at once, from the first that fails", async () => {
    await append({ action: "envelope_created" }, { action: "envelope_sent" });
    const edit = (sequence: number) =>
      tamper(
        sql`update audit_events set at = at + interval '1 hour' where envelope_id = ${envelopeId} and sequence = ${sequence}`,
      );
    expect((await listEvents(platform, envelopeId, page)).chain).toMatchObject({
      ok: true,
      count: 2,
    });
    await edit(1);
    await edit(2);
    expect((await listEvents(platform, envelopeId, page)).chain).toEqual({
      ok: false,
      count: 1,
      head: null,
      broken_at: 1,
    });
  });
});

const envelopeId = "01a1fd8c-6902-7831-b3c4-c8c65821597a";
const expected = { envelopeId, sequence: 1, previous: null };

/** An event that commits to a name under a salt and shows these values. */
function eventOf(
  committed: { salt: Uint8Array; value: AuditValue },
  shown = committed,
): StoredEvent {
  const detail = {
    commitments: {
      full_name: Buffer.from(commitment(committed.salt, committed.value)).toString("hex"),
    },
  };
  const at = new Date("2026-11-21T10:00:00.000Z");
  const hash = eventHash(null, {
    envelope_id: envelopeId,
    at: at.toISOString(),
    actor: "system",
    action: "envelope_created",
    detail,
  });
  const personal = {
    full_name: { value: shown.value, salt: Buffer.from(shown.salt).toString("hex") },
  };
  return {
    sequence: 1,
    at,
    isUneven: false,
    actor: "system",
    action: "envelope_created",
    detail,
    hash,
    previousHash: null,
    personal,
  };
}

test("an event time finer than what was hashed is a fault", () => {
  const event = eventOf({ salt: new Uint8Array(16), value: "Paul Morel" });
  expect([eventFault(event, expected), eventFault({ ...event, isUneven: true }, expected)]).toEqual(
    [null, "hash"],
  );
});

const salt = new Uint8Array(16).fill(7);

test("a personal value opens its own commitment only", () => {
  expect(eventFault(eventOf({ salt, value: "Paul Morel" }), expected)).toBeNull();
  expect(
    eventFault(eventOf({ salt, value: "Paul Morel" }, { salt, value: "Jean Morel" }), expected),
  ).toBe("commitment");
});

test("a value whose beginning is passed off as salt is refused", () => {
  const longer = new Uint8Array([...salt, ...new TextEncoder().encode('"Jean \\')]);
  const event = eventOf({ salt, value: 'Jean "Paul Morel' }, { salt: longer, value: "Paul Morel" });
  // Both open the same commitment: only the salt's length distinguishes them.
  expect(Buffer.from(commitment(longer, "Paul Morel"))).toEqual(
    Buffer.from(commitment(salt, 'Jean "Paul Morel')),
  );
  expect(eventFault(event, expected)).toBe("commitment");
});

test.each([0, 8, 15, 17, 32])("a salt of %i bytes is refused", (length) => {
  expect(eventFault(eventOf({ salt: new Uint8Array(length), value: "Paul" }), expected)).toBe(
    "commitment",
  );
});
