import { OTP_LENGTH } from "@paraphe/contracts";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import { Button } from "../../ui/button/button.tsx";
import { Countdown } from "../../ui/countdown/countdown.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { OtpInput } from "../../ui/otp-input/otp-input.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { announce } from "../../lib/announce.ts";
import { callMessage } from "../../lib/call-message.ts";
import styles from "./guest-code.module.css";

type GuestCodeProps = {
  /** Masked; null when the service did not say. */
  readonly destination: string | null;
  readonly channel: "email" | "sms";
  /** When another code may be asked, milliseconds since 1970. */
  readonly resendAt: number;
  /** When the code stops being valid, milliseconds since 1970. */
  readonly expiresAt: number;
  readonly phoneHint: string | null;
  /** The text asked for could not go: the code went by mail. */
  readonly hasFallenBack?: boolean;
  readonly notice: string | null;
  readonly onVerify: (code: string) => Promise<void>;
  readonly onResend: (channel?: "email" | "sms") => Promise<void>;
  readonly onBack: () => void;
};

/** The one-time code: one input, pasted with or without spaces, sent as soon as it is whole. */
export function GuestCode({ hasFallenBack = false, notice, onVerify, onResend, onBack, ...sent }: GuestCodeProps) {
  const { destination, channel, resendAt, expiresAt, phoneHint } = sent;
  const [code, setCode] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [state, setState] = useState<"idle" | "verifying" | "sending">("idle");
  const [isWaiting, setIsWaiting] = useState(resendAt > Date.now());
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => setIsWaiting(resendAt > Date.now()), [resendAt]);
  useEffect(() => input.current?.focus(), []);
  const focusAgain = useFocusOnceEnabled(input, state === "idle");

  const verify = async (digits: string) => {
    if (state !== "idle" || digits.length !== OTP_LENGTH) return;
    setState("verifying");
    setError(null);
    try {
      await onVerify(digits);
    } catch (cause) {
      setCode("");
      setError(callMessage(cause, "Impossible de vérifier le code OTP"));
      focusAgain();
    } finally {
      setState("idle");
    }
  };
  const resend = async (by?: "email" | "sms") => {
    setState("sending");
    setError(null);
    try {
      await onResend(by);
      setCode("");
      input.current?.focus();
    } catch (cause) {
      setError(callMessage(cause, "Impossible d'envoyer le code OTP"));
    } finally {
      setState("idle");
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (code.length === OTP_LENGTH) void verify(code);
    else setError("Saisissez le code à 6 chiffres.");
  };
  return (
    <div className="center">
      <div className="panel">
        <form className="panel__b stack stack--lg" onSubmit={submit} noValidate>
          <div>
            <Button variant="ghost" size="sm" onClick={onBack} className={styles.back}>
              <Icon name="chevron-left" size="sm" />
              Retour
            </Button>
            <PageHeading title="Confirmez votre identité">Confirmez votre identité</PageHeading>
            <p className="lede">
              {hasFallenBack ? "Le code à 6 chiffres est envoyé" : "Nous avons envoyé un code à 6 chiffres"}{" "}
              {channel === "sms" ? "au" : "à"} {destination ? <b className="break">{destination}</b> : "votre adresse"}. Il est valable 10
              minutes.
            </p>
            {/* Present before its words: a live region that appears with them is not read. */}
            <p className={styles.notice} role="status">
              {hasFallenBack ? `Le SMS n’a pas pu partir\u00a0: le code est envoyé à ${destination ?? "votre adresse"}.` : null}
            </p>
            <Expiry until={expiresAt} />
          </div>
          <div className="stack stack--sm">
            <div className={styles.input}>
              <OtpInput
                ref={input}
                label="Code à 6 chiffres"
                value={code}
                onChange={setCode}
                onComplete={(digits) => void verify(digits)}
                invalid={error !== null}
                disabled={state === "verifying"}
                describedBy={error ? "code-erreur" : undefined}
              />
            </div>
            {error ? (
              <p className={styles.error} id="code-erreur" role="alert">
                <Icon name="alert" size="sm" />
                {error}
              </p>
            ) : null}
            {notice && !error ? (
              <p className={styles.notice} role="status">
                {notice}
              </p>
            ) : null}
          </div>
          <Button variant="primary" size="lg" block type="submit" loading={state === "verifying"} blocked={code.length !== OTP_LENGTH}>
            Vérifier le code
          </Button>
          <p className={styles.resend}>
            Pas reçu{"\u202f"}?{" "}
            {isWaiting ? (
              <Countdown until={resendAt} endAnnouncement="Vous pouvez demander un nouveau code." onEnd={() => setIsWaiting(false)}>
                {(seconds) => <span className="muted">{`Renvoyer dans ${seconds} s`}</span>}
              </Countdown>
            ) : (
              <LinkAction onClick={() => void resend()} disabled={state !== "idle"}>
                Renvoyer le code
              </LinkAction>
            )}
          </p>
          <details className={styles.help}>
            <summary>Besoin d’aide{"\u202f"}?</summary>
            <ul>
              <li>Pensez aux indésirables{"\u00a0"}: le message peut s’y trouver.</li>
              {phoneHint && channel === "email" && !isWaiting ? (
                <li>
                  <LinkAction onClick={() => void resend("sms")}>{`Recevoir par SMS au ${phoneHint}`}</LinkAction>
                </li>
              ) : null}
              <li>Ce n’est pas votre adresse{"\u202f"}? Prévenez la personne qui vous a envoyé ce document.</li>
            </ul>
          </details>
        </form>
      </div>
    </div>
  );
}

/** Gives how to put the focus back into an input that is disabled for now: it takes it once it is enabled again, and not before. */
function useFocusOnceEnabled(input: RefObject<HTMLInputElement | null>, isEnabled: boolean): () => void {
  const isAsked = useRef(false);
  useEffect(() => {
    if (!isEnabled || !isAsked.current) return;
    isAsked.current = false;
    input.current?.focus();
  }, [input, isEnabled]);
  return () => {
    isAsked.current = true;
  };
}

/** How long the code still serves; read aloud at one minute, then at its end, never each second. */
function Expiry({ until }: { until: number }) {
  const [hasEnded, setHasEnded] = useState(until <= Date.now());
  useEffect(() => {
    setHasEnded(until <= Date.now());
    const wait = until - LAST_CALL_MS - Date.now();
    if (wait <= 0) return undefined;
    const timer = setTimeout(() => announce("Le code expire dans une minute."), wait);
    return () => clearTimeout(timer);
  }, [until]);
  if (hasEnded) return <p className={styles.expiry}>Ce code a expiré{"\u00a0"}: demandez-en un nouveau.</p>;
  return (
    <p className={styles.expiry}>
      <Countdown until={until} endAnnouncement="Le code a expiré. Demandez-en un nouveau." onEnd={() => setHasEnded(true)}>
        {(seconds) => `Expire dans ${formatMinutes(seconds)}`}
      </Countdown>
    </p>
  );
}

const LAST_CALL_MS = 60_000;

/** « 9 min 40 s ». */
function formatMinutes(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = `${seconds % 60}\u00a0s`;
  return minutes > 0 ? `${minutes}\u00a0min\u00a0${rest}` : rest;
}
