import { type Webhook, WEBHOOK_TYPES, type WebhookSecret } from "@paraphe/contracts/webhooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { Link, useParams } from "react-router";
import { api } from "../../../lib/api/api.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { type Column, DataTable } from "../../../ui/data-table/data-table.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { SignInAgain } from "../settings/factor-cards.tsx";
import { LoadFailure } from "../settings/settings-layout.tsx";
import {
  areShared,
  HolderFacts,
  ProgramsLayout,
  State,
  WEBHOOKS,
  WEBHOOKS_PAGE,
  webhooksQuery,
} from "./programs-layout.tsx";
import { WebhookCard } from "./webhook-card.tsx";
import styles from "./webhooks.module.css";

const WebhookDialog = lazyDialog(async () => (await import("./webhook-dialogs.tsx")).WebhookDialog);
const SecretDialog = lazyDialog(async () => (await import("./webhook-dialogs.tsx")).SecretDialog);

type Open =
  | { readonly kind: "create" | "sign-in" }
  | { readonly kind: "secret"; readonly made: WebhookSecret };

export function WebhooksPage() {
  const client = useQueryClient();
  const { webhook: id } = useParams();
  const { data, error, refetch } = useQuery(webhooksQuery);
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const reread = () => client.invalidateQueries({ queryKey: webhooksQuery.queryKey });
  const oldSignIn = () => setOpen({ kind: "sign-in" });
  const made = (secret: WebhookSecret) => {
    setOpen({ kind: "secret", made: secret });
    void reread();
  };
  return (
    <ProgramsLayout tab="webhooks">
      {data === undefined ? (
        error ? (
          <LoadFailure
            error={error}
            fallback="Impossible de charger les programmes"
            onRetry={() => void refetch()}
          />
        ) : (
          <div className="card">
            <SkeletonRows rows={3} label="Chargement des webhooks" />
          </div>
        )
      ) : id === undefined ? (
        <ListCard webhooks={data.webhooks} onCreate={() => setOpen({ kind: "create" })} />
      ) : (
        <OneCard
          webhook={data.webhooks.find((one) => one.id === id)}
          onChanged={reread}
          onSecret={made}
          onOldSignIn={oldSignIn}
        />
      )}
      {open?.kind === "create" && (
        <WebhookDialog
          holders={data?.holders ?? []}
          save={async (body) => made(await api.post<WebhookSecret>(WEBHOOKS, { body }))}
          onClose={close}
          onOldSignIn={oldSignIn}
        />
      )}
      {open?.kind === "secret" && <SecretDialog made={open.made} onClose={close} />}
      {open?.kind === "sign-in" && <SignInAgain purpose="gérer les webhooks" onClose={close} />}
    </ProgramsLayout>
  );
}

type OneProps = Omit<ComponentProps<typeof WebhookCard>, "webhook"> & {
  readonly webhook: Webhook | undefined;
};

function OneCard({ webhook, ...rest }: OneProps) {
  return webhook === undefined ? (
    <Unknown />
  ) : (
    <WebhookCard key={webhook.id} webhook={webhook} {...rest} />
  );
}

function Unknown() {
  return (
    <div className="card">
      <EmptyState
        title="Webhook introuvable"
        action={<Link to={WEBHOOKS_PAGE}>Tous les webhooks</Link>}
      >
        Il a été supprimé, ou l’adresse est incomplète.
      </EmptyState>
    </div>
  );
}

type ListProps = { readonly webhooks: readonly Webhook[]; readonly onCreate: () => void };

function ListCard({ webhooks, onCreate }: ListProps) {
  const create = (
    <Button variant="primary" onClick={onCreate}>
      <Icon name="plus" size="sm" />
      Nouveau webhook
    </Button>
  );
  if (webhooks.length === 0)
    return (
      <div className="card">
        <EmptyState title="Aucun webhook" action={create}>
          Un webhook prévient votre logiciel dès qu’une enveloppe avance, sans qu’il ait à le
          demander.
        </EmptyState>
      </div>
    );
  return (
    <section className="card" aria-labelledby="titre-webhooks">
      <div className="card__head">
        <div className="grow">
          <h2 className="h2" id="titre-webhooks">
            Webhooks
          </h2>
          <p className="muted small">Signés selon la spécification Standard Webhooks.</p>
        </div>
        {create}
      </div>
      <DataTable
        caption="Webhooks"
        rows={webhooks}
        rowKey={({ id }) => id}
        columns={columnsOf(webhooks)}
        renderCard={(webhook) => (
          <div className="stack stack--sm">
            <Address {...webhook} />
            <State webhook={webhook} />
            <Types types={webhook.types} />
            {webhook.holder.kind !== "person" && (
              <div>
                <HolderFacts {...webhook} />
              </div>
            )}
          </div>
        )}
      />
    </section>
  );
}

const columnsOf = (webhooks: readonly Webhook[]): readonly Column<Webhook>[] => [
  { key: "adresse", header: "Adresse", wide: true, cell: (webhook) => <Address {...webhook} /> },
  ...(areShared(webhooks)
    ? [{ key: "nom", header: "Au nom de", cell: (one: Webhook) => <HolderFacts {...one} /> }]
    : []),
  { key: "evenements", header: "Événements", cell: ({ types }) => <Types types={types} /> },
  { key: "etat", header: "État", cell: (webhook) => <State webhook={webhook} /> },
];

function Address({ id, url }: Pick<Webhook, "id" | "url">) {
  return (
    <Link className={styles["address"]} to={`${WEBHOOKS_PAGE}/${id}`}>
      {url}
    </Link>
  );
}

function Types({ types }: Pick<Webhook, "types">) {
  const [first] = types;
  const more = types.length - 1;
  if (first === undefined) return null;
  return <>{more === 0 ? WEBHOOK_TYPES[first] : plural(types.length, "événement")}</>;
}
