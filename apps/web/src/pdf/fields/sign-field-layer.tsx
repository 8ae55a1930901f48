import styles from "../field-layer.module.css";
import type { LayerField } from "./layer-field.ts";
import { FieldTag, PlacedField } from "./placed-field.tsx";

/** `other` belongs to somebody else; so does `filled`, whose mark is already in the page. */
export type SignFieldState =
  | "todo"
  | "optional"
  | "current"
  | "done"
  | "invalid"
  | "other"
  | "filled";
export type SignLayerField = LayerField & {
  readonly state: SignFieldState;
  readonly tag?: { readonly text: string; readonly tone: "danger" | "quiet" } | undefined;
  readonly look?: "bare" | undefined;
};

type SignFieldLayerProps = {
  readonly fields: readonly SignLayerField[];
  readonly guide?: string;
  readonly onActivate: (id: string) => void;
};

/** The signer's own fields are controls; the others are dashed and inert. */
export function SignFieldLayer({ fields, guide, onActivate }: SignFieldLayerProps) {
  return (
    <div className={styles.layer}>
      {fields.map((field) => (
        <PlacedField
          key={field.id}
          box={field.box}
          color={field.color}
          state={field.state}
          fieldId={field.id}
        >
          {field.tag ? (
            <FieldTag box={field.box} tone={field.tag.tone}>
              {field.tag.text}
            </FieldTag>
          ) : null}
          <FieldFace field={field} onActivate={onActivate} />
        </PlacedField>
      ))}
      {guide
        ? fields
            .filter((field) => field.state === "current")
            .map((field) => (
              <span
                key={field.id}
                className={styles.guide}
                {...guidePlace(field.box)}
                aria-hidden="true"
              >
                {guide}
              </span>
            ))
        : null}
    </div>
  );
}

/** In the nearer margin, where no other field lies between. */
function guidePlace({ x, y, width, height }: LayerField["box"]) {
  const side = x + width / 2 > 0.5 ? "right" : "left";
  const room = side === "right" ? 1 - x - width : x;
  return {
    "data-side": side,
    style: {
      top: `calc(${(y + height / 2) * 100}% - 14px)`,
      [side]: `max(0px, ${room * 100}% - 6px - var(--guide-w))`,
    },
  };
}

function FieldFace({
  field,
  onActivate,
}: {
  field: SignLayerField;
  onActivate: (id: string) => void;
}) {
  if (field.state === "filled")
    return <span className={styles.face} role="img" aria-label={field.name} />;
  if (field.state === "other") {
    return (
      <span className={styles.face} role="img" aria-label={field.name}>
        {field.content}
      </span>
    );
  }
  return (
    <>
      {/* A finger's room around a small field, below every field's own face. */}
      <span className={styles.room} aria-hidden="true" onClick={() => onActivate(field.id)} />
      <button
        type="button"
        className={styles.face}
        data-look={field.look}
        aria-label={field.name}
        onClick={() => onActivate(field.id)}
      >
        {field.content}
      </button>
    </>
  );
}
