import { PROOF_FORMAT, PROOF_SCHEMA_PATH, type ProofContent, type ProofFile } from "@paraphe/contracts";
import canonicalize from "canonicalize";
import { readStoredJournal } from "../audit/index.ts";
import { readInclusion } from "../transparency/index.ts";
import { signJws } from "../trust/index.ts";
import { type PrintToProve, proveFiles } from "./build-proof.ts";
import { discloseEvent } from "./disclose-event.ts";
import { gatherProofTrust } from "./gather-proof-trust.ts";
import { presentProofFiles, presentProofSignature, presentPurgedFiles } from "./present-proof-files.ts";
import type { PrintDeps } from "./print-deps.ts";
import { loadRecordedSignatures, loadTombstone } from "./store.ts";

/** What `preuve.json` holds: the proof, with all that an offline checker needs, and its seal. */
export type SealedProof = ProofFile;

/**
 * Gives `preuve.json`: readable, and sealed by the service.
 * Shape: `jws` is a compact JWS whose payload is `proof` in canonical form (RFC 8785); flipping any byte of either makes them disagree. The owner's
 * session, which asks without a `sig`, is given every personal value that is left in the journal; whoever holds the paper, names alone.
 */
export async function sealProof(deps: PrintDeps, request: PrintToProve): Promise<SealedProof> {
  const { print, sig } = request;
  const { db, settings } = deps.platform;
  const { proof: built, documents } = await proveFiles(deps, request);
  const recorded = built.purged ? [] : await loadRecordedSignatures(db, print.envelopeId);
  // Before the journal, which may grow meanwhile: whatever the log covers is then in it.
  const inclusion = await readInclusion(db, print.envelopeId);
  const disclosed = sig === null ? "all" : "names";
  const events = (await Array.fromAsync(readStoredJournal(db, print.envelopeId))).map((event) => discloseEvent(event, disclosed));
  const proof: ProofContent = {
    format: PROOF_FORMAT,
    service: settings.publicUrl,
    ...built,
    print: { id: print.id, envelope: print.envelopeId, qr_type: print.qrType, created_at: print.createdAt.toISOString() },
    files: built.purged ? presentPurgedFiles(await loadTombstone(db, print.envelopeId)) : presentProofFiles(documents),
    signatures: recorded.map((row) => presentProofSignature(row, documents)),
    ...(await gatherProofTrust(deps.trust, recorded)),
    journal: { disclosed, events },
    inclusion,
  };
  const canonical = canonicalize(proof);
  if (canonical === undefined) throw new Error("The proof has no canonical form");
  const jws = await signJws(deps.trust.seal, new TextEncoder().encode(canonical));
  return { $schema: `${settings.publicUrl}${PROOF_SCHEMA_PATH}`, proof, jws };
}
