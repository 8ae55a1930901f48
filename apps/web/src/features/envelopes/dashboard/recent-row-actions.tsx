import type { Envelope } from "@paraphe/contracts";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { RowActions } from "../../../ui/data-table/row-actions.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Tooltip } from "../../../ui/tooltip/tooltip.tsx";
import { useDownload } from "../use-download.ts";
import { usePreview } from "./use-preview.ts";

/** Preview, download, edit: a draft alone can be edited; the reason is said where it cannot. */
export function RecentRowActions({ envelope }: { readonly envelope: Envelope }) {
  const download = useDownload({ failure: "Échec du téléchargement du document" });
  const preview = usePreview();
  const { title } = envelope;
  return (
    <RowActions>
      <Button
        size="sm"
        variant="ghost"
        square
        aria-label={`Prévisualiser ${title}`}
        title="Prévisualiser"
        onClick={() => preview.mutate(envelope.id)}
      >
        <Icon name="eye" />
      </Button>
      <Button
        size="sm"
        variant="ghost"
        square
        aria-label={`Télécharger ${title}`}
        title="Télécharger"
        loading={download.isPending}
        onClick={() => download.mutate(envelope)}
      >
        <Icon name="download" />
      </Button>
      {envelope.status === "draft" ? (
        <LinkButton
          size="sm"
          variant="ghost"
          square
          to={`/signature/workflow/${envelope.id}`}
          aria-label={`Modifier ${title}`}
          title="Modifier"
        >
          <Icon name="edit" />
        </LinkButton>
      ) : (
        <Tooltip text="Seul un brouillon peut être modifié">
          <Button size="sm" variant="ghost" square blocked aria-label={`Modifier ${title}`} title="">
            <Icon name="edit" />
          </Button>
        </Tooltip>
      )}
    </RowActions>
  );
}
