import { type Envelope, RAIL_BREAKPOINT_PX } from "@paraphe/contracts";
import { useState } from "react";
import { plural } from "../../../lib/format/format-numbers.ts";
import { useMediaQuery } from "../../../lib/browser/use-media-query.ts";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import styles from "../detail.module.css";
import { envelopeCalls } from "../envelope-calls.ts";

const PdfViewer = lazyPart(
  async () => (await import("../../../pdf/pdf-viewer.tsx")).PdfViewer,
  <ViewerPlaceholder />,
);

/** Below 1024 px the viewer waits for a press. */
export function DocumentCard({ envelope }: { readonly envelope: Envelope }) {
  const wide = useMediaQuery(`(min-width: ${RAIL_BREAKPOINT_PX}px)`);
  const [asked, setAsked] = useState(false);
  if (wide && !asked) setAsked(true);
  const [chosen, setChosen] = useState<string>();
  const document =
    envelope.documents.find((candidate) => candidate.id === chosen) ?? envelope.documents[0];
  if (!document) return null;
  const url = envelopeCalls.fileUrl(envelope.id, document.id);
  return (
    <section className="card" aria-labelledby="document">
      <div className="card__head">
        <h2 className="h2 grow" id="document">
          Document
        </h2>
        <FileChoice documents={envelope.documents} shown={document.id} onChoose={setChosen} />
        <a
          className={buttonLook({ variant: "ghost", size: "sm" })}
          href={url}
          target="_blank"
          rel="noopener"
        >
          <Icon name="external" size="sm" />
          <span>
            Ouvrir<span className={wide ? "" : "sr"}> dans un nouvel onglet</span>
          </span>
        </a>
      </div>
      <FilesOnPaper documents={envelope.documents} />
      {asked ? (
        <div className={`off-paper ${styles["viewer"] ?? ""}`}>
          <PdfViewer
            key={document.id}
            label={`Aperçu de ${document.name}`}
            pages={document.pages}
            frame="embedded"
            downloadHref={url}
            source={{
              key: `${document.id}-${document.sha256}-${envelope.progress.signed}`,
              load: (signal) => envelopeCalls.file(envelope.id, document.id, signal),
            }}
          />
        </div>
      ) : (
        <div className={`off-paper ${styles["placeholder"] ?? ""}`}>
          <Button onClick={() => setAsked(true)}>
            <Icon name="eye" size="sm" />
            Voir le document
          </Button>
        </div>
      )}
    </section>
  );
}

type FileChoiceProps = Pick<Envelope, "documents"> & {
  readonly shown: string;
  readonly onChoose: (id: string) => void;
};

function FileChoice({ documents, shown, onChoose }: FileChoiceProps) {
  if (documents.length < 2) return null;
  return (
    <div className="off-paper">
      <SelectField
        label="Fichier affiché"
        hideLabel
        size="sm"
        value={shown}
        onChange={(event) => onChoose(event.target.value)}
      >
        {documents.map((file) => (
          <option key={file.id} value={file.id}>
            {file.name}
          </option>
        ))}
      </SelectField>
    </div>
  );
}

/** On paper, what identifies each file replaces the viewer's window. */
function FilesOnPaper({ documents }: Pick<Envelope, "documents">) {
  return (
    <ul className="card__body on-paper">
      {documents.map(({ id, name, page_count, sha256 }) => (
        <li key={id} className="break">
          <b>{name}</b>
          {`, ${plural(page_count, "page")}`}
          <div className="small">
            SHA-256{"\u00a0"}: <span className="mono">{sha256}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}

function ViewerPlaceholder() {
  return (
    <div className={styles["placeholder"]} aria-busy="true">
      <span className="sr" role="status">
        Chargement du document
      </span>
      <Skeleton width="min(100%, 560px)" height={720} />
    </div>
  );
}
