import { useRef } from "react";
import { inkBounds, type Stroke, strokePaths } from "./stroke.ts";
import { useInk } from "./use-ink.ts";
import { usePadWidth } from "./use-pad-width.ts";
import styles from "./signature-pad.module.css";

type SignaturePadProps = { readonly strokes: readonly Stroke[]; readonly onChange: (strokes: readonly Stroke[]) => void };

/** A ruled sheet to sign on. The drawing is kept as vectors in units of the pad's height: turning the phone keeps it whole. */
export function SignaturePad({ strokes, onChange }: SignaturePadProps) {
  const pad = useRef<HTMLDivElement>(null);
  const widthInHeights = usePadWidth(pad);
  const ink = useInk(strokes, onChange);
  const bounds = inkBounds(strokes);
  // After a turn to portrait the drawing may be wider than the pad: it is shown smaller, its vectors do not change.
  const shrink = bounds && !ink.isDrawing ? Math.min(1, widthInHeights / (bounds.x + bounds.width)) : 1;
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
        <svg className={styles.ink} viewBox={`0 0 ${widthInHeights} 1`} preserveAspectRatio="xMinYMid meet" aria-hidden="true">
          <g transform={shrink < 1 ? `translate(0 ${(1 - shrink) / 2}) scale(${shrink})` : undefined}>
            {ink.strokes.map((stroke, index) => (
              <g key={index}>
                {strokePaths(stroke).map((path) => (
                  <path key={path} d={path} />
                ))}
              </g>
            ))}
          </g>
        </svg>
      </div>
      <div className={styles.below}>
        <span className={styles.hint}>
          Au doigt, au stylet ou à la souris.
          <span className={styles.turn}>{" Tournez le téléphone pour plus de place\u00a0: le tracé reste."}</span>
        </span>
        <span className={styles.tools}>
          <button type="button" className={styles.tool} disabled={strokes.length === 0} onClick={() => onChange(strokes.slice(0, -1))}>
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path d="M9 7 5 11l4 4M5 11h9a5 5 0 0 1 0 10h-2" />
            </svg>
            Annuler le trait
          </button>
          <button type="button" className={styles.tool} disabled={strokes.length === 0} onClick={() => onChange([])}>
            Effacer
          </button>
        </span>
      </div>
    </div>
  );
}
