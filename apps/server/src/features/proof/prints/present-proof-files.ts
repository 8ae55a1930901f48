import { createHash } from "node:crypto";
import type { ProofContent } from "@paraphe/contracts";
import { signatureVerdict } from "./domain/signature-verdict.ts";
import { keptHashes } from "./hold-envelope.ts";
import type { WholeEnvelope } from "./read-whole.ts";
import type { RecordedSignature } from "./store.ts";
import type { ValidatedDocument } from "./validate-envelope.ts";

/** Gives the files of an envelope as `preuve.json` has them. Units: bytes. */
export function presentProofFiles(documents: readonly ValidatedDocument[], { facts }: WholeEnvelope): ProofContent["files"] {
  return documents.map(({ document, sha256 }) => ({
    document: document.id,
    name: facts.documentNames.get(document.id) ?? document.name,
    size_bytes: document.current.sizeBytes,
    sha256: Buffer.from(sha256).toString("hex"),
  }));
}

/** The same, of a purged envelope: hashes alone. */
export function presentPurgedFiles(whole: WholeEnvelope): ProofContent["files"] {
  return keptHashes(whole).map(({ documentId, sha256 }) => ({ document: documentId, name: null, size_bytes: null, sha256 }));
}

/** Gives a recorded signature with what its file shows of it now; a file that does not bear it shows nothing. `withheld`: its certificate by its hash alone. */
export function presentProofSignature(
  row: RecordedSignature,
  { documents, withheld }: { readonly documents: readonly ValidatedDocument[]; readonly withheld: boolean },
): ProofContent["signatures"][number] {
  const validated = documents.find(({ document }) => document.id === row.documentId);
  const report = validated?.found.find(({ recorded }) => recorded.id === row.id)?.report;
  const timestamp = report?.timestamp ?? null;
  return {
    document: row.documentId,
    signer_name: row.signerName,
    field: report?.fieldName ?? null,
    level: report?.level ?? null,
    signed_at: row.signedAt.toISOString(),
    timestamp: timestamp === null ? null : { time: timestamp.time.toISOString(), tsa: timestamp.authorityName },
    serial_number: row.serialNumber,
    certificate: withheld ? null : Buffer.from(row.certificateDer).toString("base64"),
    certificate_sha256: createHash("sha256").update(row.certificateDer).digest("hex"),
    ...(report === undefined ? ABSENT : said(report)),
  };
}

const ABSENT = { verdict: "invalid", reason: "La signature ne se trouve pas dans le fichier conservé." } as const;

function said(report: ValidatedDocument["found"][number]["report"]): Pick<ProofContent["signatures"][number], "verdict" | "reason"> {
  const { verdict, reason } = signatureVerdict(report);
  return { verdict, reason };
}
