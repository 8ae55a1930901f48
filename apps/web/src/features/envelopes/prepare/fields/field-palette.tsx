import { type FieldType, FIELD_KINDS, FIELD_TYPES } from "@paraphe/contracts";
import { useState } from "react";
import { createPortal } from "react-dom";
import type { FieldColor } from "../../../../pdf/fields/layer-field.ts";
import { pageAtPoint } from "../../../../pdf/page-layout.ts";
import {
  SCROLLER_ATTRIBUTE,
  startAutoScroll,
  trackPointer,
} from "../../../../pdf/fields/track-pointer.ts";
import { Icon } from "../../../../ui/icon/icon.tsx";
import styles from "./field-palette.module.css";
import { SelectField } from "../../../../ui/field/field.tsx";
import type { DraftRecipient } from "../draft/draft.ts";

type FieldPaletteProps = {
  readonly color: FieldColor;
  readonly armed: FieldType | null;
  readonly layout: "column" | "strip";
  readonly onArm: (type: FieldType | null) => void;
  /** Units: window pixels. */
  readonly onDrop: (type: FieldType, point: { readonly x: number; readonly y: number }) => void;
  readonly onPlaceCentered: (type: FieldType) => void;
};
/** Follows the pointer: as large as the field over a page, greyed elsewhere. */
type Ghost = {
  readonly type: FieldType;
  readonly x: number;
  readonly y: number;
  readonly size: { width: number; height: number } | null;
};

const DRAG_THRESHOLD_PX = 6;

/** Drag a kind, arm it then click the page, or press Enter twice. */
export function FieldPalette({
  color,
  armed,
  layout,
  onArm,
  onDrop,
  onPlaceCentered,
}: FieldPaletteProps) {
  const { ghost, press } = usePaletteDrag(layout, onDrop);
  return (
    <div
      className={`${styles.palette} c${color}`}
      data-layout={layout}
      role="group"
      aria-label="Champs à placer"
    >
      {FIELD_TYPES.map((type) => (
        <button
          key={type}
          type="button"
          className={styles.tool}
          aria-pressed={armed === type}
          onPointerDown={(event) => press(type, event)}
          onClick={(event) => {
            const byKeyboard = event.detail === 0;
            if (byKeyboard && armed === type) onPlaceCentered(type);
            else onArm(armed === type ? null : type);
          }}
        >
          <Icon name={FIELD_KINDS[type].icon} />
          <span>{layout === "strip" ? FIELD_KINDS[type].short : FIELD_KINDS[type].tool}</span>
        </button>
      ))}
      {ghost ? createPortal(<GhostField ghost={ghost} color={color} />, document.body) : null}
    </div>
  );
}

function usePaletteDrag(layout: "column" | "strip", onDrop: FieldPaletteProps["onDrop"]) {
  const [ghost, setGhost] = useState<Ghost | null>(null);
  const press = (type: FieldType, down: React.PointerEvent<HTMLButtonElement>) => {
    if (down.button !== 0) return;
    const target = down.currentTarget;
    const from = { x: down.clientX, y: down.clientY };
    const scroll = startAutoScroll(
      document.querySelector(`[${SCROLLER_ATTRIBUTE}]`),
      () => undefined,
    );
    let isDragging = false;
    trackPointer(down.pointerId, {
      onMove(move) {
        if (
          !isDragging &&
          Math.hypot(move.clientX - from.x, move.clientY - from.y) < DRAG_THRESHOLD_PX
        )
          return;
        isDragging = true;
        // On a small screen nothing scrolls until the drag has left the palette.
        if (layout === "column" || pageAtPoint(move.clientX, move.clientY))
          scroll.follow(move.clientY);
        setGhost({ type, x: move.clientX, y: move.clientY, size: sizeAt(type, move) });
      },
      onEnd(at) {
        scroll.stop();
        setGhost(null);
        if (!isDragging) return;
        // The click that follows a drag is not a choice of tool.
        const stop = new AbortController();
        target.addEventListener("click", (click) => click.stopImmediatePropagation(), {
          capture: true,
          signal: stop.signal,
        });
        setTimeout(() => stop.abort(), 0);
        if (at) onDrop(type, at);
      },
    });
  };
  return { ghost, press };
}

function sizeAt(type: FieldType, at: { clientX: number; clientY: number }): Ghost["size"] {
  const page = pageAtPoint(at.clientX, at.clientY);
  if (!page) return null;
  const { size } = FIELD_KINDS[type];
  return { width: size.width * page.widthPx, height: size.height * page.heightPx };
}

function GhostField({ ghost, color }: { ghost: Ghost; color: FieldColor }) {
  return (
    <span
      className={`${styles.ghost} c${color}`}
      style={{ left: ghost.x, top: ghost.y, ...ghost.size }}
      data-outside={ghost.size === null ? "" : undefined}
      aria-hidden="true"
    >
      <Icon name={FIELD_KINDS[ghost.type].icon} size="sm" />
      {FIELD_KINDS[ghost.type].short}
    </span>
  );
}

type RecipientSelectProps = {
  readonly people: readonly DraftRecipient[];
  readonly value: string;
  readonly onChange: (key: string) => void;
  readonly look: "full" | "compact";
};

export function RecipientSelect({ people, value, onChange, look }: RecipientSelectProps) {
  const size = look === "compact" ? "sm" : "md";
  return (
    <SelectField
      label="Champs pour"
      hideLabel={look === "compact"}
      size={size}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {people.map((row) => (
        <option key={row.key} value={row.key}>
          {row.fullName || row.email}
        </option>
      ))}
    </SelectField>
  );
}
