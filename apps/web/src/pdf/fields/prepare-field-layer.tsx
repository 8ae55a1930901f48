import { useRef } from "react";
import { boxesOverlap } from "../box.ts";
import { DrawnFrame, GuideLines } from "./drawn-frame.tsx";
import styles from "../field-layer.module.css";
import { FieldLoupe } from "./field-loupe.tsx";
import { PreparedField } from "./prepared-field.tsx";
import { useFieldDrag } from "./use-field-drag.ts";
import type { PrepareFieldLayerProps } from "./layer-field.ts";
import { PlacingSurface, useMarquee } from "./placing-surface.tsx";

/** Select, drag, resize, keyboard; a click with a tool adds a field. */
export function PrepareFieldLayer(props: PrepareFieldLayerProps) {
  const { pageNumber, fields, selectedIds, tool, onPlace, onSelect } = props;
  const layer = useRef<HTMLDivElement>(null);
  const boxes = new Map(fields.map((field) => [field.id, field.box]));
  const drag = useFieldDrag({
    pageNumber,
    layer,
    boxes,
    onEnd: (moved, page, part) => props.onMove(moved, page, part === "move" ? "move" : "resize"),
  });
  const frame = useMarquee({
    layer,
    isOff: tool !== null,
    onPressBeside: () => selectedIds.size > 0 && onSelect([]),
    onSelect: (drawn, how) => {
      const inside = fields
        .filter((field) => boxesOverlap(field.box, drawn))
        .map((field) => field.id);
      const kept =
        how === "add"
          ? fields.filter((field) => selectedIds.has(field.id)).map((field) => field.id)
          : [];
      onSelect([...new Set([...kept, ...inside])]);
    },
  });
  const finger = drag.dragged?.finger;
  return (
    <div ref={layer} className={styles.layer} data-dragging={drag.dragged ? "" : undefined}>
      {fields.map((field) => (
        <PreparedField
          key={field.id}
          field={field}
          box={drag.dragged?.boxes.get(field.id) ?? field.box}
          drag={drag}
          {...props}
        />
      ))}
      {finger && layer.current ? (
        <FieldLoupe
          finger={finger}
          fields={fields.map((field) => ({
            ...field,
            box: drag.dragged?.boxes.get(field.id) ?? field.box,
          }))}
          layer={layer.current}
        />
      ) : null}
      <GuideLines guides={drag.dragged?.guides ?? []} />
      {frame ? <DrawnFrame box={frame} /> : null}
      {tool ? (
        <PlacingSurface
          tool={tool}
          others={[...boxes.values()]}
          onPlace={(box) => onPlace(pageNumber, box)}
        />
      ) : null}
    </div>
  );
}
