import type { downloadAnswer } from "@paraphe/contracts";
import { useState } from "react";
import type { z } from "zod/mini";
import { api } from "../../lib/api/api.ts";
import { fetchFile } from "../../lib/api/fetch-file.ts";
import { saveBlob } from "../../lib/browser/save-blob.ts";
import { slugify } from "../../lib/format/slugify.ts";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";

type Download = z.infer<typeof downloadAnswer>;

async function downloadSigned(
  envelopeId: string,
  options: { readonly name: string; readonly signatureToken?: string },
): Promise<void> {
  const { signatureToken } = options;
  const { download_url, file_name } = await api.get<Download>(
    `/api/signature/envelopes/${envelopeId}/download/`,
    { signatureToken },
  );
  const blob = await fetchFile(api, download_url, { signatureToken });
  saveBlob(
    blob,
    file_name.endsWith(".zip") ? options.name.replace(/\.pdf$/, ".zip") : options.name,
  );
}

export type DownloadButtonProps = {
  readonly id: string | null;
  readonly token?: string | null;
  readonly title: string | null;
  readonly label: string;
  /** Reads the request again; gives true where the page then says why. */
  readonly onRefused?: (() => Promise<boolean>) | undefined;
};

export function DownloadButton({ id, token, title, label, onRefused }: DownloadButtonProps) {
  const [isBusy, setIsBusy] = useState(false);
  const isGuest = token !== undefined;
  const download = async () => {
    if (!id || (isGuest && !token)) {
      showToast(
        "err",
        isGuest
          ? "Informations manquantes pour le téléchargement"
          : "Identifiant du document manquant",
      );
      return;
    }
    setIsBusy(true);
    try {
      // Specification §7.
      const name = isGuest && title ? `${slugify(title)}_signe.pdf` : "document_signe.pdf";
      await downloadSigned(id, { name, ...(token ? { signatureToken: token } : {}) });
      showToast("ok", "Document téléchargé avec succès");
    } catch {
      if (await onRefused?.()) return;
      showToast("err", "Échec du téléchargement. Veuillez réessayer.");
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button
      variant="primary"
      size="lg"
      loading={isBusy}
      loadingLabel="Téléchargement..."
      onClick={() => void download()}
    >
      <Icon name="download" size="sm" />
      {label}
    </Button>
  );
}
