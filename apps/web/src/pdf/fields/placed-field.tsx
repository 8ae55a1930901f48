import type { CSSProperties, ReactNode, Ref } from "react";
import type { Box } from "../box.ts";
import styles from "../field-layer.module.css";
import type { FieldColor } from "./layer-field.ts";

type PlacedFieldProps = {
  readonly box: Box;
  readonly color: FieldColor;
  readonly state?: string;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLDivElement>;
  readonly fieldId?: string;
};

export function PlacedField({ box, color, state, children, ref, fieldId }: PlacedFieldProps) {
  const place = {
    left: percent(box.x),
    top: percent(box.y),
    width: percent(box.width),
    height: percent(box.height),
    "--c": `var(--r${color})`,
    "--c-bg": `var(--r${color}-bg)`,
  };
  return (
    <div
      ref={ref}
      className={styles.placed}
      style={place as CSSProperties}
      data-state={state}
      data-field={fieldId}
      data-color={color}
    >
      {children}
    </div>
  );
}

function percent(fraction: number): string {
  return `${+(fraction * 100).toFixed(4)}%`;
}

/** Decorative: the field's name says more. */
export function FieldTag({
  box,
  tone,
  children,
}: {
  box: Box;
  tone?: "danger" | "quiet" | undefined;
  children: string;
}) {
  const fromRight = box.x + box.width / 2 > 0.5;
  const room = fromRight ? box.x + box.width : 1 - box.x;
  // `cqw` counts the page's width.
  const place = { maxWidth: `${+(room * 100).toFixed(2)}cqw` } as CSSProperties;
  return (
    <span
      className={styles.tag}
      style={place}
      data-side={fromRight ? "right" : "left"}
      data-tone={tone}
      aria-hidden="true"
    >
      {children}
    </span>
  );
}
