import type { User } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { useSearchParams } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { lazyResolver } from "../../../lib/lazy-resolver.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { RequiredNote, TextField } from "../../../ui/field/field.tsx";
import { PasswordField } from "../../../ui/field/password-field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { askAddress, confirmAddress } from "./profile-calls.ts";

/** For the link sent to a new address: a press confirms it. */
export function ConfirmAddress({ onChanged }: { readonly onChanged: (user: User) => void }) {
  const client = useQueryClient();
  const [search, setSearch] = useSearchParams();
  const [failure, setFailure] = useState<string>();
  const [busy, setBusy] = useState(false);
  const token = search.get("email");
  if (failure !== undefined) return <Alert tone="danger">{failure}</Alert>;
  if (token === null) return null;
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      const user = await confirmAddress(token);
      client.setQueryData(sessionQuery.queryKey, user);
      showToast("ok", "Adresse confirmée");
      onChanged(user);
    } catch (error) {
      setFailure(callMessage(error, "Impossible de modifier l’adresse"));
    }
    setBusy(false);
    setSearch({}, { replace: true });
  };
  return (
    <Alert tone="info" title="Confirmez cette adresse">
      <p>L’adresse où vous avez reçu ce lien sera celle de votre compte.</p>
      <Button loading={busy} onClick={() => void confirm()}>
        Confirmer cette adresse
      </Button>
    </Alert>
  );
}

const FIELDS = ["email", "password"] as const;
const addressRules = lazyResolver<Record<(typeof FIELDS)[number], string>>(
  async () => (await import("./profile-rules.ts")).addressRules,
);

/** For an account whose address only an activation link confirmed; `email` is in the form below. */
export function OwnAddressCard({ email }: { readonly email: string }) {
  const { mail } = useServiceRules();
  const [asked, setAsked] = useState(false);
  const [search] = useSearchParams();
  if (!mail || search.has("email")) return null;
  return (
    <section className="card" aria-labelledby="titre-adresse">
      <div className="card__head">
        <h2 className="h2" id="titre-adresse">
          Confirmez votre adresse
        </h2>
      </div>
      <div className="card__body stack">
        <p className="ink2">
          Les documents envoyés à votre adresse s’affichent une fois qu’elle est confirmée, par un
          lien que nous y envoyons.
        </p>
        <div role="status">
          {asked && (
            <Alert tone="success">
              {`Un lien de confirmation a été envoyé à ${email}. Il est valable 24\u00a0heures.`}
            </Alert>
          )}
        </div>
        {!asked && <AddressForm own={email} onAsked={() => setAsked(true)} />}
      </div>
    </section>
  );
}

/** The address itself stands in the form above. */
export function AddressCard() {
  const { mail } = useServiceRules();
  const [open, setOpen] = useState(false);
  const [answer, setAnswer] = useState<string>();
  return (
    <div className="card">
      <div className="card__head">
        <h2 className="h2">Adresse email</h2>
      </div>
      <div className="card__body stack">
        <p className="ink2">
          {mail
            ? "Un lien sera envoyé à la nouvelle adresse. L’adresse actuelle reste la vôtre tant que vous ne l’avez pas ouvert."
            : "Une nouvelle adresse se confirme par un email, et ce service n’en envoie pas."}
        </p>
        <div role="status">{answer !== undefined && <Alert tone="success">{answer}</Alert>}</div>
        {!mail ? null : open ? (
          <AddressForm
            onAsked={(sentence) => {
              setAnswer(sentence);
              setOpen(false);
            }}
            onCancel={() => setOpen(false)}
          />
        ) : (
          <div>
            <Button
              onClick={() => {
                setAnswer(undefined);
                setOpen(true);
              }}
            >
              Modifier l’adresse
            </Button>
          </div>
        )}
      </div>
    </div>
  );
}

type AddressFormProps = {
  /** The account's own, to be confirmed: it is not typed again. */
  readonly own?: string;
  readonly onAsked: (sentence: string) => void;
  readonly onCancel?: () => void;
};

function AddressForm({ own, onAsked, onCancel }: AddressFormProps) {
  const { form, failure, submit } = useAddressRequest(onAsked, own ?? "");
  const { register, formState } = form;
  const { errors, isSubmitting } = formState;
  return (
    <form
      className="stack"
      noValidate
      aria-label={own === undefined ? "Modifier l’adresse" : "Confirmer l’adresse"}
      onSubmit={(event) => void submit(event)}
    >
      {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
      <RequiredNote fields="all" />
      {own === undefined && (
        <TextField
          label="Nouvelle adresse"
          type="email"
          required
          autoComplete="email"
          autoFocus
          error={errors.email?.message}
          {...register("email")}
        />
      )}
      <PasswordField
        label="Mot de passe"
        required
        autoComplete="current-password"
        error={errors.password?.message}
        {...register("password")}
      />
      <div className="row">
        <Button type="submit" loading={isSubmitting}>
          Envoyer le lien
        </Button>
        {onCancel && (
          <Button variant="ghost" onClick={onCancel}>
            Annuler
          </Button>
        )}
      </div>
    </form>
  );
}

function useAddressRequest(onAsked: (sentence: string) => void, email: string) {
  const [failure, setFailure] = useState<string>();
  const form = useForm({
    resolver: addressRules,
    defaultValues: { email, password: "" },
    mode: "onTouched",
  });
  const submit = form.handleSubmit(async (values) => {
    setFailure(undefined);
    try {
      onAsked(await askAddress(values));
    } catch (error) {
      const messages = error instanceof ApiError ? error.fieldErrors : {};
      const refused = FIELDS.filter((name) => messages[name]);
      for (const [index, name] of refused.entries())
        form.setError(
          name,
          { type: "server", message: messages[name]?.join(" ") ?? "" },
          { shouldFocus: index === 0 },
        );
      if (refused.length === 0) setFailure(callMessage(error, "Impossible de modifier l’adresse"));
    }
  });
  return { form, failure, submit };
}
