import type { Document } from "@paraphe/contracts";
import { canSaveRecipients, type Draft, isBlankRecipient } from "./draft.ts";
import type { PrepareStep } from "./steps.ts";

/** Gives why a step cannot be left forwards yet; null when it can. */
export function stepFault(
  step: PrepareStep,
  now: { readonly draft: Draft; readonly documents: readonly Document[]; readonly isUploading: boolean },
): string | null {
  if (step === "documents") {
    if (now.draft.title.trim() === "" && now.documents.length > 0) return "Titre requis";
    if (now.documents.length === 0) return "Au moins un fichier";
    if (now.isUploading) return "Un envoi de fichier est en cours.";
  }
  if (step === "recipients") {
    if (now.draft.recipients.filter((row) => !isBlankRecipient(row)).length === 0) return "Ajoutez au moins un destinataire.";
    if (!canSaveRecipients(now.draft.recipients)) return "Complétez les destinataires.";
  }
  return null;
}
