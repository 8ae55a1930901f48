import {
  PROOF_SCHEMA_PATH,
  type ProofContent,
  type ProofFile,
  proofFileSchema,
} from "@paraphe/contracts/proof-file";
import { fromBase64 } from "@paraphe/kernel/bytes";
import { type Evidence, validateCertificate } from "@paraphe/pades/parts";

/** Gives a `preuve.json` as read, its content as JSON has it; null for what is none. */
export type ReadProofFile = { readonly file: ProofFile; readonly content: unknown };

/**
 * Reads a `preuve.json`: as the service writes it, to the byte (a final line feed may stand there
 * or not), so that no byte of it can change unseen.
 * Source: RFC 8259; the layout of ECMAScript's `JSON.stringify` with two spaces.
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
    // A file that somebody brings may be anything.
    return null;
  }
}

/**
 * By what the reader trusts the roots: roots of their own, a seal of theirs that names them, or
 * nothing.
 */
export type RootTrust = "given" | "sealed" | "none";

/**
 * On whom a check rests. `evidence`: what the proof brings, its anchors the reader's where any were
 * given; for times alone, the authorities of outside that the proof names
 * too. `vouched`: the same without those of them that only the proof names, whose times prove
 * nothing: whoever forges a proof brings an authority of his own, its clock
 * set back.
 */
export type ReaderTrust = {
  readonly root: RootTrust;
  readonly evidence: Evidence;
  readonly vouched: Evidence;
};

/** What the reader gave: certificates (DER), and whether keys of the seal as well. */
type Given = { readonly roots: readonly Uint8Array[]; readonly hasSealKeys: boolean };

/**
 * Gives on whom a proof is checked. An authority of outside that the proof names for times alone,
 * or a root of it, is trusted for no more, given by the reader though it is.
 * Errors: PadesError for a certificate of the proof's that cannot be read.
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
  const forTimes = await Promise.all(roots.map((der) => standsAbove(der, outside)));
  const given = roots.filter((_, index) => !forTimes[index]);
  const root: RootTrust = given.length > 0 ? "given" : hasSealKeys ? "sealed" : "none";
  const anchors = root === "given" ? given : certificates.roots.map(fromBase64);
  const evidence: Evidence = {
    ...known,
    trustAnchors: { signers: anchors, timestamps: [...anchors, ...outside] },
  };
  if (root !== "given") return { root, evidence, vouched: evidence };
  const vouched = { ...known, trustAnchors: { signers: anchors, timestamps: [...roots] } };
  return {
    root,
    evidence: {
      ...evidence,
      trustAnchors: { signers: anchors, timestamps: [...roots, ...outside] },
    },
    vouched,
  };
}

/** Says whether a certificate is one of these, or whoever one of them leads to. */
async function standsAbove(der: Uint8Array, outside: readonly Uint8Array[]): Promise<boolean> {
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
