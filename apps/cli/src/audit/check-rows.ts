import {
  type FactEvent,
  type JournalFacts,
  type JournalParty,
  fileOf,
  isBetween,
  isNear,
  readJournal,
  serialNumber,
} from "@paraphe/proof/parts";
import { sql } from "kysely";
import { type AuditOutcome, type AuditPlatform, auditOutcome } from "./audit-fault.ts";

const BATCH = 100;
const START = "00000000-0000-0000-0000-000000000000";

/** One snapshot has both: a running service writes between two reads. */
type Row = EnvelopeRows & { readonly id: string; readonly events: readonly FactEvent[] };

/** Proofs use the journal alone: a difference means that somebody wrote in the tables. */
export function checkRows({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome("Lignes des enveloppes, face à leur historique", async (notes) => {
    for (let after = START; ; ) {
      const rows = await readAfter(db, after);
      notes.checked(rows.length);
      for (const { id, events, ...row } of rows)
        for (const what of compareRows(readJournal(events), row))
          notes.fault(`enveloppe ${id}`, what);
      after = rows.at(-1)?.id ?? after;
      if (rows.length < BATCH) return;
    }
  });
}

const instant = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

async function readAfter(db: AuditPlatform["db"], after: string): Promise<readonly Row[]> {
  const { rows } = await sql<Row>`
    select e.id, json_build_object('status', e.status, 'title', e.title, 'createdBy', e.created_by_name,
        'proofOnly', e.proof_only, 'createdAt', ${instant("e.created_at")}, 'sentAt', ${instant("e.sent_at")},
        'completedAt', ${instant("e.completed_at")}, 'cancelledAt', ${instant("e.cancelled_at")},
        'deadlineAt', ${instant("e.deadline_at")}, 'purgedAt', ${instant("e.purged_at")}) as envelope,
      (select coalesce(json_agg(json_build_object('id', r.id, 'role', r.role, 'name', r.full_name, 'email', r.email,
          'phone', r.phone_number, 'status', r.status, 'viewedAt', ${instant("r.viewed_at")}, 'signedAt', ${instant("r.signed_at")},
          'declinedAt', ${instant("r.declined_at")}, 'declineReason', r.decline_reason, 'delegate', r.delegate ->> 'full_name')), '[]')
        from recipients r where r.envelope_id = e.id) as recipients,
      (select coalesce(json_agg(json_build_object('id', d.id, 'name', d.name, 'uploaded', encode(d.uploaded_sha256, 'hex'),
          'original', encode(o.blob_sha256, 'hex'), 'current', encode(c.blob_sha256, 'hex')) order by d.position), '[]')
        from documents d left join document_revisions o on o.document_id = d.id and o.number = 0
          left join document_revisions c on c.document_id = d.id and c.number = d.current_revision
        where d.envelope_id = e.id) as documents,
      (select coalesce(json_agg(json_build_object('document', s.document_id, 'recipient', s.recipient_id, 'serial', s.serial_number,
          'name', s.signer_name, 'signedAt', ${instant("s.signed_at")})), '[]')
        from signatures s where s.envelope_id = e.id) as signatures,
      (select coalesce(json_agg(json_build_object('recipient', a.recipient_id, 'method', a.method, 'version', a.consent_version,
          'documentsSha256', encode(a.documents_sha256, 'hex'), 'ip', a.ip_address, 'userAgent', a.user_agent,
          'signedAt', ${instant("a.signed_at")}, 'sealedAt', ${instant("a.sealed_at")})), '[]')
        from signing_acts a where a.envelope_id = e.id) as acts,
      (select coalesce(json_agg(json_build_object('id', p.id, 'qrType', p.qr_type, 'createdAt', ${instant("p.created_at")})), '[]')
        from prints p where p.envelope_id = e.id) as prints,
      (select coalesce(json_agg(json_build_object('sequence', v.sequence, 'at', ${instant("v.at")}, 'actor', v.actor,
          'action', v.action, 'detail', v.detail, 'personal', (
            select coalesce(jsonb_object_agg(i.name, jsonb_build_object('value', i.value)), '{}')
            from audit_details i where i.envelope_id = v.envelope_id and i.sequence = v.sequence)) order by v.sequence), '[]')
        from audit_events v where v.envelope_id = e.id) as events
    from (select * from envelopes where id > ${after}::uuid order by id limit ${BATCH}) e order by e.id`.execute(
    db,
  );
  return rows;
}

/** Times are ISO 8601, hashes hexadecimal. */
type EnvelopeRows = {
  readonly envelope: {
    readonly status: string;
    readonly title: string;
    readonly createdBy: string;
    readonly proofOnly: boolean;
    readonly createdAt: string;
    readonly sentAt: string | null;
    readonly completedAt: string | null;
    readonly cancelledAt: string | null;
    readonly deadlineAt: string | null;
    readonly purgedAt: string | null;
  };
  readonly recipients: readonly {
    readonly id: string;
    readonly role: string;
    readonly name: string;
    readonly email: string;
    readonly phone: string | null;
    readonly status: string;
    readonly viewedAt: string | null;
    readonly signedAt: string | null;
    readonly declinedAt: string | null;
    readonly declineReason: string | null;
    readonly delegate: string | null;
  }[];
  readonly documents: readonly {
    readonly id: string;
    readonly name: string;
    readonly uploaded: string;
    readonly original: string;
    readonly current: string;
  }[];
  readonly signatures: readonly {
    readonly document: string;
    readonly recipient: string | null;
    readonly serial: string;
    readonly name: string;
    readonly signedAt: string;
  }[];
  readonly acts: readonly {
    readonly recipient: string;
    readonly method: string;
    readonly version: string;
    readonly documentsSha256: string;
    readonly ip: string | null;
    readonly userAgent: string | null;
    readonly signedAt: string;
    readonly sealedAt: string | null;
  }[];
  readonly prints: readonly {
    readonly id: string;
    readonly qrType: string;
    readonly createdAt: string;
  }[];
};

type Compare = (what: string, isSame: boolean) => void;

/** Gives the differing parts, in French, without personal data; erased values are not compared. */
function compareRows(facts: JournalFacts, rows: EnvelopeRows): readonly string[] {
  const found: string[] = [...facts.faults];
  const compare: Compare = (what, isSame) => {
    if (!isSame) found.push(`${what}\u00a0: ses lignes ne disent pas ce que dit l’historique`);
  };
  compareEnvelope(facts, rows, compare);
  // Before sending, no event has them; a purge leaves hashes.
  if (facts.signers.length > 0) compareDocuments(facts, rows, compare);
  if (facts.signers.length > 0 && facts.purgedAt === null) {
    compareParties(facts, rows, compare);
    compareSignatures(facts, rows, compare);
    compareConsents(facts, rows, compare);
  }
  for (const { id, qrType, createdAt } of rows.prints) {
    const made = facts.prints.get(id);
    compare(
      `le genre ou la date de l’impression ${id}`,
      made !== undefined && made.qrType === qrType && isNear(made.at, createdAt),
    );
  }
  return found;
}

const isSaid = (said: string | null | undefined, stored: string | null): boolean =>
  said === null || said === undefined || said === stored;

function compareEnvelope(facts: JournalFacts, { envelope }: EnvelopeRows, compare: Compare): void {
  // A self-signed document is never sent.
  const isOwn = facts.state === "draft" && facts.signers.length > 0;
  compare("l’état", envelope.status === (isOwn ? "sent" : facts.state));
  compare("la date de création", isNear(facts.createdAt, envelope.createdAt));
  compare("la date de fin", isNear(facts.completedAt, envelope.completedAt));
  compare("la date d’annulation", isNear(facts.cancelledAt, envelope.cancelledAt));
  compare("la date de suppression", isNear(facts.purgedAt, envelope.purgedAt));
  if (facts.purgedAt !== null) return;
  compare("ce que la page publique montre", facts.proofOnly === envelope.proofOnly);
  compare("le nom de l’expéditeur", isSaid(facts.sender.name, envelope.createdBy));
  if (facts.signers.length === 0) return;
  compare("le titre", isSaid(facts.title, envelope.title));
  compare("l’échéance", isNear(facts.deadlineAt, envelope.deadlineAt));
  if (!isOwn && facts.sentAt !== null)
    compare("la date d’envoi", isNear(facts.sentAt, envelope.sentAt));
}

function compareDocuments(
  facts: JournalFacts,
  { documents }: EnvelopeRows,
  compare: Compare,
): void {
  compare("les documents", facts.documents.join() === documents.map(({ id }) => id).join());
  for (const { id, name, uploaded, original, current } of documents) {
    compare(`le fichier du document ${id}`, isSaid(fileOf(facts, id), current));
    if (facts.purgedAt !== null) continue;
    compare(`le nom du document ${id}`, isSaid(facts.documentNames.get(id), name));
    compare(`le fichier déposé du document ${id}`, isSaid(facts.uploaded.get(id), uploaded));
    compare(`le fichier à signer du document ${id}`, isSaid(facts.originals.get(id), original));
  }
}

function compareParties(facts: JournalFacts, { recipients }: EnvelopeRows, compare: Compare): void {
  const isWhole = !facts.closedToOwner.includes("les parties");
  const ids = recipients.map(({ id }) => id);
  compare(
    "les parties",
    [...facts.parties.keys()].every((id) => ids.includes(id)) &&
      (!isWhole || ids.length === facts.parties.size),
  );
  for (const row of recipients) {
    const party = facts.parties.get(row.id);
    if (party !== undefined) compareParty(facts, { party, row }, compare);
  }
}

function compareParty(
  facts: JournalFacts,
  {
    party,
    row,
  }: { readonly party: JournalParty; readonly row: EnvelopeRows["recipients"][number] },
  compare: Compare,
): void {
  const made = facts.signatures.find(({ recipient }) => recipient === row.id);
  const of = `de la partie ${row.id}`;
  const delegate = (party.consent ?? party.visa)?.delegate;
  compare(`le nom ${of}`, isSaid(party.name, row.name));
  compare(`l’adresse ${of}`, isSaid(party.email, row.email));
  compare(
    `le délégué ${of}`,
    (delegate === undefined) === (row.delegate === null) && isSaid(delegate?.name, row.delegate),
  );
  compare(`le numéro ${of}`, party.email === null || party.phone === row.phone);
  if (party.email !== null) compare(`la qualité ${of}`, party.role === row.role);
  compare(
    `l’état ${of}`,
    (row.status === "signed") === (made !== undefined) &&
      (row.status === "approved") === (party.visa !== null) &&
      (row.status === "declined") === (party.declinedAt !== null),
  );
  compare(
    `la date d’ouverture ${of}`,
    row.viewedAt === null || isNear(party.viewedAt, row.viewedAt),
  );
  compare(
    `la date de consentement ${of}`,
    isNear(made === undefined ? null : made.since, row.signedAt),
  );
  compare(`la date de refus ${of}`, isNear(party.declinedAt, row.declinedAt));
  compare(`le motif de refus ${of}`, isSaid(party.declineReason, row.declineReason));
}

function compareSignatures(
  facts: JournalFacts,
  { signatures }: EnvelopeRows,
  compare: Compare,
): void {
  const made = facts.signatures.flatMap((one) =>
    one.documents.map((document) => ({ ...one, document })),
  );
  compare("les signatures", made.length === signatures.length);
  for (const { document, recipient, serial, name, since, at } of made) {
    const row = signatures.find((one) => one.document === document && one.recipient === recipient);
    const of = `la signature de la partie ${recipient}`;
    compare(of, row !== undefined);
    if (row === undefined) continue;
    compare(`le certificat de ${of}`, serialNumber(serial) === serialNumber(row.serial));
    compare(`le nom de ${of}`, isSaid(name, row.name));
    compare(`la date de ${of}`, isBetween(row.signedAt, since, at));
  }
}

function compareConsents(facts: JournalFacts, { acts }: EnvelopeRows, compare: Compare): void {
  for (const [id, { consent }] of facts.parties) {
    const act = acts.find(({ recipient }) => recipient === id);
    const of = `du consentement de la partie ${id}`;
    compare(`l’existence ${of}`, (consent === undefined) === (act === undefined));
    if (consent === undefined || act === undefined) continue;
    const sealedAt = facts.signatures.find(({ recipient }) => recipient === id)?.at ?? null;
    compare(`le moyen ${of}`, consent.method === act.method);
    compare(`le texte ${of}`, consent.version === act.version);
    compare(`les documents ${of}`, consent.documentsSha256 === act.documentsSha256);
    compare(`l’adresse IP ${of}`, consent.ip === undefined || consent.ip === act.ip);
    compare(
      `le navigateur ${of}`,
      consent.userAgent === undefined || (consent.userAgent ?? "") === (act.userAgent ?? ""),
    );
    compare(`la date ${of}`, isNear(consent.since, act.signedAt));
    compare(`la date de scellement ${of}`, isNear(sealedAt, act.sealedAt));
  }
  const others = acts.filter(({ recipient }) => !facts.parties.has(recipient));
  compare("les auteurs des consentements", others.length === 0);
}
