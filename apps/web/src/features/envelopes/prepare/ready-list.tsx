import type { Document } from "@paraphe/contracts";
import { plural } from "../../../lib/format-numbers.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { type Draft, isBlankRecipient } from "./draft.ts";
import styles from "./send-step.module.css";
import type { SendFinding } from "./send-check.ts";

type ReadyListProps = { readonly draft: Draft; readonly documents: readonly Document[]; readonly findings: readonly SendFinding[] };

/** What is in order, beside what is not: a step with a blocking finding is not said to be. */
export function ReadyList({ draft, documents, findings }: ReadyListProps) {
  const people = draft.recipients.filter((row) => !isBlankRecipient(row));
  const isStopped = (step: SendFinding["step"]) => findings.some((finding) => finding.kind === "blocking" && finding.step === step);
  const lines = [
    { step: "documents", text: plural(documents.length, "document prêt", "documents prêts") },
    { step: "recipients", text: plural(people.length, "destinataire complet", "destinataires complets") },
    { step: "fields", text: plural(draft.fields.length, "champ placé", "champs placés") },
  ] as const;
  return (
    <ul className={styles.ready} aria-label="Ce qui est prêt">
      {lines
        .filter((line) => !isStopped(line.step))
        .map((line) => (
          <li key={line.step}>
            <Icon name="check-circle" size="sm" />
            {line.text}
          </li>
        ))}
    </ul>
  );
}
