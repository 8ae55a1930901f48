import type { Proof, ProofFile } from "@paraphe/contracts";
import { api } from "../../../lib/api/api.ts";
import { fetchFile } from "../../../lib/api/fetch-file.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";

const path = (uuid: string, action: string, sig: string) =>
  `/api/signature/prints/${encodeURIComponent(uuid)}/${action}/?sig=${encodeURIComponent(sig)}`;
/** The service validates the stored file at each call: large ones take long. */
const VERIFY_TIMEOUT_MS = 30_000;

export function pageAddress(uuid: string, sig: string): string {
  return new URL(
    `/verify/${encodeURIComponent(uuid)}?sig=${encodeURIComponent(sig)}`,
    window.location.origin,
  ).href;
}

export function loadProof(uuid: string, sig: string, signal: AbortSignal): Promise<Proof> {
  return api.get<Proof>(path(uuid, "verify", sig), { signal, timeoutMs: VERIFY_TIMEOUT_MS });
}

/** The proof's address, else one built from the QR code (specification §7). */
export function documentAddress(uuid: string, sig: string, known: string | null): string {
  return known ?? new URL(path(uuid, "document", sig), window.location.origin).href;
}

export async function loadSignedFile(address: string, signal: AbortSignal): Promise<ArrayBuffer> {
  return (await fetchFile(api, address, { signal })).arrayBuffer();
}

/** `preuve.json`: each signature with its certificate. */
export function loadProofFile(uuid: string, sig: string): Promise<ProofFile> {
  return api.get<ProofFile>(path(uuid, "proof", sig), { timeoutMs: VERIFY_TIMEOUT_MS });
}

export async function saveProof(uuid: string, sig: string): Promise<void> {
  const response = await api.request("GET", path(uuid, "proof", sig), {
    timeoutMs: VERIFY_TIMEOUT_MS,
  });
  saveBlob(new Blob([await response.text()], { type: "application/json" }), "preuve.json");
}
