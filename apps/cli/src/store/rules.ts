import { sql } from "kysely";
import type { Invariant } from "./store-outcome.ts";

type Row = { readonly subject: string };
export type StoreRule = {
  readonly invariant: Invariant;
  readonly what: string;
  readonly query: ReturnType<typeof sql<Row>>;
};

export const LOOKED_AT: readonly {
  readonly invariant: Invariant;
  readonly query: ReturnType<typeof sql<{ count: number }>>;
}[] = [
  { invariant: 1, query: sql`select count(*) as count from signatures` },
  {
    invariant: 4,
    query: sql`select count(*) as count from envelopes where status = 'completed' and purged_at is null`,
  },
  { invariant: 6, query: sql`select count(*) as count from notices` },
  {
    invariant: 7,
    query: sql`select count(*) as count from audit_events where action = 'envelope_cancelled'`,
  },
];

/** A purged envelope keeps its journal and hashes alone. */
const LIVING = sql`e.purged_at is null`;

/** In database and journal; in the bytes: `check-revisions.ts`. */
const SIGNATURES: readonly StoreRule[] = [
  {
    invariant: 1,
    what: "un destinataire a signé sans acte scellé",
    query: sql<Row>`select r.id as subject from recipients r join envelopes e on e.id = r.envelope_id and ${LIVING}
      where r.status = 'signed' and not exists (select from signing_acts a where a.recipient_id = r.id and a.sealed_at is not null)`,
  },
  {
    invariant: 1,
    what: "un acte scellé n’a pas exactement une signature dans un document de son enveloppe",
    query: sql<Row>`select a.id as subject from signing_acts a join documents d on d.envelope_id = a.envelope_id
      where a.sealed_at is not null and 1 <> (select count(*) from signatures s where s.act_id = a.id and s.document_id = d.id)`,
  },
  {
    invariant: 1,
    what: "l’historique ne dit pas une signature, ou la dit d’un autre certificat",
    query: sql<Row>`select distinct s.envelope_id as subject from signatures s join envelopes e on e.id = s.envelope_id and ${LIVING}
      where not exists (select from audit_events v where v.envelope_id = s.envelope_id and v.action = 'recipient_signed'
        and v.detail->>'recipient' = s.recipient_id::text and v.detail->>'certificate_serial' = s.serial_number)`,
  },
  {
    invariant: 1,
    what: "l’historique dit une signature qui n’est plus dans la base",
    query: sql<Row>`select distinct v.envelope_id as subject from audit_events v join envelopes e on e.id = v.envelope_id and ${LIVING}
      where v.action = 'recipient_signed' and not exists (select from signatures s where s.envelope_id = v.envelope_id
        and s.recipient_id::text = v.detail->>'recipient')
        and not exists (select from audit_events b where b.envelope_id = v.envelope_id and b.action = 'step_sent_back'
          and b.sequence > v.sequence)`,
  },
  {
    invariant: 1,
    what: "une signature sans consentement dans l’historique",
    query: sql<Row>`select a.envelope_id as subject from signing_acts a join envelopes e on e.id = a.envelope_id and ${LIVING}
      group by a.envelope_id
      having count(*) > (select count(*) from audit_events v where v.envelope_id = a.envelope_id and v.action = 'consent_given')`,
  },
];

/** Chains: `check-journals.ts`. */
const JOURNALS: readonly StoreRule[] = [
  {
    invariant: 3,
    what: "l’historique de cette enveloppe ne commence pas par sa création",
    query: sql<Row>`select e.id as subject from envelopes e
      where not exists (select from audit_events v where v.envelope_id = e.id and v.sequence = 1 and v.action = 'envelope_created')`,
  },
  {
    invariant: 3,
    what: "il manque à l’historique un événement que l’état de l’enveloppe suppose",
    query: sql<Row>`select e.id as subject from envelopes e cross join lateral (values
        (e.sent_at is not null, 'envelope_sent'), (e.completed_at is not null, 'envelope_completed'),
        (e.status = 'declined', 'envelope_declined'), (e.status = 'expired', 'envelope_expired'),
        (e.status = 'cancelled', 'envelope_cancelled'), (e.purged_at is not null, 'envelope_purged')) as said (happened, action)
      where said.happened and not exists (select from audit_events v where v.envelope_id = e.id and v.action = said.action)`,
  },
  {
    invariant: 3,
    what: "l’historique de son enveloppe ne dit pas cette impression, ou la dit autre",
    query: sql<Row>`select p.id as subject from prints p where not exists (select from audit_events v where v.envelope_id = p.envelope_id
      and v.action = 'print_generated' and v.detail->>'print' = p.id::text and v.detail->>'qr_type' = p.qr_type
      and v.at between p.created_at - interval '10 minutes' and p.created_at + interval '10 minutes')`,
  },
  {
    invariant: 3,
    what: "l’historique dit une impression qui n’est plus dans la base",
    query: sql<Row>`select v.envelope_id as subject from audit_events v join envelopes e on e.id = v.envelope_id and ${LIVING}
      where v.action = 'print_generated' and not exists (select from prints p where p.id::text = v.detail->>'print')`,
  },
];

const COMPLETIONS: readonly StoreRule[] = [
  {
    invariant: 4,
    what: "une enveloppe terminée a un signataire qui n’a pas signé, ou un visa non donné",
    query: sql<Row>`select e.id as subject from envelopes e where e.status = 'completed' and ${LIVING}
      and exists (select from recipients r where r.envelope_id = e.id and r.role <> 'viewer'
        and r.status <> case r.role when 'visa' then 'approved' else 'signed' end)`,
  },
  {
    invariant: 4,
    what: "une enveloppe terminée n’a aucun document",
    query: sql<Row>`select e.id as subject from envelopes e where e.status = 'completed' and ${LIVING}
      and not exists (select from documents d where d.envelope_id = e.id)`,
  },
  {
    invariant: 4,
    what: "un document d’une enveloppe terminée n’est ni signé, ni horodaté pour l’archivage",
    query: sql<Row>`select d.id as subject from documents d join envelopes e on e.id = d.envelope_id
      where e.status = 'completed' and ${LIVING} and not (exists (select from document_archives a where a.document_id = d.id)
        and exists (select from signatures s where s.document_id = d.id))`,
  },
  {
    invariant: 5,
    what: "les signatures d’un document ne sont pas celles des destinataires qui ont signé",
    query: sql<Row>`select d.id as subject from documents d join envelopes e on e.id = d.envelope_id and ${LIVING} and e.status <> 'draft'
      where exists (select from recipients r where r.envelope_id = e.id and r.status = 'signed'
          and not exists (select from signatures s where s.document_id = d.id and s.recipient_id = r.id))
        or exists (select from signatures s where s.document_id = d.id
          and not exists (select from recipients r where r.id = s.recipient_id and r.envelope_id = e.id and r.status = 'signed'))`,
  },
];

const CANCELLATIONS: readonly StoreRule[] = [
  {
    invariant: 7,
    what: "une enveloppe annulée a gagné une signature, d’après l’historique",
    // In journal order: signatures have the date of consent, before the seal.
    query: sql<Row>`select distinct v.envelope_id as subject from audit_events v where v.action = 'recipient_signed' and 'envelope_cancelled' = (
        select w.action from audit_events w where w.envelope_id = v.envelope_id and w.sequence < v.sequence
          and w.action in ('envelope_cancelled', 'envelope_restored') order by w.sequence desc limit 1)`,
  },
  {
    invariant: 7,
    what: "une enveloppe annulée a gagné une signature, dans la base",
    query: sql<Row>`select distinct e.id as subject from envelopes e join signing_acts a on a.envelope_id = e.id
      where e.status = 'cancelled' and ${LIVING} and a.sealed_at > e.cancelled_at`,
  },
];

export const RULES: readonly StoreRule[] = [
  ...SIGNATURES,
  ...JOURNALS,
  ...COMPLETIONS,
  ...CANCELLATIONS,
];

/** A self-signed document has no messages. */
const HAS_MESSAGES = sql`e.purged_at is null and not exists (select from signing_acts a where a.envelope_id = e.id and a.method in ('self', 'bulk'))`;
/** Messages to members go with their account. */
const OWNER_STAYS = sql`exists (select from users u where u.id = e.owner_id and u.erased_at is null)`;
const noneErasedSince = (at: "completed_at" | "updated_at") =>
  sql`not exists (select from users u where u.erased_at >= ${sql.ref(`e.${at}`)})`;

/** At least one mail per event and recipient, with one Message-ID; one per address. */
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
    query: sql<Row>`select e.id as subject from envelopes e where e.status in ('completed', 'declined', 'expired') and ${HAS_MESSAGES} and ${OWNER_STAYS}
      and not exists (select from notices n where n.envelope_id = e.id and n.kind = e.status and n.user_id = e.owner_id)`,
  },
  {
    invariant: 6,
    what: "un destinataire n’a pas reçu de message de fin",
    // Recipients of one address share a message; the sender's goes to the sender.
    query: sql<Row>`select r.id as subject from recipients r join envelopes e on e.id = r.envelope_id
      where e.status = 'completed' and ${HAS_MESSAGES} and ${noneErasedSince("completed_at")}
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

/** Attempts end after two days: an older message that is not delayed to a morning is stuck. */
export const stuckMessages = (now: Date): StoreRule => ({
  invariant: 6,
  what: "un message attend depuis plus de trois jours",
  query: sql<Row>`select id as subject from notices
    where state = 'queued' and coalesce(not_before, created_at) < ${new Date(now.getTime() - 3 * 86_400_000)}`,
});
