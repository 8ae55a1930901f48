import { parseDate } from "@internationalized/date";
import { useRef, useState } from "react";
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  Dialog,
  Heading,
  I18nProvider,
  Popover,
} from "react-aria-components";
import { Icon } from "../icon/icon.tsx";
import { useTurn } from "../menu/menu.tsx";
import styles from "./calendar.module.css";

type Props = {
  readonly label: string;
  /** ISO date, or any other text when none is chosen. */
  readonly value: string;
  readonly min?: string | undefined;
  readonly max?: string | undefined;
  readonly onChoose: (value: string) => void;
  readonly onClose: () => void;
};

/** Arrows move by days, Page up and down by months. */
export function CalendarPopover({ label, value, min, max, onChoose, onClose }: Props) {
  const anchor = useRef<HTMLSpanElement>(null);
  const [open, setOpen] = useState(true);
  const isDate = /^\d{4}-\d{2}-\d{2}$/u.test(value);
  const change = (next: boolean) => {
    setOpen(next);
    if (!next) onClose();
  };
  useTurn(() => change(false));
  return (
    <I18nProvider locale="fr-FR">
      <span ref={anchor} className={styles["anchor"]} />
      <Popover
        className={styles["popover"] ?? ""}
        triggerRef={anchor}
        isOpen={open}
        onOpenChange={change}
        placement="bottom end"
      >
        <Dialog className={styles["dialog"] ?? ""} aria-label={label}>
          <Calendar
            aria-label={label}
            autoFocus
            defaultValue={isDate ? parseDate(value) : null}
            {...(min === undefined ? {} : { minValue: parseDate(min) })}
            {...(max === undefined ? {} : { maxValue: parseDate(max) })}
            onChange={(date) => {
              onChoose(date.toString());
              change(false);
            }}
          >
            <header className={styles["head"]}>
              <Button slot="previous" className={styles["step"] ?? ""}>
                <Icon name="chevron-left" />
              </Button>
              <Heading className="h3" />
              <Button slot="next" className={styles["step"] ?? ""}>
                <Icon name="chevron-right" />
              </Button>
            </header>
            <CalendarGrid>
              {(date) => <CalendarCell date={date} className={styles["day"] ?? ""} />}
            </CalendarGrid>
          </Calendar>
        </Dialog>
      </Popover>
    </I18nProvider>
  );
}
