import { useLoaded } from "../../lib/use-loaded.ts";
import { usePageTitle } from "../../lib/use-page-title.ts";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PublicHead } from "../../ui/public-head/public-head.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { LegalLinks } from "../legal/legal-links.tsx";
import { loadProof } from "./proof-calls.ts";
import { ProofView } from "./proof-view.tsx";
import styles from "./verify-page.module.css";

/** `/verify/{uuid}?sig=`: what anybody who holds the paper may check, without an account. */
export function VerifyPage({ address }: { readonly address: URL }) {
  const uuid = printIdOf(address);
  const sig = address.searchParams.get("sig");
  return (
    <>
      <PublicHead>Page de vérification publique</PublicHead>
      <main className="main" id="contenu">
        {uuid && sig ? (
          <LoadedProof uuid={uuid} sig={sig} fragment={address.hash.slice(1)} />
        ) : (
          <Refusal text="Lien invalide : paramètres manquants." />
        )}
        <LegalLinks className={styles.legal} />
      </main>
    </>
  );
}

/** The id in `/verify/{uuid}`; what is no text in its percent-encoding is no id. */
function printIdOf({ pathname }: URL): string {
  try {
    return decodeURIComponent(/^\/verify\/([^/]+)\/?$/.exec(pathname)?.[1] ?? "");
  } catch (cause) {
    if (cause instanceof URIError) return "";
    throw cause;
  }
}

function LoadedProof({ uuid, sig, fragment }: { uuid: string; sig: string; fragment: string }) {
  const state = useLoaded(`${uuid} ${sig}`, (signal) => loadProof(uuid, sig, signal));
  if (state.status === "ready") return <ProofView uuid={uuid} sig={sig} proof={state.value} fragment={fragment} />;
  if (state.status === "failed")
    return <Refusal text="Impossible de charger la preuve (QR non trouvé ou signature invalide)." onRetry={state.retry} />;
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
