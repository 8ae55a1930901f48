import { visibleText } from "@paraphe/contracts";
import { useState } from "react";
import { TextArea, TextField } from "../../../ui/field/field.tsx";
import { fieldTitle, keyboardFor, mustBeFilled } from "./field-walk.ts";
import { LaterMention } from "./later-parts.tsx";
import { type AnswerStripProps, Strip, takeFocus } from "./strip.tsx";

/** Shows the answer on the page as it is typed. */
export function AnswerStrip(props: AnswerStripProps) {
  return props.field.type === "mention" ? <LaterMention {...props} /> : <TextStrip {...props} />;
}

function TextStrip({ field, desk, walk, meter }: AnswerStripProps) {
  const [isMissing, setIsMissing] = useState(false);
  const isLong = field.height > MANY_LINES;
  const next = () => {
    if (mustBeFilled(field) && visibleText(desk.values[field.id] ?? "").trim() === "")
      setIsMissing(true);
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
    onKeyDown: ({ key }: { readonly key: string }) =>
      key === "Escape" ? walk.goTo(field) : undefined,
    onChange: ({ target }: { readonly target: { readonly value: string } }) => {
      setIsMissing(false);
      desk.setValue(field.id, target.value);
    },
  } as const;
  return (
    <Strip {...{ field, desk, walk, meter }} onNext={next}>
      {isLong ? <TextArea {...control} rows={3} /> : <TextField {...control} />}
    </Strip>
  );
}

/** Height of a multi-line field, as a fraction of the page. */
const MANY_LINES = 0.06;
