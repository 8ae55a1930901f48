import { visibleText } from "@paraphe/contracts";
import { type FormEvent, type ReactNode, type RefCallback, useState } from "react";
import { Button } from "../../ui/button/button.tsx";
import { TextArea } from "../../ui/field/text-area.tsx";
import { TextField } from "../../ui/field/text-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import styles from "./desk-actions.module.css";
import { fieldTitle, isFilled, mustBeFilled, type SigningField } from "./field-walk.ts";
import { keyboardFor } from "./keyboard-for.ts";
import type { Desk } from "./use-desk.ts";
import type { FieldWalk } from "./use-field-walk.ts";

type AnswerStripProps = {
  readonly field: SigningField;
  readonly desk: Pick<Desk, "values" | "answers" | "errors" | "setValue">;
  readonly walk: Pick<FieldWalk, "leave" | "pass" | "goTo">;
  /** How far one is. */
  readonly meter: ReactNode;
};

/** Answers a field of text on a phone, in the dock: the page above shows what is typed at once. */
export function AnswerStrip({ field, desk, walk, meter }: AnswerStripProps) {
  const [isMissing, setIsMissing] = useState(false);
  const isLong = field.height > MANY_LINES;
  const next = (event: FormEvent) => {
    event.preventDefault();
    if (mustBeFilled(field) && visibleText(desk.values[field.id] ?? "").trim() === "") setIsMissing(true);
    else walk.leave(field);
  };
  const control = {
    label: fieldTitle(field),
    value: desk.values[field.id] ?? "",
    error: isMissing ? "Remplissez ce champ pour continuer." : desk.errors[field.id],
    optional: !field.required,
    required: field.required,
    inputMode: keyboardFor(field.label ?? ""),
    enterKeyHint: "next",
    maxLength: 2000,
    ref: takeFocus,
    onKeyDown: ({ key }: { readonly key: string }) => (key === "Escape" ? walk.goTo(field) : undefined),
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      setIsMissing(false);
      desk.setValue(field.id, target.value);
    },
  } as const;
  return (
    <form className={styles.strip} onSubmit={next}>
      {meter}
      {isLong ? <TextArea {...control} rows={3} /> : <TextField {...control} />}
      <div className={styles.walk}>
        {walk.pass && !isFilled(field, desk.answers) ? (
          <Button size="lg" onClick={walk.pass}>
            Passer
          </Button>
        ) : null}
        <Button variant="primary" size="lg" className="grow" type="submit">
          Suivant
          <Icon name="arrow-right" size="sm" />
        </Button>
      </div>
    </form>
  );
}

/** A field as high as several lines, in fractions of its page. */
const MANY_LINES = 0.06;

/** At once, within the touch that led here: a phone shows its keyboard then alone. */
const takeFocus: RefCallback<HTMLElement> = (control) => control?.focus({ preventScroll: true });
