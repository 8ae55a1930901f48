import { writeTogether } from "../../platform/database/in-transaction.ts";
import { type Envelope, STATUS_LABELS, type StoredStatus } from "@paraphe/contracts";
import fc from "fast-check";
import { type RawBuilder, sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import {
  createDraft,
  ELOISE,
  ENVELOPES,
  PAUL,
  recordTestSignature,
} from "../../../testing/envelope.ts";
import { createMember, type Member, openMember, signIn } from "../../../testing/member.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import type { Database } from "../../platform/database/database.ts";
import { sqlState } from "../../platform/error-code.ts";
import { declineEnvelope } from "./close-envelope.ts";
import { expireOverdue } from "./jobs.ts";
import { insertEnvelopeRows, updateEnvelopeRow } from "./store.ts";

describe("the counts that writers keep", () => {
  const service = useTestApp();
  let owners: readonly Member[];

  beforeAll(async () => {
    owners = [
      await createMember(service.platform),
      await createMember(service.platform),
      await createMember(service.platform),
    ];
  });

  /**
   * Compares the counts that writers keep with those a reader would count; rows of zero count as
   * absent.
   */
  async function differences(db: Database): Promise<readonly object[]> {
    const { rows } = await sql<object>`
    select coalesce(kept.holder_id, counted.holder_id) as owner, coalesce(kept.status, counted.status) as status, kept.count as kept, counted.count as counted
    from (select * from envelope_counts where count <> 0) kept
    full join (select holder_id, status, count(*) as count from envelopes where purged_at is null group by 1, 2) counted using (holder_id, status)
    where kept.count is distinct from counted.count
    union all
    select coalesce(kept.holder_id, counted.holder_id), coalesce(kept.day, counted.day)::text, kept.created, counted.created
    from (select * from envelope_days where created <> 0 or completed <> 0) kept
    full join (
      select holder_id, (created_at at time zone 'Europe/Paris')::date as day, count(*) as created, count(*) filter (where status = 'completed') as completed,
        coalesce(sum(extract(epoch from updated_at - created_at) / 86400) filter (where status = 'completed'), 0) as completed_days
      from envelopes where purged_at is null group by 1, 2
    ) counted using (holder_id, day)
    where kept.created is distinct from counted.created or kept.completed is distinct from counted.completed
      or abs(kept.completed_days - counted.completed_days) > 0.000001
  `.execute(db);
    return [...rows, ...(await searchDifferences(db)), ...(await inboxDifferences(db))];
  }

  /** Compares what searches and inboxes read with the rows it derives from. */
  async function searchDifferences(db: Database): Promise<readonly object[]> {
    const { rows } = await sql<object>`
    select coalesce(kept.envelope_id, made.id) as searched from envelope_search kept
    full join (select * from envelopes where purged_at is null) made on made.id = kept.envelope_id
    where (kept.holder_id, kept.status, kept.created_at, kept.search_text) is distinct from (made.holder_id, made.status, made.created_at, made.search_text)
  `.execute(db);
    return rows;
  }

  async function inboxDifferences(db: Database): Promise<readonly object[]> {
    const { rows } = await sql<object>`
    with made as (
      select distinct e.id, r.email_key, asked.list, e.holder_id, e.created_at from envelopes e join recipients r on r.envelope_id = e.id
      cross join lateral (values ('action_required', r.awaited), ('completed', e.status = 'completed' and r.notified_at is not null)) as asked (list, is_in)
      where e.purged_at is null and asked.is_in
    ), counted as (select email_key, list, holder_id, count(*) as count from made group by 1, 2, 3)
    select coalesce(kept.email_key, made.email_key) as address, coalesce(kept.list, made.list) as list from envelope_inbox kept
    full join made on made.id = kept.envelope_id and made.email_key = kept.email_key and made.list = kept.list
    where (kept.holder_id, kept.created_at) is distinct from (made.holder_id, made.created_at)
    union all
    select coalesce(kept.email_key, counted.email_key), coalesce(kept.list, counted.list) from inbox_counts kept
    full join counted using (email_key, list, holder_id) where kept.count is distinct from counted.count
  `.execute(db);
    return rows;
  }

  const STATUSES = Object.keys(STATUS_LABELS) as StoredStatus[];
  type Step =
    | { readonly kind: "insert"; readonly owner: number; readonly hours: number }
    | {
        readonly kind: "set";
        readonly which: number;
        readonly status: StoredStatus;
        readonly hours: number;
      }
    | {
        readonly kind: "purge" | "delete" | "setAll" | "rollback";
        readonly which: number;
        readonly status: StoredStatus;
      };
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("insert" as const),
        owner: fc.nat(2),
        hours: fc.nat(2_000),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("set" as const),
        which: fc.nat(50),
        status: fc.constantFrom(...STATUSES),
        hours: fc.nat(2_000),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom(
          "purge" as const,
          "delete" as const,
          "setAll" as const,
          "rollback" as const,
        ),
        which: fc.nat(50),
        status: fc.constantFrom(...STATUSES),
      }),
    },
  );

  function statusColumns(status: StoredStatus) {
    const isCancelled = status === "cancelled";
    return {
      status,
      status_before_cancel: isCancelled ? ("draft" as const) : null,
      cancelled_at: isCancelled ? service.platform.clock() : null,
    };
  }

  async function take(ids: string[], one: Step): Promise<void> {
    const { platform } = service;
    const now = new Date(platform.clock().getTime() + ("hours" in one ? one.hours * 3_600_000 : 0));
    const id = "which" in one ? ids[one.which % Math.max(1, ids.length)] : platform.newId();
    if (id === undefined) return;
    await platform.db
      .transaction()
      .execute(async (trx) => {
        if (one.kind === "insert") {
          ids.push(id);
          const texts = {
            createdByName: "Anne",
            title: "Bail",
            searchText: "bail anne",
            message: null,
          };
          const rest = {
            flow: "parallel" as const,
            signerCount: 0,
            deadlineAt: null,
            remindEveryDays: null,
            proofOnly: false,
            documentKind: null,
          };
          await writeTogether(trx, [
            insertEnvelopeRows([
              {
                id,
                ownerId: owners[one.owner]?.id ?? "",
                team: null,
                createdAt: now,
                ...texts,
                ...rest,
              },
            ]),
          ]);
        } else if (one.kind === "set")
          await writeTogether(trx, [updateEnvelopeRow({ id, now, ...statusColumns(one.status) })]);
        else if (one.kind === "purge")
          await writeTogether(trx, [updateEnvelopeRow({ id, now, purged_at: now })]);
        else if (one.kind === "delete")
          await trx.deleteFrom("envelopes").where("id", "=", id).execute();
        else
          await trx
            .updateTable("envelopes")
            .set(statusColumns(one.status))
            .where("owner_id", "=", owners[0]?.id ?? "")
            .execute();
        if (one.kind === "rollback") throw new RolledBack();
      })
      .catch((error: unknown) => {
        if (!(error instanceof RolledBack)) throw error;
      });
  }
  class RolledBack extends Error {}

  type Asked = { readonly id: string; readonly people: readonly string[] };
  /** An envelope with four people, two of them under one address. */
  async function insertAsked(ownerId: string): Promise<Asked> {
    const { platform } = service;
    const [id, people] = [platform.newId(), [0, 1, 2, 3].map(() => platform.newId())];
    const texts = { createdByName: "Anne", title: "Bail", searchText: "bail anne", message: null };
    const rest = {
      flow: "parallel" as const,
      signerCount: 0,
      deadlineAt: null,
      remindEveryDays: null,
      proofOnly: false,
      documentKind: null,
    };
    await platform.db.transaction().execute(async (trx) => {
      await writeTogether(trx, [
        insertEnvelopeRows([
          { id, ownerId, team: null, createdAt: platform.clock(), ...texts, ...rest },
        ]),
      ]);
      const row = {
        envelope_id: id,
        routing_order: 1,
        role: "signer",
        email: "",
        full_name: "",
        status: "waiting",
      };
      const addresses = people.map((person, position) => ({
        ...row,
        id: person,
        position,
        email_key: `invite${Math.min(position, 2)}@exemple.fr`,
      }));
      await trx.insertInto("recipients").values(addresses).execute();
    });
    return { id, people };
  }

  test("the stored counts equal a recount after any history of rows, one after the other or at the same time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 12 }),
        async (waves) => {
          const ids: string[] = [];
          // Statements over many rows may be retried; each of these stands alone.
          for (const wave of waves)
            if (wave.some(({ kind }) => kind === "setAll" || kind === "rollback"))
              for (const one of wave) await take(ids, one);
            else await Promise.all(wave.map((one) => take(ids, one)));
          expect(await differences(service.platform.db)).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  test("the stored counts equal a recount when one is asked, asked twice under one address, no longer asked, renamed or removed", async () => {
    const { platform } = service;
    const { db } = platform;
    const word = fc.constantFrom(
      "ask",
      "answer",
      "notify",
      "rename",
      "remove",
      "complete",
      "reopen",
      "purge",
      "delete",
    );
    const history = fc.array(fc.tuple(fc.nat(2), fc.nat(3), word), { minLength: 4, maxLength: 16 });
    await fc.assert(
      fc.asyncProperty(history, async (acts) => {
        const made = await Promise.all(
          [0, 1, 2].map((index) => insertAsked(owners[index % 2]?.id ?? "")),
        );
        for (const [which, who, act] of acts) {
          const { id, people } = made[which] as Asked;
          const person = db.updateTable("recipients").where("id", "=", people[who] ?? "");
          const envelope = db.updateTable("envelopes").where("id", "=", id);
          if (act === "ask")
            await person.set({ awaited: true, notified_at: platform.clock() }).execute();
          else if (act === "answer") await person.set({ awaited: false }).execute();
          else if (act === "notify") await person.set({ notified_at: platform.clock() }).execute();
          else if (act === "rename")
            await person.set({ email_key: `autre${who % 2}@exemple.fr` }).execute();
          else if (act === "remove")
            await db
              .deleteFrom("recipients")
              .where("id", "=", people[who] ?? "")
              .execute();
          else if (act === "complete") await envelope.set({ status: "completed" }).execute();
          else if (act === "reopen")
            await envelope
              .set({ status: "pending", title: "Bail", search_text: `bail ${who}` })
              .execute();
          else if (act === "purge")
            await envelope.set({ purged_at: platform.clock(), search_text: "" }).execute();
          else await db.deleteFrom("envelopes").where("id", "=", id).execute();
        }
        expect(await differences(db)).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  test("the stored counts equal a recount, and the lists' lengths, after any history of what people do", async () => {
    const [member] = owners as [Member];
    const { platform } = service;
    const word = fc.constantFrom(
      "send",
      "cancel",
      "restore",
      "purge",
      "decline",
      "sign",
      "expire",
      "extend",
      "remind",
    );
    const history = fc.array(fc.tuple(fc.nat(2), word), { minLength: 6, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(history, async (acts) => {
        let anne = await signIn(service, member);
        const inDays = (days: number) =>
          new Date(platform.clock().getTime() + days * 86_400_000).toISOString();
        const made: Envelope[] = [];
        for (let index = 0; index < 3; index++)
          made.push(
            await createDraft(anne, {
              deadline_at: inDays(1),
              recipients: [PAUL, { ...PAUL, full_name: "Pauline" }],
            }),
          );
        for (const [which, act] of acts) {
          const { id, recipients } = made[which] as Envelope;
          const recipientId = recipients[which % 2]?.id ?? "";
          if (act === "purge") await anne.send("DELETE", `${ENVELOPES}${id}/purge/`);
          else if (act === "extend")
            await anne.post(`${ENVELOPES}${id}/extend/`, { deadline_at: inDays(1) });
          else if (act === "sign")
            await recordTestSignature(platform, id, recipientId).catch(() => undefined);
          else if (act === "decline")
            await declineEnvelope(platform, {
              envelopeId: id,
              recipientId,
              reason: "Non",
              client: { ip: "", userAgent: "" },
            });
          else if (act === "expire") {
            platform.clock.advance({ hours: 25 });
            await expireOverdue(platform);
            anne = await signIn(service, member);
          } else await anne.post(`${ENVELOPES}${id}/${act}/`);
        }
        expect(await differences(platform.db)).toEqual([]);
        const counts = (await anne.get(`${ENVELOPES}counts/`)).body;
        for (const status of ["draft", "sent", "completed", "cancelled"] as const)
          expect((await anne.get(`${ENVELOPES}?status=${status}`)).body.count).toBe(counts[status]);
      }),
      { numRuns: 3 },
    );
  });
});

describe("the rows of an envelope", () => {
  const service = useTestApp();
  let db: Database;
  let mine: Envelope;
  let theirs: Envelope;

  beforeAll(async () => {
    db = service.platform.owner;
    const anne = await openMember(service);
    const field = {
      type: "signature",
      document_index: 0,
      recipient_index: 0,
      page: 1,
      x: 0.1,
      y: 0.8,
      width: 0.3,
      height: 0.1,
    };
    const values = { recipients: [PAUL, ELOISE], fields: [field] };
    [mine, theirs] = [await createDraft(anne, values), await createDraft(anne, values)];
  });

  const CHECK = "23514";
  const FOREIGN_KEY = "23503";
  const UNIQUE = "23505";

  /** Gives PostgreSQL's answer to a change of these envelopes, which is always rolled back. */
  async function said(change: RawBuilder<unknown>): Promise<string> {
    try {
      await db.transaction().execute(async (trx) => {
        await change.execute(trx);
        await sql`set constraints all immediate`.execute(trx);
        throw new TakenBack();
      });
    } catch (error) {
      return error instanceof TakenBack ? "taken" : sqlState(error);
    }
    return "kept";
  }
  class TakenBack extends Error {}

  const onField = (set: RawBuilder<unknown>) =>
    sql`update fields set ${set} where id = ${mine.fields[0]?.id}::uuid`;
  const onEnvelope = (set: RawBuilder<unknown>) =>
    sql`update envelopes set ${set} where id = ${mine.id}::uuid`;

  test("a field belongs to a document and a person of its own envelope", async () => {
    expect(await said(onField(sql`document_id = ${theirs.documents[0]?.id}::uuid`))).toBe(
      FOREIGN_KEY,
    );
    expect(await said(onField(sql`recipient_id = ${theirs.recipients[0]?.id}::uuid`))).toBe(
      FOREIGN_KEY,
    );
    expect(await said(onField(sql`recipient_id = ${mine.recipients[1]?.id}::uuid`))).toBe("taken");
  });

  test("a field lies within the page, to a hair", async () => {
    for (const set of [
      "page = 0",
      "page = -3",
      "x = 7",
      "x = -0.1",
      "y = 1.1",
      "width = 0",
      "height = -1",
      "x = 0.8",
      "width = 'NaN'",
    ])
      expect([set, await said(onField(sql.raw(set)))]).toEqual([set, CHECK]);
    for (const set of ["x = 0.7", "x = 0.70005", "page = 2"])
      expect([set, await said(onField(sql.raw(set)))]).toEqual([set, "taken"]);
  });

  test("no more people have signed than were asked, and a cancelled envelope has its time and former status", async () => {
    const cancelled = "status = 'cancelled', cancelled_at = now(), status_before_cancel = ";
    for (const set of [
      "signed_count = 9",
      "signed_count = -1",
      "signer_count = -1",
      "status = 'cancelled'",
      "status = 'cancelled', cancelled_at = now()",
      `${cancelled}'banana'`,
      `${cancelled}'cancelled'`,
      "cancelled_at = now()",
      "status_before_cancel = 'sent'",
    ])
      expect([set, await said(onEnvelope(sql.raw(set)))]).toEqual([set, CHECK]);
    expect(await said(onEnvelope(sql.raw(`${cancelled}'draft'`)))).toBe("taken");
  });

  test("two people, or two files, do not share a position; they may exchange theirs", async () => {
    for (const table of ["recipients", "documents"])
      expect(
        await said(
          sql`update ${sql.table(table)} set envelope_id = ${mine.id}::uuid where envelope_id = ${theirs.id}::uuid`,
        ),
      ).not.toBe("taken");
    const place = (to: string) =>
      sql`update recipients set position = ${sql.raw(to)} where envelope_id = ${mine.id}::uuid`;
    expect(await said(place("1"))).toBe(UNIQUE);
    expect(await said(place("3 - position"))).toBe("taken");
  });

  const counts = () =>
    sql<{
      count: string;
    }>`select status, count::int from envelope_counts where count <> 0 order by status`.execute(db);

  test("no count falls below zero, and none stops an envelope's change", async () => {
    await sql`update envelope_counts set count = -5`.execute(db);
    await sql`update envelope_days set created = -1, completed = -1`.execute(db);
    expect((await counts()).rows).toEqual([]);
    // No count falls below zero, whether its row is missing or counts nothing.
    await sql`delete from envelope_days`.execute(db);
    await onEnvelope(sql`status = 'completed'`).execute(db);
    await sql`delete from envelope_counts where status = 'completed'`.execute(db);
    await onEnvelope(sql`status = 'draft'`).execute(db);
    expect((await counts()).rows).toEqual([{ status: "draft", count: 1 }]);
    const { rows } =
      await sql`select created::int, completed::int, completed_days from envelope_days`.execute(db);
    expect(rows).toEqual([{ created: 0, completed: 0, completed_days: 0 }]);
    const inbox = sql`insert into inbox_counts as c (email_key, list, holder_id, count) values ('a', 'completed', ${mine.id}::uuid, -1)
    on conflict (email_key, list, holder_id) do update set count = c.count + excluded.count`;
    await inbox.execute(db);
    expect((await sql`select from inbox_counts`.execute(db)).rows).toHaveLength(0);
    await sql`insert into inbox_counts (email_key, list, holder_id, count) values ('a', 'completed', ${mine.id}::uuid, 2)`.execute(
      db,
    );
    await inbox.execute(db);
    expect((await sql`delete from inbox_counts returning count::int`.execute(db)).rows).toEqual([
      { count: 1 },
    ]);
  });
});
