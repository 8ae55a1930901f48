import { useState } from "react";
import { Button } from "../../ui/button/button.tsx";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { SuccessStroke } from "../../ui/success-stroke/success-stroke.tsx";
import { resendActivation } from "./account-calls.ts";

/** The account waits for its activation. The email can be asked for again once; its button stays, inert, so that the focus does. */
export function RegisterSuccess({ email, mailbox }: { readonly email: string; readonly mailbox?: string | undefined }) {
  const [resent, setResent] = useState(false);
  const resend = () => {
    setResent(true);
    // A failure to resend the confirmation email is only logged (specification §8).
    resendActivation(email).catch((error: unknown) => console.warn("the activation email could not be asked for again", error));
  };
  return (
    <div className="stack">
      <SuccessStroke />
      <PageHeading title="Inscription réussie">Inscription réussie !</PageHeading>
      <p className="ink2" style={{ fontSize: "var(--text-base)" }}>
        Un email de confirmation a été envoyé à votre adresse. Vérifiez votre boîte mail pour activer votre compte.
      </p>
      <p className="row row--nw">
        <Icon name="mail" />
        <b className="break">{email}</b>
      </p>
      {mailbox !== undefined && (
        <p className="small">
          Ce service est à l’essai sur votre machine{"\u00a0"}: cet email vous attend dans sa <a href={mailbox}>boîte aux lettres locale</a>
          .
        </p>
      )}
      <div className="row">
        <LinkButton variant="primary" size="lg" to="/login">
          Aller à la connexion
        </LinkButton>
        <Button size="lg" blocked={resent} onClick={resend}>
          Renvoyer l'email
        </Button>
      </div>
      <p className="muted small" role="status">
        {resent && "Nouvel envoi demandé. Pensez à regarder dans vos courriers indésirables."}
      </p>
    </div>
  );
}
