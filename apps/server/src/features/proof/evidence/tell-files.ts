import { createHash } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import type { CertificateFacts, SignatureReport } from "@paraphe/pades";
import {
  AlteredFileError,
  type FileStore,
  MissingFileError,
} from "../../../platform/files/file-store.ts";
import type { ValidatedDocument } from "../prints/validate-envelope.ts";
import type { SendingInJournal } from "./domain/people-in-journal.ts";

/**
 * What a document was made from: the file that was deposited, and the one that is signed, which is another where a corrected copy was accepted (SHA-256, hexadecimal).
 * Null: the journal knows another, or nothing says which. `source`: who says it; `file`: the file that is kept begins with it.
 */
export type Deposit = {
  readonly uploaded: string | null;
  readonly original: string | null;
  readonly source: "journal" | "file" | "tables";
};
/** A signature as the file bears it, with its own certificate, whatever a row keeps of it; `recipient`: whose it is. */
export type ToldSignature = {
  readonly recipient: string | null;
  readonly report: SignatureReport;
  readonly certificate: CertificateFacts;
};
export type ToldDocument = ValidatedDocument & {
  readonly deposit: Deposit;
  readonly signatures: readonly ToldSignature[];
};

/** `differences`: in French. */
export type ToldFiles = {
  readonly validated: readonly ToldDocument[];
  readonly differences: readonly string[];
};

/**
 * Holds what the rows say of an envelope's files against its journal and the files themselves: what was deposited, what was accepted in its place, its pages, its size.
 * `sending`: null where the journal does not hold, and nothing comes from it.
 */
export async function tellFiles(
  files: Pick<FileStore, "get">,
  {
    validated,
    sending,
  }: {
    readonly validated: readonly ValidatedDocument[];
    readonly sending: SendingInJournal | null;
  },
): Promise<ToldFiles> {
  const differences: string[] = [];
  const told: ToldDocument[] = [];
  for (const one of validated) {
    const bytes = one.judged.isStored ? await readKept(files, one.sha256) : null;
    const document = documentTold(one, bytes, differences);
    const deposit =
      sending === null ? fromTables(one) : depositTold(one, { bytes, sending, differences });
    told.push({ ...one, document, deposit, signatures: signaturesIn(one, sending) });
  }
  return { validated: told, differences };
}

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Those that the journal names; where it does not hold, those that the rows know. */
function signaturesIn(
  { named, found }: ValidatedDocument,
  sending: SendingInJournal | null,
): readonly ToldSignature[] {
  const all =
    sending === null
      ? found.map(({ report, recorded }) => ({ recipient: recorded.recipientId, report }))
      : named.map(({ made, report }) => ({ recipient: made.recipient, report }));
  return all.flatMap(({ recipient, report }) =>
    report?.certificate ? [{ recipient, report, certificate: report.certificate }] : [],
  );
}

function fromTables({ document: { uploadedSha256, original } }: ValidatedDocument): Deposit {
  return { uploaded: toHex(uploadedSha256), original: toHex(original.sha256), source: "tables" };
}

/** A file has the pages and the size that it has. */
function documentTold(
  { document, pageCount }: ValidatedDocument,
  bytes: Uint8Array | null,
  differences: string[],
) {
  const pages = pageCount ?? document.pageCount;
  if (pages !== document.pageCount)
    differences.push(
      `Pages de ${document.name}\u00a0: le fichier en a ${pages}, la base dit ${document.pageCount}.`,
    );
  const sizeBytes = bytes?.length ?? document.current.sizeBytes;
  if (sizeBytes !== document.current.sizeBytes)
    differences.push(
      `Taille de ${document.name}\u00a0: le fichier a ${sizeBytes} octets, la base dit ${document.current.sizeBytes}.`,
    );
  return { ...document, pageCount: pages, current: { ...document.current, sizeBytes } };
}

type DepositWork = {
  readonly bytes: Uint8Array | null;
  readonly sending: SendingInJournal;
  readonly differences: string[];
};

function depositTold(
  one: ValidatedDocument,
  { bytes, sending, differences }: DepositWork,
): Deposit {
  const { document } = one;
  const row = fromTables(one) as { readonly uploaded: string; readonly original: string };
  const differ = (what: string, journal: string, table: string) =>
    void differences.push(
      `${what} de ${document.name}\u00a0: l’historique dit «\u00a0${journal}\u00a0», la base «\u00a0${table}\u00a0».`,
    );
  const [uploaded, original] = [
    sending.uploaded?.get(document.id),
    sending.originals?.get(document.id),
  ];
  if (uploaded !== undefined && original !== undefined) {
    if (uploaded !== row.uploaded) differ("Fichier déposé", uploaded, row.uploaded);
    if (original !== row.original) differ("Fichier à signer", original, row.original);
    return { uploaded, original, source: "journal" };
  }
  // A journal of before the sending committed to each: it names every file that came, and that copies were accepted; the kept file begins with what was to be signed.
  const isDeposited = sending.deposited.size === 0 || sending.deposited.has(row.uploaded);
  if (!isDeposited) differ("Fichier déposé", [...sending.deposited].join(", "), row.uploaded);
  const isCopy = row.original !== row.uploaded;
  const isAccepted = !isCopy || sending.acceptsCopy;
  if (!isAccepted) differ("Copie corrigée", "aucune", row.original);
  const begins =
    bytes === null
      ? null
      : sha256Of(bytes.subarray(0, document.original.sizeBytes)) === row.original;
  if (begins === false)
    differences.push(
      `Fichier à signer de ${document.name}\u00a0: le fichier conservé ne commence pas par celui que dit la base, «\u00a0${row.original}\u00a0».`,
    );
  return {
    uploaded: isDeposited ? row.uploaded : null,
    original: isAccepted && begins !== false ? row.original : null,
    source: begins === null || sending.deposited.size === 0 ? "tables" : "file",
  };
}

async function readKept(
  files: Pick<FileStore, "get">,
  sha256: Uint8Array,
): Promise<Uint8Array | null> {
  try {
    return await files.get(sha256);
  } catch (error) {
    // Gone since it was validated, a moment ago.
    if (error instanceof MissingFileError || error instanceof AlteredFileError) return null;
    throw error;
  }
}
