import { useEffect, useState } from "react";
import { isOutdated } from "../../lib/load-part.ts";
import { Alert } from "../alert/alert.tsx";
import { Button } from "../button/button.tsx";
import { Icon } from "../icon/icon.tsx";
import { PageHeading } from "../page-heading/page-heading.tsx";

type PartAwayProps = {
  /** How many loads failed. */
  readonly failures: number;
  readonly onRetry: () => void;
};

/** Offers to retry, or to reload the page where retrying cannot help. */
export function PartAway({ failures, onRetry }: PartAwayProps) {
  const [isOld, setIsOld] = useState(false);
  useEffect(() => {
    let isHere = true;
    void isOutdated().then((found) => isHere && setIsOld(found));
    return () => {
      isHere = false;
    };
  }, []);
  return (
    <Alert
      tone="danger"
      title={
        isOld
          ? "Une nouvelle version du service est en ligne."
          : "Cette partie de la page n’a pas pu être chargée."
      }
    >
      <p>
        {isOld
          ? "Rechargez la page pour continuer. Si quelque chose devait être perdu, votre navigateur vous le demandera d’abord."
          : "Vérifiez votre connexion, puis réessayez. Ce que vous avez saisi reste sur la page."}
      </p>
      <div className="row">
        <Button size="sm" onClick={onRetry}>
          <Icon name="refresh" size="sm" />
          Réessayer
        </Button>
        {/* A browser may cache the failure until the page reloads. */}
        {isOld || (failures > 1 && navigator.onLine) ? (
          <Button size="sm" onClick={() => location.reload()}>
            Recharger la page
          </Button>
        ) : null}
      </div>
    </Alert>
  );
}

export function StepAway(props: PartAwayProps) {
  return (
    <main className="main main--form stack" id="contenu">
      <PageHeading title="Chargement impossible">Chargement impossible</PageHeading>
      <PartAway {...props} />
    </main>
  );
}
