import { type ComponentType, type ReactElement, type ReactNode, useEffect, useState } from "react";
import { isOutdated, loadPart } from "../../lib/api/load-part.ts";
import { Alert } from "../alert/alert.tsx";
import { Button } from "../button/button.tsx";
import { FullLoader } from "../skeleton/skeleton.tsx";
import { Icon } from "../icon/icon.tsx";
import { PageHeading } from "../page-heading/page-heading.tsx";

type Load<P> = () => Promise<ComponentType<P>>;
/** `preload` ignores failures: the part itself shows them. */
type LazyPart<P> = ComponentType<P> & { readonly preload: () => void };
type Looks = { readonly waiting: ReactNode; readonly Away: typeof PartAway };

/** A failed load is shown in its place, with a way to retry. */
export function lazyStep<P extends object>(
  load: Load<P>,
  waiting: string | ReactElement,
): LazyPart<P> {
  return lazyIn(load, {
    waiting: typeof waiting === "string" ? <FullLoader label={waiting} /> : waiting,
    Away: StepAway,
  });
}

/** As `lazyStep`, for a part of a page. */
export function lazyPart<P extends object>(load: Load<P>, waiting: ReactNode): LazyPart<P> {
  return lazyIn(load, { waiting, Away: PartAway });
}

function lazyIn<P extends object>(load: Load<P>, { waiting, Away }: Looks): LazyPart<P> {
  let loaded: ComponentType<P> | undefined;
  const ask = async () => {
    loaded ??= await loadPart(load);
    return loaded;
  };
  function Part(props: P) {
    const [Shown, setShown] = useState(() => loaded);
    const [failures, setFailures] = useState(0);
    const [isAway, setIsAway] = useState(false);
    useEffect(() => {
      if (Shown !== undefined || isAway) return undefined;
      let isHere = true;
      ask().then(
        (part) => isHere && setShown(() => part),
        (error: unknown) => {
          console.warn("a part did not load", error);
          if (!isHere) return;
          setFailures((count) => count + 1);
          setIsAway(true);
        },
      );
      return () => {
        isHere = false;
      };
    }, [Shown, isAway]);
    if (Shown !== undefined) return <Shown {...props} />;
    return isAway ? <Away failures={failures} onRetry={() => setIsAway(false)} /> : waiting;
  }
  return Object.assign(Part, { preload: () => void ask().catch(() => undefined) });
}

type PartAwayProps = {
  readonly failures: number;
  readonly onRetry: () => void;
};

/** Offers to retry, or to reload the page where retrying cannot help. */
function PartAway({ failures, onRetry }: PartAwayProps) {
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

function StepAway(props: PartAwayProps) {
  return (
    <main className="main main--form stack" id="contenu">
      <PageHeading title="Chargement impossible">Chargement impossible</PageHeading>
      <PartAway {...props} />
    </main>
  );
}
