import {
  PROOF_SCHEMA_PATH,
  type ProofContent,
  type ProofFile,
  proofFileSchema,
} from "@paraphe/contracts/proof/proof-file";
import { fromBase64 } from "@paraphe/kernel/bytes";
import { type Evidence, validateCertificate } from "@paraphe/pades/parts";

export type ReadProofFile = { readonly file: ProofFile; readonly content: unknown };

/**
 * Reads it to the byte (a final line feed is optional), so that no byte can change unnoticed.
 * Source: RFC 8259; `JSON.stringify` with two spaces.
 */
export function readProofFile(bytes: Uint8Array): ReadProofFile | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    const raw = JSON.parse(text) as { readonly proof?: unknown };
    if (JSON.stringify(raw, null, 2) !== (text.endsWith("\n") ? text.slice(0, -1) : text))
      return null;
    const read = proofFileSchema.safeParse(raw);
    if (!read.success || read.data.$schema !== `${read.data.proof.service}${PROOF_SCHEMA_PATH}`)
      return null;
    return { file: read.data, content: raw.proof };
  } catch {
    return null;
  }
}

/** The root is trusted by the reader, by a seal key they trust, or not at all. */
export type RootTrust = "given" | "sealed" | "none";

/**
 * `evidence`: the reader's anchors where given, and the proof's time authorities. `trusted` leaves
 * out those that only the proof names, which a forger would add.
 */
export type ReaderTrust = {
  readonly root: RootTrust;
  readonly evidence: Evidence;
  readonly trusted: Evidence;
};

/** Certificates (DER), and whether seal keys were given too. */
type Given = { readonly roots: readonly Uint8Array[]; readonly hasSealKeys: boolean };

/**
 * Authorities named for times alone, and their roots, are trusted for nothing else, even if given.
 * Errors: PadesError for an unreadable certificate.
 */
export async function readerTrust(
  { certificates, revocation }: ProofContent,
  { roots, hasSealKeys }: Given,
): Promise<ReaderTrust> {
  const outside = certificates.timestamp_anchors.map(fromBase64);
  const others = [
    certificates.issuer,
    certificates.timestamp_authority,
    ...certificates.issuers,
    ...certificates.signers,
  ];
  const known = {
    certificates: others.map(fromBase64),
    crls: revocation.crls.map(fromBase64),
    ocsps: revocation.ocsps.map(fromBase64),
  };
  const forTimes = await Promise.all(roots.map((der) => isOrIssued(der, outside)));
  const given = roots.filter((_, index) => !forTimes[index]);
  const root: RootTrust = given.length > 0 ? "given" : hasSealKeys ? "sealed" : "none";
  const anchors = root === "given" ? given : certificates.roots.map(fromBase64);
  const evidence: Evidence = {
    ...known,
    trustAnchors: { signers: anchors, timestamps: [...anchors, ...outside] },
  };
  if (root !== "given") return { root, evidence, trusted: evidence };
  const trusted = { ...known, trustAnchors: { signers: anchors, timestamps: [...roots] } };
  return {
    root,
    evidence: {
      ...evidence,
      trustAnchors: { signers: anchors, timestamps: [...roots, ...outside] },
    },
    trusted,
  };
}

async function isOrIssued(der: Uint8Array, outside: readonly Uint8Array[]): Promise<boolean> {
  const evidence = { trustAnchors: { signers: [], timestamps: [der] }, certificates: outside };
  const reports = outside.map((one) =>
    validateCertificate(one, {
      evidence,
      trustedFor: "timestamps",
      now: new Date(0),
      provenAt: null,
    }),
  );
  return (await Promise.all(reports)).some(({ chain }) => chain !== null);
}
