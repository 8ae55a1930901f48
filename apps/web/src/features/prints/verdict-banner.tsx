import type { Proof } from "@paraphe/contracts";
import { formatLongDay } from "../../lib/format-dates.ts";
import { Verdict } from "../../ui/verdict/verdict.tsx";
import type { ShownVerdict } from "./shown-verdict.ts";
import styles from "./verdict-banner.module.css";

const MEANINGS: Readonly<Record<Proof["verdict"], readonly string[]>> = {
  valid: [
    "Le fichier est, octet pour octet, celui qui a été signé.",
    "Chaque signature a été vérifiée avec son certificat et sa date.",
    "Comparez le papier que vous tenez avec le document affiché ici\u00a0: seul ce dernier fait foi.",
  ],
  indeterminate: [
    "Rien ne montre que le document a été modifié.",
    "Il manque un élément pour conclure\u00a0: une signature attendue, ou une information de révocation.",
    "Revenez plus tard, ou demandez l’exemplaire signé à son expéditeur.",
  ],
  invalid: [
    "Le contrôle a échoué\u00a0: ne vous fiez pas à ce document.",
    "Il a pu être modifié après la signature, son certificat n’est plus digne de confiance, ou le journal qui le raconte a été changé.",
    "Demandez un nouvel exemplaire à son expéditeur.",
  ],
};

/** Nothing more will come of it. */
const CANCELLED = [
  "L’expéditeur a annulé cette enveloppe\u00a0: elle ne sera pas complétée.",
  "Ses empreintes restent ici, pour reconnaître un exemplaire.",
  "Demandez à son expéditeur ce qui la remplace.",
];

/** The verdict, why, and what it means for somebody who holds the paper. */
export function VerdictBanner({ proof, shown }: { readonly proof: Proof; readonly shown: ShownVerdict }) {
  const { purged, warnings } = proof;
  // What is wrong is said all the same.
  const isOnlyPurged = purged && shown.verdict === "indeterminate" && shown.word === undefined;
  const meaning = proof.cancelled && shown.verdict === "indeterminate" ? CANCELLED : MEANINGS[shown.verdict];
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
          <summary>Ce que cela signifie</summary>
          <ul>
            {meaning.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </details>
      )}
    </Verdict>
  );
}

function purgedSaid({ purged_at }: Proof): string {
  const when = purged_at ? ` le ${formatLongDay(purged_at)}` : "";
  return `Le propriétaire a supprimé ce document${when}. La preuve d’intégrité reste consultable\u202f; le fichier n’est plus disponible ici.`;
}
