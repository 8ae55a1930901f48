import { useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import type { SignOutcome } from "../sign-outcome.ts";
import type { SigningCalls } from "../signing-calls.ts";
import styles from "../desk-actions.module.css";

export type VisaActionsProps = {
  readonly calls: Pick<SigningCalls, "post">;
  readonly onOutcome: (outcome: SignOutcome) => void;
  readonly onDecline: () => void;
};

/** For whoever approves without signing. */
export function VisaActions({ calls, onOutcome, onDecline }: VisaActionsProps) {
  const { isBusy, error, act } = useStepAct(onOutcome);
  return (
    <div className={styles.consent}>
      <p>Vous relisez et approuvez ce document, sans le signer.</p>
      {error ? <Alert tone="danger">{error}</Alert> : null}
      <Button
        variant="primary"
        size="lg"
        block
        loading={isBusy}
        onClick={() => void act(() => calls.post("visa/", {}))}
      >
        <Icon name="check" size="sm" />
        Donner mon visa
      </Button>
      <LinkAction onClick={onDecline}>Refuser</LinkAction>
    </div>
  );
}

/** After the act, or where somebody else acted first, the request is read again. */
function useStepAct(onOutcome: VisaActionsProps["onOutcome"]) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const act = async (call: () => Promise<unknown>) => {
    setIsBusy(true);
    setError(null);
    try {
      await call();
      onOutcome({ kind: "reload", message: null });
    } catch (cause) {
      setIsBusy(false);
      if (cause instanceof ApiError && cause.code === "otp_required")
        return onOutcome({ kind: "code" });
      if (cause instanceof ApiError && [404, 409, 410].includes(cause.status))
        return onOutcome({ kind: "reload", message: cause.message });
      setError(callMessage(cause, "Votre visa n’est pas enregistré. Réessayez."));
    }
  };
  return { isBusy, error, act };
}
