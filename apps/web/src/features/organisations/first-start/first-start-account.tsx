import { zodResolver } from "@hookform/resolvers/zod";
import { firstAccount, type FirstAccount, passwordSchema, type User } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useForm, type UseFormReturn } from "react-hook-form";
import { Link, useLocation } from "react-router";
import * as z from "zod/mini";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { RequiredNote, TextField } from "../../../ui/field/field.tsx";
import { PasswordField } from "../../../ui/field/password-field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { AuthLayout } from "../../accounts/auth-layout.tsx";
import { usePasswordMinimum } from "../../accounts/password-minimum.ts";
import { fullName, notifyOtherTabs, sessionQuery } from "../../accounts/use-session.ts";
import { FirstStartStepper } from "./first-start-steps.tsx";
import { claimFirstStart } from "../organisation-calls.ts";
import styles from "../organisation.module.css";

const EMPTY: FirstAccount = {
  first_name: "",
  last_name: "",
  email: "",
  username: "",
  password: "",
};
const FIELDS = Object.keys(EMPTY) as (keyof FirstAccount)[];
const REFUSED = "Impossible de créer le compte";

/** A visitor's first step: the account, which is then signed in. */
export function AccountStep({ token }: { readonly token: string }) {
  const { form, failure, submit } = useFirstAccount(token);
  return (
    <AuthLayout isWide>
      <Welcome>
        <RequiredNote fields="all" />
      </Welcome>
      {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
      <form
        className="stack stack--lg"
        noValidate
        aria-label="Vous"
        onSubmit={(event) => void submit(event)}
      >
        <AccountFields form={form} />
        <Button
          type="submit"
          variant="primary"
          size="lg"
          block
          loading={form.formState.isSubmitting}
        >
          Continuer
        </Button>
      </form>
      <OwnAccount />
      <OnlyOnce />
    </AuthLayout>
  );
}

/** The first step of somebody who is already signed in. */
export function ClaimStep({ token, user }: { readonly token: string; readonly user: User }) {
  const { claim, failure, isPending } = useClaim(token);
  return (
    <AuthLayout isWide>
      <Welcome />
      {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
      <p>
        Votre compte{"\u00a0"}: <b className="break">{fullName(user)}</b>, {user.email}.
      </p>
      <Button variant="primary" size="lg" block loading={isPending} onClick={() => void claim()}>
        Continuer
      </Button>
      <OnlyOnce />
    </AuthLayout>
  );
}

function Welcome({ children }: { readonly children?: React.ReactNode }) {
  return (
    <>
      <FirstStartStepper current={0} />
      <div>
        <PageHeading title="Bienvenue">Bienvenue</PageHeading>
        <p className="lede">
          Ce service vient de démarrer. Vous en serez l’administratrice ou l’administrateur.
        </p>
        {children}
      </div>
    </>
  );
}

function OwnAccount() {
  const location = useLocation();
  return (
    <p className="ink2">
      {"Déjà inscrit\u202f?"}{" "}
      <Link to="/login" state={{ from: location }}>
        Se connecter
      </Link>
    </p>
  );
}

function OnlyOnce() {
  return (
    <p className={styles["note"]}>
      <Icon name="info" size="sm" />
      <span>
        Cette adresse, affichée au démarrage, ne sert qu’une fois et expire dans 24{"\u00a0"}heures.
      </span>
    </p>
  );
}

function AccountFields({ form }: { readonly form: UseFormReturn<FirstAccount> }) {
  const { register, formState } = form;
  const { errors } = formState;
  return (
    <>
      <div className="cols2">
        <TextField
          label="Prénom"
          required
          autoComplete="given-name"
          error={errors.first_name?.message}
          {...register("first_name")}
        />
        <TextField
          label="Nom"
          required
          autoComplete="family-name"
          error={errors.last_name?.message}
          {...register("last_name")}
        />
      </div>
      <TextField
        label="Email"
        required
        type="email"
        autoComplete="email"
        error={errors.email?.message}
        {...register("email")}
      />
      <TextField
        label="Nom d’utilisateur"
        required
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        error={errors.username?.message}
        {...register("username")}
      />
      <PasswordField
        label="Mot de passe"
        required
        autoComplete="new-password"
        help={`${usePasswordMinimum()} caractères au minimum. Une phrase courte est plus sûre et se retient mieux.`}
        error={errors.password?.message}
        {...register("password")}
      />
    </>
  );
}

function useFirstAccount(token: string) {
  const minimum = usePasswordMinimum();
  const [failure, setFailure] = useState<string>();
  const enter = useEnter();
  const schema = useMemo(
    () => z.strictObject({ ...firstAccount.shape, password: passwordSchema(undefined, minimum) }),
    [minimum],
  );
  const form = useForm<FirstAccount>({
    resolver: zodResolver(schema),
    defaultValues: EMPTY,
    mode: "onTouched",
  });
  const submit = form.handleSubmit(async (account) => {
    setFailure(undefined);
    try {
      enter(await claimFirstStart({ token, account }));
    } catch (error) {
      const errors = error instanceof ApiError ? error.fieldErrors : {};
      const refused = FIELDS.filter((field) => errors[field]);
      for (const [index, field] of refused.entries())
        form.setError(
          field,
          { type: "server", message: errors[field]?.join(" ") ?? "" },
          { shouldFocus: index === 0 },
        );
      if (refused.length === 0) setFailure(callMessage(error, REFUSED));
    }
  });
  return { form, failure, submit };
}

function useClaim(token: string) {
  const enter = useEnter();
  const [failure, setFailure] = useState<string>();
  const [isPending, setIsPending] = useState(false);
  const claim = async () => {
    setIsPending(true);
    setFailure(undefined);
    try {
      enter(await claimFirstStart({ token }));
    } catch (error) {
      setIsPending(false);
      setFailure(callMessage(error, REFUSED));
    }
  };
  return { claim, failure, isPending };
}

/** The answer opened a session or changed the person's role. */
function useEnter(): (user: User) => void {
  const client = useQueryClient();
  return (user) => {
    client.setQueryData(sessionQuery.queryKey, user);
    notifyOtherTabs("came");
  };
}
