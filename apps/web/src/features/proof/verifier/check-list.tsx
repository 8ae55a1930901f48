import { CHECK_NAMES, type CheckState, type ProofReport } from "@paraphe/proof";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./verifier-page.module.css";

const STATES: Readonly<Record<CheckState, { readonly word: string; readonly icon: "check" | "alert" | "info" }>> = {
  ok: { word: "Juste", icon: "check" },
  failed: { word: "Faux", icon: "alert" },
  not_checked: { word: "Non vérifié", icon: "info" },
};

/** Each check, and what none of them can say. */
export function CheckList({ report }: { readonly report: ProofReport }) {
  return (
    <>
      <ul className={styles["checks"]}>
        {failedFirst(report.checks).map(({ name, state, subject, sentence }) => (
          <li key={`${name} ${subject ?? ""} ${sentence}`} data-state={state}>
            <span className={styles["state"]}>
              <Icon name={STATES[state].icon} size="sm" />
              {STATES[state].word}
            </span>
            <span className={styles["check"]}>
              <strong>
                {CHECK_NAMES[name]}
                {subject === null ? "" : ` – ${subject}`}
              </strong>
              <span>{sentence}</span>
            </span>
          </li>
        ))}
      </ul>
      <div className="stack stack--sm">
        <h3 className="h3">Ce qu’aucun contrôle hors ligne ne dit</h3>
        <ul className={styles["limits"]}>
          {report.limits.map((limit) => (
            <li key={limit}>{limit}</li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** What does not hold is what one looks for. */
function failedFirst(checks: ProofReport["checks"]): ProofReport["checks"] {
  return [...checks.filter(({ state }) => state === "failed"), ...checks.filter(({ state }) => state !== "failed")];
}
