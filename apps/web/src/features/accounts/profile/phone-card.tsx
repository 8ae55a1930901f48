import type { User } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { formatPhone } from "../../../lib/format/slugify.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Countdown } from "../../../ui/countdown/countdown.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { OtpInput } from "../../../ui/otp-input/otp-input.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { sendPhoneCode, verifyPhone } from "./profile-calls.ts";

/** `resendAt`: when another code may be sent. */
type SentPhoneCode = { readonly destination: string; readonly resendAt: number };

function useVerifyPhone(onVerified: (user: User) => void) {
  const client = useQueryClient();
  const [sent, setSent] = useState<SentPhoneCode>();
  const [code, setCode] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  const run = async (call: () => Promise<void>, fallback: string): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await call();
    } catch (cause) {
      setError(callMessage(cause, fallback));
    } finally {
      setCode("");
      setBusy(false);
    }
  };
  const send = () =>
    run(async () => {
      const { destination, resend_in: resendIn } = await sendPhoneCode();
      setSent({ destination, resendAt: Date.now() + resendIn * 1_000 });
    }, "Impossible d’envoyer le code");
  const verify = (digits: string) =>
    run(async () => {
      const user = await verifyPhone(digits);
      client.setQueryData(sessionQuery.queryKey, user);
      setSent(undefined);
      showToast("ok", "Numéro vérifié");
      onVerified(user);
    }, "Impossible de vérifier le code");
  return { sent, code, setCode, busy, error, send, verify };
}

type Props = { readonly user: User; readonly onVerified: (user: User) => void };

/** Texts go to verified numbers only. */
export function PhoneCard({ user, onVerified }: Props) {
  const id = useId();
  const { sent, code, setCode, busy, error, send, verify } = useVerifyPhone(onVerified);
  const input = useRef<HTMLInputElement>(null);
  // The code is the next thing to type, also after a refusal.
  useEffect(() => {
    if (sent && !busy) input.current?.focus();
  }, [sent, busy]);
  if (user.phone_number === null) return null;
  return (
    <div className="card">
      <div className="card__head">
        <h2 className="h2">Vérification du téléphone</h2>
      </div>
      <div className="card__body stack">
        <p>
          <b className="num">{formatPhone(user.phone_number)}</b>
          {"\u00a0: "}
          {user.phone_verified
            ? "numéro vérifié."
            : "numéro non vérifié. Les SMS ne sont envoyés qu’à un numéro vérifié."}
        </p>
        {error !== undefined && (
          <div id={`${id}-erreur`}>
            <Alert tone="danger">{error}</Alert>
          </div>
        )}
        {!user.phone_verified && !sent && (
          <div>
            <Button loading={busy} onClick={() => void send()}>
              Vérifier ce numéro
            </Button>
          </div>
        )}
        {!user.phone_verified && sent && (
          <>
            <p role="status">{`Nous avons envoyé un code à 6 chiffres au ${sent.destination}. Il est valable 10\u00a0minutes.`}</p>
            <OtpInput
              ref={input}
              label="Code reçu par SMS"
              value={code}
              onChange={setCode}
              onComplete={(digits) => void verify(digits)}
              invalid={error !== undefined}
              disabled={busy}
              describedBy={error === undefined ? undefined : `${id}-erreur`}
            />
            <Resend
              key={sent.resendAt}
              until={sent.resendAt}
              busy={busy}
              onSend={() => void send()}
            />
          </>
        )}
      </div>
    </div>
  );
}

function Resend({
  until,
  busy,
  onSend,
}: {
  readonly until: number;
  readonly busy: boolean;
  readonly onSend: () => void;
}) {
  const [waits, setWaits] = useState(until > Date.now());
  return (
    <p>
      Pas reçu{"\u202f"}?{" "}
      {waits ? (
        <Countdown
          until={until}
          endAnnouncement="Vous pouvez demander un nouveau code."
          onEnd={() => setWaits(false)}
        >
          {(seconds) => <span className="muted">{`Renvoyer dans ${seconds}\u00a0s`}</span>}
        </Countdown>
      ) : (
        <LinkAction onClick={onSend} disabled={busy}>
          Renvoyer le code
        </LinkAction>
      )}
    </p>
  );
}
