import { useEffect, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { type Loaded, useLoaded } from "../../../lib/api/use-loaded.ts";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { usePageTitle } from "../../../ui/page-heading/page-heading.tsx";
import { PublicPage } from "../../../ui/public-page/public-page.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { LegalLinks } from "../../privacy/legal/legal-links.tsx";
import { loadProof } from "./proof-calls.ts";
import { ProofView } from "./proof-view.tsx";
import styles from "./verify-page.module.css";

/** `/verify/{uuid}?sig=`: public, without an account. */
export function VerifyPage({ address }: { readonly address: URL }) {
  const uuid = printIdOf(address);
  const sig = address.searchParams.get("sig");
  // Scanning another page into this tab changes the fragment alone.
  const fragment = useFragment(address.hash.slice(1));
  return (
    <PublicPage about="Page de vérification publique" foot={<LegalLinks />}>
      {uuid && sig ? (
        <LoadedProof uuid={uuid} sig={sig} fragment={fragment} />
      ) : (
        <Refusal text="Lien invalide : paramètres manquants." advice={SCAN_AGAIN} />
      )}
    </PublicPage>
  );
}

function printIdOf({ pathname }: URL): string {
  try {
    return decodeURIComponent(/^\/verify\/([^/]+)\/?$/.exec(pathname)?.[1] ?? "");
  } catch (cause) {
    if (cause instanceof URIError) return "";
    throw cause;
  }
}

type LoadedProofProps = { readonly uuid: string; readonly sig: string; readonly fragment: string };
type ProofState = Loaded<Awaited<ReturnType<typeof loadProof>>>;

function LoadedProof({ uuid, sig, fragment }: LoadedProofProps) {
  const state = useLoaded(`${uuid} ${sig}`, (signal) => loadProof(uuid, sig, signal));
  const [said, setSaid] = useState("");
  return (
    <>
      {/* The live region precedes its text: one inserted with it may stay silent. */}
      <span className="sr" role="status">
        {progressSaid(state, said)}
      </span>
      {state.status === "ready" ? (
        <ProofView uuid={uuid} sig={sig} proof={state.value} fragment={fragment} onSaid={setSaid} />
      ) : null}
      {state.status === "loading" ? <Loading /> : null}
      {state.status === "failed" ? (
        <Refusal {...refusalOf(state.error)} onRetry={state.retry} />
      ) : null}
    </>
  );
}

function progressSaid({ status }: ProofState, said: string): string {
  if (status === "failed") return "";
  return status === "loading" ? "Chargement de la preuve" : said;
}

const SCAN_AGAIN = "Scannez à nouveau le QR code imprimé, en entier et bien à plat.";
const NOT_FOUND = "Impossible de charger la preuve (QR non trouvé ou signature invalide).";

/** Only the service's own refusal makes the code doubtful. */
function refusalOf(error: unknown): Pick<RefusalProps, "text" | "advice"> {
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 0)
    return {
      text: "Erreur réseau ou serveur injoignable",
      advice: "Vérifiez votre connexion, puis réessayez. Votre code n’est pas en cause.",
    };
  if (status === 404 || status === 400) return { text: NOT_FOUND, advice: SCAN_AGAIN };
  return {
    text: callMessage(error, "Le service a rencontré une erreur."),
    advice:
      status === 410
        ? "Demandez à son expéditeur le document corrigé."
        : "Réessayez dans un instant. Votre code n’est pas en cause.",
  };
}

type RefusalProps = {
  readonly text: string;
  readonly advice: string;
  readonly onRetry?: () => void;
};

function Refusal({ text, advice, onRetry }: RefusalProps) {
  usePageTitle("Vérification impossible");
  return (
    <div className={`card card__body ${styles.refusal}`}>
      <span className={styles.refusalSign}>
        <Icon name="alert" />
      </span>
      <h1 className="h1" tabIndex={-1}>
        Vérification impossible
      </h1>
      <p className="ink2" role="alert">
        {text}
      </p>
      <p className="muted">{advice}</p>
      <div className={styles.refusalWays}>
        {onRetry ? (
          <Button onClick={onRetry}>
            <Icon name="refresh" size="sm" />
            Réessayer
          </Button>
        ) : null}
        <a className={buttonLook({})} href="/verifier">
          Vérifier un fichier
        </a>
      </div>
    </div>
  );
}

function Loading() {
  usePageTitle("Vérification");
  return (
    <div className="stack stack--lg" aria-busy="true">
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

/** The address's fragment without `#`; `first` when the page opens. */
function useFragment(first: string): string {
  const [fragment, setFragment] = useState(first);
  useEffect(() => {
    const follow = () => setFragment(location.hash.slice(1));
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  return fragment;
}
