/** The step is in the address, so that Back and a reload return to it. */
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

export function stepOfSlug(slug: string | null): PrepareStep {
  return PREPARE_STEPS.find((entry) => entry.slug === slug)?.step ?? "documents";
}

export function slugOfStep(step: PrepareStep): string {
  return PREPARE_STEPS.find((entry) => entry.step === step)?.slug ?? "documents";
}

export const FIX_WORDS: Readonly<Record<PrepareStep, string>> = {
  documents: "Corriger les documents",
  recipients: "Corriger les destinataires",
  fields: "Placer les champs",
  send: "Corriger",
};
