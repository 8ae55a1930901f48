import { MAX_SAVED_SIGNATURES, type NewMark, type SavedSignature } from "@paraphe/contracts";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { serverSentence } from "../../../lib/call-message.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { newRequest } from "./new-request.ts";
import { nextName } from "./next-name.ts";
import { savedSignatureCalls } from "./saved-signature-calls.ts";

export const savedSignaturesQuery = queryOptions({ queryKey: ["saved-signatures"], queryFn: savedSignatureCalls.list });

/** Gives one's saved signatures. */
export function useSavedSignatures() {
  return useQuery(savedSignaturesQuery);
}

const NONE: readonly SavedSignature[] = [];

/** What signing needs of them: the list, empty while it is not there, and how a mark just made is kept, if there is room. */
export function useSavedMarks() {
  const client = useQueryClient();
  const { data, isPending } = useSavedSignatures();
  const marks = data?.results ?? NONE;
  const save = useCallback(
    (mark: NewMark) => {
      // Signing does not wait for it, nor fail with it.
      savedSignatureCalls
        .save(newRequest(mark, nextName(marks)), crypto.randomUUID())
        .then(
          () => showToast("ok", "Signature enregistrée dans Mes signatures."),
          (error: unknown) => showToast("err", "La signature n’a pas pu être enregistrée.", { detail: serverSentence(error) }),
        )
        .finally(() => void client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey }));
    },
    [client, marks],
  );
  return { marks, isPending, save: data !== undefined && marks.length < MAX_SAVED_SIGNATURES ? save : undefined };
}
