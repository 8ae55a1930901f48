import { useQuery } from "@tanstack/react-query";
import { useParams, useSearchParams } from "react-router";
import { usePageTitle } from "../../lib/use-page-title.ts";
import { Brand } from "../../ui/brand/brand.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { LegalLinks } from "../legal/legal-links.tsx";
import { loadProof } from "./proof-calls.ts";
import { ProofView } from "./proof-view.tsx";
import styles from "./verify-page.module.css";

/** `/verify/{uuid}?sig=`: what anybody who holds the paper may check, without an account. */
export function VerifyPage() {
  const { uuid } = useParams();
  const [search] = useSearchParams();
  const sig = search.get("sig");
  return (
    <>
      <header className={styles.head}>
        <Brand />
        <span className={`ge-rail ${styles.public}`}>
          <Icon name="shield" size="sm" />
          Page de vérification publique
        </span>
      </header>
      <main className="main" id="contenu">
        {uuid && sig ? <LoadedProof uuid={uuid} sig={sig} /> : <Refusal text="Lien invalide : paramètres manquants." />}
        <LegalLinks className={styles.legal} />
      </main>
    </>
  );
}

function LoadedProof({ uuid, sig }: { uuid: string; sig: string }) {
  const query = useQuery({
    queryKey: ["proof", uuid, sig],
    queryFn: ({ signal }) => loadProof(uuid, sig, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  });
  if (query.data) return <ProofView uuid={uuid} sig={sig} proof={query.data} />;
  if (query.isError && !query.isFetching)
    return <Refusal text="Impossible de charger la preuve (QR non trouvé ou signature invalide)." onRetry={() => void query.refetch()} />;
  return <Loading />;
}

function Refusal({ text, onRetry }: { text: string; onRetry?: () => void }) {
  usePageTitle("Vérification impossible");
  return (
    <div className={`card card__body ${styles.refusal}`}>
      <span className={styles.refusalSign}>
        <Icon name="warning" />
      </span>
      <h1 className="h1" tabIndex={-1}>
        Vérification impossible
      </h1>
      <p className="ink2" role="alert">
        {text}
      </p>
      <p className="muted">Scannez à nouveau le QR code imprimé, en entier et bien à plat.</p>
      {onRetry ? (
        <Button onClick={onRetry}>
          <Icon name="refresh" size="sm" />
          Réessayer
        </Button>
      ) : null}
    </div>
  );
}

function Loading() {
  usePageTitle("Vérification");
  return (
    <div className="stack stack--lg" aria-busy="true">
      <span className="sr" role="status">
        Chargement de la preuve
      </span>
      <div className={`card card__body ${styles.loadingHead}`}>
        <Skeleton width={64} height={64} />
        <div className="grow stack stack--sm">
          <Skeleton width="60%" height={26} />
          <Skeleton width="30%" />
        </div>
      </div>
      <div className="card card__body stack">
        {[82, 74, 66, 58, 50, 42].map((width) => (
          <Skeleton key={width} width={`${width}%`} />
        ))}
      </div>
    </div>
  );
}
