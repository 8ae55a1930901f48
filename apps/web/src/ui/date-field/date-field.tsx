import { type Ref, useRef, useState } from "react";
import { useMediaQuery } from "../../lib/browser/use-media-query.ts";
import { lazyDialog } from "../dialog/lazy-dialog.tsx";
import { Field, type FieldProps, type FieldWarning } from "../field/field.tsx";
import { Icon } from "../icon/icon.tsx";
import styles from "../field/field.module.css";

/** « jj/mm/aaaa », also with dots, hyphens or spaces, as an ISO date. */
export function parseFrenchDate(text: string): string | undefined {
  const match =
    /^(\d{1,2})[/.\-\s](\d{1,2})[/.\-\s](\d{4})$/u.exec(text.trim()) ??
    /^(\d{2})(\d{2})(\d{4})$/u.exec(text.trim());
  if (!match) return undefined;
  const [day, month, year] = match.slice(1).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  const exists =
    date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists && year >= 1000 ? date.toISOString().slice(0, 10) : undefined;
}

/** « 1/1/27 », in this century. */
export function parseShortFrenchDate(text: string): string | undefined {
  const match =
    /^(\d{1,2}[/.\-\s]\d{1,2}[/.\-\s])(\d{2})$/u.exec(text.trim()) ??
    /^(\d{4})(\d{2})$/u.exec(text.trim());
  return match ? parseFrenchDate(`${match[1]}20${match[2]}`) : undefined;
}

/** An ISO date as « jj/mm/aaaa »; any other text unchanged. */
export function writeFrenchDate(value: string): string {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/u.exec(value);
  return match ? `${match[3]}/${match[2]}/${match[1]}` : value;
}

const CalendarPopover = lazyDialog(
  async () => (await import("./calendar-popover.tsx")).CalendarPopover,
);

type Props = FieldProps &
  FieldWarning & {
    /** ISO date, or the text as typed, which the schema refuses. */
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly onBlur?: () => void;
    readonly name?: string;
    readonly autoComplete?: string;
    readonly min?: string;
    readonly max?: string;
    /** Accepts « 1/1/27 » on blur, in this century. Not for a birth date. */
    readonly shortYear?: boolean;
    readonly ref?: Ref<HTMLInputElement>;
  };

/** Typed or chosen in a calendar; the native control on touch screens. */
export function DateField(props: Props) {
  const coarse = useMediaQuery("(pointer: coarse)");
  return coarse ? <NativeDateField {...props} /> : <TypedDateField {...props} />;
}

function NativeDateField({
  value,
  onChange,
  onBlur,
  name,
  autoComplete,
  min,
  max,
  shortYear: _typed,
  ref,
  ...field
}: Props) {
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          {...{ ref, name, autoComplete, min, max, onBlur }}
          type="date"
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function TypedDateField({
  value,
  onChange,
  onBlur,
  name,
  autoComplete,
  min,
  max,
  shortYear = false,
  ref,
  ...field
}: Props) {
  const { text, type, leave, choose } = useTypedDate({ value, onChange, onBlur, shortYear });
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const label = typeof field.label === "string" ? field.label : "";
  return (
    <Field {...field}>
      {(control) => (
        <div className={styles["affix"]}>
          <input
            {...control}
            {...{ ref, name, autoComplete }}
            type="text"
            inputMode="numeric"
            placeholder="jj/mm/aaaa"
            value={text}
            onChange={(event) => type(event.target.value)}
            onBlur={leave}
          />
          <button
            ref={button}
            type="button"
            aria-label={`Ouvrir le calendrier, ${label}`}
            aria-expanded={open}
            onClick={() => setOpen(true)}
          >
            <Icon name="calendar" />
          </button>
          {open && (
            <CalendarPopover
              {...{ label, value, min, max }}
              onChoose={choose}
              onClose={() => {
                setOpen(false);
                button.current?.focus();
              }}
            />
          )}
        </div>
      )}
    </Field>
  );
}

/** The text stays as typed until it is left or a day is chosen. */
function useTypedDate({
  value,
  onChange,
  onBlur,
  shortYear,
}: Pick<Props, "value" | "onChange"> & {
  readonly onBlur: (() => void) | undefined;
  readonly shortYear: boolean;
}) {
  const [typed, setTyped] = useState<string>();
  const type = (text: string) => {
    setTyped(text);
    onChange(parseFrenchDate(text) ?? text);
  };
  const leave = () => {
    const day = shortYear && typed !== undefined ? parseShortFrenchDate(typed) : undefined;
    if (day !== undefined) onChange(day);
    setTyped(undefined);
    onBlur?.();
  };
  const choose = (day: string) => {
    setTyped(undefined);
    onChange(day);
  };
  return { text: typed ?? writeFrenchDate(value), type, leave, choose };
}
