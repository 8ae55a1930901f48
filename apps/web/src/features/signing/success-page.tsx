import type { SignPage } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { DownloadButton, type DownloadButtonProps } from "./download-button.tsx";
import { subjectOf } from "./request-standing.ts";
import { memberCalls } from "./signing-calls.ts";
import { StandingPanel } from "./standing-panel.tsx";
import { annulledStanding, readSignedState, SuccessFrame } from "./success-frame.tsx";
import styles from "./success-frame.module.css";

const COMPLETED = "/signature/envelopes/completed";

export function SuccessPage() {
  const [search] = useSearchParams();
  const state = readSignedState(useLocation().state);
  const id = state.id ?? search.get("id");
  const query = useQuery({
    queryKey: ["member-signed", id, state.recipientId],
    enabled: Boolean(id),
    retry: false,
    queryFn: ({ signal }) => memberCalls(id ?? "").load(signal, state.recipientId ?? undefined),
  });
  const annulled = annulledStanding(query, state.recipientId);
  if (annulled !== null)
    return (
      <main id="contenu">
        <StandingPanel standing={annulled} subject={subjectOf(query)} />
      </main>
    );
  return (
    <Confirmed
      id={id}
      title={state.title}
      progress={query.data?.progress}
      onRefused={async () => annulledStanding(await query.refetch()) !== null}
    />
  );
}

type ConfirmedProps = Pick<DownloadButtonProps, "onRefused"> & {
  readonly id: string | null;
  readonly title: string | null;
  readonly progress: SignPage["progress"] | undefined;
};

function Confirmed({ id, title, progress, onRefused }: ConfirmedProps) {
  const redirect = useRedirect();
  const name = title === null ? "Le document" : `«\u00a0${title}\u00a0»`;
  const isPartial = progress !== undefined && progress.signed < progress.total;
  return (
    <SuccessFrame heading="Signature confirmée !">
      <p className="ink2">
        {isPartial
          ? `Votre signature est enregistrée. ${name} sera scellé quand tous les signataires auront signé (${progress.signed}\u00a0sur\u00a0${progress.total}).`
          : `${name} est signé, horodaté et scellé.`}
      </p>
      <div className={styles.actions}>
        <DownloadButton
          id={id}
          title={title}
          label="Télécharger le document"
          onRefused={onRefused}
        />
        <LinkButton to={COMPLETED} size="lg">
          Mes documents signés
        </LinkButton>
      </div>
      {redirect.isOn ? (
        <LinkAction onClick={redirect.stop}>Rester sur cette page</LinkAction>
      ) : null}
    </SuccessFrame>
  );
}

/** After 10 s; hover or focus pauses, closing the toast cancels (WCAG 2.2.1). */
function useRedirect() {
  const navigate = useNavigate();
  const [isOn, setIsOn] = useState(true);
  const takeBack = useRef<() => void>(() => undefined);
  useEffect(() => {
    let isHere = true;
    takeBack.current = showToast(
      "info",
      'Redirection vers "Mes documents signés" dans 10 secondes',
      {
        durationMs: 10_000,
        onElapsed: () => isHere && void navigate(COMPLETED, { replace: true }),
        onClosed: () => isHere && setIsOn(false),
      },
    );
    return () => {
      isHere = false;
      takeBack.current();
    };
  }, [navigate]);
  return {
    isOn,
    stop: () => {
      takeBack.current();
      setIsOn(false);
    },
  };
}
