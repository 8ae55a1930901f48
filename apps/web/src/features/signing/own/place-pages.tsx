import { FIELD_KINDS } from "@paraphe/contracts";
import { useEffect, useMemo, useRef, useState } from "react";
import { parisDay } from "../../../lib/format/format-dates.ts";
import { A4_PT, type Box, sizeOnPage } from "../../../pdf/box.ts";
import type { FieldKeyAction } from "../../../pdf/fields/field-keys.ts";
import type { LayerField } from "../../../pdf/fields/layer-field.ts";
import { PdfViewer, type PdfViewerHandle } from "../../../pdf/pdf-viewer.tsx";
import { PrepareFieldLayer } from "../../../pdf/fields/prepare-field-layer.tsx";
import { ToolButton } from "../../../pdf/fields/tool-button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { type ChosenMark, describeMark } from "../marks/chosen-mark.ts";
import { MarkPicture } from "../marks/mark-picture.tsx";
import styles from "./self-sign.module.css";
import type { ControlState } from "./use-self-sign.ts";
import { type OwnField, type OwnFields } from "./use-own-fields.ts";
import { type Placed, type PlacementDesk, describePlace } from "./use-placement.ts";

type PlacePagesProps = {
  readonly file: File;
  readonly control: ControlState;
  readonly desk: PlacementDesk;
  readonly own: OwnFields;
  readonly mark: ChosenMark | null;
  readonly signerName: string;
  readonly onMake: () => void;
};

const SIGNATURE = "signature";

/** A press on a page without a signature puts it there. */
export function PlacePages({
  file,
  control,
  desk,
  own,
  mark,
  signerName,
  onMake,
}: PlacePagesProps) {
  const viewer = useRef<PdfViewerHandle>(null);
  const { placed, setPdf } = desk;
  const [chosen, setChosen] = useState<string>(SIGNATURE);
  const source = useMemo(
    () => ({
      key: `${file.name}:${file.size}:${file.lastModified}`,
      load: () => file.arrayBuffer(),
    }),
    [file],
  );
  const pages = control.kind === "done" ? control.control.pages : undefined;
  useShown(
    viewer,
    placed === null ? null : { pageNumber: placed.page, y: placed.box.y + placed.box.height / 2 },
  );
  const onKey = (id: string, action: FieldKeyAction) => {
    const page = id === SIGNATURE ? placed?.page : own.fields.find(({ key }) => key === id)?.page;
    const size = pages?.[(page ?? 1) - 1] ?? A4_PT;
    if (action.kind === "delete" && id === SIGNATURE) desk.remove();
    else if (action.kind === "delete") own.remove(id);
    else if ((action.kind === "move" || action.kind === "resize") && id === SIGNATURE)
      desk.nudge(action, size);
    else if (action.kind === "move" || action.kind === "resize") own.nudge(id, action, size);
  };
  const all = [
    ...(placed === null ? [] : [signatureField(placed, mark)]),
    ...own.fields.map((field) => writtenField(field, signerName)),
  ];
  return (
    <PdfViewer
      ref={viewer}
      source={source}
      label="Document"
      {...(pages === undefined ? {} : { pages })}
      heading={<span title={file.name}>{file.name}</span>}
      failedText="Le document n’a pas pu être affiché."
      onPdf={setPdf}
      layerPages={[...new Set(all.map(({ pageNumber }) => pageNumber))]}
      renderLayer={(pageNumber) => (
        <PlacedLayer
          {...{ desk, own, chosen, pageNumber, onKey, onMake }}
          page={pages?.[pageNumber - 1]}
          fields={all}
          onChoose={setChosen}
        />
      )}
    />
  );
}

type PlacedLayerProps = Pick<PlacePagesProps, "desk" | "own" | "onMake"> & {
  readonly fields: readonly LayerField[];
  readonly chosen: string;
  readonly pageNumber: number;
  /** In points. */
  readonly page: Pick<Box, "width" | "height"> | undefined;
  readonly onChoose: (id: string) => void;
  readonly onKey: (id: string, action: FieldKeyAction) => void;
};

function PlacedLayer(props: PlacedLayerProps) {
  const { desk, own, fields, chosen, pageNumber, onChoose, onKey, onMake } = props;
  return (
    <PrepareFieldLayer
      pageNumber={pageNumber}
      fields={fields.filter((field) => field.pageNumber === pageNumber)}
      selectedIds={new Set(fields.some(({ id }) => id === chosen) ? [chosen] : [])}
      leadId={chosen}
      tool={
        desk.placed === null
          ? {
              size: sizeOnPage({ width: 0.3, height: 0.07 }, props.page),
              color: 1,
              label: "Signature",
            }
          : null
      }
      selectedTools={
        <>
          {chosen === SIGNATURE ? (
            <ToolButton label="Changer de signature" icon="edit" onPress={onMake} />
          ) : null}
          <ToolButton
            label="Retirer de la page"
            icon="trash"
            onPress={() => onKey(chosen, { kind: "delete" })}
          />
        </>
      }
      onSelect={([id]) => onChoose(id ?? SIGNATURE)}
      onToggle={onChoose}
      onKey={onKey}
      onMove={(boxes, to) => {
        for (const [id, box] of boxes) {
          if (id === SIGNATURE) desk.put({ page: to, box });
          else own.put(id, { page: to, box });
        }
      }}
      onPlace={(to, box) => {
        desk.put({ page: to, box });
        onChoose(SIGNATURE);
      }}
    />
  );
}

function signatureField(placed: Placed, mark: ChosenMark | null): LayerField {
  return {
    id: SIGNATURE,
    pageNumber: placed.page,
    box: placed.box,
    color: 1,
    name: `${describeMark("Votre signature", mark)}, ${describePlace(placed)}`,
    content: mark ? (
      <span className={styles.face}>
        <MarkPicture look={mark.look} />
      </span>
    ) : (
      <>
        <Icon name="signature" />
        <span className="truncate">Signature</span>
      </>
    ),
  };
}

function writtenField(field: OwnField, signerName: string): LayerField {
  const kind = FIELD_KINDS[field.type];
  const words =
    kind.filling === "automatic"
      ? kind.print({ prepared: null, signerName, today: parisDay(new Date()) })
      : field.value.trim() || kind.short;
  return {
    id: field.key,
    pageNumber: field.page,
    box: field.box,
    color: 1,
    name: `${kind.short}\u00a0: ${words}, ${describePlace(field)}`,
    content: <span className="truncate">{words}</span>,
  };
}

/** Scrolls to the signature, except while it is dragged. */
function useShown(
  viewer: React.RefObject<PdfViewerHandle | null>,
  target: { pageNumber: number; y: number } | null,
): void {
  const shown = useRef<number | null>(null);
  const pageNumber = target?.pageNumber ?? null;
  useEffect(() => {
    if (pageNumber === shown.current) return;
    shown.current = pageNumber;
    if (target === null) return;
    // Another rendering may follow at once, with the date under the signature.
    requestAnimationFrame(() => viewer.current?.goTo(target));
  });
}
