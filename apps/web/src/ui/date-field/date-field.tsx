import { useRef, useState, type Ref } from "react";
import { useMediaQuery } from "../../lib/use-media-query.ts";
import { lazyDialog } from "../dialog/lazy-dialog.tsx";
import { Field, type FieldProps, type FieldWarning } from "../field/field.tsx";
import styles from "../field/field.module.css";
import { Icon } from "../icon/icon.tsx";
import { parseFrenchDate, parseShortFrenchDate, writeFrenchDate } from "./french-date.ts";

const CalendarPopover = lazyDialog(async () => (await import("./calendar-popover.tsx")).CalendarPopover);

type Props = FieldProps &
  FieldWarning & {
    /** ISO date; anything typed that is not one is given back as typed, for the schema to refuse. */
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly onBlur?: () => void;
    readonly name?: string;
    readonly autoComplete?: string;
    readonly min?: string;
    readonly max?: string;
    /** A year of two figures is one of this century, once the line is left: « 1/1/27 ». Not for a date of birth. */
    readonly shortYear?: boolean;
    readonly ref?: Ref<HTMLInputElement>;
  };

/** A date: typed « jj/mm/aaaa » or chosen in a calendar; the phone's own date control under a finger. */
export function DateField(props: Props) {
  const coarse = useMediaQuery("(pointer: coarse)");
  return coarse ? <NativeDateField {...props} /> : <TypedDateField {...props} />;
}

function NativeDateField({ value, onChange, onBlur, name, autoComplete, min, max, shortYear: _typed, ref, ...field }: Props) {
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

function TypedDateField({ value, onChange, onBlur, name, autoComplete, min, max, shortYear = false, ref, ...field }: Props) {
  const [typed, setTyped] = useState<string>();
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const label = typeof field.label === "string" ? field.label : "";
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
            value={typed ?? writeFrenchDate(value)}
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
              onChoose={(chosen) => {
                setTyped(undefined);
                onChange(chosen);
              }}
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
