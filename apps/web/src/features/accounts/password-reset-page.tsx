import { zodResolver } from "@hookform/resolvers/zod";
import { emailRequest, RESEND_COOLDOWN_S } from "@paraphe/contracts";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { useServiceRules } from "../../lib/api/service-rules.ts";
import { Countdown, useCountdown } from "../../ui/countdown/countdown.tsx";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { TextField } from "../../ui/field/field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { TextLink } from "../../ui/link/link-action.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { requestReset } from "./account-calls.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { NoMail } from "./resend-activation.tsx";
import styles from "./reset-help.module.css";

const KEY = "paraphe-reset-again-at";

/** The tab stores the wait, so a reload neither restarts nor ends it. */
export function storeResetWait(until: number): number {
  try {
    sessionStorage.setItem(KEY, String(until));
  } catch (cause) {
    // Storage refused or full: only this page knows the wait.
    if (!(cause instanceof DOMException)) throw cause;
  }
  return until;
}

/** Undefined when a link may be asked for now or the browser refuses storage. */
export function readResetWait(): number | undefined {
  try {
    const until = Number(sessionStorage.getItem(KEY));
    const left = until - Date.now();
    return left > 0 && left <= RESEND_COOLDOWN_S * 1000 ? until : undefined;
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
    return undefined;
  }
}

export function ResetHelp() {
  return (
    <details className={styles["help"]}>
      <summary>
        <Icon name="chevron-down" size="sm" />
        Vous ne recevez rien ?
      </summary>
      <p>
        Vérifiez vos courriers indésirables et l’orthographe de l’adresse. Le lien de
        réinitialisation est valable 24 heures.
      </p>
    </details>
  );
}

/** The answer never reveals whether the address has an account. */
export function PasswordResetPage() {
  const { mail } = useServiceRules();
  return (
    <AuthLayout>
      <div>
        <PageHeading title="Mot de passe oublié">Mot de passe oublié</PageHeading>
        {mail && (
          <p className="lede">
            Indiquez l’email de votre compte : nous vous enverrons un lien de réinitialisation.
          </p>
        )}
      </div>
      {mail ? <ResetRequest /> : <NoMail />}
      <TextLink to="/login">
        <Icon name="chevron-left" size="sm" />
        Retour à la connexion
      </TextLink>
    </AuthLayout>
  );
}

function ResetRequest() {
  const { form, outcome, again, isWaiting, send } = useResetRequest();
  const { register, formState } = form;
  return (
    <>
      {outcome === "sent" && (
        <Alert tone="success">
          Si un compte existe pour cet email, un lien de réinitialisation a été envoyé.
        </Alert>
      )}
      {outcome === "failed" && <Alert tone="danger">Erreur lors de la demande.</Alert>}
      <form className="stack" noValidate onSubmit={(event) => void send(event)}>
        <TextField
          label="Email"
          required
          type="email"
          autoComplete="email"
          error={formState.errors.email?.message}
          {...register("email")}
        />
        <div className="stack stack--sm">
          <Button
            type="submit"
            variant={outcome === "sent" ? "secondary" : "primary"}
            size="lg"
            block
            loading={formState.isSubmitting}
            blocked={!formState.isValid || isWaiting}
          >
            {outcome === "sent" ? "Renvoyer l'email" : "Envoyer le lien"}
          </Button>
          <p className="muted">
            <Countdown until={again} endAnnouncement="Vous pouvez renvoyer l’email.">
              {(seconds) => `Nouvel envoi possible dans ${seconds} s`}
            </Countdown>
          </p>
        </div>
      </form>
      <ResetHelp />
    </>
  );
}

/** `again`: when another link may be asked for, milliseconds since 1970. */
function useResetRequest() {
  const [outcome, setOutcome] = useState<"sent" | "failed">();
  const [again, setAgain] = useState(readResetWait);
  const isWaiting = useCountdown(again) > 0;
  const form = useForm({
    resolver: zodResolver(emailRequest),
    defaultValues: { email: "" },
    mode: "onTouched",
  });
  const send = form.handleSubmit(async ({ email }) => {
    if (isWaiting) return;
    setOutcome(undefined);
    try {
      await requestReset(email);
      setOutcome("sent");
      setAgain(storeResetWait(Date.now() + RESEND_COOLDOWN_S * 1000));
    } catch (error) {
      console.warn("the reset link could not be asked for", error);
      setOutcome("failed");
    }
  });
  return { form, outcome, again, isWaiting, send };
}
