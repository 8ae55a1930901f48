import { Icon } from "../../ui/icon/icon.tsx";
import { fieldTitle, fillsItself, isFilled, type SigningField } from "./field-walk.ts";
import { fieldInWords } from "./field-in-words.ts";
import styles from "./reading-view.module.css";
import type { Desk } from "./use-desk.ts";

type ReadingFieldProps = { readonly field: SigningField; readonly desk: Desk; readonly onActivate: (id: string) => void };

/** One field among the words of the document: one's own as a control, what fills itself and everybody else's as a line. */
export function ReadingField({ field, desk, onActivate }: ReadingFieldProps) {
  const words = fieldInWords(field, desk);
  if (!field.own || fillsItself(field)) {
    return (
      <p className={styles.other} data-field={field.id} tabIndex={field.own ? -1 : undefined}>
        {words}
      </p>
    );
  }
  const isDone = isFilled(field, desk.answers);
  const state = desk.errors[field.id] ? "wrong" : isDone ? "done" : "todo";
  const look = { type: "button", className: styles.field, "data-state": state, onClick: () => onActivate(field.id) } as const;
  return (
    <div data-field={field.id}>
      {field.type === "checkbox" ? (
        <button {...look} role="checkbox" aria-checked={isDone} aria-required={field.required || undefined}>
          <Icon name={isDone ? "checkbox" : "pen"} />
          <span>{desk.errors[field.id] ?? `${fieldTitle(field)}, page ${field.page}`}</span>
        </button>
      ) : (
        <button {...look}>
          <Icon name={state === "wrong" ? "alert" : isDone ? "check-circle" : "pen"} />
          <span>{words}</span>
        </button>
      )}
    </div>
  );
}
