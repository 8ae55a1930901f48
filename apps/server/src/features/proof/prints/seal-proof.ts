import { createHash } from "node:crypto";
import { PROOF_FORMAT, PROOF_SCHEMA_PATH, type ProofContent, type ProofFile } from "@paraphe/contracts";
import { isStrictToken } from "@paraphe/pades/parts";
import canonicalize from "canonicalize";
import { signJws, TimestampUnavailableError } from "../../trust/public.ts";
import { type EnvelopeToProve, proveFiles } from "./build-proof.ts";
import { discloseEvent } from "./disclose-event.ts";
import { gatherProofTrust } from "./gather-proof-trust.ts";
import { presentProofFiles, presentProofSignature, presentPurgedFiles } from "./present-proof-files.ts";
import type { PrintDeps } from "./print-deps.ts";

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
    reached: new Set(withheld || built.purged ? [] : whole.facts.signatures.map(({ recipient }) => recipient)),
  };
  return {
    format: PROOF_FORMAT,
    service: deps.platform.settings.publicUrl,
    ...built,
    envelope: whole.id,
    print: print === null ? null : { id: print.id, qr_type: print.qrType, created_at: print.createdAt.toISOString() },
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
  const jws = await signJws(trust.seal, Buffer.from(canonicalize(proof) ?? ""));
  const $schema = `${proof.service}${PROOF_SCHEMA_PATH}`;
  const timestamp = authority === "asked" ? await stampOf({ platform, trust }, jws) : null;
  return { $schema, proof, jws, timestamp: timestamp === null ? null : Buffer.from(timestamp).toString("base64") };
}

async function stampOf({ platform, trust }: PrintDeps, jws: string): Promise<Uint8Array | null> {
  try {
    const token = await trust.timestamp.timestamp(new Uint8Array(createHash("sha256").update(jws).digest()));
    if (isStrictToken(token)) return token;
    platform.log.warn({ bytes: token.length }, "a time-stamp of a proof was left out: something in it is covered by no signature");
    return null;
  } catch (error) {
    // A proof without a time-stamp says so, and is worth more than none.
    if (!(error instanceof TimestampUnavailableError)) throw error;
    platform.log.warn({ err: error }, "a proof was sealed without a time-stamp");
    return null;
  }
}
