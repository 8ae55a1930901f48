import type { Envelope } from "@paraphe/contracts";
import { useState } from "react";
import { formatDay } from "../../../lib/format-dates.ts";
import { AvatarStack } from "../../../ui/avatar/avatar-stack.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { DocCell } from "../../../ui/doc-cell/doc-cell.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { SigningProgress } from "../signing-progress.tsx";
import { StatusBadge } from "../status-badge.tsx";
import { useDownload } from "../use-download.ts";
import { recentLink, recentSubtitle, signerNames } from "./recent-facts.ts";
import { usePreview } from "./use-preview.ts";

/** A recent document on a small screen: its title and state, the rest on demand. */
export function RecentCard({ envelope, startsOpen }: { readonly envelope: Envelope; readonly startsOpen: boolean }) {
  const [open, setOpen] = useState(startsOpen);
  const download = useDownload({ failure: "Échec du téléchargement du document" });
  const preview = usePreview();
  const { signed, total } = envelope.progress;
  return (
    <>
      <div className="row row--nw row--between" style={{ alignItems: "flex-start" }}>
        <DocCell title={envelope.title} to={recentLink(envelope)} subtitle={recentSubtitle(envelope, new Date())} />
        <Button
          variant="ghost"
          square
          aria-expanded={open}
          aria-label={`${open ? "Réduire" : "Développer"} ${envelope.title}`}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? "chevron-up" : "chevron-down"} />
        </Button>
      </div>
      <div className="row row--between">
        <StatusBadge status={envelope.status} />
        <span className="num ink2">{total === 0 ? "Aucun signataire" : `${signed}/${total} ${signed > 1 ? "signés" : "signé"}`}</span>
      </div>
      {open && (
        <>
          <SigningProgress envelope={envelope} />
          <dl>
            <dt>Signataires</dt>
            <dd>
              <AvatarStack names={signerNames(envelope)} />
            </dd>
            <dt>Créé le</dt>
            <dd className="num">{formatDay(envelope.created_at)}</dd>
            <dt>Échéance</dt>
            <dd className="num">{envelope.deadline_at === null ? "–" : formatDay(envelope.deadline_at)}</dd>
          </dl>
          <div className="row">
            <Button className="grow" onClick={() => preview.mutate(envelope.id)}>
              <Icon name="eye" size="sm" />
              Prévisualiser
            </Button>
            <Button className="grow" loading={download.isPending} onClick={() => download.mutate(envelope)}>
              <Icon name="download" size="sm" />
              Télécharger
            </Button>
          </div>
        </>
      )}
    </>
  );
}
