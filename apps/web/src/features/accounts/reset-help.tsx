import { Icon } from "../../ui/icon/icon.tsx";
import styles from "./reset-help.module.css";

/** What to look at when the reset email does not come. */
export function ResetHelp() {
  return (
    <details className={styles["help"]}>
      <summary>
        <Icon name="chevron-down" size="sm" />
        Vous ne recevez rien ?
      </summary>
      <p>Vérifiez vos courriers indésirables et l’orthographe de l’adresse. Le lien de réinitialisation est valable 24 heures.</p>
    </details>
  );
}
