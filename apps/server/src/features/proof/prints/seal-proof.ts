import { createHash } from "node:crypto";
import {
  type JournalEvent,
  PROOF_FORMAT,
  PROOF_SCHEMA_PATH,
  type ProofContent,
  type ProofFile,
} from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { canonicalJson } from "@paraphe/kernel/canonical-json";
import { isStrictToken } from "@paraphe/pades/parts";
import type { StoredEvent } from "../../journal/public.ts";
import { signJws, TimestampUnavailableError, type Trust } from "../../trust/public.ts";
import { type CertificateCard, type EnvelopeToProve, proveFiles } from "./build-proof.ts";
import { signatureVerdict } from "./domain/signature-verdict.ts";
import { keptHashes } from "./hold-envelope.ts";
import type { PrintDeps } from "./print-deps.ts";
import type { WholeEnvelope } from "./read-whole.ts";
import type { RecordedSignature } from "./store.ts";
import type { ValidatedDocument } from "./validate-envelope.ts";

/** The personal values that say who, and nothing of how to reach them. */
const NAMES: ReadonlySet<string> = new Set(["actor_name", "full_name"]);
/** What the public page shows by itself: what is signed, and by whom. */
const SHOWN: ReadonlySet<string> = new Set(["title", "document_names", "signer_names"]);

/** `names`: of those who sign; `reached`: the ids of the recipients whose masked addresses are shown. */
type Disclosed = { readonly names: ReadonlySet<string>; readonly reached: ReadonlySet<string> };

/** Whom a link or a code went to. */
function personOf({ actor, detail }: StoredEvent): string {
  return typeof detail["recipient"] === "string"
    ? detail["recipient"]
    : actor.replace(/^recipient:/, "");
}

/**
 * Gives an event as `preuve.json` has it: each personal value that is shown with its salt, of the others the commitment alone.
 * `disclosed`: every value, or these names and the masked addresses and numbers of these people alone: whoever is in copy, and who sent, are no business of the holder of a paper (security line 57).
 */
function discloseEvent(event: StoredEvent, disclosed: "all" | Disclosed): JournalEvent {
  const { sequence, at, actor, action, detail, personal, hash, previousHash } = event;
  return {
    sequence,
    at: at.toISOString(),
    actor,
    action,
    detail,
    personal: Object.fromEntries(
      Object.entries(personal).filter(
        ([name, { value }]) =>
          disclosed === "all" ||
          SHOWN.has(name) ||
          (NAMES.has(name) && typeof value === "string" && disclosed.names.has(value)) ||
          (name === "destination" && disclosed.reached.has(personOf(event))),
      ),
    ),
    previous_hash: previousHash === null ? null : Buffer.from(previousHash).toString("hex"),
    hash: Buffer.from(hash).toString("hex"),
  };
}

/** Gives the files of an envelope as `preuve.json` has them. Units: bytes. */
function presentProofFiles(
  documents: readonly ValidatedDocument[],
  { facts }: WholeEnvelope,
): ProofContent["files"] {
  return documents.map(({ document, sha256 }) => ({
    document: document.id,
    name: facts.documentNames.get(document.id) ?? document.name,
    size_bytes: document.current.sizeBytes,
    sha256: Buffer.from(sha256).toString("hex"),
  }));
}

/** The same, of a purged envelope: hashes alone. */
function presentPurgedFiles(whole: WholeEnvelope): ProofContent["files"] {
  return keptHashes(whole).map(({ documentId, sha256 }) => ({
    document: documentId,
    name: null,
    size_bytes: null,
    sha256,
  }));
}

/** Gives a recorded signature with what its file shows of it now; a file that does not bear it shows nothing. `withheld`: its certificate by its hash alone. */
function presentProofSignature(
  row: RecordedSignature,
  {
    documents,
    withheld,
  }: { readonly documents: readonly ValidatedDocument[]; readonly withheld: boolean },
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
    timestamp:
      timestamp === null
        ? null
        : { time: timestamp.time.toISOString(), tsa: timestamp.authorityName },
    serial_number: row.serialNumber,
    certificate: withheld ? null : Buffer.from(row.certificateDer).toString("base64"),
    certificate_sha256: createHash("sha256").update(row.certificateDer).digest("hex"),
    ...(report === undefined ? ABSENT : said(report)),
  };
}

const ABSENT = {
  verdict: "invalid",
  reason: "La signature ne se trouve pas dans le fichier conservé.",
} as const;

function said(
  report: ValidatedDocument["found"][number]["report"],
): Pick<ProofContent["signatures"][number], "verdict" | "reason"> {
  const { verdict, reason } = signatureVerdict(report);
  return { verdict, reason };
}

/**
 * Gives what an offline checker leans on: every certificate between a signer and a root, and what is said of their revocation at this moment, with what the proof's own `card`
 * was read from.
 * `withheld`: without the signers' own, whose address stands in them (RFC 5280 §4.2.1.6); the files bear them, for whoever has one.
 */
async function gatherProofTrust(
  trust: Trust,
  recorded: readonly RecordedSignature[],
  { withheld, card }: { readonly withheld: boolean; readonly card: CertificateCard },
): Promise<Pick<ProofContent, "certificates" | "revocation">> {
  const { trustAnchors, certificates = [], crls = [] } = await trust.currentEvidence();
  const signers = new Map(
    recorded.map((row) => [toBase64(row.certificateDer), row.certificateDer]),
  );
  const others = [...signers.values(), ...trust.seal.certificates.slice(0, 1)].filter(
    (der) => card.of === null || Buffer.compare(der, card.of) !== 0,
  );
  const answers = [card.ocsp, ...(await Promise.all(others.map((der) => trust.ocsp(der))))];
  const { ca, root, tsa } = trust.certificates;
  const roots = trustAnchors.signers.map(toBase64);
  return {
    certificates: {
      signers: withheld ? [] : [...signers.values()].map(toBase64),
      issuer: toBase64(ca),
      root: toBase64(root),
      timestamp_authority: toBase64(tsa),
      roots,
      issuers: certificates.map(toBase64),
      timestamp_anchors: trustAnchors.timestamps
        .map(toBase64)
        .filter((der) => !roots.includes(der)),
    },
    revocation: {
      crls: [...new Set([...crls, ...(card.crl === null ? [] : [card.crl])].map(toBase64))],
      ocsps: answers.flatMap((answer) => (answer === null ? [] : [toBase64(answer)])),
    },
  };
}

/** What `preuve.json` holds: the proof, with all that an offline checker needs, its seal, and the time-stamp over it. */
export type SealedProof = ProofFile;

/** Gives `preuve.json` of an envelope as it is now. Errors: those of the file store and of the database; without a time-stamp where its authority is away. */
export async function sealProof(deps: PrintDeps, request: EnvelopeToProve): Promise<SealedProof> {
  return sealContent(deps, await writeProof(deps, request), "asked");
}

/**
 * Gives what `preuve.json` says, to be sealed.
 * Shape: the owner's session, which asks without a `sig`, is given every personal value that is left in the journal; whoever holds the paper, the names of
 * those who sign.
 */
export async function writeProof(deps: PrintDeps, request: EnvelopeToProve): Promise<ProofContent> {
  const { print, sig } = request;
  const { proof: built, documents, whole, card } = await proveFiles(deps, request);
  const recorded = built.purged ? [] : whole.recorded;
  // Who is not shown the document is not shown the signers' addresses either, which stand in their certificates.
  const withheld = sig !== null && (built.proof_only || built.cancelled);
  const disclosed = {
    names: new Set(built.signers.map(({ full_name }) => full_name)),
    reached: new Set(
      withheld || built.purged ? [] : whole.facts.signatures.map(({ recipient }) => recipient),
    ),
  };
  return {
    format: PROOF_FORMAT,
    service: deps.platform.settings.publicUrl,
    ...built,
    envelope: whole.id,
    print:
      print === null
        ? null
        : { id: print.id, qr_type: print.qrType, created_at: print.createdAt.toISOString() },
    files: built.purged ? presentPurgedFiles(whole) : presentProofFiles(documents, whole),
    signatures: recorded.map((row) => presentProofSignature(row, { documents, withheld })),
    ...(await gatherProofTrust(deps.trust, recorded, { withheld, card })),
    journal: {
      disclosed: sig === null ? "all" : "names",
      events: whole.events.map((event) => discloseEvent(event, sig === null ? "all" : disclosed)),
    },
    inclusion: whole.inclusion,
  };
}

/**
 * Seals a proof.
 * Shape: `jws` is a compact JWS whose payload is `proof` in canonical form (RFC 8785), `timestamp` a token over it, null when the authority is away or
 * was not `asked`: flipping any byte of them makes them disagree.
 */
export async function sealContent(
  { platform, trust }: PrintDeps,
  proof: ProofContent,
  authority: "asked" | "spared",
): Promise<SealedProof> {
  const jws = await signJws(trust.seal, Buffer.from(canonicalJson(proof)));
  const $schema = `${proof.service}${PROOF_SCHEMA_PATH}`;
  const timestamp = authority === "asked" ? await stampOf({ platform, trust }, jws) : null;
  return {
    $schema,
    proof,
    jws,
    timestamp: timestamp === null ? null : Buffer.from(timestamp).toString("base64"),
  };
}

async function stampOf({ platform, trust }: PrintDeps, jws: string): Promise<Uint8Array | null> {
  try {
    const token = await trust.timestamp.timestamp(
      new Uint8Array(createHash("sha256").update(jws).digest()),
    );
    if (isStrictToken(token)) return token;
    platform.log.warn(
      { bytes: token.length },
      "a time-stamp of a proof was left out: something in it is covered by no signature",
    );
    return null;
  } catch (error) {
    // A proof without a time-stamp says so, and is worth more than none.
    if (!(error instanceof TimestampUnavailableError)) throw error;
    platform.log.warn({ err: error }, "a proof was sealed without a time-stamp");
    return null;
  }
}
