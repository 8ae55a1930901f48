import { zodResolver } from "@hookform/resolvers/zod";
import {
  type ServiceRules,
  passwordSchema,
  registerAccount,
  registerRequest,
} from "@paraphe/contracts";
import { useEffect, useMemo, useRef, useState } from "react";
import { type FieldErrors, type Resolver, type UseFormReturn, useForm } from "react-hook-form";
import { useLocation } from "react-router";
import * as z from "zod/mini";
import { ApiError } from "../../lib/api/api-error.ts";
import { useServiceRules } from "../../lib/api/service-rules.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { RequiredNote, TextField } from "../../ui/field/field.tsx";
import { PasswordField } from "../../ui/field/password-field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { checkAccount } from "./account-calls.ts";
import { AvatarPicker } from "./avatar-picker.tsx";
import { usePasswordMinimum } from "./password-minimum.ts";
import { StrengthMeter } from "./strength-meter.tsx";
import { ProfileFields, type ProfileForm } from "./profile-fields.tsx";

type Props = { readonly form: RegisterForm; readonly onNext: () => void };

export function RegisterAccountStep({ form, onNext }: Props) {
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

/** Validates on the server. Without an answer the person goes on: the end validates again. */
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

/** `minimum`: characters of a password. */
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
        label="Nom d'utilisateur"
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

/** Takes the focus when it appears. */
function ValidationSummary({ errors, onGoTo }: ValidationSummaryProps) {
  const alert = useRef<HTMLDivElement>(null);
  // In the form's order.
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
  readonly avatar: File | undefined;
  readonly onAvatar: (file: File | undefined) => void;
  readonly failure: string | undefined;
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly onGoTo: (field: keyof RegisterValues) => void;
  readonly onSubmit: (values: RegisterValues) => void;
};

/** The title takes the focus, at the top of the page. */
export function RegisterProfileStep({
  form,
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
        <ProfileFields form={form as unknown as ProfileForm} idPrefix="inscription" />
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

/** In a new tab, so that the form is not lost. */
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
/** The sentence of `registration_closed`. */
export const CLOSED = `Les inscriptions sont fermées sur ce service. ${INVITE}`;

/** Read once: the wizard rewrites the address. */
export function useInvitation(): string | undefined {
  const [invitation] = useState(() =>
    new URLSearchParams(window.location.search).get("invitation"),
  );
  return invitation ?? undefined;
}

/** The address that the invitation is for, from its page. */
export function useInvitedAddress(): string | undefined {
  const state: unknown = useLocation().state;
  return typeof state === "object" && state !== null && "email" in state
    ? String(state.email)
    : undefined;
}

/** An invited person meets no restriction. */
export function useRegistrationDoor(): Registration {
  const { registration } = useServiceRules();
  return useInvitation() === undefined ? registration : OPEN;
}

/** Undefined when every address may register. */
function domainsSentence({ kind, domains }: Registration): string | undefined {
  if (kind !== "domains") return undefined;
  return `Ce service inscrit les adresses en ${new Intl.ListFormat("fr", { type: "disjunction" }).format(domains.map((name) => `@${name}`))}.`;
}

/** A subdomain is another domain. */
function domainFault(email: string, registration: Registration): string | undefined {
  const sentence = domainsSentence(registration);
  const domain = email.trim().toLowerCase().split("@").at(-1) ?? "";
  return sentence === undefined || registration.domains.includes(domain)
    ? undefined
    : `${sentence} ${INVITE}`;
}

export const REGISTER_DEFAULTS = {
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
export type RegisterValues = typeof REGISTER_DEFAULTS;
export type RegisterForm = UseFormReturn<RegisterValues, unknown, RegisterValues>;

export const ACCOUNT_FIELDS = [
  "username",
  "email",
  "password",
] as const satisfies readonly (keyof RegisterValues)[];

/** Validates on blur with the server's rules. */
export function useRegisterForm(): RegisterForm {
  const minimum = usePasswordMinimum();
  const door = useRegistrationDoor();
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
    });
  }, [minimum, door]);
  return useForm<RegisterValues, unknown, RegisterValues>({
    // The form gives optional fields a text.
    resolver: zodResolver(schema) as unknown as Resolver<RegisterValues, unknown, RegisterValues>,
    defaultValues: { ...REGISTER_DEFAULTS, email: useInvitedAddress() ?? "" },
    mode: "onTouched",
    shouldFocusError: false,
  });
}
