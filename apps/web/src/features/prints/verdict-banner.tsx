import type { Proof } from "@paraphe/contracts";
import { useState } from "react";
import { formatLongDay } from "../../lib/format-dates.ts";
import { lazyPart } from "../../ui/lazy-step/lazy-step.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { Verdict } from "../../ui/verdict/verdict.tsx";
import type { ShownVerdict } from "./shown-verdict.ts";
import styles from "./verdict-banner.module.css";

const VerdictMeaning = lazyPart(async () => (await import("./verdict-meaning.tsx")).VerdictMeaning, <Skeleton width="82%" />);

/** The verdict, why, and what it means for somebody who holds the paper. */
export function VerdictBanner({ proof, shown }: { readonly proof: Proof; readonly shown: ShownVerdict }) {
  const { purged, warnings } = proof;
  const [isAsked, setIsAsked] = useState(false);
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
      {purged || shown.word !== undefined ? null : (
        <details className={styles.meaning}>
          <summary onClick={() => setIsAsked(true)}>Ce que cela signifie</summary>
          {isAsked ? <VerdictMeaning {...proof} verdict={shown.verdict} /> : null}
        </details>
      )}
    </Verdict>
  );
}

function purgedSaid({ purged_at }: Proof): string {
  const when = purged_at ? ` le ${formatLongDay(purged_at)}` : "";
  return `Le propriétaire a supprimé ce document${when}. La preuve d’intégrité reste consultable\u202f; le fichier n’est plus disponible ici.`;
}
