import {
  signatureFieldName,
  type SignatureReport,
  type ValidationReport,
} from "@paraphe/pades/parts";
import {
  CLOCK_MARGIN_MS,
  type EnvelopeState,
  isNamed,
  isNear,
  type JournalFacts,
  type JournalSignature,
  lastFileOf,
  signaturesOf,
} from "./journal-facts.ts";

/** A signature that the journal names, and where the file bears it; undefined where it does not. */
export type NamedSignature = {
  readonly made: JournalSignature;
  readonly report: SignatureReport | undefined;
};

/**
 * A file held against what the journal says of its document. `strays`: signatures under this service's root, made after the first one, that it does not name; `faults`: where
 * a signature's own time-stamp or certificate says otherwise than the event that tells of it, in French.
 */
export type HeldFile = {
  readonly named: readonly NamedSignature[];
  readonly strays: readonly SignatureReport[];
  readonly faults: readonly string[];
};

/**
 * Holds what a validation found in a document's file against the journal: each signature by its own field, which is named after the envelope and the person and is among
 * what is signed, the number of its certificate, the name there, and the time of its time-stamp. A journal that was written anew, under another envelope or with other
 * dates, is not the file's.
 */
export function holdFile(
  facts: Pick<JournalFacts, "signatures">,
  { envelope, document }: { readonly envelope: string; readonly document: string },
  report: Pick<ValidationReport, "signatures">,
): HeldFile {
  const signatures = report.signatures.filter(({ kind }) => kind === "signature");
  const named = signaturesOf(facts, document).map((made) => ({
    made,
    report: signatures.find((one) => isMade(one, envelope, made)),
  }));
  const own = new Set(named.map((one) => one.report));
  // What stands before the first signature came with the file that was sent: it may have been signed here, in another envelope.
  const first = Math.min(
    ...named.flatMap((one) => (one.report === undefined ? [] : [one.report.revisionLength])),
  );
  const strays = signatures.filter(
    (one) => !own.has(one) && one.issuerNames.length > 0 && one.revisionLength > first,
  );
  return { named, strays, faults: named.flatMap(faultsOf) };
}

/** A signature is in the journal as soon as it is in the file. */
function faultsOf({ made, report }: NamedSignature): readonly string[] {
  const { certificate = null, timestamp = null } = report ?? {};
  const who = certificate?.subject.commonName ?? made.name ?? "quelqu’un";
  const stamped = timestamp?.time.toISOString() ?? null;
  return [
    ...(stamped === null || isNear(made.at, stamped)
      ? []
      : [
          `L’historique dit la signature de «\u00a0${who}\u00a0» du ${made.at}, et son horodatage du ${stamped}.`,
        ]),
    ...(certificate === null || made.name === null || isNamed(made.name, certificate)
      ? []
      : [
          `L’historique dit que «\u00a0${made.name}\u00a0» a signé, et le certificat de la signature est celui de «\u00a0${who}\u00a0».`,
        ]),
  ];
}

function isMade(
  { fieldName, certificate }: SignatureReport,
  envelope: string,
  { recipient, serial }: JournalSignature,
): boolean {
  return (
    fieldName === signatureFieldName(envelope, recipient) &&
    certificate !== null &&
    (serial === null || serialNumber(serial) === serialNumber(certificate.serialNumber))
  );
}

/** A certificate's number, however it is written. */
export function serialNumber(serial: string): string {
  return serial
    .toLowerCase()
    .replace(/[^0-9a-f]/g, "")
    .replace(/^0+/, "");
}

/** Makes hashes of what was fed so far, which can be fed on. */
type RunningHash = { update(bytes: Uint8Array): unknown; digestSoFar(): string };

/**
 * Says whether a file is the one that the journal last names for its document, and begins with every one that it named before: each signature, and each
 * archive time-stamp, is appended to the bytes before it (ISO 32000-2 §7.5.6). A file of another envelope that an event names is none.
 * Shape: `ends` are the lengths that the file had at each of its signatures and time-stamps; `sha256` in hexadecimal.
 */
export function isFileNamed(
  { files }: Pick<JournalFacts, "files">,
  file: {
    readonly document: string;
    readonly sha256: string;
    readonly bytes: Uint8Array;
    readonly ends: readonly number[];
  },
  hash: RunningHash,
): boolean {
  const named = files.get(file.document) ?? [];
  if (named.at(-1) !== file.sha256) return false;
  const before = new Set(named.slice(0, -1).filter((sha256) => sha256 !== file.sha256));
  let at = 0;
  for (const end of file.ends.toSorted((left, right) => left - right)) {
    if (before.size === 0) return true;
    if (end <= at || end > file.bytes.length) continue;
    hash.update(file.bytes.subarray(at, end));
    before.delete(hash.digestSoFar());
    at = end;
  }
  return before.size === 0;
}

/** A QR code as it is stored beside the journal, or as a proof tells of it. */
export type ClaimedPrint = {
  readonly id: string;
  readonly qrType: string;
  readonly createdAt: string;
};

/** Says, in French, where a QR code is not one that the journal tells of: another kind, another moment, or another envelope's. `where`: what is held against it. */
export function holdPrint(
  { prints }: Pick<JournalFacts, "prints">,
  { id, qrType, createdAt }: ClaimedPrint,
  where: "la base" | "la preuve",
): readonly string[] {
  const differs = (what: string, said: string, other: string): string =>
    `Pour ${what}, l’historique dit «\u00a0${said}\u00a0», ${where} «\u00a0${other}\u00a0».`;
  const made = prints.get(id);
  if (made === undefined)
    return ["L’historique de cette enveloppe ne connaît pas cette impression."];
  return [
    ...(made.qrType === null || made.qrType === qrType
      ? []
      : [differs("le genre de l’impression", made.qrType, qrType)]),
    ...(isNear(made.at, createdAt) ? [] : [differs("la date de l’impression", made.at, createdAt)]),
  ];
}

/** A signature as it is stored beside the journal. */
type ClaimedSignature = {
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
  readonly signers: readonly {
    readonly id: string;
    readonly name: string;
    readonly signed: boolean;
  }[];
  readonly documents: readonly {
    readonly id: string;
    readonly name: string;
    readonly sha256: string;
    readonly isSigned: boolean;
  }[];
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
    faults.push(
      differs("la date de fin", facts.completedAt ?? "aucune", claims.completedAt ?? "aucune"),
    );
  if (facts.purgedAt !== null)
    faults.push(
      `L’historique dit que l’enveloppe a été supprimée le ${facts.purgedAt}, et la base la garde.`,
    );
  if (facts.title !== null && facts.title !== claims.title)
    faults.push(differs("le titre", facts.title, claims.title));
  return faults;
}

/** What its owner alone signs is sent to nobody. */
const stateOf = (state: EnvelopeState): EnvelopeState => (state === "draft" ? "sent" : state);

function signerFaults(facts: JournalFacts, { signers }: EnvelopeClaims): readonly string[] {
  const faults: string[] = [];
  const expected = facts.signers?.length ?? facts.total ?? signers.length;
  const isSame =
    facts.signers === null ||
    facts.signers.every((id) => signers.some((signer) => signer.id === id));
  if (expected !== signers.length || !isSame)
    faults.push(
      differs(
        "le nombre de signataires",
        String(expected),
        `${signers.length}${isSame ? "" : ", et d’autres"}`,
      ),
    );
  for (const { id, name, signed } of signers) {
    const made = facts.signatures.find(({ recipient }) => recipient === id);
    const known = made?.name ?? facts.names.get(id) ?? null;
    if (known !== null && known !== name) faults.push(differs("un signataire", known, name));
    if (signed !== (made !== undefined))
      faults.push(
        differs(name, made ? "a signé" : "n’a pas signé", signed ? "a signé" : "n’a pas signé"),
      );
  }
  const unknown = facts.signatures.filter(
    ({ recipient }) => !signers.some(({ id }) => id === recipient),
  );
  return [
    ...faults,
    ...unknown.map(({ name }) => differs("un signataire", name ?? "nom effacé", "personne")),
  ];
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
    if (known !== undefined && known !== name)
      faults.push(differs("le nom d’un document", known, name));
    if (isSigned ? named !== sha256 : named !== null)
      faults.push(differs("l’empreinte d’un fichier", named ?? "aucune", sha256));
    if (
      !isSigned &&
      facts.state !== "draft" &&
      named === null &&
      facts.prepared.size > 0 &&
      !facts.prepared.has(sha256)
    )
      faults.push(differs("l’empreinte d’un fichier", [...facts.prepared].join(", "), sha256));
  }
  return faults;
}

function signatureFaults(facts: JournalFacts, { signatures }: EnvelopeClaims): readonly string[] {
  const faults: string[] = [];
  const keyOf = (document: string, recipient: string | null) => `${document} ${recipient}`;
  const stored = new Map(signatures.map((row) => [keyOf(row.document, row.recipient), row]));
  const made = facts.signatures.flatMap((one) =>
    one.documents.map((document) => ({ ...one, document })),
  );
  if (signatures.length !== made.length)
    faults.push(differs("le nombre de signatures", String(made.length), String(signatures.length)));
  for (const { document, recipient, serial, name, since, at } of made) {
    const row = stored.get(keyOf(document, recipient));
    if (row === undefined)
      faults.push(
        differs("la signature de", name ?? facts.names.get(recipient) ?? "quelqu’un", "absente"),
      );
    else {
      if (serial !== null && serialNumber(serial) !== serialNumber(row.serial))
        faults.push(differs("le certificat", serial, row.serial));
      if (name !== null && name !== row.name) faults.push(differs("un signataire", name, row.name));
      if (!isBetween(row.signedAt, since, at))
        faults.push(differs("la date d’une signature", at, row.signedAt));
    }
  }
  return faults;
}

/** A signature is of the moment of the consent, and is in the file once the time-stamp was had. */
export function isBetween(moment: string, since: string, until: string): boolean {
  const [at, from, to] = [moment, since, until].map((text) => Date.parse(text)) as [
    number,
    number,
    number,
  ];
  return at >= from - CLOCK_MARGIN_MS && at <= to + CLOCK_MARGIN_MS;
}
