import { passwordSchema } from "@paraphe/contracts";
import { zodResolver } from "@hookform/resolvers/zod";
import { useMemo, useState } from "react";
import { useForm } from "react-hook-form";
import { useNavigate, useParams } from "react-router";
import * as z from "zod/mini";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { PasswordField } from "../../ui/field/password-field.tsx";
import { RequiredNote } from "../../ui/field/field.tsx";
import { TextLink } from "../../ui/link/link-action.tsx";
import { PageHeading } from "../../ui/page-heading/page-heading.tsx";
import { resetPassword } from "./account-calls.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { usePasswordMinimum } from "./password-minimum.ts";
import { StrengthMeter } from "./strength-meter.tsx";

const DEFAULT = "Impossible de changer le mot de passe. Le lien est peut-être expiré.";
function formSchema(minimum: number) {
  return z
    .object({
      password: passwordSchema(undefined, minimum),
      confirmation: z.string().check(z.minLength(1, "Confirmez le mot de passe")),
    })
    .check(
      z.refine((value) => value.password === value.confirmation, {
        message: "Les mots de passe ne correspondent pas.",
        path: ["confirmation"],
      }),
    );
}

export function ResetPasswordPage() {
  const minimum = usePasswordMinimum();
  const { form, failure, submit } = useNewPassword(minimum);
  const { register, formState, watch } = form;
  const { errors, isValid, isSubmitting } = formState;
  return (
    <AuthLayout>
      <div>
        <PageHeading title="Nouveau mot de passe">Nouveau mot de passe</PageHeading>
        <p className="lede">Choisissez un mot de passe d’au moins {minimum} caractères.</p>
        <RequiredNote fields="all" />
      </div>
      {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
      <form className="stack" noValidate onSubmit={(event) => void submit(event)}>
        <div className="stack stack--sm">
          <PasswordField
            label="Nouveau mot de passe"
            required
            autoComplete="new-password"
            minLength={minimum}
            error={errors.password?.message}
            {...register("password")}
          />
          <StrengthMeter password={watch("password")} />
        </div>
        <PasswordField
          label="Confirmation"
          required
          autoComplete="new-password"
          minLength={minimum}
          error={errors.confirmation?.message}
          {...register("confirmation")}
        />
        <Button
          type="submit"
          variant="primary"
          size="lg"
          block
          loading={isSubmitting}
          blocked={!isValid}
        >
          Changer le mot de passe
        </Button>
      </form>
      <TextLink to="/password-reset">Recommencer la procédure</TextLink>
    </AuthLayout>
  );
}

function useNewPassword(minimum: number) {
  const { uid = "", token = "" } = useParams();
  const navigate = useNavigate();
  const [failure, setFailure] = useState<string>();
  const form = useForm({
    resolver: useMemo(() => zodResolver(formSchema(minimum)), [minimum]),
    defaultValues: { password: "", confirmation: "" },
    mode: "onTouched",
  });
  const submit = form.handleSubmit(async ({ password }) => {
    setFailure(undefined);
    try {
      await resetPassword({ uid, token, password });
      void navigate("/login?reset=1", { replace: true });
    } catch (error) {
      const refusal =
        error instanceof ApiError ? error.fieldErrors["password"]?.join(" ") : undefined;
      setFailure(refusal ?? callMessage(error, DEFAULT));
    }
  });
  return { form, failure, submit };
}
