import { phoneOf } from "@paraphe/contracts";
import { useEffect, useRef, useState } from "react";
import { TextField } from "../../../ui/field/text-field.tsx";

type PhoneFieldProps = {
  readonly value: string;
  /** What the service refused of it. */
  readonly refused: string | undefined;
  readonly onChange: (value: string | null) => void;
  readonly onLeave: () => void;
};

/** A number is kept only once it is right: half a number would be refused with the whole list. */
export function PhoneField({ value, refused, onChange, onLeave }: PhoneFieldProps) {
  const [text, setText] = useState(value);
  const own = phoneOf(text);
  const known = useRef(value);
  // A number that came with a chosen person takes the place of what was typed; what is typed is the page’s own.
  useEffect(() => {
    if (known.current === value) return;
    known.current = value;
    if (own !== value) setText(value);
  }, [value, own]);
  return (
    <TextField
      label="Téléphone"
      optional
      type="tel"
      autoComplete="off"
      size="sm"
      value={text}
      help="Si le lien part par SMS, le code part par email : un numéro seul ne confirme personne."
      error={own === null ? "Téléphone invalide" : refused}
      onChange={(event) => {
        setText(event.target.value);
        const next = phoneOf(event.target.value);
        if (next !== null) onChange(next === "" ? null : next);
      }}
      onBlur={onLeave}
    />
  );
}
