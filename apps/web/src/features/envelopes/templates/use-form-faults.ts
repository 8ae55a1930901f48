import { type RefObject, useRef, useState } from "react";

/** What is wrong with a form, by the name of its field; `all` is the form's own. */
export type Faults = Readonly<Record<string, string>>;
type FormFaults = {
  readonly body: RefObject<HTMLFormElement | null>;
  readonly faults: Faults;
  /** Says what is wrong; the first wrong field takes the focus. */
  readonly refuse: (found: Faults) => void;
  /** What is being corrected is no longer said to be wrong. */
  readonly forget: (...names: readonly string[]) => void;
};

/** Keeps what is wrong with a form, whoever found it: the page before it sends, or the service. */
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
