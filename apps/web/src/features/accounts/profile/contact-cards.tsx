import type { User, PhoneCodeAnswer } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useState, useEffect, useId, useRef } from "react";
import { useForm } from "react-hook-form";
import { useSearchParams } from "react-router";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { keptOnDevice, storeOnDevice } from "../../../lib/browser/tab-memory.ts";
import { formatShortInstant } from "../../../lib/format/format-dates.ts";
import { lazyResolver } from "../../../lib/lazy-resolver.ts";
import { useServiceRules } from "../../../lib/api/service-rules.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { RequiredNote, TextField } from "../../../ui/field/field.tsx";
import { PasswordField } from "../../../ui/field/password-field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { formatPhone } from "../../../lib/format/slugify.ts";
import { Countdown } from "../../../ui/countdown/countdown.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { OtpInput } from "../../../ui/otp-input/otp-input.tsx";
import { api } from "../../../lib/api/api.ts";
import type { ProfileValues } from "../profile-fields.tsx";

const ME = "/api/signature/me/";
/** A photograph of several megabytes is slow to send from a phone. */
const UPLOAD_TIMEOUT_MS = 60_000;

type UserAnswer = { readonly user: User };
export type AvatarChange = File | "removed" | "kept";

export async function loadProfile(signal: AbortSignal): Promise<User> {
  return (await api.get<UserAnswer>(ME, { signal })).user;
}

/** Specification §5: an empty field means none. */
export async function saveProfile(values: ProfileValues, avatar: AvatarChange): Promise<User> {
  if (avatar instanceof File) {
    const body = new FormData();
    for (const [name, value] of Object.entries(values)) body.set(name, value);
    body.set("avatar", avatar);
    return (await api.patch<UserAnswer>(ME, { body, timeoutMs: UPLOAD_TIMEOUT_MS })).user;
  }
  const filled = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value === "" ? null : value]),
  );
  const body = { ...filled, ...(avatar === "removed" ? { avatar: null } : {}) };
  return (await api.patch<UserAnswer>(ME, { body })).user;
}

function sendPhoneCode(): Promise<PhoneCodeAnswer> {
  return api.post<PhoneCodeAnswer>(`${ME}phone/send-code/`, { body: {} });
}

async function verifyPhone(code: string): Promise<User> {
  return (await api.post<UserAnswer>(`${ME}phone/verify/`, { body: { code } })).user;
}

/** The answer is the same for any address. */
async function askAddress(body: {
  readonly email: string;
  readonly password: string;
}): Promise<string> {
  return (await api.post<{ readonly detail: string }>(`${ME}email/`, { body })).detail;
}

async function confirmAddress(token: string): Promise<User> {
  return (await api.post<UserAnswer>(`${ME}email/confirm/`, { body: { token } })).user;
}

/** The link sent to a new address opens this. */
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
  async () => (await import("../form-rules.ts")).addressRules,
);

/** Shown when only an activation link has confirmed the address. */
export function OwnAddressCard({ id, email }: Pick<User, "id" | "email">) {
  const { mail } = useServiceRules();
  const [asked, setAsked] = useState(false);
  const [askedAt] = useState(() => linkUnderWay(id, email));
  const note = () => {
    setAsked(true);
    storeOnDevice(LINK, { owner: id, value: { email, at: Date.now() } });
  };
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
        {!asked && askedAt !== null && (
          <Alert tone="info">
            {`Un lien de confirmation a été envoyé à ${email} le ${formatShortInstant(new Date(askedAt))}. Il est valable 24\u00a0heures\u202f; un autre lien le remplace.`}
          </Alert>
        )}
        {!asked && <AddressForm own={email} onAsked={note} />}
      </div>
    </section>
  );
}

const LINK = "address-link";
const DAY_MS = 86_400_000;

/** When the link that is still valid was asked for, in epoch milliseconds. */
function linkUnderWay(owner: string, email: string): number | null {
  const link = keptOnDevice(LINK, owner);
  if (typeof link !== "object" || link === null || !("at" in link) || !("email" in link))
    return null;
  const { at } = link;
  const isValid = typeof at === "number" && Date.now() - at < DAY_MS && link.email === email;
  return isValid ? at : null;
}

/** The form above shows the address itself. */
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
  /** The account's own address when it is to be confirmed: nobody types it again. */
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

/** `resendAt`: when another code may be sent. */
type SentPhoneCode = { readonly destination: string; readonly resendAt: number };

function useVerifyPhone(onVerified: (user: User) => void) {
  const client = useQueryClient();
  const [sent, setSent] = useState<SentPhoneCode>();
  const [code, setCode] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();

  const run = async (call: () => Promise<void>, fallback: string): Promise<void> => {
    if (busy) return;
    setBusy(true);
    setError(undefined);
    try {
      await call();
    } catch (cause) {
      setError(callMessage(cause, fallback));
    } finally {
      setCode("");
      setBusy(false);
    }
  };
  const send = () =>
    run(async () => {
      const { destination, resend_in: resendIn } = await sendPhoneCode();
      setSent({ destination, resendAt: Date.now() + resendIn * 1_000 });
    }, "Impossible d’envoyer le code");
  const verify = (digits: string) =>
    run(async () => {
      const user = await verifyPhone(digits);
      client.setQueryData(sessionQuery.queryKey, user);
      setSent(undefined);
      showToast("ok", "Numéro vérifié");
      onVerified(user);
    }, "Impossible de vérifier le code");
  return { sent, code, setCode, busy, error, send, verify };
}

type Props = { readonly user: User; readonly onVerified: (user: User) => void };

/** Texts go to verified numbers only. */
export function PhoneCard({ user, onVerified }: Props) {
  const id = useId();
  const { sent, code, setCode, busy, error, send, verify } = useVerifyPhone(onVerified);
  const input = useRef<HTMLInputElement>(null);
  // The code is the next thing to type, also after a refusal.
  useEffect(() => {
    if (sent && !busy) input.current?.focus();
  }, [sent, busy]);
  if (user.phone_number === null) return null;
  return (
    <div className="card">
      <div className="card__head">
        <h2 className="h2">Vérification du téléphone</h2>
      </div>
      <div className="card__body stack">
        <p>
          <b className="num">{formatPhone(user.phone_number)}</b>
          {"\u00a0: "}
          {user.phone_verified
            ? "numéro vérifié."
            : "numéro non vérifié. Les SMS ne sont envoyés qu’à un numéro vérifié."}
        </p>
        {error !== undefined && (
          <div id={`${id}-erreur`}>
            <Alert tone="danger">{error}</Alert>
          </div>
        )}
        {!user.phone_verified && !sent && (
          <div>
            <Button loading={busy} onClick={() => void send()}>
              Vérifier ce numéro
            </Button>
          </div>
        )}
        {!user.phone_verified && sent && (
          <>
            <p role="status">{`Nous avons envoyé un code à 6 chiffres au ${sent.destination}. Il est valable 10\u00a0minutes.`}</p>
            <OtpInput
              ref={input}
              label="Code reçu par SMS"
              value={code}
              onChange={setCode}
              onComplete={(digits) => void verify(digits)}
              invalid={error !== undefined}
              disabled={busy}
              describedBy={error === undefined ? undefined : `${id}-erreur`}
            />
            <Resend
              key={sent.resendAt}
              until={sent.resendAt}
              busy={busy}
              onSend={() => void send()}
            />
          </>
        )}
      </div>
    </div>
  );
}

function Resend({
  until,
  busy,
  onSend,
}: {
  readonly until: number;
  readonly busy: boolean;
  readonly onSend: () => void;
}) {
  const [waits, setWaits] = useState(until > Date.now());
  return (
    <p>
      Pas reçu{"\u202f"}?{" "}
      {waits ? (
        <Countdown
          until={until}
          endAnnouncement="Vous pouvez demander un nouveau code."
          onEnd={() => setWaits(false)}
        >
          {(seconds) => <span className="muted">{`Renvoyer dans ${seconds}\u00a0s`}</span>}
        </Countdown>
      ) : (
        <LinkAction onClick={onSend} disabled={busy}>
          Renvoyer le code
        </LinkAction>
      )}
    </p>
  );
}
