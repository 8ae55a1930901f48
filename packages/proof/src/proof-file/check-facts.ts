import { fromBase64 } from "@paraphe/kernel/bytes";
import { canonicalJson } from "@paraphe/kernel/canonical-json";
import type { ProofContent } from "@paraphe/contracts/proof/proof-file";
import { PadesError, parseCertificate, signatureFieldName } from "@paraphe/pades/parts";
import {
  fileOf,
  isBetween,
  isNear,
  type JournalFacts,
  signerInWords,
  STATE_NAMES,
} from "../journal.ts";
import { serialNumber } from "../match-file.ts";
import { statedReach } from "../reaches.ts";
import type { CheckContext, CheckState, ProofCheck } from "./types.ts";

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+?)-----END CERTIFICATE-----/g;

/** DER or PEM to DER (RFC 7468 §5). */
export function readCertificates(bytes: Uint8Array): readonly Uint8Array[] {
  try {
    const blocks = [...new TextDecoder("latin1").decode(bytes).matchAll(PEM)];
    const found =
      blocks.length > 0
        ? blocks.map(([, text = ""]) => fromBase64(text.replace(/\s/g, "")))
        : [bytes];
    found.forEach(parseCertificate);
    return found;
  } catch (error) {
    if (error instanceof PadesError || error instanceof DOMException) return [];
    throw error;
  }
}

const check = (state: CheckState, sentence: string): ProofCheck => ({
  name: "journal_facts",
  state,
  subject: null,
  sentence,
});

export function checkFacts({ content, facts }: CheckContext): ProofCheck {
  const [fault] = [
    ...facts.faults,
    ...stateFaults(content, facts),
    ...fileFaults(content, facts),
    ...printFaults(content, facts),
    ...(content.purged
      ? []
      : [...signatureFaults(content, facts), ...signerFaults(content, facts)]),
  ];
  if (fault !== undefined) return check("failed", fault);
  if (content.purged)
    return check("ok", "Les empreintes et les dates de la preuve sont celles de l’historique.");
  if (facts.closed.length > 0)
    return check(
      "not_checked",
      `L’historique ne montre plus de quoi vérifier\u00a0: ${facts.closed.join(", ")}.`,
    );
  if (isLate(content, facts))
    return check(
      "not_checked",
      "L’enveloppe était terminée depuis longtemps, et le journal de transparence ne la couvrait pas\u00a0: il l’aurait dû.",
    );
  return check(
    "ok",
    "L’état, les signataires, les dates et les fichiers de la preuve sont ceux de l’historique.",
  );
}

const differs = (what: string, said: string, written: string): string =>
  `Pour ${what}, l’historique dit «\u00a0${said}\u00a0», la preuve «\u00a0${written}\u00a0».`;

function stateFaults(content: ProofContent, facts: JournalFacts): readonly string[] {
  const { purged, completed, cancelled, completed_at, purged_at, title, chain, journal } = content;
  const isCompleted = purged ? facts.completedAt !== null : facts.state === "completed";
  // A purged envelope does not say how it ended.
  const ended = purged ? null : facts.state;
  const isCancelled = !purged && facts.state === "cancelled";
  const faults: string[] = [];
  const isSaid = (state: "declined" | "expired") =>
    (content[state] ?? ended === state) === (ended === state);
  if (
    completed !== isCompleted ||
    cancelled !== isCancelled ||
    !isSaid("declined") ||
    !isSaid("expired")
  )
    faults.push(differs("l’enveloppe", STATE_NAMES[facts.state], describeState(content)));
  if (purged !== (facts.purgedAt !== null) || !isNear(facts.purgedAt, purged_at))
    faults.push(differs("la suppression", facts.purgedAt ?? "aucune", purged_at ?? "aucune"));
  if (!isNear(facts.completedAt, completed_at))
    faults.push(differs("la date de fin", facts.completedAt ?? "aucune", completed_at ?? "aucune"));
  if (!purged && content.proof_only !== facts.proofOnly)
    faults.push(
      differs(
        "ce que la page publique montre",
        saysOnly(facts.proofOnly),
        saysOnly(content.proof_only),
      ),
    );
  if ((content.completion_logged ?? isEndLogged(content, facts)) !== isEndLogged(content, facts))
    faults.push(
      "La preuve dit autrement que le journal de transparence s’il couvre la fin de l’enveloppe.",
    );
  if (title !== null && facts.title !== null && facts.title !== title)
    faults.push(differs("le titre", facts.title, title));
  if (chain.count > journal.events.length)
    faults.push(
      differs("le nombre d’événements", String(journal.events.length), String(chain.count)),
    );
  return faults;
}

function printFaults({ print }: ProofContent, facts: JournalFacts): readonly string[] {
  if (print === null) return [];
  const made = facts.prints.get(print.id);
  if (made === undefined)
    return ["L’historique de cette enveloppe ne connaît pas cette impression."];
  return [
    ...(made.qrType === print.qr_type
      ? []
      : [differs("le genre de l’impression", made.qrType, print.qr_type)]),
    ...(isNear(made.at, print.created_at)
      ? []
      : [differs("la date de l’impression", made.at, print.created_at)]),
  ];
}

const saysOnly = (proofOnly: boolean): string => (proofOnly ? "la preuve seule" : "le document");

function describeState(content: ProofContent): string {
  const said = (["completed", "cancelled", "declined", "expired"] as const).filter(
    (state) => content[state] === true,
  );
  return said.length === 0 ? "en cours" : said.map((state) => STATE_NAMES[state]).join(", ");
}

function fileFaults(
  { files, documents, hash_sha256 }: ProofContent,
  facts: JournalFacts,
): readonly string[] {
  const faults: string[] = [];
  if (facts.documents.join() !== files.map(({ document }) => document).join())
    faults.push(differs("les documents", String(facts.documents.length), String(files.length)));
  const isSame = files.every(
    (file, index) =>
      documents[index]?.hash_sha256 === file.sha256 && documents[index]?.name === file.name,
  );
  if (documents.length !== files.length || hash_sha256 !== (files[0]?.sha256 ?? null) || !isSame)
    faults.push("Les empreintes que la preuve montre ne sont pas celles de ses fichiers.");
  for (const { document, name, sha256 } of files) {
    const [known, named] = [facts.documentNames.get(document), fileOf(facts, document)];
    if (known !== undefined && name !== null && known !== name)
      faults.push(differs("le nom d’un document", known, name));
    if (named !== sha256)
      faults.push(differs("l’empreinte d’un fichier", named ?? "aucune", sha256));
  }
  return faults;
}

function signatureFaults(
  { envelope, signatures }: ProofContent,
  facts: JournalFacts,
): readonly string[] {
  const faults: string[] = [];
  const made = facts.signatures.flatMap((one) =>
    one.documents.map((document) => ({ ...one, document })),
  );
  if (made.length !== signatures.length)
    faults.push(differs("le nombre de signatures", String(made.length), String(signatures.length)));
  for (const { document, recipient, serial, name, since, at, reach } of made) {
    const row = signatures.find(
      (one) => one.document === document && one.field === signatureFieldName(envelope, recipient),
    );
    if (row === undefined) faults.push(differs("la signature de", name ?? "quelqu’un", "absente"));
    else if (serialNumber(serial) !== serialNumber(row.serial_number))
      faults.push(differs("le certificat", serial, row.serial_number));
    else if (name !== null && name !== row.signer_name)
      faults.push(differs("un signataire", name, row.signer_name));
    else if (reach !== null && !reach.confirmed.includes("email") && statesAddress(row.certificate))
      faults.push(
        `Le certificat de «\u00a0${name ?? row.signer_name}\u00a0» porte une adresse que rien n’a confirmée, d’après l’historique.`,
      );
    else if (!isBetween(row.signed_at, since, at))
      faults.push(differs("la date d’une signature", at, row.signed_at));
  }
  return faults;
}

function statesAddress(der: string | null): boolean {
  const [readable] = der === null ? [] : readCertificates(fromBase64(der));
  return readable !== undefined && parseCertificate(readable).emails.length > 0;
}

/** Compares name and last time-stamp of each signer, in any order. */
function signerFaults(
  { envelope, signers, signatures }: ProofContent,
  facts: JournalFacts,
): readonly string[] {
  const faults: string[] = [];
  const expected = facts.signers.length;
  if (expected !== signers.length)
    faults.push(differs("le nombre de signataires", String(expected), String(signers.length)));
  const rest = [...signers];
  const take = (isIt: (signer: ProofContent["signers"][number]) => boolean, name: string) => {
    const at = rest.findIndex(isIt);
    if (at < 0)
      faults.push(
        `L’historique dit autrement que la preuve qui a signé, et quand\u00a0: «\u00a0${name}\u00a0».`,
      );
    else rest.splice(at, 1);
  };
  for (const made of facts.signatures) {
    const own = signatures.filter(
      ({ field }) => field === signatureFieldName(envelope, made.recipient),
    );
    const times = own.flatMap(({ timestamp }) => (timestamp === null ? [] : [timestamp.time]));
    const [at, name] = [
      times.toSorted().at(-1) ?? null,
      signerInWords(made) ?? own[0]?.signer_name ?? "",
    ];
    take(
      ({ full_name, signed, signed_at }) => signed && full_name === name && signed_at === at,
      name,
    );
    const shown = signers.filter(
      ({ full_name, signed, signed_at }) => signed && full_name === name && signed_at === at,
    );
    const stated = canonicalJson(made.reach && statedReach(made.reach));
    if (
      shown.length > 0 &&
      !shown.some(({ reach }) => reach === undefined || canonicalJson(reach) === stated)
    )
      faults.push(
        `La preuve dit autrement que l’historique comment «\u00a0${name}\u00a0» a été joint, et ce qui a répondu.`,
      );
  }
  const signed = new Set(facts.signatures.map(({ recipient }) => recipient));
  for (const id of facts.signers) {
    const name = facts.names.get(id);
    if (!signed.has(id) && name !== undefined)
      take((signer) => !signer.signed && signer.full_name === name, name);
  }
  return rest.some((signer) => signer.signed)
    ? [...faults, differs("un signataire", "personne", rest[0]?.full_name ?? "")]
    : faults;
}

/** Checkpoints are hourly, and an outage may last an hour. */
const LOGGED_WITHIN_MS = 2 * 3_600_000;

function isLate(
  { inclusion, checked_at }: ProofContent,
  { completedAt, completedSequence }: JournalFacts,
): boolean {
  if (
    completedAt === null ||
    completedSequence === null ||
    Date.parse(checked_at) - Date.parse(completedAt) <= LOGGED_WITHIN_MS
  )
    return false;
  return inclusion === null || inclusion.entry.sequence < completedSequence;
}

/** A checkpoint that covers the beginning says nothing of the end. */
export function isEndLogged(
  { inclusion }: Pick<ProofContent, "inclusion">,
  { completedSequence }: Pick<JournalFacts, "completedSequence">,
): boolean {
  return (
    inclusion !== null &&
    completedSequence !== null &&
    inclusion.entry.sequence >= completedSequence
  );
}
