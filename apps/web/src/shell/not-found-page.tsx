import { LinkButton } from "../ui/button/link-button.tsx";
import { PageHeading } from "../ui/page-heading/page-heading.tsx";
import styles from "./not-found-page.module.css";

export function NotFoundPage() {
  return (
    <main className="main" id="contenu">
      <div className={styles["message"]}>
        <div className={styles["sheet"]} aria-hidden="true">
          <span />
        </div>
        <PageHeading title="Page non trouvée">Page non trouvée</PageHeading>
        <p className="ink2">L’adresse est incomplète, ou la page a été déplacée.</p>
        <LinkButton variant="primary" to="/">
          Retour à l’accueil
        </LinkButton>
      </div>
    </main>
  );
}
