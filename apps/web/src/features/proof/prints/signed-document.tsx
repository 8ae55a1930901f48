import { useEffect, useEffectEvent, useState } from "react";
import { PdfViewer } from "../../../pdf/pdf-viewer.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { buttonLook } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { plural } from "../../../lib/format/format-numbers.ts";
import { loadSignedFile } from "./proof-calls.ts";
import type { PagePlace, SignedFile } from "./proof-files.ts";
import styles from "./signed-document.module.css";

/** `onHere`: called once the viewer is there, so that the rest may load. */
export function SignedDocument({
  files,
  onHere,
}: {
  readonly files: readonly SignedFile[];
  readonly onHere: () => void;
}) {
  const [pages, setPages] = useState<number | null>(null);
  const notify = useEffectEvent(onHere);
  useEffect(() => notify(), []);
  return (
    <section className={`card ${styles.card}`} aria-labelledby="document">
      <div className="card__head">
        <h2 className="h2 grow" id="document">
          Document
        </h2>
        {pages === null ? null : <span className="ink2 num">{plural(pages, "page")}</span>}
        {files[0] === undefined ? null : (
          <a
            className={buttonLook({ variant: "ghost", size: "sm" })}
            href={files[0].address}
            target="_blank"
            rel="noreferrer"
          >
            <Icon name="external" size="sm" />
            Ouvrir dans un nouvel onglet
          </a>
        )}
      </div>
      <SignedDocumentViewer files={files} onPageCount={setPages} />
    </section>
  );
}

type ViewerProps = {
  readonly files: readonly SignedFile[];
  /** Absent: the beginning of the first file. */
  readonly start?: PagePlace;
  readonly onPageCount?: (count: number) => void;
};

function SignedDocumentViewer({ files, start, onPageCount }: ViewerProps) {
  const [index, setIndex] = useState(start?.index ?? 0);
  const file = files[index] ?? files[0];
  if (!file) return null;
  return (
    <PdfViewer
      frame="embedded"
      label="Document signé"
      source={{ key: file.address, load: (signal) => loadSignedFile(file.address, signal) }}
      failedText="Le document signé n'a pas pu être chargé."
      downloadHref={file.address}
      startPage={start?.index === index ? start.page : 1}
      {...(onPageCount ? { onPageCount } : {})}
      heading={
        files.length === 1 ? (
          file.name
        ) : (
          <select
            className={styles.choice}
            aria-label="Document affiché"
            value={index}
            onChange={(event) => setIndex(Number(event.target.value))}
          >
            {files.map((other, at) => (
              <option key={other.address} value={at}>
                {other.name}
              </option>
            ))}
          </select>
        )
      }
    />
  );
}

type DialogProps = {
  readonly files: readonly SignedFile[];
  readonly start: PagePlace;
  readonly onClose: () => void;
};

export function SignedDocumentDialog({ files, start, onClose }: DialogProps) {
  return (
    <Dialog title="Document" size="lg" full onClose={onClose}>
      <SignedDocumentViewer files={files} start={start} />
    </Dialog>
  );
}
