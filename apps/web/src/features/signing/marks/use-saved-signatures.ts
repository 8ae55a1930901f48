import {
  type ChangeSignatureRequest,
  MAX_SAVED_SIGNATURES,
  type NewMark,
  type SavedSignature,
  type savedSignaturesAnswer,
  type SaveSignatureRequest,
} from "@paraphe/contracts";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import type { z } from "zod/mini";
import { api } from "../../../lib/api/api.ts";
import { serverSentence } from "../../../lib/api/api-error.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";

export function newRequest(mark: NewMark, name: string): SaveSignatureRequest {
  const aside = { name, is_default: false };
  return mark.kind === "typed"
    ? { ...mark, ...aside }
    : { ...mark, ...aside, remove_background: false };
}

const SAVED_SIGNATURES = "/api/signature/saved-signatures/";
const SAVE_TIMEOUT_MS = 60_000;

type SavedSignatures = z.infer<typeof savedSignaturesAnswer>;

export const savedSignatureCalls = {
  list: () => api.get<SavedSignatures>(SAVED_SIGNATURES),
  save: (body: SaveSignatureRequest, idempotencyKey: string) =>
    api.post<SavedSignature>(SAVED_SIGNATURES, {
      body,
      idempotencyKey,
      timeoutMs: SAVE_TIMEOUT_MS,
    }),
  change: (id: string, body: ChangeSignatureRequest) =>
    api.patch<SavedSignature>(`${SAVED_SIGNATURES}${id}/`, { body }),
  remove: (id: string) => api.delete<void>(`${SAVED_SIGNATURES}${id}/`),
};

const USUAL = ["Signature complète", "Paraphe"] as const;

export function nextName(others: readonly { readonly name: string }[]): string {
  const taken = new Set(others.map(({ name }) => name.toLocaleLowerCase("fr")));
  const numbered = (count: number): string =>
    taken.has(`signature ${count}`) ? numbered(count + 1) : `Signature ${count}`;
  return (
    USUAL.find((name) => !taken.has(name.toLocaleLowerCase("fr"))) ?? numbered(others.length + 1)
  );
}

export const savedSignaturesQuery = queryOptions({
  queryKey: ["saved-signatures"],
  queryFn: savedSignatureCalls.list,
});

export function useSavedSignatures() {
  return useQuery(savedSignaturesQuery);
}

const NONE: readonly SavedSignature[] = [];

/** `save` is absent where there is no room for another. */
export function useSavedMarks() {
  const client = useQueryClient();
  const { data, isPending } = useSavedSignatures();
  const marks = data?.results ?? NONE;
  const save = useCallback(
    (mark: NewMark) => {
      // Signing neither waits for this call nor fails with it.
      savedSignatureCalls
        .save(newRequest(mark, nextName(marks)), crypto.randomUUID())
        .then(
          () => showToast("ok", "Signature enregistrée dans Mes signatures."),
          (error: unknown) =>
            showToast("err", "La signature n’a pas pu être enregistrée.", {
              detail: serverSentence(error),
            }),
        )
        .finally(() => void client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey }));
    },
    [client, marks],
  );
  return {
    marks,
    isPending,
    save: data !== undefined && marks.length < MAX_SAVED_SIGNATURES ? save : undefined,
  };
}
