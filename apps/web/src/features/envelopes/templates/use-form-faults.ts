import { type RefObject, useRef, useState } from "react";

/** A form's faults by field name; `all` is the form's own. */
export type Faults = Readonly<Record<string, string>>;
type FormFaults = {
  readonly body: RefObject<HTMLFormElement | null>;
  readonly faults: Faults;
  /** Shows faults; the first wrong field takes the focus. */
  readonly refuse: (found: Faults) => void;
  /** A field being corrected is no longer marked wrong. */
  readonly forget: (...names: readonly string[]) => void;
};

/** The faults of a form, found by the page or by the service. */
export function useFormFaults(): FormFaults {
  const body = useRef<HTMLFormElement>(null);
  const [faults, setFaults] = useState<Faults>({});
  return {
    body,
    faults,
    refuse(found) {
      setFaults(found);
      requestAnimationFrame(() =>
        body.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus(),
      );
    },
    forget: (...names) =>
      setFaults((before) =>
        Object.fromEntries(Object.entries(before).filter(([name]) => !names.includes(name))),
      ),
  };
}
