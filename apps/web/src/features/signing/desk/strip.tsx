import type { FormEvent, ReactNode } from "react";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "../desk-actions.module.css";
import { type SigningField, isFilled } from "./field-walk.ts";
import type { Desk } from "./use-desk.ts";
import type { FieldWalk } from "./use-field-walk.ts";

export type AnswerStripProps = {
  readonly field: SigningField;
  readonly desk: Pick<Desk, "values" | "answers" | "errors" | "setValue">;
  readonly walk: Pick<FieldWalk, "leave" | "pass" | "goTo">;
  readonly meter: ReactNode;
};

export function Strip({
  field,
  desk,
  walk,
  meter,
  onNext,
  children,
}: AnswerStripProps & {
  readonly onNext: (form: HTMLFormElement) => void;
  readonly children: ReactNode;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onNext(event.currentTarget);
  };
  return (
    <form className={styles.strip} onSubmit={submit}>
      {meter}
      {children}
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

/** Called within the touch event, because a phone otherwise shows no keyboard. */
export const takeFocus = (control: HTMLElement | null): void =>
  control?.focus({ preventScroll: true });
