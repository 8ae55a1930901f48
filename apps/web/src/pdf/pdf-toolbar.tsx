import type { ReactNode } from "react";
import { formatPercent } from "../lib/format/format-numbers.ts";
import { useFocusableDisabled } from "../ui/focus/use-focusable-disabled.ts";
import { MAX_ZOOM, MIN_ZOOM, nextZoom } from "./page-layout.ts";
import styles from "./pdf-viewer.module.css";

export type PdfToolbarProps = {
  /** Null where the page names its document. */
  readonly heading: ReactNode;
  readonly zoom: number;
  readonly current: number;
  readonly count: number;
  readonly onZoom: (zoom: number) => void;
  readonly onFit: () => void;
};

export function PdfToolbar({ heading, current, count, ...zoom }: PdfToolbarProps) {
  return (
    <div className={styles.bar} role="toolbar" aria-label="Affichage du document">
      <div className={styles.heading}>{heading}</div>
      <ZoomTools {...zoom} />
      {count > 0 ? (
        <span className={styles.pageLabel}>{`Page ${current} sur ${count}`}</span>
      ) : null}
    </div>
  );
}

export function ZoomTools({
  zoom,
  onZoom,
  onFit,
}: Pick<PdfToolbarProps, "zoom" | "onZoom" | "onFit">) {
  return (
    <>
      <ToolButton
        label="Zoom arrière"
        disabled={zoom <= MIN_ZOOM}
        onPress={() => onZoom(nextZoom(zoom, "out"))}
        path="M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12 4.5 4.5M8 11h6"
      />
      <span className={styles.zoom} aria-live="polite">
        {formatPercent(Math.round(zoom * 100))}
      </span>
      <ToolButton
        label="Zoom avant"
        disabled={zoom >= MAX_ZOOM}
        onPress={() => onZoom(nextZoom(zoom, "in"))}
        path="M11 4a7 7 0 1 0 0 14 7 7 0 0 0 0-14zm5 12 4.5 4.5M8 11h6M11 8v6"
      />
      <ToolButton
        label="Ajuster à la largeur"
        disabled={false}
        onPress={onFit}
        path="M4 5v14M20 5v14M7 12h10M7 12l3-3M7 12l3 3M17 12l-3-3M17 12l-3 3"
      />
    </>
  );
}

function ToolButton({
  label,
  disabled,
  onPress,
  path,
}: {
  label: string;
  disabled: boolean;
  onPress: () => void;
  path: string;
}) {
  const held = useFocusableDisabled({ disabled, onClick: onPress });
  return (
    <button type="button" className={styles.tool} aria-label={label} title={label} {...held}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d={path} />
      </svg>
    </button>
  );
}
