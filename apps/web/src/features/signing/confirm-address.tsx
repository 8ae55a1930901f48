import { RESEND_COOLDOWN_S } from "@paraphe/contracts";
import { useState } from "react";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { useServiceRules } from "../../lib/api/service-rules.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { GuestCode, sendOtp, verifyOtp } from "./guest/guest-code.tsx";
import { StandingPanel } from "./standing-panel.tsx";

type Sent = {
  readonly destination: string | null;
  readonly resendAt: number;
  readonly expiresAt: number;
};
const CODE_VALIDITY_S = 600;
/** The code goes by mail: without mail, no account's address can be confirmed. */
const NO_CODE = {
  kind: "closed",
  title: "Adresse à confirmer",
  text: "L’adresse de votre compte se confirme par un email, et ce service n’en envoie pas. Adressez-vous à la personne qui l’administre.",
} as const;

/** Asked before anything of the document is shown. */
export function ConfirmAddress({
  envelopeId,
  onConfirmed,
}: {
  readonly envelopeId: string;
  readonly onConfirmed: () => Promise<unknown>;
}) {
  const { sent, ask, askFirst, isBusy, error, forget } = useAddressCode(envelopeId);
  const { mail } = useServiceRules();
  if (!mail) return <StandingPanel standing={NO_CODE} />;
  if (sent !== null)
    return (
      <GuestCode
        {...sent}
        channel="email"
        phoneHint={null}
        notice={null}
        onBack={forget}
        onResend={ask}
        onVerify={async (code) => {
          await verifyOtp(envelopeId, null, code);
          await onConfirmed();
        }}
      />
    );
  return (
    <div className="center">
      <div className="panel">
        <div className="panel__b stack stack--lg">
          <div>
            <PageHeading title="Confirmez votre adresse">Confirmez votre adresse</PageHeading>
            <p className="lede">
              Avant de vous montrer ce qui a été envoyé à l’adresse de votre compte, nous vérifions
              qu’elle est bien la vôtre{"\u00a0"}: nous y envoyons un code à 6 chiffres. Cela
              n’arrive qu’une fois.
            </p>
          </div>
          {error ? <Alert tone="danger">{error}</Alert> : null}
          <Button
            variant="primary"
            size="lg"
            block
            loading={isBusy}
            onClick={() => void askFirst()}
          >
            Recevoir mon code
          </Button>
        </div>
      </div>
    </div>
  );
}

function useAddressCode(envelopeId: string) {
  const [sent, setSent] = useState<Sent | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const ask = async () => {
    const answer = await sendOtp(envelopeId, null);
    setSent({
      destination: answer.destination,
      resendAt: Date.now() + answer.resend_in * 1000,
      expiresAt: Date.now() + answer.expires_in * 1000,
    });
  };
  const askFirst = async () => {
    setIsBusy(true);
    setError(null);
    try {
      await ask();
    } catch (cause) {
      // The code sent under a minute ago is still the one to type.
      if (cause instanceof ApiError && cause.code === "otp_cooldown")
        setSent({
          destination: null,
          resendAt: Date.now() + (cause.details.retryAfterS ?? RESEND_COOLDOWN_S) * 1000,
          expiresAt: Date.now() + CODE_VALIDITY_S * 1000,
        });
      else setError(callMessage(cause, "Impossible d'envoyer le code OTP"));
    } finally {
      setIsBusy(false);
    }
  };
  return { sent, ask, askFirst, isBusy, error, forget: () => setSent(null) };
}
