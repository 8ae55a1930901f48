import type { Envelope } from "@paraphe/contracts";
import { type RawBuilder, sql } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import { up } from "../../../migrations/0048-whole-envelopes.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { createDraft, ELOISE, PAUL } from "../../../testing/envelope.ts";
import { createMember, signIn } from "../../../testing/member.ts";
import type { Database } from "../../platform/database/database.ts";
import { sqlState } from "../../platform/database/in-transaction.ts";

let service: TestApp;
let db: Database;
let mine: Envelope;
let theirs: Envelope;

beforeAll(async () => {
  service = await createTestApp();
  db = service.platform.owner;
  const anne = await signIn(service, await createMember(service.platform));
  const field = { type: "signature", document_index: 0, recipient_index: 0, page: 1, x: 0.1, y: 0.8, width: 0.3, height: 0.1 };
  const values = { recipients: [PAUL, ELOISE], fields: [field] };
  [mine, theirs] = [await createDraft(anne, values), await createDraft(anne, values)];
});
afterAll(() => service.close());

const CHECK = "23514";
const FOREIGN_KEY = "23503";
const UNIQUE = "23505";

/** What PostgreSQL says to a change of these envelopes; it is taken back whatever it says. */
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

const onField = (set: RawBuilder<unknown>) => sql`update fields set ${set} where id = ${mine.fields[0]?.id}::uuid`;
const onEnvelope = (set: RawBuilder<unknown>) => sql`update envelopes set ${set} where id = ${mine.id}::uuid`;

test("a field stands on a document and for a person of its own envelope", async () => {
  expect(await said(onField(sql`document_id = ${theirs.documents[0]?.id}::uuid`))).toBe(FOREIGN_KEY);
  expect(await said(onField(sql`recipient_id = ${theirs.recipients[0]?.id}::uuid`))).toBe(FOREIGN_KEY);
  expect(await said(onField(sql`recipient_id = ${mine.recipients[1]?.id}::uuid`))).toBe("taken");
});

test("a field stands on the page, to a hair", async () => {
  for (const set of ["page = 0", "page = -3", "x = 7", "x = -0.1", "y = 1.1", "width = 0", "height = -1", "x = 0.8", "width = 'NaN'"])
    expect([set, await said(onField(sql.raw(set)))]).toEqual([set, CHECK]);
  for (const set of ["x = 0.7", "x = 0.70005", "page = 2"]) expect([set, await said(onField(sql.raw(set)))]).toEqual([set, "taken"]);
});

test("no more have signed than are asked, and what is cancelled says since when and what it was", async () => {
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

test("two people, or two files, have not one place; they may exchange theirs", async () => {
  for (const table of ["recipients", "documents"])
    expect(await said(sql`update ${sql.table(table)} set envelope_id = ${mine.id}::uuid where envelope_id = ${theirs.id}::uuid`)).not.toBe(
      "taken",
    );
  const place = (to: string) => sql`update recipients set position = ${sql.raw(to)} where envelope_id = ${mine.id}::uuid`;
  expect(await said(place("1"))).toBe(UNIQUE);
  expect(await said(place("3 - position"))).toBe("taken");
});

const counts = () => sql<{ count: string }>`select status, count::int from envelope_counts where count <> 0 order by status`.execute(db);

test("no count falls below nothing, and none keeps an envelope from what it becomes", async () => {
  await sql`update envelope_counts set count = -5`.execute(db);
  await sql`update envelope_days set created = -1, completed = -1`.execute(db);
  expect((await counts()).rows).toEqual([]);
  // Less than nothing of what no row counts, and of what one counts as nothing.
  await sql`delete from envelope_days`.execute(db);
  await onEnvelope(sql`status = 'completed'`).execute(db);
  await sql`delete from envelope_counts where status = 'completed'`.execute(db);
  await onEnvelope(sql`status = 'draft'`).execute(db);
  expect((await counts()).rows).toEqual([{ status: "draft", count: 1 }]);
  const { rows } = await sql`select created::int, completed::int, completed_days from envelope_days`.execute(db);
  expect(rows).toEqual([{ created: 0, completed: 0, completed_days: 0 }]);
  const inbox = sql`insert into inbox_counts as c (email_key, list, owner_id, count) values ('a', 'completed', ${mine.id}::uuid, -1)
    on conflict (email_key, list, owner_id) do update set count = c.count + excluded.count`;
  await inbox.execute(db);
  expect((await sql`select from inbox_counts`.execute(db)).rows).toHaveLength(0);
  await sql`insert into inbox_counts (email_key, list, owner_id, count) values ('a', 'completed', ${mine.id}::uuid, 2)`.execute(db);
  await inbox.execute(db);
  expect((await sql`delete from inbox_counts returning count::int`.execute(db)).rows).toEqual([{ count: 1 }]);
});

/** What the migration made, undone: what an earlier version held may then be written. */
const undo = sql`
  alter table fields drop constraint fields_document, drop constraint fields_recipient, drop constraint fields_place_check,
    add constraint fields_document_id_fkey foreign key (document_id) references documents on delete cascade,
    add constraint fields_recipient_id_fkey foreign key (recipient_id) references recipients on delete cascade;
  alter table documents drop constraint documents_place, drop constraint documents_whole;
  alter table recipients drop constraint recipients_place, drop constraint recipients_whole;
  create index documents_envelope on documents (envelope_id, position);
  create index recipients_envelope on recipients (envelope_id, position);
  alter table envelopes drop constraint envelopes_signed_check, drop constraint envelopes_cancelled_check;
  drop function bound_envelope_counts, bound_envelope_days, bound_inbox_counts, bound_new_envelope_counts, bound_new_envelope_days,
    bound_new_inbox_counts cascade`;

test("what an earlier version left otherwise is put right", async () => {
  await undo.execute(db);
  await sql`
    -- An envelope cancelled by nobody, two people at one place, a field on somebody else's file, counts that nothing bears out.
    update envelopes set status = 'cancelled', status_before_cancel = 'banana', signed_count = 9 where id = ${sql.lit(theirs.id)};
    update recipients set position = 1 where envelope_id = ${sql.lit(mine.id)};
    insert into fields (id, envelope_id, document_id, recipient_id, position, type, page, x, y, width, height, required)
      select gen_random_uuid(), envelope_id, ${sql.lit(theirs.documents[0]?.id)}, recipient_id, 2, type, page, x, y, width, height, required
      from fields where envelope_id = ${sql.lit(mine.id)};
    update envelope_counts set count = -2;
    update envelope_days set created = 7, completed = 3;
    insert into inbox_counts (email_key, list, owner_id, count) values ('a', 'completed', gen_random_uuid(), 4);`.execute(db);
  await up(db as never);
  const anne = await db
    .selectFrom("envelopes")
    .select(["status_before_cancel", "signed_count", "cancelled_at"])
    .where("id", "=", theirs.id)
    .execute();
  expect(anne).toMatchObject([{ status_before_cancel: "pending", signed_count: 2, cancelled_at: expect.any(Date) }]);
  const places = await db.selectFrom("recipients").select("position").where("envelope_id", "=", mine.id).orderBy("position").execute();
  expect(places.map(({ position }) => position)).toEqual([1, 2]);
  expect(await db.selectFrom("fields").select("id").where("envelope_id", "=", mine.id).execute()).toHaveLength(1);
  expect((await counts()).rows).toEqual([
    { status: "cancelled", count: 1 },
    { status: "draft", count: 1 },
  ]);
  const { rows } = await sql`select sum(created)::int as created, sum(completed)::int as completed from envelope_days`.execute(db);
  expect(rows).toEqual([{ created: 2, completed: 0 }]);
  expect((await sql`select from inbox_counts`.execute(db)).rows).toHaveLength(0);
});

test("what was cancelled is again what its parts say it was", async () => {
  const first = sql`(select id from recipients where envelope_id = ${sql.lit(theirs.id)} order by position limit 1)`;
  const left: readonly [string, RawBuilder<unknown>][] = [
    ["draft", sql`select`],
    ["sent", sql`insert into recipient_tokens (token_sha256, recipient_id, created_at) select '\\x00', id, now() from ${first} r`],
    ["sent", sql`with gone as (delete from recipient_tokens) update recipients set notified_at = now() where id = ${first}`],
    [
      "sent",
      sql`with forgot as (update recipients set notified_at = null) update envelopes set sent_at = now() where id = ${sql.lit(theirs.id)}`,
    ],
    ["pending", sql`update envelopes set signed_count = 1 where id = ${sql.lit(theirs.id)}`],
    ["declined", sql`update recipients set status = 'declined' where id = ${first}`],
    ["completed", sql`update envelopes set completed_at = now() where id = ${sql.lit(theirs.id)}`],
  ];
  await sql`update envelopes set signed_count = 0 where id = ${theirs.id}::uuid`.execute(db);
  for (const [status, change] of left) {
    await undo.execute(db);
    await change.execute(db);
    await sql`update envelopes set status_before_cancel = null where id = ${theirs.id}::uuid`.execute(db);
    await up(db as never);
    const { rows } = await sql`select status_before_cancel from envelopes where id = ${theirs.id}::uuid`.execute(db);
    expect(rows).toEqual([{ status_before_cancel: status }]);
  }
});
