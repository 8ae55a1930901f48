import {
  type PointerEvent as ReactPointerEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { type Box, HANDLES } from "../box.ts";
import { readFieldKey } from "./field-keys.ts";
import styles from "../field-layer.module.css";
import tools from "../field-tools.module.css";
import { FieldTag, PlacedField } from "./placed-field.tsx";
import { SCROLLER_ATTRIBUTE, trackPointer } from "./track-pointer.ts";
import type { FieldDrag } from "./use-field-drag.ts";
import type { LayerField, PrepareFieldLayerProps } from "./layer-field.ts";

const LONG_PRESS_MS = 450;
const STILL_PX = 8;

/** Ends without effect when the finger moves, leaves or is joined by another. */
function waitForLongPress(
  event: ReactPointerEvent<HTMLElement>,
  { onTap, onHeld }: { onTap: () => void; onHeld: () => void },
): void {
  const from = { x: event.clientX, y: event.clientY };
  const timer = setTimeout(() => {
    giveUp();
    navigator.vibrate?.(10);
    onHeld();
  }, LONG_PRESS_MS);
  const giveUp = trackPointer(event.pointerId, {
    onMove(move) {
      if (Math.hypot(move.clientX - from.x, move.clientY - from.y) > STILL_PX) giveUp();
    },
    onEnd(at) {
      clearTimeout(timer);
      if (at) onTap();
    },
  });
}

type PreparedFieldProps = PrepareFieldLayerProps & {
  readonly field: LayerField;
  readonly box: Box;
  readonly drag: FieldDrag;
};

export function PreparedField(props: PreparedFieldProps) {
  const { field, box, focus, selectedIds, onSelect, onKey } = props;
  const isSelected = selectedIds.has(field.id);
  const button = useRef<HTMLButtonElement>(null);
  const turn = field.id === focus?.id ? focus.turn : 0;
  useEffect(() => {
    if (turn > 0) button.current?.focus({ preventScroll: true });
  }, [turn]);
  const press = usePress(props);
  return (
    <PlacedField
      box={box}
      color={field.color}
      state={isSelected ? "selected" : "placed"}
      fieldId={field.id}
    >
      {/* A finger's room around a small field, below every field's own face. */}
      <span
        className={styles.room}
        aria-hidden="true"
        onPointerDown={(event) => {
          press(event);
          button.current?.focus({ preventScroll: true });
        }}
      />
      <button
        ref={button}
        type="button"
        className={styles.face}
        aria-label={field.name}
        aria-pressed={isSelected}
        // Tab selects the field, except while several are selected.
        onFocus={() => !isSelected && selectedIds.size < 2 && onSelect([field.id])}
        onPointerDown={press}
        onContextMenu={(event) => event.preventDefault()}
        onKeyDown={(event) => {
          const action = readFieldKey(event);
          if (!action) return;
          event.preventDefault();
          event.stopPropagation();
          onKey(field.id, action);
        }}
      >
        {field.content}
      </button>
      {isSelected ? <SelectionTools {...props} /> : null}
    </PlacedField>
  );
}

function SelectionTools(props: PreparedFieldProps) {
  const { field, box, drag, fields, selectedIds, leadId, selectedTag, selectedTools } = props;
  const isAlone = selectedIds.size === 1;
  const hasBar = field.id === leadId && !drag.dragged && fields.length > 0;
  return (
    <>
      {isAlone && selectedTag ? <FieldTag box={box}>{selectedTag}</FieldTag> : null}
      {isAlone ? <ResizeHandles fieldId={field.id} drag={drag} /> : null}
      {hasBar && selectedTools ? <ToolsUnder box={box}>{selectedTools}</ToolsUnder> : null}
    </>
  );
}

function ResizeHandles({ fieldId, drag }: { fieldId: string; drag: FieldDrag }) {
  return HANDLES.map((handle) => (
    <span
      key={handle}
      className={tools.handle}
      data-handle={handle}
      aria-hidden="true"
      onPointerDown={(event) => {
        event.stopPropagation();
        drag.start(event, { part: handle, ids: [fieldId] });
      }}
    />
  ));
}

/** Stands over a field without room under it, and inwards at the page's edges. */
function ToolsUnder({ box, children }: { box: Box; children: ReactNode }) {
  const bar = useRef<HTMLDivElement>(null);
  const [isCut, setIsCut] = useState(false);
  useLayoutEffect(() => setIsCut(bar.current !== null && isCutBelow(bar.current)), [box]);
  const middle = box.x + box.width / 2;
  return (
    <div
      ref={bar}
      className={tools.tools}
      data-above={isCut || box.y + box.height > 0.9}
      data-side={middle < 0.28 ? "left" : middle > 0.72 ? "right" : undefined}
      role="toolbar"
      aria-label="Actions sur le champ"
    >
      {children}
    </div>
  );
}

/** As in `field-tools.module.css`. */
const GAP_PX = 30;

/** True without room below in the pane and with some above. */
function isCutBelow(bar: HTMLElement): boolean {
  const [pane, field] = [bar.closest(`[${SCROLLER_ATTRIBUTE}]`), bar.parentElement].map((one) =>
    one?.getBoundingClientRect(),
  );
  const room = bar.offsetHeight + GAP_PX;
  return (
    pane !== undefined &&
    field !== undefined &&
    pane.bottom - field.bottom < room &&
    field.top - pane.top >= room
  );
}

/** A tap selects and a long press takes the field, so that a scroll moves nothing. */
function usePress({ field, drag, selectedIds, onSelect, onToggle }: PreparedFieldProps) {
  return (event: ReactPointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    const isSelected = selectedIds.has(field.id);
    if (event.shiftKey) {
      onToggle(field.id);
      return;
    }
    const ids = isSelected
      ? [field.id, ...[...selectedIds].filter((id) => id !== field.id)]
      : [field.id];
    const take = () =>
      drag.start(event, {
        part: "move",
        ids,
        onClick: () => ids.length > 1 && onSelect([field.id]),
      });
    if (event.pointerType === "mouse" || isSelected) {
      if (!isSelected) onSelect([field.id]);
      take();
      return;
    }
    waitForLongPress(event, {
      onTap: () => onSelect([field.id]),
      onHeld: () => {
        onSelect([field.id]);
        take();
      },
    });
  };
}
