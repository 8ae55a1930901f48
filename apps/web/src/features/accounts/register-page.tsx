import {
  registerAccount,
  type ServiceRules,
  passwordSchema,
  registerProfile,
  registerRequest,
} from "@paraphe/contracts";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState, useMemo, useRef } from "react";
import { Navigate, useLocation, useNavigate } from "react-router";
import { zodResolver } from "@hookform/resolvers/zod";
import { type FieldErrors, type Resolver, type UseFormReturn, useForm } from "react-hook-form";
import * as z from "zod/mini";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { TextLink } from "../../ui/link/link-action.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { Stepper } from "../../ui/stepper/stepper.tsx";
import { SuccessStroke } from "../../ui/success-stroke/success-stroke.tsx";
import { register as sendRegistration, resendActivation, checkAccount } from "./account-calls.ts";
import { optionalDate } from "./form-rules.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { ResendActivation } from "./resend-activation.tsx";
import { useServiceRules } from "../../lib/api/service-rules.ts";
import { RequiredNote, TextField } from "../../ui/field/field.tsx";
import { PasswordField } from "../../ui/field/password-field.tsx";
import { AvatarPicker } from "./avatar/avatar-picker.tsx";
import { usePasswordMinimum } from "./password-minimum.ts";
import { StrengthMeter } from "./strength-meter.tsx";
import { ProfileFields, type ProfileForm } from "./profile-fields.tsx";

type Step = 0 | 1;

/**
 * Step 2 is an entry of the history: Back leads to step 1. After a reload the form is empty, at
 * step 1.
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

/** The button stays, inert, so that the focus stays on it. */
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
  const isInvited = useInvitation() !== undefined;
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
          isInvited={isInvited}
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

type Props = { readonly form: RegisterForm; readonly onNext: () => void };

function RegisterAccountStep({ form, onNext }: Props) {
  const { watch, trigger, setFocus } = form;
  const [username, email, password] = watch(ACCOUNT_FIELDS);
  const minimum = usePasswordMinimum();
  const isValid =
    registerAccount.safeParse({ username, email, password }).success &&
    passwordSchema(undefined, minimum).safeParse(password).success;
  const [isChecking, setIsChecking] = useState(false);
  const next = async () => {
    setIsChecking(true);
    const isAccepted = (await trigger([...ACCOUNT_FIELDS])) && (await isAcceptable(form));
    setIsChecking(false);
    if (isAccepted) return onNext();
    const first = ACCOUNT_FIELDS.find((field) => form.getFieldState(field).invalid);
    if (first) setFocus(first);
  };
  return (
    <div className="stack">
      <div>
        <PageHeading title="Créer un compte">Compte</PageHeading>
        <p className="lede">Ces identifiants vous serviront à vous connecter.</p>
        <RequiredNote fields="all" />
      </div>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void next();
        }}
      >
        <AccountFields form={form} minimum={minimum} />
        <Button
          type="submit"
          variant="primary"
          size="lg"
          block
          blocked={!isValid}
          loading={isChecking}
        >
          Suivant
        </Button>
      </form>
    </div>
  );
}

/** Without an answer the person goes on: the last step validates again. */
async function isAcceptable(form: RegisterForm): Promise<boolean> {
  const [username, email, password] = form.getValues(ACCOUNT_FIELDS);
  try {
    await checkAccount({ username, email, password });
    return true;
  } catch (error) {
    const errors = error instanceof ApiError ? error.fieldErrors : {};
    const refused = ACCOUNT_FIELDS.filter((field) => errors[field] !== undefined);
    for (const field of refused)
      form.setError(field, { type: "server", message: errors[field]?.join(" ") ?? "" });
    return refused.length === 0;
  }
}

function AccountFields({
  form,
  minimum,
}: {
  readonly form: RegisterForm;
  readonly minimum: number;
}) {
  const { register, formState, watch } = form;
  const { errors } = formState;
  return (
    <>
      <TextField
        id="inscription-username"
        label="Nom d’utilisateur"
        required
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.username?.message}
        {...register("username")}
      />
      <TextField
        id="inscription-email"
        label="Email"
        required
        type="email"
        autoComplete="email"
        readOnly={useInvitedAddress() !== undefined}
        help={domainsSentence(useRegistrationDoor())}
        error={errors.email?.message}
        {...register("email")}
      />
      <div className="stack stack--sm">
        <PasswordField
          id="inscription-password"
          label="Mot de passe"
          required
          autoComplete="new-password"
          placeholder={`Minimum ${minimum} caractères`}
          help={`${minimum} caractères au minimum. Une phrase courte est plus sûre et se retient mieux.`}
          minLength={minimum}
          error={errors.password?.message}
          {...register("password")}
        />
        <StrengthMeter password={watch("password")} />
      </div>
    </>
  );
}

type ValidationSummaryProps = {
  readonly errors: FieldErrors<RegisterValues>;
  readonly onGoTo: (field: keyof RegisterValues) => void;
};

function ValidationSummary({ errors, onGoTo }: ValidationSummaryProps) {
  const alert = useRef<HTMLDivElement>(null);
  const fields = Object.keys(REGISTER_DEFAULTS) as (keyof RegisterValues)[];
  const entries = fields.flatMap((field) =>
    errors[field] ? [[field, errors[field]] as const] : [],
  );
  const shown = entries.length > 0;
  useEffect(() => {
    if (shown) alert.current?.focus();
  }, [shown]);
  if (!shown) return null;
  return (
    <Alert tone="danger" title="Erreurs de validation" ref={alert}>
      <ul>
        {entries.map(([field, error]) => (
          <li key={field}>
            <a
              href={`#inscription-${field}`}
              onClick={(event) => {
                event.preventDefault();
                onGoTo(field);
              }}
            >
              {error.message}
            </a>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

type RegisterProfileStepProps = {
  readonly form: RegisterForm;
  readonly isInvited: boolean;
  readonly avatar: File | undefined;
  readonly onAvatar: (file: File | undefined) => void;
  readonly failure: string | undefined;
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly onGoTo: (field: keyof RegisterValues) => void;
  readonly onSubmit: (values: RegisterValues) => void;
};

function RegisterProfileStep({
  form,
  isInvited,
  avatar,
  onAvatar,
  failure,
  busy,
  onBack,
  onGoTo,
  onSubmit,
}: RegisterProfileStepProps) {
  const { handleSubmit, formState, watch } = form;
  const { errors, isValid } = formState;
  const [tried, setTried] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  const name = watch(["first_name", "last_name"]).join(" ").trim() || watch("username");

  useEffect(() => {
    window.scrollTo(0, 0);
    title.current?.focus({ preventScroll: true });
  }, []);

  const submit = handleSubmit(
    (values) => {
      setTried(true);
      onSubmit(values);
    },
    () => setTried(true),
  );
  return (
    <div className="stack">
      <div>
        <h1 className="h1" tabIndex={-1} ref={title}>
          Profil
        </h1>
        <p className="lede">Votre nom figure sur les certificats de signature.</p>
        <RequiredNote fields="most" />
      </div>
      {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
      {tried && <ValidationSummary errors={errors} onGoTo={onGoTo} />}
      <form className="stack" noValidate onSubmit={(event) => void submit(event)}>
        <AvatarPicker name={name} file={avatar} onFile={onAvatar} />
        {/* ProfileFields uses only these fields of the form. */}
        <ProfileFields
          form={form as unknown as ProfileForm}
          idPrefix="inscription"
          isInvited={isInvited}
        />
        <ProfileStepButtons busy={busy} blocked={!isValid} onBack={onBack} />
        <Agreement />
      </form>
    </div>
  );
}

type ProfileStepButtonsProps = {
  readonly busy: boolean;
  readonly blocked: boolean;
  readonly onBack: () => void;
};

function ProfileStepButtons({ busy, blocked, onBack }: ProfileStepButtonsProps) {
  return (
    <div className="row row--nw">
      <Button size="lg" onClick={onBack}>
        <Icon name="chevron-left" />
        Précédent
      </Button>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        className="grow"
        loading={busy}
        blocked={blocked}
      >
        Créer mon compte
      </Button>
    </div>
  );
}

/** The links open a new tab, so that the form is not lost. */
function Agreement() {
  return (
    <p className="muted small">
      En créant un compte, vous acceptez les{" "}
      <a
        href="/conditions"
        target="_blank"
        rel="noopener"
        title="conditions d’utilisation (nouvelle fenêtre)"
      >
        conditions d’utilisation
      </a>{" "}
      et la{" "}
      <a
        href="/confidentialite"
        target="_blank"
        rel="noopener"
        title="politique de confidentialité (nouvelle fenêtre)"
      >
        politique de confidentialité
      </a>
      .
    </p>
  );
}

type Registration = ServiceRules["registration"];
const OPEN: Registration = { kind: "open", domains: [] };
const INVITE = "Demandez une invitation à son administrateur.";
const CLOSED = `Les inscriptions sont fermées sur ce service. ${INVITE}`;

/** Read once, because the wizard rewrites the address. */
function useInvitation(): string | undefined {
  const [invitation] = useState(() =>
    new URLSearchParams(window.location.search).get("invitation"),
  );
  return invitation ?? undefined;
}

/** The invited address, which the invitation's page passes on. */
function useInvitedAddress(): string | undefined {
  const state: unknown = useLocation().state;
  return typeof state === "object" && state !== null && "email" in state
    ? String(state.email)
    : undefined;
}

function useRegistrationDoor(): Registration {
  const { registration } = useServiceRules();
  return useInvitation() === undefined ? registration : OPEN;
}

/** Undefined when every address may register. */
function domainsSentence({ kind, domains }: Registration): string | undefined {
  if (kind !== "domains") return undefined;
  return `Ce service inscrit les adresses en ${new Intl.ListFormat("fr", { type: "disjunction" }).format(domains.map((name) => `@${name}`))}.`;
}

/** A subdomain counts as another domain. */
function domainFault(email: string, registration: Registration): string | undefined {
  const sentence = domainsSentence(registration);
  const domain = email.trim().toLowerCase().split("@").at(-1) ?? "";
  return sentence === undefined || registration.domains.includes(domain)
    ? undefined
    : `${sentence} ${INVITE}`;
}

const REGISTER_DEFAULTS = {
  username: "",
  email: "",
  password: "",
  first_name: "",
  last_name: "",
  birth_date: "",
  phone_number: "",
  gender: "" as "" | "Homme" | "Femme",
  address: "",
};
type RegisterValues = typeof REGISTER_DEFAULTS;
type RegisterForm = UseFormReturn<RegisterValues, unknown, RegisterValues>;

const ACCOUNT_FIELDS = [
  "username",
  "email",
  "password",
] as const satisfies readonly (keyof RegisterValues)[];

function useRegisterForm(): RegisterForm {
  const minimum = usePasswordMinimum();
  const door = useRegistrationDoor();
  const isInvited = useInvitation() !== undefined;
  const schema = useMemo(() => {
    const email = registerRequest.shape.email.check(
      z.refine((typed) => domainFault(typed, door) === undefined, {
        error: ({ input }) => domainFault(String(input), door) ?? "",
      }),
    );
    return z.strictObject({
      ...registerRequest.shape,
      email,
      password: passwordSchema(undefined, minimum),
      birth_date: isInvited ? optionalDate : registerProfile.shape.birth_date,
    });
  }, [minimum, door, isInvited]);
  return useForm<RegisterValues, unknown, RegisterValues>({
    // An empty optional field is an empty string in the form.
    resolver: zodResolver(schema) as unknown as Resolver<RegisterValues, unknown, RegisterValues>,
    defaultValues: { ...REGISTER_DEFAULTS, email: useInvitedAddress() ?? "" },
    mode: "onTouched",
    shouldFocusError: false,
  });
}
