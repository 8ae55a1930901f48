import type { MemberList, TeamList } from "@paraphe/contracts";
import { useQuery, useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "react-router";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Button, buttonLook } from "../../../ui/button/button.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import {
  FormSkeleton,
  leads,
  LoadFailure,
  MEMBERS,
  SettingsLayout,
  useOrganisationRole,
} from "../../accounts/settings/settings-layout.tsx";
import { InvitationsCard } from "./invitations-card.tsx";
import { membersQuery, teamsQuery, journalExport, journalQuery } from "./member-calls.ts";
import { MembersCard } from "./members-card.tsx";
import { TeamsCard } from "./teams-card.tsx";
import { LinkTabs } from "../../../ui/tabs/link-tabs.tsx";
import { useTeams } from "../../accounts/use-session.ts";
import { classNames } from "../../../lib/class-names.ts";
import { formatShortInstant } from "../../../lib/format/format-dates.ts";
import styles from "../organisation.module.css";
import { DataTable } from "../../../ui/data-table/data-table.tsx";

const TEAMS = "/equipes";

const InviteDialog = lazyDialog(async () => (await import("./invite-dialog.tsx")).InviteDialog);

export function MembersPage() {
  const { pathname } = useLocation();
  const manages = leads(useOrganisationRole());
  const isInTeam = useTeams().length > 0;
  const [isInviting, setIsInviting] = useState(false);
  const { data, error, refetch } = useQuery(membersQuery);
  const { data: teams } = useQuery({ ...teamsQuery, enabled: manages || isInTeam });
  const tab = pathname.slice(MEMBERS.to.length);
  return (
    <SettingsLayout
      isWide
      title={MEMBERS.label}
      lede={data === undefined ? "\u00a0" : summaryOf(data, teams?.teams.length ?? 0)}
      actions={
        manages &&
        // The empty list has the same button.
        (tab !== "" || data?.members.length !== 1) &&
        // The tab of teams has its own.
        tab !== TEAMS && (
          <Button variant="primary" onClick={() => setIsInviting(true)}>
            <Icon name="plus" size="sm" />
            Inviter
          </Button>
        )
      }
    >
      {(manages || isInTeam) && <MemberTabs {...{ tab, manages }} list={data} teams={teams} />}
      {data === undefined && error === null && (
        <FormSkeleton lines={4} label="Chargement des membres…" />
      )}
      {data === undefined && error !== null && (
        <LoadFailure
          error={error}
          fallback="Impossible de charger les membres"
          onRetry={() => void refetch()}
        />
      )}
      {data !== undefined && (tab === "" || (!manages && !(isInTeam && tab === TEAMS))) && (
        <MembersCard list={data} onInvite={() => setIsInviting(true)} />
      )}
      {data !== undefined && tab === TEAMS && (manages || isInTeam) && (
        <TeamsCard members={data.members} />
      )}
      {data !== undefined && manages && tab === "/invitations" && <InvitationsCard />}
      {data !== undefined && manages && tab === "/journal" && <JournalCard />}
      {isInviting && <InviteDialog onClose={() => setIsInviting(false)} />}
    </SettingsLayout>
  );
}

function summaryOf({ members, open_invitations: open }: MemberList, teams: number): string {
  const waiting =
    open === null || open === 0
      ? ""
      : `, ${plural(open, "invitation en attente", "invitations en attente")}`;
  return `${plural(members.length, "membre")}${waiting}${teams === 0 ? "" : `, ${plural(teams, "équipe")}`}`;
}

type TabsProps = {
  readonly tab: string;
  readonly manages: boolean;
  readonly list: MemberList | undefined;
  readonly teams: TeamList | undefined;
};

function MemberTabs({ tab, manages, list, teams }: TabsProps) {
  const all = [
    { path: "", label: "Membres", count: list?.members.length },
    { path: "/invitations", label: "Invitations", count: list?.open_invitations },
    { path: TEAMS, label: "Équipes", count: teams?.teams.length },
    { path: "/journal", label: "Journal", count: undefined },
  ] as const;
  const shown = manages ? all : all.filter(({ path }) => path === "" || path === TEAMS);
  return (
    <LinkTabs
      label="Membres de l’organisation"
      current={`${MEMBERS.to}${tab}`}
      tabs={shown.map(({ path, label, count }) => ({ to: `${MEMBERS.to}${path}`, label, count }))}
    />
  );
}

function JournalCard() {
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } =
    useInfiniteQuery(journalQuery);
  if (data === undefined)
    return error === null ? (
      <FormSkeleton lines={3} label="Chargement du journal…" />
    ) : (
      <LoadFailure
        error={error}
        fallback="Impossible de charger le journal"
        onRetry={() => void refetch()}
      />
    );
  return (
    <section className="card" aria-labelledby="titre-journal">
      <Head />
      <DataTable
        caption="Journal de l’organisation"
        rows={data.pages.flatMap(({ entries }) => entries)}
        rowKey={({ id }) => id}
        columns={[
          {
            key: "at",
            header: "Date",
            className: "num nowrap",
            cell: ({ at }) => formatShortInstant(at),
          },
          { key: "sentence", header: "Événement", wide: true, cell: ({ sentence }) => sentence },
          { key: "actor", header: "Par", cell: ({ actor }) => actor },
        ]}
        renderCard={({ at, sentence, actor }) => (
          <>
            <span className="break">{sentence}</span>
            <span className="muted small num">
              {formatShortInstant(at)}, {actor}
            </span>
          </>
        )}
      />
      {hasNextPage && (
        <div className="card__body">
          <Button block loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Afficher les événements précédents
          </Button>
        </div>
      )}
    </section>
  );
}

function Head() {
  return (
    <div className={classNames("card__head", styles["wrapping"])}>
      <div className="grow">
        <h2 className="h2" id="titre-journal">
          Journal de l’organisation
        </h2>
        <p className="muted small">
          Qui a invité, changé un rôle, retiré, modifié un réglage, exporté
        </p>
      </div>
      <div className={styles["exports"]}>
        {(["csv", "json"] as const).map((format) => (
          <a
            key={format}
            className={buttonLook({ size: "sm" })}
            href={journalExport(format)}
            download
            aria-label={`Exporter le journal en ${format.toUpperCase()}`}
          >
            <Icon name="download" size="sm" />
            {format.toUpperCase()}
          </a>
        ))}
      </div>
    </div>
  );
}
