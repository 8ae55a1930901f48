import { registerAccount } from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Navigate, useLocation, useNavigate } from "react-router";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { TextLink } from "../../ui/link/link-action.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { Stepper } from "../../ui/stepper/stepper.tsx";
import { SuccessStroke } from "../../ui/success-stroke/success-stroke.tsx";
import { register as sendRegistration, resendActivation } from "./account-calls.ts";
import { AuthLayout } from "./auth-layout.tsx";
import {
  ACCOUNT_FIELDS,
  CLOSED,
  REGISTER_DEFAULTS,
  RegisterAccountStep,
  type RegisterForm,
  RegisterProfileStep,
  type RegisterValues,
  useInvitation,
  useRegisterForm,
  useRegistrationDoor,
} from "./register-steps.tsx";
import { ResendActivation } from "./resend-activation.tsx";

type Step = 0 | 1;

/**
 * The shown step. Step 2 is an entry of the history, so that Back leads to step 1; after a reload
 * the form is empty and only step 1 is shown.
 */
export function useRegisterStep(form: RegisterForm): {
  readonly step: Step;
  readonly showStep: (step: Step) => void;
} {
  const { state } = useLocation();
  const navigate = useNavigate();
  const [username, email, password] = form.getValues(ACCOUNT_FIELDS);
  const hasAccount = registerAccount.safeParse({ username, email, password }).success;
  const step = isSecond(state) && (hasAccount || form.formState.isSubmitted) ? 1 : 0;
  const showStep = (next: Step) => {
    if (next === step) return;
    if (next === 1) void navigate(".", { state: SECOND });
    else void navigate(-1);
  };
  return { step, showStep };
}

const SECOND = { step: "profile" } as const;

function isSecond(state: unknown): boolean {
  return (
    typeof state === "object" && state !== null && "step" in state && state.step === SECOND.step
  );
}

/** The email can be asked for again once; the inert button stays, and the focus with it. */
export function RegisterSuccess({
  email,
  mailbox,
}: {
  readonly email: string;
  readonly mailbox?: string | undefined;
}) {
  const [resent, setResent] = useState(false);
  const resend = () => {
    setResent(true);
    // Specification §8: this failure is only logged.
    resendActivation(email).catch((error: unknown) =>
      console.warn("the activation email could not be asked for again", error),
    );
  };
  return (
    <div className="stack">
      <SuccessStroke />
      <PageHeading title="Inscription réussie">Inscription réussie !</PageHeading>
      <p className="ink2" style={{ fontSize: "var(--text-base)" }}>
        Un email de confirmation a été envoyé à votre adresse. Vérifiez votre boîte mail pour
        activer votre compte.
      </p>
      <p className="row row--nw">
        <Icon name="mail" />
        <b className="break">{email}</b>
      </p>
      {mailbox !== undefined && (
        <p className="small">
          Ce service est à l’essai sur votre machine{"\u00a0"}: cet email vous attend dans sa{" "}
          <a href={mailbox}>boîte aux lettres locale</a>.
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
          <p className="ink2">
            {"C’est vous qui avez demandé ce compte, et le lien d’activation vous manque\u202f?"}
          </p>
          <ResendActivation email={form.getValues("email").trim()} />
        </div>
      )}
      <p className="ink2">
        {"Déjà inscrit\u202f?"} <TextLink to="/login">Se connecter</TextLink>
      </p>
    </AuthLayout>
  );
}

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

/** `failure`: a refusal that belongs to no field. */
function useRegistration(form: RegisterForm, avatar: File | undefined) {
  const [failure, setFailure] = useState<string>();
  const invitation = useInvitation();
  const registration = useMutation({
    mutationFn: (values: RegisterValues) => sendRegistration({ ...values, invitation }, avatar),
    onError: (error) => {
      const fields = error instanceof ApiError ? Object.entries(error.fieldErrors) : [];
      const known = fields.filter(([name]) => name in REGISTER_DEFAULTS || name === "avatar");
      for (const [name, messages] of known) {
        if (name in REGISTER_DEFAULTS)
          form.setError(name as keyof RegisterValues, {
            type: "server",
            message: messages.join(" "),
          });
      }
      const avatarMessage =
        error instanceof ApiError ? error.fieldErrors["avatar"]?.join(" ") : undefined;
      setFailure(
        known.length > 0 ? avatarMessage : callMessage(error, "Erreur lors de l'inscription."),
      );
    },
  });
  const send = (values: RegisterValues) => {
    setFailure(undefined);
    registration.mutate(values);
  };
  return { failure, send, isSending: registration.isPending, answer: registration.data };
}

/** Focuses a field of the other step once that step is shown. */
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
