import { useLayoutEffect } from "react";
import { useMention } from "./use-mention.tsx";
import { type AnswerStripProps, Strip, takeFocus } from "./strip.tsx";

export function MentionStrip({ field, desk, walk, meter }: AnswerStripProps) {
  const sentence = field.value ?? "";
  const { input, ref, check } = useMention({
    field,
    text: desk.values[field.id] ?? "",
    error: desk.errors[field.id],
    onType: (text) => desk.setValue(field.id, text),
    label: `Recopiez\u00a0: «\u00a0${sentence}\u00a0»`,
    rows: sentence.length > ONE_LINE ? 3 : 1,
    enterKeyHint: "next",
    // Enter goes on: a mention has no line breaks.
    onKeyDown: (event) => {
      if (event.key === "Escape") walk.goTo(field);
      if (event.key !== "Enter" || sentence.includes("\n")) return;
      event.preventDefault();
      event.currentTarget.form?.requestSubmit();
    },
  });
  useLayoutEffect(() => {
    takeFocus(ref.current);
    // The dock has grown over the pages.
    document.querySelector(`[data-field="${field.id}"]`)?.scrollIntoView({ block: "center" });
  }, [ref, field.id]);
  return (
    <Strip
      {...{ field, desk, walk, meter }}
      onNext={() => (check() ? walk.leave(field) : undefined)}
    >
      {input}
    </Strip>
  );
}

/** Letters per line on a phone. */
const ONE_LINE = 32;
