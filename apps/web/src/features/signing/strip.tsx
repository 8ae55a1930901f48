import type { FormEvent, ReactNode } from "react";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import type { AnswerStripProps } from "./answer-strip.tsx";
import styles from "./desk-actions.module.css";
import { isFilled } from "./field-walk.ts";

/** The answer between how far one is and what comes next; Escape leads back to the field on its page. */
export function Strip({
  field,
  desk,
  walk,
  meter,
  onNext,
  children,
}: AnswerStripProps & { readonly onNext: () => void; readonly children: ReactNode }) {
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onNext();
  };
  const leave = ({ key }: { readonly key: string }) => (key === "Escape" ? walk.goTo(field) : undefined);
  return (
    <form className={styles.strip} onSubmit={submit} onKeyDown={leave}>
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

/** At once, within the touch that led here: a phone shows its keyboard then alone. */
export const takeFocus = (control: HTMLElement | null): void => control?.focus({ preventScroll: true });
