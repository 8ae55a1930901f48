import type { LoginAnswer, SecondFactorMethod, SecondStep as Asked } from "@paraphe/contracts";
import { useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { api } from "../../../lib/api/api.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { canUsePasskeys, isCancelled, logInWithPasskey } from "../passkeys.ts";
import { TotpField } from "../totp-field.tsx";
import styles from "./second-step.module.css";

type Props = {
  readonly asked: Asked;
  readonly onEnter: (answer: LoginAnswer) => void;
  /** Returns to the password; `reason` is the service's sentence when the step ended. */
  readonly onLeave: (reason?: string) => void;
};

const FALLBACK = "Impossible de se connecter";

export function SecondStep({ asked, onEnter, onLeave }: Props) {
  const methods = asked.methods.filter((method) => method !== "passkey" || canUsePasskeys());
  const [method, setMethod] = useState<SecondFactorMethod | undefined>(methods[0]);
  const finish = async (call: Promise<LoginAnswer>): Promise<string | undefined> => {
    try {
      onEnter(await call);
      return undefined;
    } catch (error) {
      if (isCancelled(error)) return "Aucune clé d’accès n’a répondu. Réessayez.";
      const message = callMessage(error, FALLBACK);
      if (error instanceof ApiError && error.code === "login_step_expired") onLeave(message);
      return error instanceof ApiError
        ? (error.fieldErrors["code"]?.join(" ") ?? message)
        : message;
    }
  };
  const others = methods.filter((other) => other !== method);
  const Way = method === undefined ? NoWay : WAYS[method];
  return (
    <>
      <Way key={method} asked={asked} finish={finish} isChosen={method !== methods[0]} />
      <div className={styles["others"]}>
        {others.map((other) => (
          <LinkAction key={other} onClick={() => setMethod(other)}>
            <Icon name={OTHERS[other].icon} size="sm" />
            {OTHERS[other].label}
          </LinkAction>
        ))}
        <LinkAction onClick={() => onLeave()}>
          <Icon name="user" size="sm" />
          Changer de compte
        </LinkAction>
      </div>
    </>
  );
}

const OTHERS = {
  totp: { label: "Utiliser l’application d’authentification", icon: "phone" },
  passkey: { label: "Utiliser une clé d’accès", icon: "key" },
  recovery_code: { label: "Utiliser un code de secours", icon: "shield" },
} as const;

type WayProps = {
  readonly asked: Asked;
  readonly isChosen: boolean;
  readonly finish: (call: Promise<LoginAnswer>) => Promise<string | undefined>;
};

function Heading({ title, lede }: { readonly title: string; readonly lede: string }) {
  return (
    <div>
      <PageHeading title={title}>{title}</PageHeading>
      <p className="lede">{lede}</p>
    </div>
  );
}

function TotpWay({ finish }: WayProps) {
  const [busy, setBusy] = useState(false);
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  const send = async (digits: string) => {
    if (busy) return;
    setBusy(true);
    const refusal = await finish(
      api.post<LoginAnswer>("/api/token/totp/", { body: { code: digits } }),
    );
    setBusy(false);
    if (refusal === undefined) return;
    setError(refusal);
    setCode("");
  };
  return (
    <>
      <Heading
        title="Deuxième étape"
        lede="Ouvrez votre application d’authentification et recopiez le code de Paraphe."
      />
      <TotpField
        label={"Code à 6 chiffres"}
        code={code}
        onChange={setCode}
        onComplete={(digits) => void send(digits)}
        error={error}
        autoFocus
      />
      <Button
        variant="primary"
        size="lg"
        block
        loading={busy}
        blocked={code.length < 6}
        onClick={() => void send(code)}
      >
        Continuer
      </Button>
    </>
  );
}

/** Choosing this way by its link calls the device at once. */
function PasskeyWay({ isChosen, finish }: WayProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string>();
  const ask = async () => {
    setBusy(true);
    setError(undefined);
    setError(await finish(logInWithPasskey({ afterPassword: true })));
    setBusy(false);
  };
  const start = useEffectEvent(() => {
    if (isChosen) void ask();
  });
  useEffect(() => start(), []);
  return (
    <>
      <Heading
        title="Deuxième étape"
        lede="Confirmez avec votre visage, votre empreinte, votre code ou votre clé physique."
      />
      {error !== undefined && <Alert tone="warning">{error}</Alert>}
      <Button
        variant="primary"
        size="lg"
        block
        loading={busy}
        loadingLabel="Répondez à votre appareil…"
        onClick={() => void ask()}
      >
        <Icon name="key" />
        Utiliser une clé d’accès
      </Button>
    </>
  );
}

function RecoveryWay({ asked, finish }: WayProps) {
  const left = asked.recovery_codes_left - 1;
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [code, setCode] = useState("");
  const [error, setError] = useState<string>();
  useEffect(() => input.current?.focus(), []);
  const send = async () => {
    setBusy(true);
    const refusal = await finish(
      api.post<LoginAnswer>("/api/token/recovery-code/", { body: { code } }),
    );
    setBusy(false);
    setError(refusal);
    input.current?.focus();
  };
  return (
    <>
      <Heading
        title="Code de secours"
        lede="Saisissez un des codes que vous avez mis en lieu sûr. Il ne servira qu’une fois."
      />
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (!busy) void send();
        }}
      >
        <TextField
          ref={input}
          label="Code de secours"
          help={`8 lettres ou chiffres. ${left > 0 ? `Il vous en restera ${left}.` : "C’est votre dernier code."}`}
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          value={code}
          onChange={(event) => setCode(event.target.value)}
          error={error}
        />
        <Button type="submit" variant="primary" size="lg" block loading={busy}>
          Continuer
        </Button>
      </form>
      <p className="ink2 small">
        Plus aucun code{"\u202f"}? L’organisation qui exploite ce service peut réinitialiser votre
        second facteur.
      </p>
    </>
  );
}

/** The account's only factor is a passkey, which this browser cannot use. */
function NoWay() {
  const id = useId();
  return (
    <div aria-labelledby={id}>
      <PageHeading title="Deuxième étape">Deuxième étape</PageHeading>
      <Alert tone="warning">
        <span id={id}>
          Ce navigateur ne sait pas utiliser de clé d’accès. Ouvrez ce service dans un autre.
        </span>
      </Alert>
    </div>
  );
}

const WAYS = { totp: TotpWay, passkey: PasskeyWay, recovery_code: RecoveryWay } as const;
