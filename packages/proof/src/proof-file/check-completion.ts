import type { ProofContent } from "@paraphe/contracts/proof-file";
import type { JournalFacts } from "../journal/journal-facts.ts";
import type { ProofCheck } from "./types.ts";

const said = (state: ProofCheck["state"], sentence: string): ProofCheck => ({ name: "completion", state, subject: null, sentence });

/** Says whether all have signed: as the journal has it, and as the service itself found it when it made the proof. */
export function checkCompletion(content: ProofContent, facts: JournalFacts): ProofCheck {
  const { signers, completed, cancelled, purged, files, verdict, reason, chain, signatures } = content;
  if (verdict === "invalid")
    return said("failed", `Quand la preuve a été faite, le service lui-même la disait non valide\u00a0: ${reason}`);
  if (!chain.intact) return said("failed", "Quand la preuve a été faite, le service disait lui-même son historique modifié.");
  if (signatures.some((signature) => signature.verdict === "invalid"))
    return said("failed", "Quand la preuve a été faite, le service disait lui-même une signature non valide.");
  if (purged) return said("not_checked", "L’enveloppe a été supprimée\u00a0: seules ses empreintes et ses dates restent.");
  if (files.length === 0) return said("failed", "La preuve ne nomme aucun fichier.");
  if (cancelled) return said("not_checked", "Son expéditeur avait annulé l’enveloppe quand la preuve a été faite.");
  const undone = UNDONE[facts.state];
  if (undone !== undefined) return said("not_checked", undone);
  const missing = signers.filter(({ signed }) => !signed).length;
  if (!completed || missing > 0 || signers.length === 0 || facts.state !== "completed")
    return said("not_checked", "Quand la preuve a été faite, toutes les signatures demandées n’étaient pas réunies.");
  if (verdict !== "valid" || signatures.some((signature) => signature.verdict !== "valid"))
    return said("not_checked", `Quand la preuve a été faite, le service lui-même ne la disait pas valide\u00a0: ${reason}`);
  return said("ok", "Tous ceux dont la signature était demandée ont signé.");
}

/** States in which nothing more is awaited. */
const UNDONE: Readonly<Partial<Record<JournalFacts["state"], string>>> = {
  declined: "Un destinataire a refusé de signer\u00a0: l’enveloppe ne sera pas complétée.",
  expired: "L’enveloppe avait expiré avant que tous aient signé.",
  cancelled: "Son expéditeur avait annulé l’enveloppe quand la preuve a été faite.",
};
