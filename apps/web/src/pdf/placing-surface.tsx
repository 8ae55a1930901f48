import { type PointerEvent as ReactPointerEvent, useState } from "react";
import { type Box, boxAround, boxInPage } from "./box.ts";
import { GuideLines } from "./drawn-frame.tsx";
import styles from "./field-layer.module.css";
import tools from "./field-tools.module.css";
import { PlacedField } from "./placed-field.tsx";
import type { FieldTool } from "./prepare-layer-props.ts";
import { type Snapped, snapBox } from "./arrange-boxes.ts";
import { trackPointer } from "./track-pointer.ts";

type PlacingSurfaceProps = {
  readonly tool: FieldTool;
  readonly others: readonly Box[];
  readonly onPlace: (box: Box) => void;
};

/** Below this a press is a click: the field has its usual size. */
const DRAWN_FROM_PX = 10;

/**
 * Covers a page while a tool is in hand: a ghost of the field follows the mouse; a click puts it there, a frame drawn there gives it that size.
 * A finger draws sideways and scrolls up and down. The keyboard's way is the palette's own button, then Enter, or the form.
 */
export function PlacingSurface({ tool, others, onPlace }: PlacingSurfaceProps) {
  const [ghost, setGhost] = useState<Snapped | null>(null);
  const under = (event: At, frame: DOMRect): Snapped => {
    const box = boxAround(
      {
        x: (event.clientX - frame.left) / frame.width,
        y: (event.clientY - frame.top) / frame.height,
      },
      tool.size,
    );
    return event.altKey ? { box, guides: [] } : snapBox(box, others);
  };
  const press = (event: ReactPointerEvent<HTMLElement>) => {
    if (event.button !== 0) return;
    const frame = event.currentTarget.getBoundingClientRect();
    const from: At = event;
    let drawn: Box | null = null;
    trackPointer(event.pointerId, {
      onMove(move) {
        if (
          !drawn &&
          Math.hypot(move.clientX - from.clientX, move.clientY - from.clientY) < DRAWN_FROM_PX
        )
          return;
        drawn = boxBetween(from, move, frame);
        setGhost({ box: drawn, guides: [] });
      },
      onEnd(at) {
        setGhost(null);
        if (at)
          onPlace(drawn ?? under({ clientX: at.x, clientY: at.y, altKey: from.altKey }, frame).box);
      },
    });
  };
  return (
    <div
      className={tools.placing}
      onPointerDown={press}
      onPointerMove={(event) => {
        if (event.pointerType === "mouse" && event.buttons === 0)
          setGhost(under(event, event.currentTarget.getBoundingClientRect()));
      }}
      onPointerLeave={() => setGhost(null)}
    >
      {ghost ? (
        <>
          <PlacedField box={ghost.box} color={tool.color} state="ghost">
            <span className={styles.face}>{tool.label}</span>
          </PlacedField>
          <GuideLines guides={ghost.guides} />
        </>
      ) : null}
    </div>
  );
}

type At = { readonly clientX: number; readonly clientY: number; readonly altKey: boolean };

function boxBetween(a: At, b: Omit<At, "altKey">, frame: DOMRect): Box {
  const within = (value: number) => Math.min(Math.max(value, 0), 1);
  const [x1, x2] = [
    within((a.clientX - frame.left) / frame.width),
    within((b.clientX - frame.left) / frame.width),
  ];
  const [y1, y2] = [
    within((a.clientY - frame.top) / frame.height),
    within((b.clientY - frame.top) / frame.height),
  ];
  return boxInPage({
    x: Math.min(x1, x2),
    y: Math.min(y1, y2),
    width: Math.abs(x2 - x1),
    height: Math.abs(y2 - y1),
  });
}
