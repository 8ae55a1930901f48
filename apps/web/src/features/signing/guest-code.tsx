import { OTP_LENGTH } from "@paraphe/contracts";
import { useEffect, useState } from "react";
import { Button } from "../../ui/button/button.tsx";
import { Countdown } from "../../ui/countdown/countdown.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { OtpInput } from "../../ui/otp-input/otp-input.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { CodeExpiry } from "./code-expiry.tsx";
import styles from "./guest-code.module.css";
import { type CodeCalls, type GuestCodeEntry, useGuestCode } from "./use-guest-code.ts";

type SentCode = {
  /** Masked; null when the service did not say. */
  readonly destination: string | null;
  readonly channel: "email" | "sms";
  /** The text asked for could not go: the code went by mail. */
  readonly hasFallenBack?: boolean;
};
type GuestCodeProps = SentCode &
  CodeCalls & {
    /** When another code may be asked, milliseconds since 1970. */
    readonly resendAt: number;
    /** When the code stops being valid, milliseconds since 1970. */
    readonly expiresAt: number;
    readonly phoneHint: string | null;
    readonly notice: string | null;
    readonly onBack: () => void;
  };

/** The one-time code: one input, pasted with or without spaces, sent as soon as it is whole. */
export function GuestCode({ hasFallenBack = false, notice, onBack, ...props }: GuestCodeProps) {
  const { destination, channel, resendAt, expiresAt, phoneHint } = props;
  const entry = useGuestCode(props);
  const [isWaiting, setIsWaiting] = useState(resendAt > Date.now());
  useEffect(() => setIsWaiting(resendAt > Date.now()), [resendAt]);
  const { code, state, resend } = entry;
  return (
    <div className="center">
      <div className="panel">
        <form className="panel__b stack stack--lg" onSubmit={entry.submit} noValidate>
          <div>
            <Button variant="ghost" size="sm" onClick={onBack} className={styles.back}>
              <Icon name="chevron-left" size="sm" />
              Retour
            </Button>
            <PageHeading title="Confirmez votre identité">Confirmez votre identité</PageHeading>
            <WhereItWent {...{ destination, channel, hasFallenBack }} />
            <CodeExpiry until={expiresAt} />
          </div>
          <CodeLine entry={entry} notice={notice} />
          <Button variant="primary" size="lg" block type="submit" loading={state === "verifying"} blocked={code.length !== OTP_LENGTH}>
            Vérifier le code
          </Button>
          <p className={styles.resend}>
            Pas reçu{"\u202f"}?{" "}
            {isWaiting ? (
              <Countdown until={resendAt} endAnnouncement="Vous pouvez demander un nouveau code." onEnd={() => setIsWaiting(false)}>
                {(seconds) => <span className="muted">{`Renvoyer dans ${seconds}\u00a0s`}</span>}
              </Countdown>
            ) : (
              <LinkAction onClick={() => void resend()} disabled={state !== "idle"}>
                Renvoyer le code
              </LinkAction>
            )}
          </p>
          <CodeHelp phoneHint={channel === "email" && !isWaiting ? phoneHint : null} onText={() => void resend("sms")} />
        </form>
      </div>
    </div>
  );
}

function WhereItWent({ destination, channel, hasFallenBack }: SentCode) {
  return (
    <>
      <p className="lede">
        {hasFallenBack ? "Le code à 6 chiffres est envoyé" : "Nous avons envoyé un code à 6 chiffres"} {channel === "sms" ? "au" : "à"}{" "}
        {destination ? <b className="break">{destination}</b> : "votre adresse"}. Il est valable 10 minutes.
      </p>
      {/* Present before its words: a live region that appears with them is not read. */}
      <p className={styles.notice} role="status">
        {hasFallenBack ? `Le SMS n’a pas pu partir\u00a0: le code est envoyé à ${destination ?? "votre adresse"}.` : null}
      </p>
    </>
  );
}

/** The input, and what is said of the code under it: the error rather than the notice. */
function CodeLine({ entry, notice }: { entry: GuestCodeEntry; notice: string | null }) {
  const { input, code, setCode, error, state, verify } = entry;
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
  );
}

/** What to do when nothing comes; `phoneHint` is the number that a text may be asked for, null while none may. */
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
        <li>Ce n’est pas votre adresse{"\u202f"}? Prévenez la personne qui vous a envoyé ce document.</li>
      </ul>
    </details>
  );
}
