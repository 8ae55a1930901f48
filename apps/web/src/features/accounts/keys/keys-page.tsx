import type { ApiKey, CreatedKey, KeyList } from "@paraphe/contracts";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api } from "../../../lib/api/api.ts";
import { callMessage } from "../../../lib/api/api-error.ts";
import { formatDay, formatShortInstant } from "../../../lib/format/format-dates.ts";
import { Button } from "../../../ui/button/button.tsx";
import { actionsColumn, type Column, DataTable } from "../../../ui/data-table/data-table.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { focusOnceDrawn } from "../../../ui/focus/preserve-focus.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { SignInAgain } from "../settings/factor-cards.tsx";
import { LoadFailure } from "../settings/settings-layout.tsx";
import { ProgramsLayout } from "./programs-layout.tsx";
import styles from "./keys.module.css";

const CreateDialog = lazyDialog(async () => (await import("./key-dialogs.tsx")).CreateDialog);
const CreatedDialog = lazyDialog(async () => (await import("./key-dialogs.tsx")).CreatedDialog);

const KEYS = "/api/signature/me/keys/";
const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => api.get<KeyList>(KEYS, { signal }),
});

type Open =
  | { readonly kind: "create" | "sign-in" }
  | { readonly kind: "created"; readonly created: CreatedKey }
  | { readonly kind: "revoke"; readonly key: ApiKey };

export function KeysPage() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(keysQuery);
  const [open, setOpen] = useState<Open>();
  const title = useRef<HTMLHeadingElement>(null);
  const reread = () => client.invalidateQueries({ queryKey: keysQuery.queryKey });
  const create = () => setOpen({ kind: "create" });
  const close = () => setOpen(undefined);
  return (
    <ProgramsLayout tab="keys">
      {data === undefined ? (
        error ? (
          <LoadFailure
            error={error}
            fallback="Impossible de charger les programmes"
            onRetry={() => void refetch()}
          />
        ) : (
          <div className="card">
            <SkeletonRows rows={3} label="Chargement des clés" />
          </div>
        )
      ) : (
        <KeysCard
          keys={data.keys}
          title={title}
          onCreate={create}
          onRevoke={(key) => setOpen({ kind: "revoke", key })}
        />
      )}
      {open?.kind === "create" && (
        <CreateDialog
          create={(body) => api.post<CreatedKey>(KEYS, { body })}
          onClose={close}
          onOldSignIn={() => setOpen({ kind: "sign-in" })}
          onCreated={(created) => {
            setOpen({ kind: "created", created });
            void reread();
          }}
        />
      )}
      {open?.kind === "created" && <CreatedDialog created={open.created} onClose={close} />}
      {open?.kind === "sign-in" && <SignInAgain purpose="créer une clé" onClose={close} />}
      {open?.kind === "revoke" && (
        <RevokeDialog
          apiKey={open.key}
          onClose={close}
          onRevoked={async () => {
            await reread();
            focusOnceDrawn(() => title.current ?? document.querySelector<HTMLElement>("main h1"));
          }}
        />
      )}
    </ProgramsLayout>
  );
}

type CardProps = {
  readonly keys: readonly ApiKey[];
  readonly title: React.RefObject<HTMLHeadingElement | null>;
  readonly onCreate: () => void;
  readonly onRevoke: (key: ApiKey) => void;
};

function KeysCard({ keys, title, onCreate, onRevoke }: CardProps) {
  const create = (
    <Button variant="primary" onClick={onCreate}>
      <Icon name="plus" size="sm" />
      Nouvelle clé
    </Button>
  );
  if (keys.length === 0)
    return (
      <div className="card">
        <EmptyState title="Aucune clé" action={create}>
          Une clé permet à votre logiciel de gestion d’envoyer des documents et de suivre les
          signatures.
        </EmptyState>
      </div>
    );
  return (
    <section className="card" aria-labelledby="titre-cles-api">
      <div className="card__head">
        <div className="grow">
          <h2 className="h2" id="titre-cles-api" tabIndex={-1} ref={title}>
            Clés d’API
          </h2>
          <p className="muted small">
            Un programme agit en votre nom, dans la limite de ses droits.{" "}
            <a href="/api/docs/">Référence de l’API (en anglais)</a>
          </p>
        </div>
        {create}
      </div>
      <DataTable
        caption="Clés d’API"
        rows={keys}
        rowKey={({ id }) => id}
        columns={columnsOf(onRevoke)}
        renderCard={(key) => <KeyCard apiKey={key} onRevoke={onRevoke} />}
      />
    </section>
  );
}

function columnsOf(onRevoke: CardProps["onRevoke"]): readonly Column<ApiKey>[] {
  return [
    {
      key: "cle",
      header: "Clé",
      cell: (key) => (
        <>
          <b>{key.name}</b>
          <br />
          <code className="muted small">{`${key.hint}…`}</code>
        </>
      ),
    },
    { key: "droits", header: "Droits", wide: true, cell: (key) => <Scopes scopes={key.scopes} /> },
    { key: "utilisee", header: "Utilisée", cell: usedWords },
    { key: "expire", header: "Expire", cell: expiryWords },
    actionsColumn((key) => <Revoke {...{ onRevoke }} apiKey={key} />),
  ];
}

function KeyCard({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: CardProps["onRevoke"] }) {
  return (
    <div className="stack stack--sm">
      <div>
        <b>{apiKey.name}</b>
        <br />
        <code className="muted small">{`${apiKey.hint}…`}</code>
      </div>
      <Scopes scopes={apiKey.scopes} />
      <dl className={styles["facts"]}>
        <dt>Dernière utilisation</dt>
        <dd>{usedWords(apiKey)}</dd>
        <dt>Expire</dt>
        <dd>{expiryWords(apiKey)}</dd>
      </dl>
      <div>
        <Revoke {...{ apiKey, onRevoke }} />
      </div>
    </div>
  );
}

function Scopes({ scopes }: Pick<ApiKey, "scopes">) {
  return (
    <span className={styles["scopes"]}>
      {scopes.map((scope) => (
        <code key={scope} className={styles["scope"]}>
          {scope}
        </code>
      ))}
    </span>
  );
}

function Revoke({ apiKey, onRevoke }: { apiKey: ApiKey; onRevoke: CardProps["onRevoke"] }) {
  return (
    <Button
      size="sm"
      variant="dangerGhost"
      aria-label={`Révoquer ${apiKey.name}`}
      onClick={() => onRevoke(apiKey)}
    >
      Révoquer
    </Button>
  );
}

function usedWords({ last_used_at: at }: ApiKey): string {
  return at === null ? "Jamais" : formatShortInstant(at);
}

function expiryWords({ expires_at: at }: ApiKey): string {
  if (at === null) return "Sans fin";
  return Date.parse(at) <= Date.now() ? `Expirée le ${formatDay(at)}` : formatDay(at);
}

type RevokeProps = {
  readonly apiKey: ApiKey;
  readonly onClose: () => void;
  readonly onRevoked: () => Promise<void>;
};

function RevokeDialog({ apiKey, onClose, onRevoked }: RevokeProps) {
  const [isBusy, setIsBusy] = useState(false);
  const revoke = async () => {
    setIsBusy(true);
    try {
      await api.delete(`${KEYS}${apiKey.id}/`);
      showToast("ok", "Clé révoquée");
      onClose();
      await onRevoked();
    } catch (error) {
      showToast("err", callMessage(error, "La clé n’a pas pu être révoquée."));
      onClose();
    }
  };
  const used =
    apiKey.last_used_at === null
      ? "Elle n’a jamais servi."
      : `Dernière utilisation\u00a0: ${usedWords(apiKey)}.`;
  return (
    <ConfirmDialog
      title={`Révoquer «\u00a0${apiKey.name}\u00a0»\u202f?`}
      message={`Le programme qui s’en sert ne pourra plus se connecter, dès maintenant. ${used}`}
      secondary="Cette action est irréversible."
      confirmLabel="Révoquer la clé"
      cancelLabel="Garder la clé"
      tone="danger"
      busy={isBusy}
      onConfirm={() => void revoke()}
      onCancel={onClose}
    />
  );
}
