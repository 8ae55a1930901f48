import { sql } from "kysely";
import type { StoreRule } from "./rules.ts";

type Row = { readonly subject: string };

/** Nobody is told of what somebody signed alone, with a document of their own. */
const TOLD = sql`e.purged_at is null and not exists (select from signing_acts a where a.envelope_id = e.id and a.method in ('self', 'bulk'))`;
/** The messages that somebody got as a sender or a member are forgotten with their account. */
const OWNER_STAYS = sql`exists (select from users u where u.id = e.owner_id and u.erased_at is null)`;
const noneErasedSince = (at: "completed_at" | "updated_at") =>
  sql`not exists (select from users u where u.erased_at >= ${sql.ref(`e.${at}`)})`;

/** One mail per event and recipient: at least once, the same Message-ID; to one address once. */
export const MESSAGE_RULES: readonly StoreRule[] = [
  {
    invariant: 6,
    what: "deux messages de fin pour une même adresse",
    query: sql<Row>`select envelope_id as subject from notices where kind = 'completed' and envelope_id is not null
      group by envelope_id, channel, lower(destination) having count(*) > 1`,
  },
  {
    invariant: 6,
    what: "deux messages portent le même Message-ID",
    query: sql<Row>`select min(id::text) as subject from notices group by message_id having count(*) > 1`,
  },
  {
    invariant: 6,
    what: "l’expéditeur n’a pas reçu de message de fin, de refus ou d’expiration",
    query: sql<Row>`select e.id as subject from envelopes e where e.status in ('completed', 'declined', 'expired') and ${TOLD} and ${OWNER_STAYS}
      and not exists (select from notices n where n.envelope_id = e.id and n.kind = e.status and n.user_id = e.owner_id)`,
  },
  {
    invariant: 6,
    what: "un destinataire n’a pas reçu de message de fin",
    // Two people of one address get one message; the sender's own address gets the sender's.
    query: sql<Row>`select r.id as subject from recipients r join envelopes e on e.id = r.envelope_id
      where e.status = 'completed' and ${TOLD} and ${noneErasedSince("completed_at")}
        and r.email_key <> (select u.email_key from users u where u.id = e.owner_id)
        and not exists (select from notices n join recipients o on o.id = n.recipient_id
          where n.envelope_id = e.id and n.kind = 'completed' and o.email_key = r.email_key)`,
  },
  {
    invariant: 6,
    what: "l’historique dit une demande dont le message n’existe pas",
    query: sql<Row>`select distinct v.envelope_id as subject from audit_events v join envelopes e on e.id = v.envelope_id and e.purged_at is null
      where v.action in ('recipient_invited', 'recipient_reminded') and v.detail ? 'message'
        and not exists (select from notices n where n.id = (v.detail->>'message')::uuid)`,
  },
  {
    invariant: 6,
    what: "l’historique dit plus de codes envoyés qu’il n’y a de messages",
    query: sql<Row>`select v.envelope_id as subject from audit_events v join envelopes e on e.id = v.envelope_id and e.purged_at is null
      where v.action = 'code_sent' group by v.envelope_id
      having count(*) > (select count(*) from notices n where n.envelope_id = v.envelope_id and n.kind = 'code')`,
  },
];

/** A message is given up after two days: one that has waited for longer, and is not held for a morning, will never leave. */
export const stuckMessages = (now: Date): StoreRule => ({
  invariant: 6,
  what: "un message attend depuis plus de trois jours",
  query: sql<Row>`select id as subject from notices
    where state = 'queued' and coalesce(not_before, created_at) < ${new Date(now.getTime() - 3 * 86_400_000)}`,
});
