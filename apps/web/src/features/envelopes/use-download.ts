import type { Envelope } from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { serverSentence } from "../../lib/call-message.ts";
import { api } from "../../lib/api.ts";
import { fetchFile } from "../../lib/fetch-file.ts";
import { saveBlob } from "../../lib/save-blob.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";
import { signedFileName } from "./signed-file-name.ts";

/** Saves an envelope's file on the device. */
export function useDownload({ failure }: { readonly failure: string }) {
  return useMutation({
    mutationFn: async (envelope: Pick<Envelope, "id" | "title" | "status">) => {
      const { download_url } = await envelopeCalls.download(envelope.id);
      const blob = await fetchFile(api, download_url);
      saveBlob(blob, signedFileName({ title: envelope.title, isSigned: envelope.status === "completed" }, blob.type));
    },
    onSuccess: () => {
      showToast("ok", "Document téléchargé avec succès");
    },
    onError: (error) => {
      const missing = error instanceof Error && error.message === "Fichier introuvable" ? error.message : undefined;
      showToast("err", failure, { detail: serverSentence(error) ?? missing });
    },
  });
}
