import type { CSSProperties, ReactNode, Ref } from "react";
import type { Box } from "./box.ts";
import type { FieldColor } from "./layer-field.ts";
import styles from "./field-layer.module.css";

type PlacedFieldProps = {
  readonly box: Box;
  readonly color: FieldColor;
  readonly state?: string;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLDivElement>;
  readonly fieldId?: string;
};

/** A field's frame on its page: placed in fractions, tinted in its person's colour. */
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
    <div ref={ref} className={styles.placed} style={place as CSSProperties} data-state={state} data-field={fieldId} data-color={color}>
      {children}
    </div>
  );
}

function percent(fraction: number): string {
  return `${+(fraction * 100).toFixed(4)}%`;
}
