import type { Envelope } from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { serverSentence } from "../../lib/call-message.ts";
import { saveBlob } from "../../lib/save-blob.ts";
import { slugify } from "../../lib/slugify.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";

/** Saves an envelope's evidence file on the device: it is made when asked for, which takes some seconds. */
export function useEvidence() {
  return useMutation({
    mutationFn: async ({ id, title }: Pick<Envelope, "id" | "title">) => {
      saveBlob(await envelopeCalls.evidence(id), `${slugify(title)}_dossier_de_preuve.pdf`);
    },
    onSuccess: () => {
      showToast("ok", "Dossier de preuve téléchargé");
    },
    onError: (error) => {
      showToast("err", "Le dossier de preuve n’a pas pu être établi", { detail: serverSentence(error) });
    },
  });
}
