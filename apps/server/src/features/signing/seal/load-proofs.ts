import type { Reader } from "../../../platform/database/database.ts";
import type { KeptProof } from "./archive-revision.ts";
import { loadKept } from "./store.ts";

/** Gives what was kept to prove the signatures of each document of an envelope. */
export async function loadProofs(reader: Reader, envelopeId: string): Promise<ReadonlyMap<string, KeptProof>> {
  const proofs = new Map<string, { ocsps: Uint8Array[]; crls: Uint8Array[]; serialNumbers: string[] }>();
  for (const { documentId, serialNumber, ocspDer, crlDer } of await loadKept(reader, envelopeId)) {
    const proof = proofs.get(documentId) ?? { ocsps: [], crls: [], serialNumbers: [] };
    proofs.set(documentId, proof);
    proof.serialNumbers.push(serialNumber);
    if (ocspDer !== null) proof.ocsps.push(ocspDer);
    if (crlDer !== null) proof.crls.push(crlDer);
  }
  return proofs;
}
