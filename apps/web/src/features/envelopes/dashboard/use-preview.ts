import { useMutation } from "@tanstack/react-query";
import { serverSentence } from "../../../lib/call-message.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { openFileTab } from "../open-file-tab.ts";

/** Opens a document's file in a new tab. */
export function usePreview() {
  return useMutation({
    mutationFn: openFileTab,
    onError: (error) => {
      showToast("err", "Impossible de prévisualiser le PDF", { detail: serverSentence(error) });
    },
  });
}
