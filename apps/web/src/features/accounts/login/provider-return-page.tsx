import type { ProviderKind, VouchedIdentity } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { AuthLayout } from "../auth-layout.tsx";
import { finishAtProvider, goToTrial, readAway, reportTrial } from "./provider-calls.ts";
import { ProviderAway, useProviderLogin } from "./provider-login.tsx";
import { leftOnPurposeKey, loadUser, notifyOtherTabs, sessionQuery } from "../use-session.ts";

const FAILED = "Impossible de se connecter";

function useKind(): ProviderKind {
  return useParams()["kind"] === "proconnect" ? "proconnect" : "oidc";
}

/** Runs once, though an effect may run twice. */
function useOnce(work: () => Promise<void>): void {
  const started = useRef(false);
  const run = useEffectEvent(work);
  useEffect(() => {
    if (started.current) return;
    started.current = true;
    void run();
  }, []);
}

type Outcome =
  | { readonly trial: VouchedIdentity }
  | { readonly sentence: string }
  | { readonly away: string };

/** `/auth/:kind/retour`: what the provider sent back goes to the service. */
export function ProviderReturnPage() {
  const kind = useKind();
  const [query] = useSearchParams();
  const [outcome, setOutcome] = useState<Outcome>();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [away] = useState(readAway);
  const login = useProviderLogin({ remember: () => away.remember, from: away.from });
  useOnce(async () => {
    try {
      const answer = await finishAtProvider(query, away.remember);
      if (answer.trial) {
        reportTrial({ provider: kind, trial: answer.trial });
        setOutcome({ trial: answer.trial });
        return;
      }
      client.setQueryData(leftOnPurposeKey, false);
      client.setQueryData(sessionQuery.queryKey, await loadUser());
      notifyOtherTabs("came");
      void navigate(away.from, { replace: true });
    } catch (error) {
      const sentence = callMessage(error, FAILED);
      const code = error instanceof ApiError ? error.code : undefined;
      if (away.isTrial) {
        reportTrial({ provider: kind, sentence });
        setOutcome({ sentence });
      } else if (code === "provider_unavailable") setOutcome({ away: sentence });
      else {
        const state = { from: { pathname: away.from }, failure: sentence, code };
        void navigate("/login", { replace: true, state });
      }
    }
  });
  if (outcome && "away" in outcome)
    return (
      <AuthLayout>
        <ProviderAway
          message={login.away?.message ?? login.failure ?? outcome.away}
          busy={login.busy !== undefined}
          onRetry={() => void login.go(kind)}
          onOthers={() => void navigate("/login", { replace: true })}
        />
      </AuthLayout>
    );
  return <Trial outcome={outcome} />;
}

/** `/auth/:kind/essai`, in its own window: an administrator tries a provider's settings. */
export function ProviderTrialPage() {
  const kind = useKind();
  const [sentence, setSentence] = useState<string>();
  useOnce(async () => {
    try {
      await goToTrial(kind);
    } catch (error) {
      const message = callMessage(error, FAILED);
      reportTrial({ provider: kind, sentence: message });
      setSentence(message);
    }
  });
  return <Trial outcome={sentence === undefined ? undefined : { sentence }} />;
}

function Trial({ outcome }: { readonly outcome: Exclude<Outcome, { away: string }> | undefined }) {
  if (outcome === undefined)
    return (
      <AuthLayout>
        <PageHeading title="Connexion">Connexion…</PageHeading>
        <SkeletonRows rows={3} label="Connexion…" />
      </AuthLayout>
    );
  return (
    <AuthLayout>
      <PageHeading title="Essai de connexion">Essai de connexion</PageHeading>
      {"trial" in outcome ? (
        <Alert tone="success" title="L’essai a réussi">
          <p>{vouchedWords(outcome.trial)}</p>
        </Alert>
      ) : (
        <Alert tone="danger" title="L’essai n’a pas abouti">
          <p>{outcome.sentence}</p>
        </Alert>
      )}
      <p className="ink2">
        Le résultat est affiché dans les réglages. Vous pouvez fermer cette fenêtre.
      </p>
    </AuthLayout>
  );
}

export function vouchedWords({ provider, full_name: name, email, siret }: VouchedIdentity): string {
  const told = [name, email, siret && `SIRET ${siret}`].filter(Boolean).join(", ");
  return `${provider} a donné\u00a0: ${told || "ni nom ni adresse"}.`;
}
