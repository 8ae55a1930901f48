import { ApiError } from "../../lib/api-error.ts";
import { serverSentence } from "../../lib/call-message.ts";
import { type Loaded, useLoaded } from "../../lib/use-loaded.ts";
import { useFragment } from "../../lib/use-fragment.ts";
import { usePageTitle } from "../../lib/use-page-title.ts";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PublicPage } from "../../ui/public-page/public-page.tsx";
import { Skeleton } from "../../ui/skeleton/skeleton.tsx";
import { verdictSentence } from "../../ui/verdict/verdict.tsx";
import { LegalLinks } from "../legal/legal-links.tsx";
import { loadProof } from "./proof-calls.ts";
import { ProofView } from "./proof-view.tsx";
import styles from "./verify-page.module.css";

/** `/verify/{uuid}?sig=`: what anybody who holds the paper may check, without an account. */
export function VerifyPage({ address }: { readonly address: URL }) {
  const uuid = printIdOf(address);
  const sig = address.searchParams.get("sig");
  // Another page of the same paper, scanned into this tab, changes the fragment alone.
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

/** The id in `/verify/{uuid}`; what is no text in its percent-encoding is no id. */
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
  return (
    <>
      {/* The same region from the first to the verdict: one that comes with its words may stay silent. */}
      <span className="sr" role="status">
        {progressSaid(state)}
      </span>
      {state.status === "ready" ? <ProofView uuid={uuid} sig={sig} proof={state.value} fragment={fragment} /> : null}
      {state.status === "loading" ? <Loading /> : null}
      {state.status === "failed" ? (
        <Refusal
          text="Impossible de charger la preuve (QR non trouvé ou signature invalide)."
          advice={adviceOn(state.error)}
          onRetry={state.retry}
        />
      ) : null}
    </>
  );
}

function progressSaid(state: ProofState): string {
  if (state.status === "failed") return "";
  return state.status === "loading" ? "Chargement de la preuve" : verdictSentence(state.value);
}

const SCAN_AGAIN = "Scannez à nouveau le QR code imprimé, en entier et bien à plat.";

/** The specification has one sentence for every failure; what to do depends on whether the code is at fault. */
function adviceOn(error: unknown): string {
  const status = error instanceof ApiError ? error.details.status : 0;
  if (status === 404 || status === 400) return SCAN_AGAIN;
  return `Le code n’est peut-être pas en cause. ${serverSentence(error) ?? "Le service n’a pas répondu\u00a0: réessayez dans un instant."}`;
}

type RefusalProps = { readonly text: string; readonly advice: string; readonly onRetry?: () => void };

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
