import type { Proof } from "@paraphe/contracts";
import { formatLongDay } from "../../lib/format-dates.ts";
import { Icon } from "../../ui/icon/icon.tsx";
import styles from "./verdict-banner.module.css";

const VERDICTS = {
  valid: { word: "Signature valide", icon: "check-circle" },
  indeterminate: { word: "Résultat indéterminé", icon: "info" },
  invalid: { word: "Signature non valide", icon: "alert" },
} as const;
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

/** The verdict in a word, why, and what it means for somebody who holds the paper. */
export function VerdictBanner({ proof }: { proof: Proof }) {
  const verdict = VERDICTS[proof.verdict];
  return (
    <div className={styles.banner} data-verdict={proof.verdict} role="status">
      <Icon name={verdict.icon} size="lg" />
      <div>
        <p>
          <strong>{verdict.word}</strong>
          {proof.reason ? ` — ${proof.reason}` : ""}
        </p>
        {proof.warnings.map((warning) => (
          <p key={warning}>
            <strong>À noter.</strong> {warning}
          </p>
        ))}
        {proof.purged ? (
          <p>
            Le propriétaire a supprimé ce document{proof.purged_at ? ` le ${formatLongDay(proof.purged_at)}` : ""}. La preuve d’intégrité
            reste consultable{"\u202f"}; le fichier n’est plus disponible ici.
          </p>
        ) : (
          <details>
            <summary>Ce que cela signifie</summary>
            <ul>
              {MEANINGS[proof.verdict].map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </div>
  );
}
