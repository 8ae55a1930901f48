/** The four steps of the preparation; the slug stands in the address, so that « Précédent » and a reload stay where one was. */
export type PrepareStep = "documents" | "recipients" | "fields" | "send";
export const PREPARE_STEPS: readonly {
  readonly step: PrepareStep;
  readonly label: string;
  readonly slug: string;
}[] = [
  { step: "documents", label: "Documents", slug: "documents" },
  { step: "recipients", label: "Destinataires", slug: "destinataires" },
  { step: "fields", label: "Champs", slug: "champs" },
  { step: "send", label: "Envoi", slug: "envoi" },
];

/** Reads the step from the address; the first one when it names none. */
export function stepOfSlug(slug: string | null): PrepareStep {
  return PREPARE_STEPS.find((entry) => entry.slug === slug)?.step ?? "documents";
}

/** Gives the word a step has in the address. */
export function slugOfStep(step: PrepareStep): string {
  return PREPARE_STEPS.find((entry) => entry.step === step)?.slug ?? "documents";
}

/** What leads to a step where something is to be put right. */
export const FIX_WORDS: Readonly<Record<PrepareStep, string>> = {
  documents: "Corriger les documents",
  recipients: "Corriger les destinataires",
  fields: "Placer les champs",
  send: "Corriger",
};
