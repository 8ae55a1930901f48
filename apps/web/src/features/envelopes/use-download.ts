import type { Envelope } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../lib/api/api.ts";
import { ApiError, serverSentence } from "../../lib/api/api-error.ts";
import { fetchFile } from "../../lib/api/fetch-file.ts";
import { saveBlob } from "../../lib/browser/save-blob.ts";
import { slugify } from "../../lib/format/slugify.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { envelopeCalls } from "./envelope-calls.ts";

type Named = { readonly title: string; readonly isSigned: boolean };

/** Several documents come as one zip (specification §7). */
export function signedFileName({ title, isSigned }: Named, mediaType: string): string {
  const extension = mediaType.includes("zip") ? "zip" : "pdf";
  return `${slugify(title)}${isSigned ? "_signe" : ""}.${extension}`;
}

export function useDownload({ failure }: { readonly failure: string }) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (envelope: Pick<Envelope, "id" | "title" | "status">) => {
      const { download_url } = await envelopeCalls.download(envelope.id);
      const blob = await fetchFile(api, download_url);
      saveBlob(
        blob,
        signedFileName(
          { title: envelope.title, isSigned: envelope.status === "completed" },
          blob.type,
        ),
      );
    },
    onSuccess: () => {
      showToast("ok", "Document téléchargé avec succès");
    },
    onError: (error, { id }) => {
      if (error instanceof ApiError && error.status !== 0)
        void client.invalidateQueries({ queryKey: ["envelopes", "detail", id] });
      const missing =
        error instanceof Error && error.message === "Fichier introuvable"
          ? error.message
          : undefined;
      showToast("err", failure, { detail: serverSentence(error) ?? missing });
    },
  });
}
