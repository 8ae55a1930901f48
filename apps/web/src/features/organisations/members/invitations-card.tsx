import { type InvitationRow, ROLE_NAMES } from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { callMessage } from "../../../lib/api/api-error.ts";
import { formatDayMonth } from "../../../lib/format/format-dates.ts";
import { Button } from "../../../ui/button/button.tsx";
import { DataTable, RowActions, actionsColumn } from "../../../ui/data-table/data-table.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { focusOnceDrawn } from "../../../ui/focus/preserve-focus.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { FormSkeleton, LoadFailure } from "../../accounts/settings/settings-layout.tsx";
import {
  invitationsQuery,
  membersQuery,
  renewInvitation,
  withdrawInvitation,
} from "./member-calls.ts";
import styles from "../organisation.module.css";

type Acts = ReturnType<typeof useInvitationActs>;

export function InvitationsCard() {
  const { data, error, refetch } = useQuery(invitationsQuery);
  const acts = useInvitationActs();
  if (data === undefined)
    return error === null ? (
      <FormSkeleton lines={2} label="Chargement des invitations…" />
    ) : (
      <LoadFailure
        error={error}
        fallback="Impossible de charger les invitations"
        onRetry={() => void refetch()}
      />
    );
  return (
    <section className="card" aria-label="Invitations en attente">
      {data.invitations.length === 0 ? (
        <EmptyState title="Aucune invitation en attente">
          Une invitation reste ici jusqu’à ce qu’elle soit acceptée ou annulée.
        </EmptyState>
      ) : (
        <DataTable
          caption="Invitations en attente"
          rows={data.invitations}
          rowKey={({ id }) => id}
          columns={[
            { key: "email", header: "Adresse", wide: true, cell: ({ email }) => <b>{email}</b> },
            { key: "role", header: "Rôle", cell: ({ role }) => ROLE_NAMES[role] },
            { key: "team", header: "Équipe", cell: ({ team }) => team?.name ?? "–" },
            { key: "by", header: "Par", cell: ({ invited_by: by }) => by ?? "Console du serveur" },
            { key: "state", header: "État", className: "num", cell: (row) => <State row={row} /> },
            actionsColumn((row: InvitationRow) => (
              <RowActions>
                <Button
                  size="sm"
                  aria-label={`Renvoyer l’invitation ${ofName(row.email)}`}
                  onClick={() => acts.renew(row)}
                >
                  Renvoyer
                </Button>
                <Button
                  size="sm"
                  variant="ghost"
                  square
                  aria-label={`Annuler l’invitation ${ofName(row.email)}`}
                  onClick={() => acts.withdraw(row)}
                >
                  <Icon name="close" />
                </Button>
              </RowActions>
            )),
          ]}
          renderCard={(row) => <InvitationCard {...{ row, acts }} />}
        />
      )}
    </section>
  );
}

function InvitationCard({ row, acts }: { readonly row: InvitationRow; readonly acts: Acts }) {
  return (
    <>
      <b className="break">{row.email}</b>
      <dl>
        <dt>Rôle</dt>
        <dd>{ROLE_NAMES[row.role]}</dd>
        {row.team !== null && (
          <>
            <dt>Équipe</dt>
            <dd>{row.team.name}</dd>
          </>
        )}
        <dt>État</dt>
        <dd>
          <State row={row} />
        </dd>
      </dl>
      <div className="row">
        <Button
          variant="dangerGhost"
          className="grow"
          aria-label={`Annuler l’invitation ${ofName(row.email)}`}
          onClick={() => acts.withdraw(row)}
        >
          Annuler
        </Button>
        <Button
          className="grow"
          aria-label={`Renvoyer l’invitation ${ofName(row.email)}`}
          onClick={() => acts.renew(row)}
        >
          Renvoyer
        </Button>
      </div>
    </>
  );
}

function State({ row }: { readonly row: InvitationRow }) {
  const { sent_at: sentAt, expires_at: expiresAt } = row;
  return new Date(expiresAt) <= new Date() ? (
    <span className={styles["ended"]}>Expirée le {formatDayMonth(expiresAt)}</span>
  ) : (
    <>
      Envoyée le {formatDayMonth(sentAt)}, expire le {formatDayMonth(expiresAt)}
    </>
  );
}

function useInvitationActs() {
  const client = useQueryClient();
  const settled = () => {
    void client.invalidateQueries({ queryKey: invitationsQuery.queryKey });
    void client.invalidateQueries({ queryKey: membersQuery.queryKey });
  };
  const renewal = useMutation({
    mutationFn: (row: InvitationRow) => renewInvitation(row.id),
    onSuccess: () => {
      showToast("ok", "Invitation renvoyée");
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Impossible de renvoyer l’invitation"));
    },
    onSettled: settled,
  });
  const withdrawal = useMutation({
    mutationFn: (row: InvitationRow) => withdrawInvitation(row.id),
    onSuccess: (list) => {
      client.setQueryData(invitationsQuery.queryKey, list);
      showToast("ok", "Invitation annulée");
      focusOnceDrawn(() => document.querySelector<HTMLElement>("main h1"));
    },
    onError: (error) => {
      showToast("err", callMessage(error, "Impossible d’annuler l’invitation"));
    },
    onSettled: settled,
  });
  return { renew: renewal.mutate, withdraw: withdrawal.mutate };
}
