import {
  CSRF_COOKIE,
  OTP_LENGTH,
  type sendOtpAnswer,
  type verifyOtpAnswer,
} from "@paraphe/contracts";
import { type FormEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { z } from "zod/mini";
import { announce } from "../../../lib/browser/announce.ts";
import { readCookie } from "../../../lib/api/api-client.ts";
import { api } from "../../../lib/api/api.ts";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { classNames } from "../../../lib/class-names.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Countdown } from "../../../ui/countdown/countdown.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { OtpInput } from "../../../ui/otp-input/otp-input.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import styles from "./guest-code.module.css";

const LAST_CALL_MS = 60_000;

/** Announced at one minute and at the end, not each second. */
function CodeExpiry({ until, onEnd }: { until: number; onEnd: () => void }) {
  useEffect(() => {
    const wait = until - LAST_CALL_MS - Date.now();
    if (wait <= 0) return undefined;
    const timer = setTimeout(() => announce("Le code expire dans une minute."), wait);
    return () => clearTimeout(timer);
  }, [until]);
  return (
    <p className={styles.expiry}>
      <Countdown until={until} onEnd={onEnd}>
        {(seconds) => `Expire dans ${formatMinutes(seconds)}`}
      </Countdown>
    </p>
  );
}

/** « 9 min 40 s ». */
function formatMinutes(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = `${seconds % 60}\u00a0s`;
  return minutes > 0 ? `${minutes}\u00a0min\u00a0${rest}` : rest;
}

type CodeCalls = {
  readonly onVerify: (code: string) => Promise<void>;
  readonly onResend: (channel?: "email" | "sms") => Promise<void>;
};
type GuestCodeEntry = ReturnType<typeof useGuestCode>;

/** An expired code, or one refused for the last time, can only be replaced. */
function useCodeLife(expiresAt: number) {
  const [hasExpired, setHasExpired] = useState(expiresAt <= Date.now());
  const [isSpent, setIsSpent] = useState(false);
  useEffect(() => {
    setHasExpired(expiresAt <= Date.now());
    setIsSpent(false);
  }, [expiresAt]);
  return { hasExpired, setHasExpired, isDead: hasExpired || isSpent, setIsSpent };
}

function isLastTry(cause: unknown): boolean {
  const body = cause instanceof ApiError ? cause.details.body : null;
  return (
    typeof body === "object" && body !== null && "attempts_left" in body && body.attempts_left === 0
  );
}

function useGuestCode({ onVerify, onResend }: CodeCalls, expiresAt: number) {
  const [code, setCode] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [state, setState] = useState<"idle" | "verifying" | "sending">("idle");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const life = useCodeLife(expiresAt);
  const focusAgain = useFocusOnceEnabled(input, state === "idle" && !life.isDead);

  // A ref: Enter may follow the sixth digit within one frame.
  const isUnderWay = useRef(false);
  const verify = async (digits: string) => {
    if (isUnderWay.current || state !== "idle" || digits.length !== OTP_LENGTH) return;
    isUnderWay.current = true;
    setState("verifying");
    setError(null);
    try {
      await onVerify(digits);
    } catch (cause) {
      // The network failed, so the code stays.
      if (!(cause instanceof ApiError && cause.isUnreachable)) setCode("");
      setError(callMessage(cause, "Impossible de vérifier le code OTP"));
      life.setIsSpent(isLastTry(cause));
      focusAgain();
    } finally {
      isUnderWay.current = false;
      setState("idle");
    }
  };
  const resend = async (by?: "email" | "sms") => {
    setState("sending");
    setError(null);
    try {
      await onResend(by);
      setCode("");
      life.setIsSpent(false);
      focusAgain();
    } catch (cause) {
      setError(callMessage(cause, "Impossible d'envoyer le code OTP"));
    } finally {
      setState("idle");
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isUnderWay.current) return;
    if (code.length === OTP_LENGTH) void verify(code);
    // A late Enter on the emptied input keeps the refusal's reason.
    else if (error === null || code !== "") setError("Saisissez le code à 6 chiffres.");
  };
  return { input, code, setCode, error, state, life, verify, resend, submit };
}

function useFocusOnceEnabled(
  input: RefObject<HTMLInputElement | null>,
  isEnabled: boolean,
): () => void {
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

type CodeDelivery = {
  /** Masked; null when unknown. */
  readonly destination: string | null;
  readonly channel: "email" | "sms";
  /** The text message failed: the code went by mail. */
  readonly hasFallenBack?: boolean;
};
type GuestCodeProps = CodeDelivery &
  CodeCalls & {
    /** Next code possible, ms since 1970. */
    readonly resendAt: number;
    /** End of validity, ms since 1970. */
    readonly expiresAt: number;
    readonly phoneHint: string | null;
    readonly notice: string | null;
    readonly onBack: () => void;
  };

/** Accepts a code pasted with spaces. */
export function GuestCode({ hasFallenBack = false, notice, onBack, ...props }: GuestCodeProps) {
  const { destination, channel, resendAt, expiresAt, phoneHint } = props;
  const entry = useGuestCode(props, expiresAt);
  const [isWaiting, setIsWaiting] = useState(resendAt > Date.now());
  useEffect(() => setIsWaiting(resendAt > Date.now()), [resendAt]);
  const { life, resend } = entry;
  return (
    <div className="center">
      <div className="panel">
        <form className={classNames("panel__b", styles.form)} onSubmit={entry.submit} noValidate>
          <div>
            <Button variant="ghost" size="sm" onClick={onBack} className={styles.back}>
              <Icon name="chevron-left" size="sm" />
              Retour
            </Button>
            <PageHeading title="Confirmez votre identité">Confirmez votre identité</PageHeading>
            <WhereItWent {...{ destination, channel, hasFallenBack }} />
            {life.isDead ? null : (
              <CodeExpiry until={expiresAt} onEnd={() => life.setHasExpired(true)} />
            )}
          </div>
          <div className="stack stack--lg">
            <CodeLine entry={entry} notice={notice} />
            <CodeActs
              {...{ entry, isWaiting, resendAt }}
              onWaited={() => setIsWaiting(false)}
              key={String(life.isDead)}
            />
            <CodeHelp
              phoneHint={channel === "email" && !isWaiting ? phoneHint : null}
              onText={() => void resend("sms")}
            />
          </div>
        </form>
      </div>
    </div>
  );
}

type CodeActsProps = {
  readonly entry: GuestCodeEntry;
  readonly isWaiting: boolean;
  readonly resendAt: number;
  readonly onWaited: () => void;
};

function CodeActs({ entry, isWaiting, resendAt, onWaited }: CodeActsProps) {
  const { code, state, life, resend } = entry;
  const renew = useRef<HTMLButtonElement>(null);
  useEffect(() => renew.current?.focus(), []);
  const wait = (words: (seconds: number) => string) => (
    <Countdown
      until={resendAt}
      endAnnouncement="Vous pouvez demander un nouveau code."
      onEnd={onWaited}
    >
      {(seconds) => <span className="muted">{words(seconds)}</span>}
    </Countdown>
  );
  if (life.isDead)
    return (
      <Button
        ref={renew}
        variant="primary"
        size="lg"
        block
        loading={state === "sending"}
        blocked={isWaiting}
        onClick={() => void resend()}
      >
        Renvoyer le code
        {isWaiting ? wait((seconds) => `(${seconds}\u00a0s)`) : null}
      </Button>
    );
  return (
    <>
      <Button
        variant="primary"
        size="lg"
        block
        type="submit"
        loading={state === "verifying"}
        blocked={code.length !== OTP_LENGTH}
      >
        Vérifier le code
      </Button>
      <p className={styles.resend}>
        Pas reçu{"\u202f"}?{" "}
        {isWaiting ? (
          wait((seconds) => `Renvoyer dans ${seconds}\u00a0s`)
        ) : (
          <LinkAction onClick={() => void resend()} disabled={state !== "idle"}>
            Renvoyer le code
          </LinkAction>
        )}
      </p>
    </>
  );
}

function WhereItWent({ destination, channel, hasFallenBack }: CodeDelivery) {
  return (
    <>
      <p className="lede">
        {hasFallenBack
          ? "Le code à 6 chiffres est envoyé"
          : "Nous avons envoyé un code à 6 chiffres"}{" "}
        {channel === "sms" ? "au" : "à"}{" "}
        {destination ? <b className="break">{destination}</b> : "votre adresse"}. Il est valable 10
        minutes.
      </p>
      <p className={styles.notice} role="status">
        {hasFallenBack
          ? `Le SMS n’a pas pu partir\u00a0: le code est envoyé à ${destination ?? "votre adresse"}.`
          : null}
      </p>
    </>
  );
}

function CodeLine({ entry, notice }: { entry: GuestCodeEntry; notice: string | null }) {
  const { input, code, setCode, state, life, verify } = entry;
  const error =
    entry.error ?? (life.hasExpired ? "Ce code a expiré. Demandez-en un nouveau." : null);
  return (
    <div className="stack stack--sm">
      <div className={styles.input}>
        <OtpInput
          ref={input}
          label="Code à 6 chiffres"
          value={code}
          onChange={setCode}
          onComplete={(digits) => void verify(digits)}
          invalid={error !== null}
          disabled={state === "verifying" || life.isDead}
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
  );
}

/** `phoneHint`: the masked number; null while no text may be sent. */
function CodeHelp({ phoneHint, onText }: { phoneHint: string | null; onText: () => void }) {
  return (
    <details className={styles.help}>
      <summary>Besoin d’aide{"\u202f"}?</summary>
      <ul>
        <li>Pensez aux indésirables{"\u00a0"}: le message peut s’y trouver.</li>
        {phoneHint ? (
          <li>
            <LinkAction onClick={onText}>{`Recevoir par SMS au ${phoneHint}`}</LinkAction>
          </li>
        ) : null}
        <li>
          Ce n’est pas votre adresse{"\u202f"}? Prévenez la personne qui vous a envoyé ce document.
        </li>
      </ul>
    </details>
  );
}

type SentCode = z.infer<typeof sendOtpAnswer>;
type VerifiedCode = z.infer<typeof verifyOtpAnswer>;
const path = (envelopeId: string, action: string) =>
  `/api/signature/envelopes/${envelopeId}/${action}/`;

/** Without a token the session authenticates. */
const by = (signatureToken: string | null) => (signatureToken === null ? {} : { signatureToken });

/** Sends only when the button is pressed, not when the page opens. */
export function sendOtp(
  envelopeId: string,
  signatureToken: string | null,
  channel?: "email" | "sms",
): Promise<SentCode> {
  return api.post<SentCode>(path(envelopeId, "send_otp"), {
    body: channel ? { channel } : {},
    ...by(signatureToken),
  });
}

export function verifyOtp(
  envelopeId: string,
  signatureToken: string | null,
  otp: string,
): Promise<VerifiedCode> {
  return api.post<VerifiedCode>(path(envelopeId, "verify_otp"), {
    body: { otp },
    ...by(signatureToken),
  });
}

/** Confirms by the mailed link; without a session nothing happens. */
export async function confirmByLink(envelopeId: string, token: string): Promise<void> {
  if (readCookie(CSRF_COOKIE) === undefined) return;
  await api.post(path(envelopeId, "confirm-address"), { body: { token } }).catch(() => {});
}
