import { useEffect, useRef, useState } from "react";
import type { LayerField } from "../../../pdf/fields/layer-field.ts";
import type { OpenedPdf } from "../../../pdf/open-pdf.ts";
import { PdfViewer, type PdfViewerHandle } from "../../../pdf/pdf-viewer.tsx";
import { PrepareFieldLayer } from "../../../pdf/fields/prepare-field-layer.tsx";
import type { ChosenMark } from "../marks/chosen-mark.ts";
import { MarkPicture } from "../marks/mark-picture.tsx";
import { modelSize, type ReadyFile, signedPages } from "./batch-file.ts";
import type { Placing } from "./placing.ts";
import styles from "./bulk.module.css";

const FIELD = "signature";
const SELECTED: ReadonlySet<string> = new Set([FIELD]);
const nothing = () => undefined;

type PlacedDocumentProps = {
  readonly file: ReadyFile;
  readonly placing: Placing;
  readonly mark: ChosenMark | null;
};

export function PlacedDocument({ file, placing, mark }: PlacedDocumentProps) {
  const { rule, box } = placing.placeOf(file);
  const pages = signedPages(rule, file.state.pageCount);
  const size = modelSize(rule, file);
  const viewer = useRef<PdfViewerHandle>(null);
  const [opened, setOpened] = useState<OpenedPdf | null>(null);
  const [first = 1] = pages;
  const middle = useRef(0.5);
  middle.current = box.y + box.height / 2;
  // Scrolls when the file or page changes, not when the signature moves.
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
              fields={[signatureField(mark, { pageNumber, box })]}
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

function signatureField(
  mark: ChosenMark | null,
  { pageNumber, box }: Pick<LayerField, "pageNumber" | "box">,
): LayerField {
  return {
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
  };
}

/** The label begins with the visible letters (WCAG 2.5.3). */
function spokenMark(mark: ChosenMark | null): string {
  return mark?.look.kind === "text" ? `Signature «\u00a0${mark.look.text}\u00a0»` : "Signature";
}
