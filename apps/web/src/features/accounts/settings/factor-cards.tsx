import type { FactorList, Passkey, TotpSetup } from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useRef, useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { formatDay, formatShortInstant } from "../../../lib/format/format-dates.ts";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { canUsePasskeys, startPasskey } from "../passkeys.ts";
import { sessionQuery, useSignInAgain } from "../use-session.ts";
import {
  factorsQuery,
  needsFreshSignIn,
  removePasskey,
  removeTotp,
  renewRecoveryCodes,
  startTotp,
} from "./factor-calls.ts";
import { SettingRow } from "./setting-row.tsx";
import { LoadFailure } from "./settings-layout.tsx";
import styles from "./factors.module.css";
import settings from "./settings.module.css";

const TotpDialog = lazyDialog(async () => (await import("./factor-dialogs.tsx")).TotpDialog);
const CodesDialog = lazyDialog(async () => (await import("./factor-dialogs.tsx")).CodesDialog);
const PasskeyDialog = lazyDialog(async () => (await import("./factor-dialogs.tsx")).PasskeyDialog);

type Open =
  | { readonly kind: "passkey" | "renew" | "remove-totp" | "sign-in" }
  | { readonly kind: "remove-passkey"; readonly passkey: Passkey }
  | { readonly kind: "totp"; readonly setup: TotpSetup }
  | { readonly kind: "codes"; readonly codes: readonly string[] };

export function FactorCards() {
  const { data, error, refetch } = useQuery(factorsQuery);
  const title = useRef<HTMLHeadingElement>(null);
  const changes = useFactorChanges({ onRemoved: () => title.current?.focus() });
  const { busy, setOpen } = changes;
  if (data === undefined)
    return error ? (
      <LoadFailure
        error={error}
        fallback="Impossible de charger vos moyens de connexion"
        onRetry={() => void refetch()}
      />
    ) : (
      <div className="card">
        <SkeletonRows rows={3} label="Chargement de vos moyens de connexion" />
      </div>
    );
  return (
    <>
      <PasskeyCard
        passkeys={data.passkeys}
        title={title}
        busy={busy}
        onAdd={changes.addKey}
        onRemove={(passkey) => setOpen({ kind: "remove-passkey", passkey })}
      />
      <AppCard
        factors={data}
        busy={busy}
        onActivate={changes.addTotp}
        onRemove={() => setOpen({ kind: "remove-totp" })}
        onRenew={() => setOpen({ kind: "renew" })}
      />
      <Additions {...changes} />
      <Questions {...changes} factors={data} />
    </>
  );
}

type Changes = ReturnType<typeof useFactorChanges>;

type ChangeOptions = {
  /** Called after a removal, because the pressed button disappears with its row. */
  readonly onRemoved?: () => void;
  /** Rereading the session closes the page that shows the recovery codes, so it waits. */
  readonly rereadsSession?: "at the end";
};

export function useFactorChanges({ onRemoved, rereadsSession }: ChangeOptions) {
  const { open, setOpen, reread } = useOpen(rereadsSession);
  const [busy, setBusy] = useState(false);

  /** A call refused for an old sign-in opens the dialog that signs in again. */
  const attempt = async (call: () => Promise<Open | undefined>, fallback: string) => {
    setBusy(true);
    try {
      setOpen(await call());
    } catch (refusal) {
      const isOld = needsFreshSignIn(refusal);
      setOpen(isOld ? { kind: "sign-in" } : undefined);
      if (!isOld) showToast("err", callMessage(refusal, fallback));
    } finally {
      setBusy(false);
      reread();
    }
  };
  const remove = (call: () => Promise<void>, words: string) =>
    void attempt(async () => {
      await call();
      showToast("ok", words);
      onRemoved?.();
      return undefined;
    }, "Impossible de retirer ce moyen de connexion");
  return {
    open,
    setOpen,
    close: () => setOpen(undefined),
    busy,
    addKey: () =>
      void attempt(async () => {
        await startPasskey();
        return { kind: "passkey" };
      }, "Impossible d’ajouter une clé d’accès"),
    addTotp: () =>
      void attempt(
        async () => ({ kind: "totp", setup: await startTotp() }),
        "Impossible d’activer l’application",
      ),
    added: (codes: readonly string[], words: string) => {
      showToast("ok", words);
      setOpen(codes.length === 0 ? undefined : { kind: "codes", codes });
      reread();
    },
    removeKey: (id: string) => remove(() => removePasskey(id), "Clé d’accès retirée"),
    removeApp: () => remove(removeTotp, "Application d’authentification retirée"),
    renew: () =>
      void attempt(
        async () => ({ kind: "codes", codes: await renewRecoveryCodes() }),
        "Impossible de changer vos codes de secours",
      ),
  };
}

/** The session says whether a factor is missing. */
function useOpen(rereadsSession: ChangeOptions["rereadsSession"]) {
  const client = useQueryClient();
  const [open, setOpenNow] = useState<Open>();
  const rereadSession = () => void client.invalidateQueries({ queryKey: sessionQuery.queryKey });
  const setOpen = (next: Open | undefined) => {
    setOpenNow(next);
    if (next === undefined) rereadSession();
  };
  const reread = () => {
    void client.invalidateQueries({ queryKey: factorsQuery.queryKey });
    if (rereadsSession === undefined) rereadSession();
  };
  return { open, setOpen, reread };
}

/** The dialogs of a page on which no factor can be removed. */
export function FactorDialogs(changes: Changes) {
  return (
    <>
      <Additions {...changes} />
      {changes.open?.kind === "sign-in" && (
        <SignInAgain purpose="changer vos moyens de connexion" onClose={changes.close} />
      )}
    </>
  );
}

function Additions({ open, close, added }: Changes) {
  if (open?.kind === "passkey")
    return (
      <PasskeyDialog onClose={close} onDone={(codes) => added(codes, "Clé d’accès ajoutée")} />
    );
  if (open?.kind === "totp")
    return (
      <TotpDialog
        setup={open.setup}
        onClose={close}
        onDone={(codes) => added(codes, "Application d’authentification activée")}
      />
    );
  return open?.kind === "codes" ? <CodesDialog codes={open.codes} onClose={close} /> : null;
}

type PasskeyCardProps = {
  readonly passkeys: readonly Passkey[];
  readonly title: RefObject<HTMLHeadingElement | null>;
  readonly busy: boolean;
  readonly onAdd: () => void;
  readonly onRemove: (passkey: Passkey) => void;
};

function PasskeyCard({ passkeys, title, busy, onAdd, onRemove }: PasskeyCardProps) {
  const isEmpty = passkeys.length === 0;
  const add = canUsePasskeys() && (
    <Button size={isEmpty ? "md" : "sm"} loading={busy} onClick={onAdd}>
      <Icon name="plus" size="sm" />
      Ajouter une clé d’accès
    </Button>
  );
  return (
    <section className="card" aria-labelledby="titre-cles">
      <div className="card__head">
        <div className="grow">
          <h2 className="h2" id="titre-cles" tabIndex={-1} ref={title}>
            Clés d’accès
          </h2>
          {!isEmpty && (
            <p className="muted small">
              Visage, empreinte ou clé physique, à la place du mot de passe
            </p>
          )}
        </div>
        {!isEmpty && add}
      </div>
      <div className="card__body">
        {isEmpty ? (
          <div className={styles["empty"]}>
            <p>
              {canUsePasskeys()
                ? "Connectez-vous avec votre visage, votre empreinte ou une clé physique. Personne ne peut vous la voler par email."
                : "Ce navigateur ne sait pas utiliser de clé d’accès à l’adresse de ce service."}
            </p>
            {add}
          </div>
        ) : (
          <ul>
            {passkeys.map((passkey) => (
              <li key={passkey.id} className={settings["item"]}>
                <PasskeyRow passkey={passkey} onRemove={() => onRemove(passkey)} />
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}

type PasskeyRowProps = { readonly passkey: Passkey; readonly onRemove: () => void };

function PasskeyRow({ passkey, onRemove }: PasskeyRowProps) {
  const { name, created_at, last_used_at } = passkey;
  return (
    <SettingRow
      icon="key"
      title={name}
      control={
        <Button size="sm" aria-label={`Retirer ${name}`} onClick={onRemove}>
          Retirer
        </Button>
      }
    >
      <p className="num">
        {`Ajoutée le ${formatDay(created_at)}`}
        {last_used_at !== null && ` · dernière utilisation le ${formatShortInstant(last_used_at)}`}
      </p>
    </SettingRow>
  );
}

type AppCardProps = {
  readonly factors: FactorList;
  readonly busy: boolean;
  readonly onActivate: () => void;
  readonly onRemove: () => void;
  readonly onRenew: () => void;
};

function AppCard({ factors, busy, onActivate, onRemove, onRenew }: AppCardProps) {
  const { totp, recovery_codes: codes } = factors;
  return (
    <section className="card" aria-labelledby="titre-application">
      <div className="card__head">
        <h2 className="h2 grow" id="titre-application">
          Application d’authentification
        </h2>
        {totp !== null && <Badge tone="completed">Active</Badge>}
      </div>
      <div className="card__body">
        {totp === null ? (
          <SettingRow
            icon="phone"
            title="Un code à 6 chiffres sur votre téléphone"
            control={
              <Button size="sm" loading={busy} onClick={onActivate}>
                Activer
              </Button>
            }
          >
            <p>Demandé après le mot de passe.</p>
          </SettingRow>
        ) : (
          <ActiveApp
            since={totp.created_at}
            busy={busy}
            onReplace={onActivate}
            onRemove={onRemove}
          />
        )}
        {codes.total > 0 && (
          <SettingRow
            icon="shield"
            title="Codes de secours"
            control={
              <Button size="sm" onClick={onRenew}>
                Nouveaux codes…
              </Button>
            }
          >
            <p className="num">{codesInWords(codes)}</p>
          </SettingRow>
        )}
      </div>
    </section>
  );
}

type ActiveAppProps = {
  readonly since: string;
  readonly busy: boolean;
  readonly onReplace: () => void;
  readonly onRemove: () => void;
};

function ActiveApp({ since, busy, onReplace, onRemove }: ActiveAppProps) {
  return (
    <SettingRow
      icon="phone"
      title="Active"
      stacked
      control={
        <div className="row">
          <Button size="sm" loading={busy} onClick={onReplace}>
            Remplacer…
          </Button>
          <Button
            size="sm"
            aria-label="Retirer l’application d’authentification"
            onClick={onRemove}
          >
            Retirer
          </Button>
        </div>
      }
    >
      <p className="num">{`Depuis le ${formatDay(since)}`}</p>
    </SettingRow>
  );
}

function codesInWords({ left, total }: FactorList["recovery_codes"]): string {
  if (left === 0) return "Plus aucun code utilisable";
  return left === 1
    ? `1 code sur ${total} encore utilisable`
    : `${left} codes sur ${total} encore utilisables`;
}

function Questions(props: Changes & { readonly factors: FactorList }) {
  const { open, factors, busy, close } = props;
  const shared = { busy, onCancel: close };
  if (open?.kind === "remove-passkey")
    return (
      <ConfirmDialog
        {...shared}
        tone="danger"
        title={`Retirer «\u00a0${open.passkey.name}\u00a0»\u202f?`}
        message={`Vous ne pourrez plus vous connecter avec cette clé. ${whatIsLeft(factors, open.passkey)}`}
        confirmLabel="Retirer la clé"
        cancelLabel="Garder la clé"
        onConfirm={() => props.removeKey(open.passkey.id)}
      />
    );
  if (open?.kind === "remove-totp")
    return (
      <ConfirmDialog
        {...shared}
        tone="danger"
        title={"Retirer l’application d’authentification\u202f?"}
        message={`Ses codes ne vous connecteront plus. ${whatIsLeft({ ...factors, totp: null })}`}
        confirmLabel="Retirer l’application"
        cancelLabel="Garder l’application"
        onConfirm={props.removeApp}
      />
    );
  if (open?.kind === "renew")
    return (
      <ConfirmDialog
        {...shared}
        title={"Créer de nouveaux codes de secours\u202f?"}
        message="Les codes actuels ne vous connecteront plus."
        confirmLabel="Créer de nouveaux codes"
        onConfirm={props.renew}
      />
    );
  return open?.kind === "sign-in" ? (
    <SignInAgain purpose="changer vos moyens de connexion" onClose={close} />
  ) : null;
}

type AgainProps = { readonly purpose: string; readonly onClose: () => void };

export function SignInAgain({ purpose, onClose }: AgainProps) {
  const signInAgain = useSignInAgain();
  const [leaving, setLeaving] = useState(false);
  const again = async () => {
    setLeaving(true);
    try {
      await signInAgain();
    } catch (error) {
      showToast("err", callMessage(error, "Erreur de déconnexion"));
      setLeaving(false);
    }
  };
  return (
    <ConfirmDialog
      title="Reconnectez-vous d’abord"
      message={`Pour ${purpose}, votre connexion doit dater de moins de dix minutes.`}
      secondary="Vous reviendrez ensuite sur cette page."
      confirmLabel="Se reconnecter"
      busy={leaving}
      onCancel={onClose}
      onConfirm={() => void again()}
    />
  );
}

function whatIsLeft({ passkeys, totp }: FactorList, removed?: Passkey): string {
  const left = [
    ...passkeys.filter(({ id }) => id !== removed?.id).map(({ name }) => name),
    ...(totp === null ? [] : ["application d’authentification"]),
  ];
  return left.length === 0
    ? "Il ne vous restera que votre mot de passe."
    : `Il vous restera\u00a0: ${left.join(", ")}.`;
}
