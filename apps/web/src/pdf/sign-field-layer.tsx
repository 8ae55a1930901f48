import styles from "./field-layer.module.css";
import { FieldTag } from "./field-tag.tsx";
import type { LayerField } from "./layer-field.ts";
import { PlacedField } from "./placed-field.tsx";

/**
 * `todo` and `current` wait for the reader, `done` is filled, `other` belongs to somebody else and cannot be touched;
 * `filled` too, and what was put there stands in the page itself.
 */
export type SignFieldState = "todo" | "current" | "done" | "invalid" | "other" | "filled";
export type SignLayerField = LayerField & {
  readonly state: SignFieldState;
  /** A flag over the field: its words, or what is wrong with it. */
  readonly tag?: { readonly text: string; readonly tone: "danger" | "quiet" } | undefined;
  /** A field whose face is its content alone: no frame around it. */
  readonly look?: "bare" | undefined;
};

type SignFieldLayerProps = {
  readonly fields: readonly SignLayerField[];
  readonly guide?: string;
  readonly onActivate: (id: string) => void;
};

/** The fields of one page while it is signed: one's own as buttons or controls, everybody else's dashed and inert. */
export function SignFieldLayer({ fields, guide, onActivate }: SignFieldLayerProps) {
  return (
    <div className={styles.layer}>
      {fields.map((field) => (
        <PlacedField key={field.id} box={field.box} color={field.color} state={field.state} fieldId={field.id}>
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
                style={{ top: `calc(${(field.box.y + field.box.height / 2) * 100}% - 14px)` }}
                aria-hidden="true"
              >
                {guide}
              </span>
            ))
        : null}
    </div>
  );
}

function FieldFace({ field, onActivate }: { field: SignLayerField; onActivate: (id: string) => void }) {
  if (field.state === "filled") return <span className={styles.face} role="img" aria-label={field.name} />;
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
      <button type="button" className={styles.face} data-look={field.look} aria-label={field.name} onClick={() => onActivate(field.id)}>
        {field.content}
      </button>
    </>
  );
}
