import { CLOCK_MARGIN_MS, isNear } from "./is-near.ts";
import { serialNumber } from "./hold-file.ts";
import { type EnvelopeState, type JournalFacts, lastFileOf } from "./journal-facts.ts";

/** A signature as it is stored beside the journal. */
export type ClaimedSignature = {
  readonly document: string;
  readonly recipient: string | null;
  readonly serial: string;
  readonly name: string;
  readonly signedAt: string;
};

/**
 * What tables say of an envelope, to be held against its journal. `signers`: those who must sign; `documents`: in order, with the hash of the current file
 * where it is signed, null before.
 */
export type EnvelopeClaims = {
  readonly state: EnvelopeState;
  readonly title: string;
  readonly completedAt: string | null;
  readonly signers: readonly { readonly id: string; readonly name: string; readonly signed: boolean }[];
  readonly documents: readonly { readonly id: string; readonly name: string; readonly sha256: string; readonly isSigned: boolean }[];
  readonly signatures: readonly ClaimedSignature[];
};

export const STATE_NAMES: Readonly<Record<EnvelopeState, string>> = {
  draft: "en préparation",
  sent: "envoyée",
  pending: "en cours de signature",
  completed: "terminée",
  declined: "refusée",
  expired: "expirée",
  cancelled: "annulée",
};

/** Says, in French, where tables differ from the journal, which is the truth: one difference is enough for nothing to be believed. */
export function holdRows(facts: JournalFacts, claims: EnvelopeClaims): readonly string[] {
  return [
    ...facts.faults,
    ...stateFaults(facts, claims),
    ...signerFaults(facts, claims),
    ...documentFaults(facts, claims),
    ...signatureFaults(facts, claims),
  ];
}

const differs = (what: string, said: string, stored: string): string =>
  `Pour ${what}, l’historique dit «\u00a0${said}\u00a0», la base «\u00a0${stored}\u00a0».`;

function stateFaults(facts: JournalFacts, claims: EnvelopeClaims): readonly string[] {
  const faults: string[] = [];
  if (stateOf(facts.state) !== stateOf(claims.state))
    faults.push(differs("l’enveloppe", STATE_NAMES[facts.state], STATE_NAMES[claims.state]));
  if (!isNear(facts.completedAt, claims.completedAt))
    faults.push(differs("la date de fin", facts.completedAt ?? "aucune", claims.completedAt ?? "aucune"));
  if (facts.purgedAt !== null) faults.push(`L’historique dit que l’enveloppe a été supprimée le ${facts.purgedAt}, et la base la garde.`);
  if (facts.title !== null && facts.title !== claims.title) faults.push(differs("le titre", facts.title, claims.title));
  return faults;
}

/** What its owner alone signs is sent to nobody. */
const stateOf = (state: EnvelopeState): EnvelopeState => (state === "draft" ? "sent" : state);

function signerFaults(facts: JournalFacts, { signers }: EnvelopeClaims): readonly string[] {
  const faults: string[] = [];
  const expected = facts.signers?.length ?? facts.total ?? signers.length;
  const isSame = facts.signers === null || facts.signers.every((id) => signers.some((signer) => signer.id === id));
  if (expected !== signers.length || !isSame)
    faults.push(differs("le nombre de signataires", String(expected), `${signers.length}${isSame ? "" : ", et d’autres"}`));
  for (const { id, name, signed } of signers) {
    const made = facts.signatures.find(({ recipient }) => recipient === id);
    const known = made?.name ?? facts.names.get(id) ?? null;
    if (known !== null && known !== name) faults.push(differs("un signataire", known, name));
    if (signed !== (made !== undefined))
      faults.push(differs(name, made ? "a signé" : "n’a pas signé", signed ? "a signé" : "n’a pas signé"));
  }
  const unknown = facts.signatures.filter(({ recipient }) => !signers.some(({ id }) => id === recipient));
  return [...faults, ...unknown.map(({ name }) => differs("un signataire", name ?? "nom effacé", "personne"))];
}

function documentFaults(facts: JournalFacts, { documents }: EnvelopeClaims): readonly string[] {
  const faults: string[] = [];
  const ids = documents.map(({ id }) => id);
  if (facts.documents !== null && facts.documents.join() !== ids.join())
    faults.push(
      differs(
        "les documents",
        String(facts.documents.length),
        documents.length === facts.documents.length ? "d’autres" : String(ids.length),
      ),
    );
  for (const { id, name, sha256, isSigned } of documents) {
    const [known, named] = [facts.documentNames.get(id), lastFileOf(facts, id)];
    if (known !== undefined && known !== name) faults.push(differs("le nom d’un document", known, name));
    if (isSigned ? named !== sha256 : named !== null) faults.push(differs("l’empreinte d’un fichier", named ?? "aucune", sha256));
    if (!isSigned && facts.state !== "draft" && named === null && facts.prepared.size > 0 && !facts.prepared.has(sha256))
      faults.push(differs("l’empreinte d’un fichier", [...facts.prepared].join(", "), sha256));
  }
  return faults;
}

function signatureFaults(facts: JournalFacts, { signatures }: EnvelopeClaims): readonly string[] {
  const faults: string[] = [];
  const keyOf = (document: string, recipient: string | null) => `${document} ${recipient}`;
  const stored = new Map(signatures.map((row) => [keyOf(row.document, row.recipient), row]));
  const made = facts.signatures.flatMap((one) => one.documents.map((document) => ({ ...one, document })));
  if (signatures.length !== made.length) faults.push(differs("le nombre de signatures", String(made.length), String(signatures.length)));
  for (const { document, recipient, serial, name, since, at } of made) {
    const row = stored.get(keyOf(document, recipient));
    if (row === undefined) faults.push(differs("la signature de", name ?? facts.names.get(recipient) ?? "quelqu’un", "absente"));
    else {
      if (serial !== null && serialNumber(serial) !== serialNumber(row.serial)) faults.push(differs("le certificat", serial, row.serial));
      if (name !== null && name !== row.name) faults.push(differs("un signataire", name, row.name));
      if (!isBetween(row.signedAt, since, at)) faults.push(differs("la date d’une signature", at, row.signedAt));
    }
  }
  return faults;
}

/** A signature is of the moment of the consent, and is in the file once the time-stamp was had. */
export function isBetween(moment: string, since: string, until: string): boolean {
  const [at, from, to] = [moment, since, until].map((text) => Date.parse(text)) as [number, number, number];
  return at >= from - CLOCK_MARGIN_MS && at <= to + CLOCK_MARGIN_MS;
}
