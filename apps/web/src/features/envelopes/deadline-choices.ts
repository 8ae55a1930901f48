import type { Envelope } from "@paraphe/contracts";
import { tellingWords } from "./reached-words.ts";

export type DeadlineChoice = "7" | "14" | "30" | "date" | "none";
type Option = { readonly value: DeadlineChoice; readonly label: string };
type Dated = Pick<Envelope, "status" | "deadline_at">;

/** What may be chosen: so much more than there is, so much from today where there is none, a date, or none any more. */
export function deadlineChoices({ status, deadline_at }: Dated): readonly Option[] {
  const date: Option = { value: "date", label: "Une date" };
  if (deadline_at === null) {
    const lengths = (["7", "14", "30"] as const).map((value): Option => ({ value, label: `${value}\u00a0jours` }));
    return [...lengths, date];
  }
  const more = (["7", "30"] as const).map((value): Option => ({ value, label: `+\u00a0${value}\u00a0jours` }));
  return [...more, date, ...(status === "expired" ? [] : [{ value: "none", label: "Aucune" } as const])];
}

/** A deadline that has passed is put off; any other is changed. */
export function deadlineWords({ status }: Dated): { readonly title: string; readonly action: string } {
  return status === "expired"
    ? { title: "Prolonger l’échéance", action: "Prolonger" }
    : { title: "Modifier l’échéance", action: "Enregistrer" };
}

/** What those awaited will learn of it. */
export function telling({ status }: Dated, choice: DeadlineChoice): string {
  if (choice === "none") return "Les liens déjà envoyés restent valables. Personne n’est prévenu.";
  const told =
    status === "expired"
      ? "Les liens déjà envoyés fonctionneront à nouveau, et les personnes attendues seront prévenues."
      : "Les personnes attendues seront prévenues de la nouvelle échéance.";
  return tellingWords(told, "les personnes attendues");
}
