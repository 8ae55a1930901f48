import { useQuery } from "@tanstack/react-query";
import { Icon } from "../../ui/icon/icon.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { identityQuery } from "../organisations/organisation-calls.ts";
import { AuthLayout } from "./auth-layout.tsx";
import styles from "./auth-layout.module.css";
import { canUsePasskeys } from "./passkeys.ts";
import { FactorDialogs, useFactorChanges } from "./settings/factor-cards.tsx";
import { useLogOut } from "./use-session.ts";

/** The only page open to somebody who lacks the required second factor. */
export function FactorRequired() {
  const { data } = useQuery(identityQuery);
  const { logOut } = useLogOut();
  const changes = useFactorChanges({ rereadsSession: "at the end" });
  return (
    <AuthLayout>
      <div>
        <PageHeading title="Protégez votre compte">Protégez votre compte</PageHeading>
        <p className="lede">
          {data?.name ?? "Votre organisation"} demande un second facteur. Choisissez-en un pour
          continuer.
        </p>
      </div>
      <div className="card">
        {canUsePasskeys() && (
          <button type="button" className={styles["choice"]} onClick={changes.addKey}>
            <Icon name="key" />
            <span>
              <b>Clé d’accès</b>
              <small>Visage, empreinte ou clé physique. Le plus simple.</small>
            </span>
            <Icon name="chevron-right" size="sm" />
          </button>
        )}
        <button type="button" className={styles["choice"]} onClick={changes.addTotp}>
          <Icon name="phone" />
          <span>
            <b>Application d’authentification</b>
            <small>Un code à 6 chiffres sur votre téléphone.</small>
          </span>
          <Icon name="chevron-right" size="sm" />
        </button>
      </div>
      <LinkAction onClick={logOut}>
        <Icon name="logout" size="sm" />
        Déconnexion
      </LinkAction>
      <FactorDialogs {...changes} />
    </AuthLayout>
  );
}
