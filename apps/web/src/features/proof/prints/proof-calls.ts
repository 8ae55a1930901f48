import type { Proof, ProofFile } from "@paraphe/contracts";
import { api } from "../../../lib/api.ts";
import { fetchFile } from "../../../lib/fetch-file.ts";
import { saveBlob } from "../../../lib/save-blob.ts";

const path = (uuid: string, action: string, sig: string) =>
  `/api/signature/prints/${encodeURIComponent(uuid)}/${action}/?sig=${encodeURIComponent(sig)}`;
/** The stored file is validated anew at each opening: a big one takes longer than a plain call. */
const VERIFY_TIMEOUT_MS = 30_000;

/** Reads the proof of a printed document. */
export function loadProof(uuid: string, sig: string, signal: AbortSignal): Promise<Proof> {
  return api.get<Proof>(path(uuid, "verify", sig), { signal, timeoutMs: VERIFY_TIMEOUT_MS });
}

/** The address of the signed file: the proof's own, else built from what the QR code holds (specification §7). */
export function documentAddress(uuid: string, sig: string, known: string | null): string {
  return known ?? new URL(path(uuid, "document", sig), window.location.origin).href;
}

/** Fetches the signed file, with credentials. */
export async function loadSignedFile(address: string, signal: AbortSignal): Promise<ArrayBuffer> {
  return (await fetchFile(api, address, { signal })).arrayBuffer();
}

/** Reads `preuve.json`, which names every signature with its certificate. */
export function loadProofFile(uuid: string, sig: string): Promise<ProofFile> {
  return api.get<ProofFile>(path(uuid, "proof", sig), { timeoutMs: VERIFY_TIMEOUT_MS });
}

/** Downloads the proof under the name the specification gives it. */
export async function saveProof(uuid: string, sig: string): Promise<void> {
  const response = await api.request("GET", path(uuid, "proof", sig), {
    timeoutMs: VERIFY_TIMEOUT_MS,
  });
  saveBlob(new Blob([await response.text()], { type: "application/json" }), "preuve.json");
}
