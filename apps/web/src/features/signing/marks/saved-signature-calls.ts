import type { ChangeSignatureRequest, SavedSignature, savedSignaturesAnswer, SaveSignatureRequest } from "@paraphe/contracts";
import type { z } from "zod/mini";
import { api } from "../../../lib/api.ts";

const SAVED_SIGNATURES = "/api/signature/saved-signatures/";
/** A picture on a slow network, and its decoding. */
const SAVE_TIMEOUT_MS = 60_000;

export type SavedSignatures = z.infer<typeof savedSignaturesAnswer>;

/** The calls of one's saved signatures. */
export const savedSignatureCalls = {
  list: () => api.get<SavedSignatures>(SAVED_SIGNATURES),
  /** The key makes the same request sent again harmless. */
  save: (body: SaveSignatureRequest, idempotencyKey: string) =>
    api.post<SavedSignature>(SAVED_SIGNATURES, { body, idempotencyKey, timeoutMs: SAVE_TIMEOUT_MS }),
  change: (id: string, body: ChangeSignatureRequest) => api.patch<SavedSignature>(`${SAVED_SIGNATURES}${id}/`, { body }),
  remove: (id: string) => api.delete<void>(`${SAVED_SIGNATURES}${id}/`),
};
