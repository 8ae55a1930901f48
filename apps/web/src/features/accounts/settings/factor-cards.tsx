import type { FactorList, Passkey, TotpSetup } from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
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
import { useSignInAgain } from "../use-session.ts";
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

const TotpDialog = lazyDialog(async () => (await import("./totp-dialog.tsx")).TotpDialog);
const CodesDialog = lazyDialog(async () => (await import("./codes-dialog.tsx")).CodesDialog);
const PasskeyDialog = lazyDialog(async () => (await import("./passkey-dialog.tsx")).PasskeyDialog);

type Open =
  | { readonly kind: "passkey" | "renew" | "remove-totp" | "sign-in" }
  | { readonly kind: "remove-passkey"; readonly passkey: Passkey }
  | { readonly kind: "totp"; readonly setup: TotpSetup }
  | { readonly kind: "codes"; readonly codes: readonly string[] };

/** Passkeys, the application and the recovery codes of the account. */
export function FactorCards() {
  const { data, error, refetch } = useQuery(factorsQuery);
  const client = useQueryClient();
  const title = useRef<HTMLHeadingElement>(null);
  const [open, setOpen] = useState<Open>();
  const [busy, setBusy] = useState(false);

  /** A refusal for an old sign-in asks for a new one. */
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
      void client.invalidateQueries({ queryKey: factorsQuery.queryKey });
    }
  };
  const added = (codes: readonly string[], words: string) => {
    showToast("ok", words);
    setOpen(codes.length === 0 ? undefined : { kind: "codes", codes });
    void client.invalidateQueries({ queryKey: factorsQuery.queryKey });
  };
  const removed = (call: () => Promise<void>, words: string) =>
    attempt(async () => {
      await call();
      showToast("ok", words);
      // The pressed button disappears with its row.
      title.current?.focus();
      return undefined;
    }, "Impossible de retirer ce moyen de connexion");

  const addKey = () =>
    attempt(async () => {
      await startPasskey();
      return { kind: "passkey" };
    }, "Impossible d’ajouter une clé d’accès");
  const addTotp = () =>
    attempt(
      async () => ({ kind: "totp", setup: await startTotp() }),
      "Impossible d’activer l’application",
    );
  const close = () => setOpen(undefined);
  return (
    <>
      {data ? (
        <>
          <PasskeyCard
            passkeys={data.passkeys}
            title={title}
            busy={busy}
            onAdd={() => void addKey()}
            onRemove={(passkey) => setOpen({ kind: "remove-passkey", passkey })}
          />
          <AppCard
            factors={data}
            busy={busy}
            onActivate={() => void addTotp()}
            onRemove={() => setOpen({ kind: "remove-totp" })}
            onRenew={() => setOpen({ kind: "renew" })}
          />
        </>
      ) : error ? (
        <LoadFailure
          error={error}
          fallback="Impossible de charger vos moyens de connexion"
          onRetry={() => void refetch()}
        />
      ) : (
        <div className="card">
          <SkeletonRows rows={3} label="Chargement de vos moyens de connexion" />
        </div>
      )}
      {open?.kind === "passkey" && (
        <PasskeyDialog onClose={close} onDone={(codes) => added(codes, "Clé d’accès ajoutée")} />
      )}
      {open?.kind === "totp" && (
        <TotpDialog
          setup={open.setup}
          onClose={close}
          onDone={(codes) => added(codes, "Application d’authentification activée")}
        />
      )}
      {open?.kind === "codes" && <CodesDialog codes={open.codes} onClose={close} />}
      {data && (
        <Questions
          open={open}
          factors={data}
          busy={busy}
          onClose={close}
          onRemovePasskey={(id) => void removed(() => removePasskey(id), "Clé d’accès retirée")}
          onRemoveTotp={() => void removed(removeTotp, "Application d’authentification retirée")}
          onRenew={() =>
            void attempt(
              async () => ({ kind: "codes", codes: await renewRecoveryCodes() }),
              "Impossible de changer vos codes de secours",
            )
          }
        />
      )}
    </>
  );
}

type PasskeyCardProps = {
  readonly passkeys: readonly Passkey[];
  readonly title: React.RefObject<HTMLHeadingElement | null>;
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
                <SettingRow
                  icon="key"
                  title={passkey.name}
                  control={
                    <Button
                      size="sm"
                      aria-label={`Retirer ${passkey.name}`}
                      onClick={() => onRemove(passkey)}
                    >
                      Retirer
                    </Button>
                  }
                >
                  <p className="num">
                    {`Ajoutée le ${formatDay(passkey.created_at)}`}
                    {passkey.last_used_at !== null &&
                      ` · dernière utilisation le ${formatShortInstant(passkey.last_used_at)}`}
                  </p>
                </SettingRow>
              </li>
            ))}
          </ul>
        )}
      </div>
    </section>
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
          <SettingRow
            icon="phone"
            title="Active"
            stacked
            control={
              <div className="row">
                <Button size="sm" loading={busy} onClick={onActivate}>
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
            <p className="num">{`Depuis le ${formatDay(totp.created_at)}`}</p>
          </SettingRow>
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
            <p className="num">
              {codes.left > 1
                ? `${codes.left} codes sur ${codes.total} encore utilisables`
                : codes.left === 1
                  ? `1 code sur ${codes.total} encore utilisable`
                  : "Plus aucun code utilisable"}
            </p>
          </SettingRow>
        )}
      </div>
    </section>
  );
}

type QuestionsProps = {
  readonly open: Open | undefined;
  readonly factors: FactorList;
  readonly busy: boolean;
  readonly onClose: () => void;
  readonly onRemovePasskey: (id: string) => void;
  readonly onRemoveTotp: () => void;
  readonly onRenew: () => void;
};

function Questions(props: QuestionsProps) {
  const { open, factors, busy, onClose } = props;
  const signInAgain = useSignInAgain();
  const [leaving, setLeaving] = useState(false);
  const shared = { busy: busy || leaving, onCancel: onClose };
  if (open?.kind === "remove-passkey")
    return (
      <ConfirmDialog
        {...shared}
        tone="danger"
        title={`Retirer «\u00a0${open.passkey.name}\u00a0»\u202f?`}
        message={`Vous ne pourrez plus vous connecter avec cette clé. ${whatIsLeft(factors, open.passkey)}`}
        confirmLabel="Retirer la clé"
        cancelLabel="Garder la clé"
        onConfirm={() => props.onRemovePasskey(open.passkey.id)}
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
        onConfirm={props.onRemoveTotp}
      />
    );
  if (open?.kind === "renew")
    return (
      <ConfirmDialog
        {...shared}
        title={"Créer de nouveaux codes de secours\u202f?"}
        message="Les codes actuels ne vous connecteront plus."
        confirmLabel="Créer de nouveaux codes"
        onConfirm={props.onRenew}
      />
    );
  if (open?.kind !== "sign-in") return null;
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
      {...shared}
      title="Reconnectez-vous d’abord"
      message="Pour changer vos moyens de connexion, votre connexion doit dater de moins de dix minutes."
      secondary="Vous reviendrez ensuite sur cette page."
      confirmLabel="Se reconnecter"
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
