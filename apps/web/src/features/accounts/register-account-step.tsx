import { passwordSchema, registerAccount } from "@paraphe/contracts";
import { useState } from "react";
import { ApiError } from "../../lib/api-error.ts";
import { Button } from "../../ui/button/button.tsx";
import { RequiredNote, TextField } from "../../ui/field/field.tsx";
import { PasswordField } from "../../ui/field/password-field.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { checkAccount } from "./account-calls.ts";
import { usePasswordMinimum } from "./password-minimum.ts";
import {
  ACCOUNT_FIELDS,
  domainsSentence,
  type RegisterForm,
  useRegistrationDoor,
} from "./register-form.ts";
import { StrengthMeter } from "./strength-meter.tsx";

type Props = { readonly form: RegisterForm; readonly onNext: () => void };

/** Step 1, 'Compte': what one signs in with. */
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

/** Has the service check the step, and says on each field what it refuses. Without an answer one goes on: it checks again at the end. */
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

/** `minimum`: how many characters this service asks of a password. */
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
