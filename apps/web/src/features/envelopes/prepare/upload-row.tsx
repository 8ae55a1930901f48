import { MAX_FILE_SIZE_BYTES } from "@paraphe/contracts";
import { formatFileSize, formatSizeOver } from "../../../lib/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { FileItem } from "../../../ui/file-item/file-item.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { UploadItem } from "./use-uploads.ts";

type UploadRowProps = { readonly item: UploadItem; readonly onRetry: () => void; readonly onRemove: () => void };

/** A chosen file that is not a document yet: how far it is, or why it is not one and what can be done. */
export function UploadRow({ item, onRetry, onRemove }: UploadRowProps) {
  return (
    <FileItem
      name={item.name}
      meta={uploadText(item)}
      error={item.error ?? undefined}
      progress={item.state === "sending" || item.state === "checking" ? item.sentBytes / Math.max(item.size, 1) : undefined}
      actions={
        <>
          {item.again === "never" ? null : (
            <Button size="sm" aria-label={`Réessayer ${item.name}`} onClick={onRetry}>
              Réessayer
            </Button>
          )}
          <Button
            variant="ghost"
            size="sm"
            square
            aria-label={item.state === "refused" ? `Retirer ${item.name}` : `Annuler l’ajout de ${item.name}`}
            onClick={onRemove}
          >
            <Icon name="close" />
          </Button>
        </>
      }
    />
  );
}

function uploadText(item: UploadItem): string {
  if (item.state === "queued") return "En attente";
  if (item.state === "checking") return "Contrôle…";
  if (item.state === "refused") return formatSizeOver(item.size, MAX_FILE_SIZE_BYTES);
  return `${formatFileSize(item.sentBytes)} sur ${formatFileSize(item.size)}`;
}
