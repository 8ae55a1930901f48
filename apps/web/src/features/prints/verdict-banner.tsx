import type { Proof } from "@paraphe/contracts";
import { formatLongDay } from "../../lib/format-dates.ts";
import { Verdict } from "../../ui/verdict/verdict.tsx";
import type { ShownVerdict } from "./shown-verdict.ts";
import { useOpenOnPaper } from "./use-open-on-paper.ts";
import styles from "./verdict-banner.module.css";
import { VerdictMeaning } from "./verdict-meaning.tsx";

/** The verdict, why, and what it means for somebody who holds the paper. */
export function VerdictBanner({ proof, shown }: { readonly proof: Proof; readonly shown: ShownVerdict }) {
  const { purged, warnings } = proof;
  const meaning = useOpenOnPaper();
  // What is wrong is said all the same.
  const isOnlyPurged = purged && shown.verdict === "indeterminate" && shown.word === undefined;
  return (
    <Verdict {...shown} reason={isOnlyPurged ? purgedSaid(proof) : shown.reason}>
      {warnings.map((warning) => (
        <p key={warning}>
          <strong>À noter.</strong> {warning}
        </p>
      ))}
      {purged && !isOnlyPurged ? <p>{purgedSaid(proof)}</p> : null}
      {shown.word !== undefined ? null : (
        <details className={styles.meaning} ref={meaning}>
          <summary>Ce que cela signifie</summary>
          <VerdictMeaning {...proof} verdict={shown.verdict} />
        </details>
      )}
    </Verdict>
  );
}

function purgedSaid({ purged_at, completed }: Proof): string {
  const when = purged_at ? ` le ${formatLongDay(purged_at)}` : "";
  const before = completed ? "" : " Il n’avait jamais été complété\u00a0: il manquait au moins une signature.";
  return `Le propriétaire a supprimé ce document${when}.${before} La preuve d’intégrité reste consultable\u202f; le fichier n’est plus disponible ici.`;
}
