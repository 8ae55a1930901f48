import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError } from "../../../lib/api-error.ts";
import { callMessage } from "../../../lib/call-message.ts";
import { classNames } from "../../../lib/class-names.ts";
import { lazyResolver } from "../../../lib/lazy-resolver.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { PasswordField } from "../../../ui/field/password-field.tsx";
import { RequiredNote } from "../../../ui/field/field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { usePasswordMinimum } from "../password-minimum.ts";
import { StrengthMeter } from "../strength-meter.tsx";
import { useSession } from "../use-session.ts";
import { changePassword } from "./settings-calls.ts";
import styles from "./settings.module.css";
import { sessionsQuery } from "./use-sessions.ts";

const EMPTY = { old_password: "", new_password: "" };
const FIELDS = ["old_password", "new_password"] as const;

function passwordRules(minimum: number) {
  return lazyResolver<typeof EMPTY>(async () =>
    (await import("./password-rules.ts")).passwordRules(minimum),
  );
}

export function PasswordCard() {
  const session = useSession();
  const username = session.state === "member" ? session.user.username : "";
  const minimum = usePasswordMinimum();
  const { form, failure, submit } = usePasswordChange(minimum);
  const { register, watch, formState } = form;
  const { errors, isSubmitting } = formState;
  return (
    <form
      className="card"
      noValidate
      aria-labelledby="titre-mot-de-passe"
      onSubmit={(event) => void submit(event)}
    >
      <div className="card__head">
        <h2 className="h2" id="titre-mot-de-passe">
          Mot de passe
        </h2>
      </div>
      <div className="card__body stack">
        {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
        <RequiredNote fields="all" />
        {/* For password managers. */}
        <input type="text" autoComplete="username" value={username} readOnly hidden />
        <PasswordField
          label="Ancien mot de passe"
          required
          autoComplete="current-password"
          error={errors.old_password?.message}
          {...register("old_password")}
        />
        <div className="stack stack--sm">
          <PasswordField
            label="Nouveau mot de passe"
            required
            autoComplete="new-password"
            help={`${minimum} caractères au minimum.`}
            minLength={minimum}
            error={errors.new_password?.message}
            {...register("new_password")}
          />
          <StrengthMeter password={watch("new_password")} />
        </div>
      </div>
      <div className={classNames("card__foot", styles["save"])}>
        <p className={classNames(styles["status"], "small")}>Vos autres sessions seront fermées.</p>
        <Button type="submit" variant="primary" loading={isSubmitting}>
          Changer le mot de passe
        </Button>
      </div>
    </form>
  );
}

/** `minimum`: characters of a password. */
function usePasswordChange(minimum: number) {
  const client = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const form = useForm({
    resolver: useMemo(() => passwordRules(minimum), [minimum]),
    defaultValues: EMPTY,
    mode: "onTouched",
  });
  const submit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      await changePassword(values);
      form.reset(EMPTY);
      showToast("ok", "Mot de passe changé");
      void client.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    } catch (error) {
      const messages = error instanceof ApiError ? error.fieldErrors : {};
      const refused = FIELDS.filter((name) => messages[name]);
      for (const [index, name] of refused.entries()) {
        form.setError(
          name,
          { type: "server", message: messages[name]?.join(" ") ?? "" },
          { shouldFocus: index === 0 },
        );
      }
      if (refused.length === 0)
        setFailure(callMessage(error, "Impossible de changer le mot de passe"));
    }
  });
  return { form, failure, submit };
}
