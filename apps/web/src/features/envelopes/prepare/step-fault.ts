import { type Document, MAX_RECIPIENTS, titleFault } from "@paraphe/contracts";
import { deadlineFault } from "./documents/deadline.ts";
import { canSaveRecipients, type Draft, isBlankRecipient } from "./draft/draft.ts";
import { refusalOf, type Refusals } from "./draft/refusals.ts";
import type { PrepareStep } from "./steps.ts";

/** The one fault that ends by itself. */
export const UPLOADING = "Un envoi de fichier est en cours.";

type StepNow = {
  readonly draft: Draft;
  readonly documents: readonly Document[];
  readonly isUploading: boolean;
  readonly refused: Refusals;
  readonly at: Date;
};

/** Why the next step cannot open yet. */
export function stepFault(step: PrepareStep, now: StepNow): string | null {
  if (step === "documents") return documentsFault(now);
  return step === "recipients" ? recipientsFault(now) : null;
}

function documentsFault({ draft, documents, isUploading, refused, at }: StepNow): string | null {
  const title = titleFault(draft.title);
  if (title !== null && documents.length > 0) return title;
  if (documents.length === 0 && !isUploading) return "Au moins un fichier";
  // The user's own faults come before the wait for files.
  const own =
    deadlineFault(draft.deadline, at) ?? firstOf(refused, ["title", "deadline_at", "reminders"]);
  return own ?? (isUploading ? UPLOADING : null);
}

function recipientsFault({ draft, refused }: StepNow): string | null {
  const people = draft.recipients.filter((row) => !isBlankRecipient(row));
  if (people.length === 0) return "Ajoutez au moins un destinataire.";
  if (people.length > MAX_RECIPIENTS) return `${MAX_RECIPIENTS} destinataires au maximum.`;
  if (!canSaveRecipients(draft.recipients)) return "Complétez les destinataires.";
  return firstOf(refused, ["recipients", "message", "flow"]);
}

function firstOf(refused: Refusals, parts: readonly string[]): string | null {
  return (
    parts.map((part) => refusalOf(refused, part)).find((sentence) => sentence !== undefined) ?? null
  );
}
