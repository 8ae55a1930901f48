import type { ApiKey, CreatedKey, KeyList, KeyRequest } from "@paraphe/contracts";
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
import { areShared, HolderFacts, ProgramsLayout } from "./programs-layout.tsx";
import styles from "./keys.module.css";

const KeyDialog = lazyDialog(async () => (await import("./key-dialogs.tsx")).KeyDialog);
const CreatedDialog = lazyDialog(async () => (await import("./key-dialogs.tsx")).CreatedDialog);

const KEYS = "/api/signature/me/keys/";
const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => api.get<KeyList>(KEYS, { signal }),
});

type Open =
  | { readonly kind: "create" | "sign-in" }
  | { readonly kind: "created"; readonly created: CreatedKey }
  | { readonly kind: "edit" | "revoke"; readonly key: ApiKey };

export function KeysPage() {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(keysQuery);
  const [open, setOpen] = useState<Open>();
  const title = useRef<HTMLHeadingElement>(null);
  const reread = () => client.invalidateQueries({ queryKey: keysQuery.queryKey });
  const create = async (body: KeyRequest) => {
    setOpen({ kind: "created", created: await api.post<CreatedKey>(KEYS, { body }) });
    void reread();
  };
  const change = async ({ id }: ApiKey, { days: _d, holder: _h, ...body }: KeyRequest) => {
    await api.patch<ApiKey>(`${KEYS}${id}/`, { body });
    close();
    showToast("ok", "Clé modifiée");
    void reread();
  };
  const close = () => setOpen(undefined);
  return (
    <ProgramsLayout tab="keys">
      {data === undefined ? (
        <Missing error={error} onRetry={() => void refetch()} />
      ) : (
        <KeysCard
          keys={data.keys}
          title={title}
          onCreate={() => setOpen({ kind: "create" })}
          onAsked={(kind, key) => setOpen({ kind, key })}
        />
      )}
      {(open?.kind === "create" || open?.kind === "edit") && (
        <KeyDialog
          {...(open.kind === "edit" && { apiKey: open.key })}
          holders={data?.holders ?? []}
          save={(body) => (open.kind === "edit" ? change(open.key, body) : create(body))}
          onClose={close}
          onOldSignIn={() => setOpen({ kind: "sign-in" })}
        />
      )}
      {open?.kind === "created" && <CreatedDialog created={open.created} onClose={close} />}
      {open?.kind === "sign-in" && <SignInAgain purpose="gérer les clés" onClose={close} />}
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

function Missing({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  return error ? (
    <LoadFailure error={error} fallback="Impossible de charger les programmes" onRetry={onRetry} />
  ) : (
    <div className="card">
      <SkeletonRows rows={3} label="Chargement des clés" />
    </div>
  );
}

type CardProps = {
  readonly keys: readonly ApiKey[];
  readonly title: React.RefObject<HTMLHeadingElement | null>;
  readonly onCreate: () => void;
  readonly onAsked: (kind: "edit" | "revoke", key: ApiKey) => void;
};

function KeysCard({ keys, title, onCreate, onAsked }: CardProps) {
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
            {areShared(keys)
              ? "Un programme agit au nom indiqué, dans la limite de ses droits."
              : "Un programme agit en votre nom, dans la limite de ses droits."}{" "}
            <a href="/api/docs/">Référence de l’API (en anglais)</a>
          </p>
        </div>
        {create}
      </div>
      <DataTable
        caption="Clés d’API"
        rows={keys}
        rowKey={({ id }) => id}
        columns={columnsOf(keys, onAsked)}
        renderCard={(key) => <KeyCard apiKey={key} onAsked={onAsked} />}
      />
    </section>
  );
}

function columnsOf(
  keys: CardProps["keys"],
  onAsked: CardProps["onAsked"],
): readonly Column<ApiKey>[] {
  return [
    { key: "cle", header: "Clé", cell: (key) => <Named apiKey={key} /> },
    ...(areShared(keys)
      ? [{ key: "nom", header: "Au nom de", cell: (key: ApiKey) => <HolderFacts {...key} /> }]
      : []),
    { key: "droits", header: "Droits", wide: true, cell: (key) => <Scopes scopes={key.scopes} /> },
    { key: "utilisee", header: "Utilisée", cell: usedWords },
    { key: "expire", header: "Expire", cell: expiryWords },
    actionsColumn((key) => <Actions {...{ onAsked }} apiKey={key} />),
  ];
}

function Named({ apiKey: { name, hint, addresses, origins } }: { readonly apiKey: ApiKey }) {
  const limits = [
    addresses.length === 0 ? "" : `Depuis ${addresses.join(", ")}`,
    origins.length === 0 ? "" : `Sites\u00a0: ${origins.join(", ")}`,
  ].filter((line) => line !== "");
  return (
    <div>
      <b>{name}</b>
      <br />
      <code className="muted small">{`${hint}…`}</code>
      {limits.map((line) => (
        <div key={line} className={styles["limits"]}>
          {line}
        </div>
      ))}
    </div>
  );
}

type OneProps = { readonly apiKey: ApiKey; readonly onAsked: CardProps["onAsked"] };

function KeyCard({ apiKey, onAsked }: OneProps) {
  return (
    <div className="stack stack--sm">
      <Named apiKey={apiKey} />
      <Scopes scopes={apiKey.scopes} />
      <dl className={styles["facts"]}>
        {apiKey.holder.kind !== "person" && (
          <>
            <dt>Au nom de</dt>
            <dd>
              <HolderFacts {...apiKey} />
            </dd>
          </>
        )}
        <dt>Dernière utilisation</dt>
        <dd>{usedWords(apiKey)}</dd>
        <dt>Expire</dt>
        <dd>{expiryWords(apiKey)}</dd>
      </dl>
      <Actions {...{ apiKey, onAsked }} />
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

function Actions({ apiKey, onAsked }: OneProps) {
  return (
    <div className={styles["actions"]}>
      <Button
        size="sm"
        aria-label={`Modifier ${apiKey.name}`}
        onClick={() => onAsked("edit", apiKey)}
      >
        Modifier
      </Button>
      <Button
        size="sm"
        variant="dangerGhost"
        aria-label={`Révoquer ${apiKey.name}`}
        onClick={() => onAsked("revoke", apiKey)}
      >
        Révoquer
      </Button>
    </div>
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
