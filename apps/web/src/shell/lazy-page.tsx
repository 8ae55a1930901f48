import { type ComponentType, lazy } from "react";
import { ServiceAway } from "../features/accounts/protected-route.tsx";
import { LinkButton } from "../ui/button/link-button.tsx";
import { PageHeading } from "../ui/page-heading/page-heading.tsx";
import styles from "./not-found-page.module.css";

type PropsOf<C> = C extends (props: infer P) => unknown ? P : never;

/** A failed load shows in the page's place, so that the frame stays. */
export function lazyPage<M extends Record<string, unknown>, K extends keyof M & string>(
  load: () => Promise<M>,
  name: K,
) {
  type Page = ComponentType<PropsOf<M[K]>>;
  return lazy(async (): Promise<{ readonly default: Page }> => {
    try {
      return { default: (await load())[name] as Page };
    } catch (error) {
      console.warn("the file of a page could not be loaded", error);
      return { default: PageAway };
    }
  });
}

/** A reload fetches the new version; without network it would lose the frame. */
function PageAway() {
  return <ServiceAway onRetry={() => navigator.onLine && location.reload()} />;
}

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
