import { useEffect, useRef, useState } from "react";
import { plural } from "../../lib/format-numbers.ts";
import { usePageTitle } from "../../lib/use-page-title.ts";
import type { OpenedPdf } from "../../pdf/open-pdf.ts";
import { PdfViewer, type PdfViewerHandle } from "../../pdf/pdf-viewer.tsx";
import { PrepareFieldLayer } from "../../pdf/prepare-field-layer.tsx";
import { Button } from "../../ui/button/button.tsx";
import { BottomDock } from "../../ui/editor-frame/bottom-dock.tsx";
import { DockRow } from "../../ui/editor-frame/dock-row.tsx";
import type { ChosenMark } from "../signing/chosen-mark.ts";
import { MarkPicture } from "../signing/mark-picture.tsx";
import { BatchBar } from "./batch-bar.tsx";
import type { ReadyFile } from "./batch-file.ts";
import styles from "./bulk.module.css";
import { modelSize, signedPages } from "./page-rule.ts";
import type { PositionProps } from "./position-props.ts";
import { PlacingSide } from "./placing-side.tsx";
import { PreviewMatrix } from "./preview-matrix.tsx";
import { useCoveredText } from "./use-covered-text.ts";
import type { Placing } from "./use-placing.ts";

const FIELD = "signature";

/** Second step: one place for all, looked at on any of them, then every result before anything is signed. */
export function PositionStep(props: PositionProps) {
  const { files, placing, mark, sending, onExclude, onBack, onSign } = props;
  usePageTitle("Placer la signature");
  const [index, setIndex] = useState(0);
  const [isMatrix, setMatrix] = useState(false);
  const covered = useCoveredText(files, placing);
  const shown = files[Math.min(index, files.length - 1)];
  if (!shown) return null;
  const open = (key: string) => {
    setIndex(files.findIndex((file) => file.key === key));
    setMatrix(false);
  };
  const isBusy = sending !== null;
  const sign = (
    <Button
      variant="primary"
      className="grow"
      loading={isBusy}
      loadingLabel={`Envoi ${Math.round((sending ?? 0) * 100)}\u00a0%`}
      onClick={onSign}
    >
      {`Signer ${plural(files.length, "document")}`}
    </Button>
  );
  const back = (
    <Button disabled={isBusy} onClick={onBack}>
      Retour
    </Button>
  );
  const subtitle = `${plural(files.length, "fichier")}, modèle\u00a0: ${files[0]?.file.name ?? ""}`;
  return (
    <div className={styles["step"]}>
      <BatchBar
        subtitle={subtitle}
        step={1}
        onStep={isBusy ? () => undefined : onBack}
        actions={
          <>
            {back}
            {sign}
          </>
        }
      />
      <main className={styles["editor"]} id="contenu">
        <h1 className="sr" tabIndex={-1}>
          Placer la signature
        </h1>
        <PlacingSide
          {...props}
          shown={shown}
          index={Math.min(index, files.length - 1)}
          isMatrix={isMatrix}
          isCovering={covered.has(shown.key)}
          onShow={setIndex}
          onMatrix={setMatrix}
        />
        {isMatrix ? (
          <PreviewMatrix files={files} placing={placing} mark={mark} covered={covered} onOpen={open} onExclude={onExclude} />
        ) : (
          <PlacedDocument file={shown} placing={placing} mark={mark} />
        )}
      </main>
      <BottomDock place="window">
        <DockRow>
          {back}
          {sign}
        </DockRow>
      </BottomDock>
    </div>
  );
}

type PlacedDocumentProps = { readonly file: ReadyFile; readonly placing: Placing; readonly mark: ChosenMark | null };

/** One file with the signature where it will be: dragged, or moved by the arrows. */
function PlacedDocument({ file, placing, mark }: PlacedDocumentProps) {
  const { rule, box } = placing.placeOf(file);
  const pages = signedPages(rule, file.state.pageCount);
  const size = modelSize(rule, file);
  const viewer = useRef<PdfViewerHandle>(null);
  const [opened, setOpened] = useState<OpenedPdf | null>(null);
  const [first = 1] = pages;
  const middle = useRef(0.5);
  middle.current = box.y + box.height / 2;
  // The signature is brought into sight when another file is shown, or another page is chosen; a move of it scrolls nothing.
  useEffect(() => {
    if (opened === null) return undefined;
    const target = { pageNumber: first, y: middle.current };
    const frame = requestAnimationFrame(() => viewer.current?.goTo(target));
    return () => cancelAnimationFrame(frame);
  }, [opened, first]);
  return (
    <div className={styles["viewer"]}>
      <PdfViewer
        ref={viewer}
        onPdf={setOpened}
        label={`Document ${file.file.name}`}
        source={{ key: file.key, load: () => file.file.arrayBuffer() }}
        layerPages={pages}
        renderLayer={(pageNumber) =>
          pages.includes(pageNumber) ? (
            <PrepareFieldLayer
              pageNumber={pageNumber}
              fields={[
                {
                  id: FIELD,
                  pageNumber,
                  box,
                  color: 1,
                  name: `${spokenMark(mark)}, page ${pageNumber}`,
                  content: mark ? (
                    <span className={styles["face"]}>
                      <MarkPicture look={mark.look} />
                    </span>
                  ) : (
                    "Signature"
                  ),
                },
              ]}
              selectedIds={SELECTED}
              leadId={FIELD}
              tool={null}
              onSelect={nothing}
              onToggle={nothing}
              onPlace={nothing}
              onKey={(_, action) => placing.nudge(file, action, size)}
              onMove={(boxes) => {
                const moved = boxes.get(FIELD);
                if (moved) placing.setBox(file, moved);
              }}
            />
          ) : null
        }
      />
    </div>
  );
}

/** What is typed shows its letters: they are in the name too (WCAG 2.5.3). */
function spokenMark(mark: ChosenMark | null): string {
  return mark?.look.kind === "text" ? `Signature «\u00a0${mark.look.text}\u00a0»` : "Signature";
}

const SELECTED: ReadonlySet<string> = new Set([FIELD]);
const nothing = () => undefined;
