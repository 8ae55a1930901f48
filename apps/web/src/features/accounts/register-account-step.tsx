import { passwordSchema, registerAccount } from "@paraphe/contracts";
import { Button } from "../../ui/button/button.tsx";
import { PasswordField } from "../../ui/field/password-field.tsx";
import { RequiredNote } from "../../ui/field/required-note.tsx";
import { TextField } from "../../ui/field/text-field.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { usePasswordMinimum } from "./password-minimum.ts";
import { ACCOUNT_FIELDS, type RegisterForm } from "./register-form.ts";
import { domainsSentence, useRegistrationDoor } from "./registration-doors.ts";
import { StrengthMeter } from "./strength-meter.tsx";

type Props = { readonly form: RegisterForm; readonly onNext: () => void };

/** Step 1, 'Compte': what one signs in with. */
export function RegisterAccountStep({ form, onNext }: Props) {
  const { watch, trigger, setFocus } = form;
  const [username, email, password] = watch(ACCOUNT_FIELDS);
  const minimum = usePasswordMinimum();
  const isValid =
    registerAccount.safeParse({ username, email, password }).success && passwordSchema(undefined, minimum).safeParse(password).success;
  const next = async () => {
    if (await trigger([...ACCOUNT_FIELDS])) {
      onNext();
      return;
    }
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
        <Button type="submit" variant="primary" size="lg" block blocked={!isValid}>
          Suivant
        </Button>
      </form>
    </div>
  );
}

/** `minimum`: how many characters this service asks of a password. */
function AccountFields({ form, minimum }: { readonly form: RegisterForm; readonly minimum: number }) {
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
