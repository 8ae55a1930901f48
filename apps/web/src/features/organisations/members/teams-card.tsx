import type { OrganisationMember, Team } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Avatar } from "../../../ui/avatar/avatar.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { lazyDialog } from "../../../ui/dialog/lazy-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import {
  FormSkeleton,
  leads,
  LoadFailure,
  useOrganisationRole,
} from "../../accounts/settings/settings-layout.tsx";
import { teamsQuery } from "./member-calls.ts";
import { colourOf } from "./narrow-members.ts";
import styles from "../organisation.module.css";

const TeamDialog = lazyDialog(async () => (await import("./team-dialogs.tsx")).TeamDialog);

const FACES = 3;

export function TeamsCard({ members }: { readonly members: readonly OrganisationMember[] }) {
  const manages = leads(useOrganisationRole());
  const { data, error, refetch } = useQuery(teamsQuery);
  const [opened, setOpened] = useState<Team | "new" | null>(null);
  if (data === undefined)
    return error === null ? (
      <FormSkeleton lines={3} label="Chargement des équipes…" />
    ) : (
      <LoadFailure
        error={error}
        fallback="Impossible de charger les équipes"
        onRetry={() => void refetch()}
      />
    );
  return (
    <section className="card" aria-labelledby="equipes">
      <div className="card__head">
        <div className="grow">
          <h2 className="h2" id="equipes">
            Équipes
          </h2>
          <p className="muted small">
            Une équipe partage ses modèles, ses contacts et voit ses enveloppes.
          </p>
        </div>
        {manages && (
          <Button size="sm" onClick={() => setOpened("new")}>
            Nouvelle équipe
          </Button>
        )}
      </div>
      {data.teams.length === 0 ? (
        <EmptyState title="Aucune équipe">
          Réunissez les personnes d’un service{"\u00a0"}: ce qu’elles préparent pour lui sera vu et
          suivi par toutes.
        </EmptyState>
      ) : (
        <TeamRows teams={data.teams} onOpen={setOpened} />
      )}
      {opened !== null && (
        <TeamDialog
          team={opened === "new" ? null : opened}
          people={members}
          onClose={() => setOpened(null)}
        />
      )}
    </section>
  );
}

type RowsProps = { readonly teams: readonly Team[]; readonly onOpen: (team: Team) => void };

function TeamRows({ teams, onOpen }: RowsProps) {
  return (
    <ul className={styles["teams"]}>
      {teams.map((team) => (
        <li key={team.id}>
          {team.can_change ? (
            <button type="button" className={styles["team"]} onClick={() => onOpen(team)}>
              <TeamRow team={team} />
              <Icon name="chevron-right" size="sm" />
            </button>
          ) : (
            <div className={styles["team"]}>
              <TeamRow team={team} />
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function TeamRow({ team: { name, members, templates, open_envelopes: open } }: { team: Team }) {
  const counts = [plural(templates, "modèle"), `${plural(open, "enveloppe")} en cours`].join(", ");
  const more = members.length - FACES;
  return (
    <>
      <span>
        <b>{name}</b>
        <small>
          {plural(members.length, "membre")} · {counts}
        </small>
      </span>
      <span className={styles["faces"]}>
        {members.slice(0, FACES).map((member) => (
          <Avatar key={member.id} name={member.name} color={colourOf(member.id)} />
        ))}
        {more > 0 && (
          <span className="muted num" aria-hidden="true">
            +{more}
          </span>
        )}
      </span>
    </>
  );
}
