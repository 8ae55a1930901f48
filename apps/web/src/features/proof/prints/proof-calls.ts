import type { Proof, ProofFile } from "@paraphe/contracts";
import { api } from "../../../lib/api.ts";
import { fetchFile } from "../../../lib/fetch-file.ts";
import { saveBlob } from "../../../lib/save-blob.ts";

const path = (uuid: string, action: string, sig: string) =>
  `/api/signature/prints/${encodeURIComponent(uuid)}/${action}/?sig=${encodeURIComponent(sig)}`;
/** The service validates the stored file at each call: a big one takes long. */
const VERIFY_TIMEOUT_MS = 30_000;

/** Gives the address of a print's proof, as its printed code holds it. */
export function pageAddress(uuid: string, sig: string): string {
  return new URL(
    `/verify/${encodeURIComponent(uuid)}?sig=${encodeURIComponent(sig)}`,
    window.location.origin,
  ).href;
}

/** Reads the proof of a printed document. */
export function loadProof(uuid: string, sig: string, signal: AbortSignal): Promise<Proof> {
  return api.get<Proof>(path(uuid, "verify", sig), { signal, timeoutMs: VERIFY_TIMEOUT_MS });
}

/** Gives the signed file's address: the proof's, else one built from the QR code (spec. §7). */
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
