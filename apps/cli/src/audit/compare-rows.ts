import {
  fileOf,
  isBetween,
  isNear,
  type JournalFacts,
  type JournalParty,
  serialNumber,
} from "@paraphe/proof/parts";

/** Moments in ISO 8601, hashes in hexadecimal. */
export type EnvelopeRows = {
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
  }[];
  /** In their order. */
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

/** Records a French part name where rows and journal differ. */
type Compare = (what: string, isSame: boolean) => void;

/**
 * Gives the parts, in French and without personal data, where rows differ from the journal; erased
 * values are not compared.
 */
export function compareRows(facts: JournalFacts, rows: EnvelopeRows): readonly string[] {
  const found: string[] = [...facts.faults];
  const compare: Compare = (what, isSame) => {
    if (!isSame) found.push(`${what}\u00a0: ses lignes ne disent pas ce que dit l’historique`);
  };
  compareEnvelope(facts, rows, compare);
  // No event has the parts before sending; after a purge only hashes remain.
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

/** True where the journal says nothing. */
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
  compare(`le nom ${of}`, isSaid(party.name, row.name));
  compare(`l’adresse ${of}`, isSaid(party.email, row.email));
  compare(`le numéro ${of}`, party.email === null || party.phone === row.phone);
  if (party.email !== null) compare(`la qualité ${of}`, party.role === row.role);
  compare(
    `l’état ${of}`,
    (row.status === "signed") === (made !== undefined) &&
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
