import { useEffect } from "react";
import type { FieldWalk } from "./use-field-walk.ts";

/** N goes to the next field, except while typing; so does Enter on a filled one. */
export function useWalkKeys(
  isOn: boolean,
  { next, goOnFromFilled }: Pick<FieldWalk, "next" | "goOnFromFilled">,
): void {
  useEffect(() => {
    if (!isOn) return;
    const onKey = (event: KeyboardEvent) => {
      const { target, key } = event;
      if (!(target instanceof HTMLElement) || target.matches("input, textarea, select")) return;
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const id = target.closest("[data-field]")?.getAttribute("data-field");
      const goOn =
        key.toLowerCase() === "n" ? next : key === "Enter" && id ? goOnFromFilled(id) : null;
      if (!goOn) return;
      // The field it opens would get the letter, the button a press.
      event.preventDefault();
      if (!event.repeat) goOn();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [isOn, next, goOnFromFilled]);
}
