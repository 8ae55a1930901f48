import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Navigate } from "react-router";
import { ApiError } from "../../lib/api-error.ts";
import { callMessage } from "../../lib/call-message.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { Stepper } from "../../ui/stepper/stepper.tsx";
import { TextLink } from "../../ui/link/text-link.tsx";
import { register as sendRegistration } from "./account-calls.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { RegisterAccountStep } from "./register-account-step.tsx";
import { ACCOUNT_FIELDS, REGISTER_DEFAULTS, type RegisterForm, useRegisterForm, type RegisterValues } from "./register-form.ts";
import { RegisterProfileStep } from "./register-profile-step.tsx";
import { CLOSED, useInvitation, useRegistrationDoor } from "./registration-doors.ts";
import { RegisterSuccess } from "./register-success.tsx";
import { ResendActivation } from "./resend-activation.tsx";
import { useRegisterStep } from "./use-register-step.ts";

/** Creates an account in two steps. */
export function RegisterPage() {
  const form = useRegisterForm();
  const { step, showStep } = useRegisterStep(form);
  const [avatar, setAvatar] = useState<File>();
  const { failure, send, isSending, answer } = useRegistration(form, avatar);
  const awaitField = useAwaitedField(step);
  const door = useRegistrationDoor();
  if (answer?.activated) return <Navigate to="/login?activated=1" replace />;
  if (answer) {
    return (
      <AuthLayout>
        <RegisterSuccess email={form.getValues("email").trim()} mailbox={answer.mailbox} />
      </AuthLayout>
    );
  }
  if (door.kind === "closed") return <RegistrationClosed />;
  const goTo = (field: keyof RegisterValues) => {
    showStep((ACCOUNT_FIELDS as readonly string[]).includes(field) ? 0 : 1);
    awaitField(field);
  };
  return (
    <AuthLayout>
      <Stepper steps={["Compte", "Profil"]} current={step} onSelect={() => showStep(0)} />
      {step === 0 ? (
        <RegisterAccountStep form={form} onNext={() => showStep(1)} />
      ) : (
        <RegisterProfileStep
          form={form}
          avatar={avatar}
          onAvatar={setAvatar}
          failure={failure}
          busy={isSending}
          onBack={() => showStep(0)}
          onGoTo={goTo}
          onSubmit={send}
        />
      )}
      {form.formState.errors.username?.type === "server" && (
        <div className="stack stack--sm">
          <p className="ink2">{"C’est vous qui avez demandé ce compte, et le lien d’activation vous manque\u202f?"}</p>
          <ResendActivation email={form.getValues("email").trim()} />
        </div>
      )}
      <p className="ink2">
        {"Déjà inscrit\u202f?"} <TextLink to="/login">Se connecter</TextLink>
      </p>
    </AuthLayout>
  );
}

/** Said at once: nobody fills a form in for nothing. */
function RegistrationClosed() {
  return (
    <AuthLayout>
      <PageHeading title="Créer un compte">Créer un compte</PageHeading>
      <Alert tone="info">{CLOSED}</Alert>
      <p className="ink2">
        {"Déjà inscrit\u202f?"} <TextLink to="/login">Se connecter</TextLink>
      </p>
    </AuthLayout>
  );
}

/** Sends what both steps hold; a refusal is said on its field, or is `failure` where it has none. */
function useRegistration(form: RegisterForm, avatar: File | undefined) {
  const [failure, setFailure] = useState<string>();
  const invitation = useInvitation();
  const registration = useMutation({
    mutationFn: (values: RegisterValues) => sendRegistration({ ...values, invitation }, avatar),
    onError: (error) => {
      const fields = error instanceof ApiError ? Object.entries(error.fieldErrors) : [];
      const known = fields.filter(([name]) => name in REGISTER_DEFAULTS || name === "avatar");
      for (const [name, messages] of known) {
        if (name in REGISTER_DEFAULTS) form.setError(name as keyof RegisterValues, { type: "server", message: messages.join(" ") });
      }
      const avatarMessage = error instanceof ApiError ? error.fieldErrors["avatar"]?.join(" ") : undefined;
      setFailure(known.length > 0 ? avatarMessage : callMessage(error, "Erreur lors de l'inscription."));
    },
  });
  const send = (values: RegisterValues) => {
    setFailure(undefined);
    registration.mutate(values);
  };
  return { failure, send, isSending: registration.isPending, answer: registration.data };
}

/** Gives how to focus a field that may belong to the other step: it takes the focus once that step is shown. */
function useAwaitedField(step: number): (field: keyof RegisterValues) => void {
  const [awaited, setAwaited] = useState<keyof RegisterValues | null>(null);
  useEffect(() => {
    const input = awaited === null ? null : document.getElementById(`inscription-${awaited}`);
    if (!input) return;
    input.focus();
    setAwaited(null);
  }, [awaited, step]);
  return setAwaited;
}
