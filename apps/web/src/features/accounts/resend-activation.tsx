import { zodResolver } from "@hookform/resolvers/zod";
import { emailRequest } from "@paraphe/contracts";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { useServiceRules } from "../../lib/api/service-rules.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { TextField } from "../../ui/field/field.tsx";
import { LinkAction } from "../../ui/link/link-action.tsx";
import { resendActivation } from "./account-calls.ts";

/** Shown where the service sends no mail. */
export function NoMail() {
  return (
    <Alert tone="info">
      Ce service n’envoie pas d’email. Adressez-vous à la personne qui l’administre.
    </Alert>
  );
}

export function ResendActivation({ email = "" }: { readonly email?: string }) {
  const { mail } = useServiceRules();
  const [open, setOpen] = useState(false);
  const [sent, setSent] = useState(false);
  const { register, handleSubmit, formState } = useForm({
    resolver: zodResolver(emailRequest),
    defaultValues: { email },
    mode: "onTouched",
  });
  const send = handleSubmit(async ({ email }) => {
    try {
      await resendActivation(email);
    } catch (error) {
      // Specification §8: this failure is only logged.
      console.warn("the activation email could not be asked for again", error);
    }
    setSent(true);
  });
  if (!mail) return <NoMail />;
  if (sent)
    return (
      <Alert tone="info">
        Si un compte attend son activation à cette adresse, un nouveau lien vient d’être envoyé.
      </Alert>
    );
  if (!open)
    return (
      <LinkAction onClick={() => setOpen(true)}>Recevoir un nouveau lien d’activation</LinkAction>
    );
  return (
    <form className="stack stack--sm" onSubmit={(event) => void send(event)} noValidate>
      <TextField
        label="Email"
        required
        type="email"
        autoComplete="email"
        autoFocus
        error={formState.errors.email?.message}
        {...register("email")}
      />
      <Button type="submit" loading={formState.isSubmitting}>
        Renvoyer l'email
      </Button>
    </form>
  );
}
