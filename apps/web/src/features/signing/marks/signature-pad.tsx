import {
  type PointerEvent as ReactPointerEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import {
  type PadSample,
  type Stroke,
  canAddStroke,
  extendStroke,
  inkBounds,
  strokePaths,
} from "./stroke.ts";
import styles from "./signature-pad.module.css";

type Ink = {
  /** Includes the stroke under the pen. */
  readonly strokes: readonly Stroke[];
  readonly isDrawing: boolean;
  readonly pad: {
    onPointerDown(event: ReactPointerEvent<HTMLElement>): void;
    onPointerMove(event: ReactPointerEvent<HTMLElement>): void;
    onPointerUp(event: ReactPointerEvent<HTMLElement>): void;
    onPointerCancel(event: ReactPointerEvent<HTMLElement>): void;
  };
};

type Drawing = {
  readonly pointerId: number;
  stroke: Stroke;
  timeMs: number;
  readonly widthPx: number;
  readonly heightPx: number;
};

/** One pointer at a time: a resting palm draws nothing. */
function useInk(strokes: readonly Stroke[], onChange: (strokes: readonly Stroke[]) => void): Ink {
  const [live, setLive] = useState<Stroke | null>(null);
  const drawing = useRef<Drawing | null>(null);

  const add = (pad: HTMLElement, event: PointerEvent) => {
    const current = drawing.current;
    if (!current) return;
    const frame = pad.getBoundingClientRect();
    // The phone was turned during the stroke: its unit changed.
    if (frame.width !== current.widthPx || frame.height !== current.heightPx) return finish();
    // Fast strokes have several points per frame.
    const events = event.getCoalescedEvents?.() ?? [];
    for (const point of events.length > 0 ? events : [event]) {
      const sample: PadSample = {
        x: point.clientX - frame.left,
        y: point.clientY - frame.top,
        timeMs: point.timeStamp,
        pressure: point.pressure,
        isPen: point.pointerType === "pen",
      };
      const longer = extendStroke(current.stroke, sample, current);
      if (longer !== current.stroke) {
        current.stroke = longer;
        current.timeMs = point.timeStamp;
      }
    }
    setLive(current.stroke);
  };
  const finish = () => {
    const done = drawing.current?.stroke;
    drawing.current = null;
    setLive(null);
    if (done && done.length > 0) onChange([...strokes, done]);
  };
  const isMine = (event: ReactPointerEvent<HTMLElement>) =>
    drawing.current?.pointerId === event.pointerId;
  return {
    strokes: live ? [...strokes, live] : strokes,
    isDrawing: live !== null,
    pad: {
      onPointerDown(event) {
        if (drawing.current || event.button !== 0 || !canAddStroke(strokes)) return;
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        const { width, height } = event.currentTarget.getBoundingClientRect();
        drawing.current = {
          pointerId: event.pointerId,
          stroke: [],
          timeMs: event.timeStamp,
          widthPx: width,
          heightPx: height,
        };
        add(event.currentTarget, event.nativeEvent);
      },
      onPointerMove: (event) => isMine(event) && add(event.currentTarget, event.nativeEvent),
      onPointerUp: (event) => isMine(event) && finish(),
      onPointerCancel: (event) => isMine(event) && finish(),
    },
  };
}

/** In units of the pad's height; follows a turn of the phone. */
function usePadWidth(pad: RefObject<HTMLElement | null>): number {
  const [ratio, setRatio] = useState(2.5);
  useEffect(() => {
    const element = pad.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      const { width, height } = element.getBoundingClientRect();
      if (width > 0 && height > 0) setRatio(width / height);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [pad]);
  return ratio;
}

type SignaturePadProps = {
  readonly strokes: readonly Stroke[];
  readonly onChange: (strokes: readonly Stroke[]) => void;
};

/** In units of the pad's height: a turn of the phone keeps the drawing. */
export function SignaturePad({ strokes, onChange }: SignaturePadProps) {
  const pad = useRef<HTMLDivElement>(null);
  const widthInHeights = usePadWidth(pad);
  const ink = useInk(strokes, onChange);
  const bounds = inkBounds(strokes);
  // In portrait a drawing wider than the pad shrinks.
  const shrink =
    bounds && !ink.isDrawing ? Math.min(1, widthInHeights / (bounds.x + bounds.width)) : 1;
  return (
    <div className={styles.sheet} data-pad="">
      <div
        ref={pad}
        className={styles.pad}
        role="img"
        aria-label="Zone de dessin. Utilisez la souris ou le doigt. Si vous ne pouvez pas dessiner, choisissez « Saisir » ou « Importer »."
        data-testid="signature-pad"
        {...ink.pad}
      >
        <span className={styles.cross} aria-hidden="true">
          ×
        </span>
        <svg
          className={styles.ink}
          viewBox={`0 0 ${widthInHeights} 1`}
          preserveAspectRatio="xMinYMid meet"
          aria-hidden="true"
        >
          <g
            transform={shrink < 1 ? `translate(0 ${(1 - shrink) / 2}) scale(${shrink})` : undefined}
          >
            {ink.strokes.map((stroke, index) => (
              <g key={index}>
                {strokePaths(stroke).map((path) => (
                  <path key={path} d={path} />
                ))}
              </g>
            ))}
          </g>
        </svg>
        <span className={styles.hint} aria-hidden="true">
          Au doigt, au stylet ou à la souris.
        </span>
        <span className={styles.turn} aria-hidden="true">
          {"Tournez le téléphone pour plus de place\u00a0: le tracé reste."}
        </span>
      </div>
    </div>
  );
}

export function PadTools({ strokes, onChange }: SignaturePadProps) {
  const isEmpty = strokes.length === 0;
  return (
    <div className={styles.tools}>
      <button
        type="button"
        className={styles.tool}
        disabled={isEmpty}
        onClick={() => onChange(strokes.slice(0, -1))}
      >
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M9 7 5 11l4 4M5 11h9a5 5 0 0 1 0 10h-2" />
        </svg>
        Annuler le trait
      </button>
      <button type="button" className={styles.tool} disabled={isEmpty} onClick={() => onChange([])}>
        Effacer
      </button>
    </div>
  );
}
