import { useEffect, useRef, useState } from "react";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { DownloadButton } from "./download-button.tsx";
import { readSignedState, SuccessFrame } from "./success-frame.tsx";
import styles from "./success-frame.module.css";

const COMPLETED = "/signature/envelopes/completed";

export function SuccessPage() {
  const [search] = useSearchParams();
  const state = readSignedState(useLocation().state);
  const id = state.id ?? search.get("id");
  const redirect = useRedirect();
  return (
    <SuccessFrame heading="Signature confirmée !">
      <p className="ink2">
        {state.title
          ? `«\u00a0${state.title}\u00a0» est signé, horodaté et scellé.`
          : "Le document est signé, horodaté et scellé."}
      </p>
      <div className={styles.actions}>
        <DownloadButton id={id} title={state.title} label="Télécharger le document" />
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
