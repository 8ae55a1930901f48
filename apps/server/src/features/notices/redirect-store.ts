import { type ExpressionBuilder, sql } from "kysely";
import type { Schema, Transaction } from "../../platform/database/database.ts";
import { pushedKey } from "./domain/pushed-key.ts";

type HeldMail = { readonly id: string; readonly contentWrapped: Uint8Array };

const isHeldMail = sql<boolean>`channel = 'email' and held_for is not null and summary_id is null and state = 'queued'`;

/** The message that tells the same event by a push or as the second way by a text. */
const beside = (eb: ExpressionBuilder<Schema, "notices">) =>
  eb
    .selectFrom("notices as beside")
    .select("beside.id")
    .where(sql<boolean>`beside.dedupe_key in (notices.dedupe_key || ${pushedKey.of("")}, notices.dedupe_key || ':sms')`);

/** Ends the mails that wait for one person and of whose events they are told otherwise. */
export async function withdrawToldMails(trx: Transaction, which: { readonly userId: string; readonly now: Date }): Promise<void> {
  await trx
    .updateTable("notices")
    .set({ state: "withdrawn", held_for: null, content_wrapped: null, ended_at: which.now })
    .where("user_id", "=", which.userId)
    .where(isHeldMail)
    .where((eb) => eb.exists(beside(eb).where("beside.state", "!=", "refused")))
    .execute();
}

/** Gives the mails that wait for one person; not those that say what could not be told otherwise. */
export async function selectHeldMails(trx: Transaction, userId: string): Promise<readonly HeldMail[]> {
  const rows = await trx
    .selectFrom("notices")
    .select(["id", "content_wrapped"])
    .where("user_id", "=", userId)
    .where(isHeldMail)
    .where((eb) => eb.not(eb.exists(beside(eb))))
    .forUpdate()
    .execute();
  return rows.flatMap((row) => (row.content_wrapped === null ? [] : [{ id: row.id, contentWrapped: row.content_wrapped }]));
}

/** Makes texts or pushes of mails that wait. A push leaves the event's own key to the mail that goes when no browser takes it. */
export async function turnHeldMails(
  trx: Transaction,
  change: { readonly channel: "sms" | "push"; readonly destination: string; readonly turned: readonly HeldMail[] },
): Promise<void> {
  const ids = change.turned.map(({ id }) => id);
  const contents = change.turned.map(({ contentWrapped }) => Buffer.from(contentWrapped).toString("hex"));
  const suffix = change.channel === "push" ? pushedKey.of("") : "";
  await sql`
    update notices set channel = ${change.channel}, destination = ${change.destination}, dedupe_key = dedupe_key || ${suffix}::text,
      content_wrapped = decode(turned.content, 'hex')
    from unnest(${sql.val(ids)}::uuid[], ${sql.val(contents)}::text[]) as turned (id, content)
    where notices.id = turned.id`.execute(trx);
}
