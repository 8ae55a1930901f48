import { zodResolver } from "@hookform/resolvers/zod";
import {
  type LoginAnswer,
  loginRequest,
  type LoginRequest,
  type SecondStep as SecondStepAsked,
  type User,
} from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState, useEffect, useEffectEvent, useRef } from "react";
import { useForm } from "react-hook-form";
import { useLocation, useNavigate, useSearchParams } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { LinkButton } from "../../../ui/button/link-button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { PasswordField } from "../../../ui/field/password-field.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { TextLink } from "../../../ui/link/link-action.tsx";
import { lazyPart } from "../../../ui/lazy-step/lazy-step.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { AuthLayout } from "../auth-layout.tsx";
import {
  canUsePasskeys,
  canOfferPasskeys,
  cancelPasskeys,
  isCancelled,
  logInWithPasskey,
} from "../passkeys.ts";
import { linkAccount } from "./provider-calls.ts";
import { ProviderAway, ProviderButtons, useProviderLogin } from "./provider-login.tsx";
import { ResendActivation } from "../resend-activation.tsx";
import {
  leftOnPurposeKey,
  loadUser,
  logIn,
  sessionQuery,
  notifyOtherTabs,
} from "../use-session.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "../auth-layout.module.css";

/** The internal address the person came from, otherwise the dashboard. */
export function loginOrigin(state: unknown): string {
  if (typeof state !== "object" || state === null || !("from" in state)) return "/dashboard";
  const { from } = state;
  if (
    typeof from !== "object" ||
    from === null ||
    !("pathname" in from) ||
    typeof from.pathname !== "string"
  )
    return "/dashboard";
  const search = "search" in from && typeof from.search === "string" ? from.search : "";
  const hash = "hash" in from && typeof from.hash === "string" ? from.hash : "";
  return from.pathname.startsWith("/") && !from.pathname.startsWith("//")
    ? `${from.pathname}${search}${hash}`
    : "/dashboard";
}

type LoginNoticeProps = { readonly activated: string | null; readonly reset: string | null };

export function LoginNotice({ activated, reset }: LoginNoticeProps) {
  if (activated === "1")
    return (
      <Alert tone="success">
        Compte activé avec succès. Vous pouvez maintenant vous connecter.
      </Alert>
    );
  if (activated === "0") {
    return (
      <>
        <Alert tone="danger">
          Lien d'activation invalide. Veuillez vérifier votre lien ou en demander un nouveau.
        </Alert>
        <ResendActivation />
      </>
    );
  }
  if (reset === "1")
    return (
      <Alert tone="success">
        Mot de passe réinitialisé avec succès. Vous pouvez maintenant vous connecter.
      </Alert>
    );
  return null;
}

type LoginFailureProps = {
  readonly message: string;
  readonly wrongCredentials: boolean;
  readonly notActivated: boolean;
};

const WRONG = "Nom d'utilisateur ou mot de passe incorrect.";

/** Specification §8: wrong credentials have the form's own sentence. */
export function LoginFailure({ message, wrongCredentials, notActivated }: LoginFailureProps) {
  return (
    <>
      <Alert tone="danger">
        <div>{message}</div>
        {wrongCredentials && message !== WRONG && <div>{WRONG}</div>}
      </Alert>
      {notActivated && <ResendActivation />}
    </>
  );
}

const SecondStep = lazyPart(
  async () => (await import("./second-step.tsx")).SecondStep,
  <SkeletonRows rows={3} label="Chargement de la deuxième étape" />,
);

export function LoginPage() {
  const [query] = useSearchParams();
  const { form, failure, submit, step, leaveStep, enter } = useLogin();
  // Links that the service would refuse are not shown.
  const { mail, registration, providers } = useServiceRules();
  const provider = useProviderLogin({
    remember: () => form.getValues("remember_me") === true,
    from: loginOrigin(useLocation().state),
  });
  if (step) {
    return (
      <AuthLayout>
        <SecondStep asked={step} onEnter={(answer) => void enter(answer)} onLeave={leaveStep} />
      </AuthLayout>
    );
  }
  const { away } = provider;
  if (away) {
    return (
      <AuthLayout>
        <ProviderAway
          message={away.message}
          busy={provider.busy !== undefined}
          onRetry={() => void provider.go(away.kind)}
          onOthers={provider.showOthers}
        />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout>
      <div>
        <PageHeading title="Connexion">Connexion</PageHeading>
        <p className="lede">
          Retrouvez vos enveloppes et les documents qui attendent votre signature.
        </p>
      </div>
      {failure ? (
        <LoginFailure {...failure} />
      ) : (
        <LoginNotice activated={query.get("activated")} reset={query.get("reset")} />
      )}
      {canUsePasskeys() && (
        <PasskeyLogin
          remember={() => form.getValues("remember_me") === true}
          onEnter={(answer) => void enter(answer)}
        />
      )}
      <LoginForm form={form} onSubmit={submit} mail={mail} />
      {providers.length > 0 && <ProviderButtons providers={providers} {...provider} />}
      {registration.kind !== "closed" && <Newcomer isLast={providers.length > 0} />}
    </AuthLayout>
  );
}

function Newcomer({ isLast }: { readonly isLast: boolean }) {
  if (isLast)
    return (
      <p className={styles["newcomer"]}>
        Pas encore de compte ? <TextLink to="/register">Créer un compte</TextLink>
      </p>
    );
  return (
    <>
      <div className={styles["divider"]}>ou</div>
      <LinkButton size="lg" block to="/register">
        Créer un compte
      </LinkButton>
    </>
  );
}

type LoginFormProps = {
  readonly form: ReturnType<typeof useLogin>["form"];
  readonly onSubmit: ReturnType<typeof useLogin>["submit"];
  /** Whether the service sends mail: a forgotten password needs it. */
  readonly mail: boolean;
};

function LoginForm({ form, onSubmit, mail }: LoginFormProps) {
  const { register, formState } = form;
  const { errors, isValid, isSubmitting } = formState;
  return (
    <form
      className="stack"
      onSubmit={(event) => void onSubmit(event)}
      noValidate
      aria-label="Connexion"
    >
      <TextField
        label="Nom d’utilisateur"
        required
        autoComplete={canUsePasskeys() ? "username webauthn" : "username"}
        autoCapitalize="none"
        spellCheck={false}
        error={errors.username?.message}
        {...register("username")}
      />
      <PasswordField
        label="Mot de passe"
        required
        error={errors.password?.message}
        {...register("password")}
      />
      <div className="row row--between">
        <Checkbox label="Rester connecté" {...register("remember_me")} />
        {mail && <TextLink to="/password-reset">Mot de passe oublié ?</TextLink>}
      </div>
      <Button
        type="submit"
        variant="primary"
        size="lg"
        block
        loading={isSubmitting}
        loadingLabel="Connexion..."
        blocked={!isValid}
      >
        Se connecter
      </Button>
    </form>
  );
}

/** A refused password must be typed again. */
function useLogin() {
  const navigate = useNavigate();
  const client = useQueryClient();
  const { state } = useLocation();
  const returned = readReturn(state);
  const [failure, setFailure] = useState<LoginFailureProps | undefined>(
    returned && { message: returned.failure, wrongCredentials: false, notActivated: false },
  );
  const form = useForm({
    resolver: zodResolver(loginRequest),
    defaultValues: { username: "", password: "", remember_me: false },
    mode: "onTouched",
  });
  const [step, setStep] = useState<SecondStepAsked>();
  const enterAs = (user: User) => {
    if (returned?.isUnlinked) void linkReturned();
    client.setQueryData(leftOnPurposeKey, false);
    client.setQueryData(sessionQuery.queryKey, user);
    notifyOtherTabs("came");
    void navigate(loginOrigin(state), { replace: true });
  };
  const enter = async ({ recovery_codes_left: left }: LoginAnswer) => {
    enterAs(await loadUser());
    if (left !== undefined) showToast("ok", codesLeft(left));
  };
  const leaveStep = (reason?: string) => {
    setStep(undefined);
    form.reset();
    setFailure(
      reason === undefined
        ? undefined
        : { message: reason, wrongCredentials: false, notActivated: false },
    );
  };
  const submit = form.handleSubmit(async (credentials: LoginRequest) => {
    setFailure(undefined);
    try {
      enterAs(await logIn(credentials));
    } catch (error) {
      const asked = readSecondStep(error);
      if (asked !== undefined) {
        setStep(asked);
        return;
      }
      setFailure({
        message: callMessage(error, "Impossible de se connecter"),
        wrongCredentials: error instanceof ApiError && error.status === 401,
        notActivated: error instanceof ApiError && error.code === "not_activated",
      });
      form.resetField("password");
      form.setFocus("password");
    }
  });
  return { form, failure, submit, step, leaveStep, enter };
}

/** Undefined for somebody who does not come back from a provider. */
function readReturn(state: unknown): { failure: string; isUnlinked: boolean } | undefined {
  if (typeof state !== "object" || state === null || !("failure" in state)) return undefined;
  if (typeof state.failure !== "string") return undefined;
  const isUnlinked = "code" in state && state.code === "provider_unlinked";
  return { failure: state.failure, isUnlinked };
}

async function linkReturned(): Promise<void> {
  try {
    if (await linkAccount()) showToast("ok", "Votre compte est relié");
  } catch (error) {
    showToast("err", callMessage(error, "Impossible de relier votre compte"));
  }
}

/** Undefined where the login was refused for another reason. */
function readSecondStep(error: unknown): SecondStepAsked | undefined {
  if (!(error instanceof ApiError) || error.code !== "second_factor_required") return undefined;
  const { methods, recovery_codes_left } = error.details.body as SecondStepAsked;
  return { methods, recovery_codes_left };
}

function codesLeft(left: number): string {
  if (left === 0) return "C’était votre dernier code de secours";
  return left === 1 ? "Il vous reste 1 code de secours" : `Il vous reste ${left} codes de secours`;
}

type Props = {
  readonly remember: () => boolean;
  readonly onEnter: (answer: LoginAnswer) => void;
};

const CANCELLED =
  "Aucune clé d’accès n’a répondu. Réessayez, ou connectez-vous avec votre mot de passe.";

function PasskeyLogin({ remember, onEnter }: Props) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<{ readonly tone: "warning" | "danger"; text: string }>();
  const isOffering = useOffer({ remember, onEnter });

  const press = async () => {
    isOffering.current = false;
    setBusy(true);
    setFailure(undefined);
    try {
      onEnter(await logInWithPasskey({ remember: remember() }));
    } catch (error) {
      setFailure(
        isCancelled(error)
          ? { tone: "warning", text: CANCELLED }
          : { tone: "danger", text: callMessage(error, "Impossible de se connecter") },
      );
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {failure && <Alert tone={failure.tone}>{failure.text}</Alert>}
      <div className="stack stack--sm">
        <Button
          size="lg"
          block
          loading={busy}
          loadingLabel="Répondez à votre appareil…"
          onClick={() => void press()}
        >
          <Icon name="key" />
          Se connecter avec une clé d’accès
        </Button>
        {busy && (
          <p className="ink2 small" role="status">
            Votre appareil vous demande votre visage, votre empreinte ou votre code.
          </p>
        )}
      </div>
      <div className={styles["divider"]}>ou avec votre mot de passe</div>
    </>
  );
}

/** Offers passkeys among the names the browser fills in; setting the ref to false stops it. */
function useOffer({ remember, onEnter }: Props) {
  const isOffering = useRef(true);
  const offer = useEffectEvent(async () => {
    try {
      if (!(await canOfferPasskeys())) return;
      onEnter(
        await logInWithPasskey({
          offered: true,
          remember: remember(),
          isWanted: () => isOffering.current,
        }),
      );
    } catch (error) {
      // Nobody asked for passkeys, and the page works without them.
      if (!isCancelled(error)) console.warn("passkeys could not be offered", error);
    }
  });
  useEffect(() => {
    isOffering.current = true;
    void offer();
    return () => {
      isOffering.current = false;
      void cancelPasskeys().catch(() => undefined);
    };
  }, []);
  return isOffering;
}
