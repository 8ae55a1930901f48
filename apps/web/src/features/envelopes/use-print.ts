import { useMutation } from "@tanstack/react-query";
import { serverSentence } from "../../lib/call-message.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { printFile } from "./open-file-tab.ts";

/** Prints an envelope's file from a new tab. */
export function usePrint() {
  return useMutation({
    mutationFn: printFile,
    onSuccess: () => {
      showToast("ok", "Ouverture de l'impression");
    },
    onError: (error) => {
      showToast("err", "Échec de l'impression", { detail: serverSentence(error) });
    },
  });
}
