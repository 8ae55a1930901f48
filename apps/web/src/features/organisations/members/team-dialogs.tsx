import type { OrganisationMember, Team } from "@paraphe/contracts";
import { ofName } from "@paraphe/kernel/french-words";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox } from "../../../ui/checkbox/checkbox.tsx";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { focusOnceDrawn } from "../../../ui/focus/preserve-focus.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { leads, useOrganisationRole } from "../../accounts/settings/settings-layout.tsx";
import { sessionQuery } from "../../accounts/use-session.ts";
import {
  changeTeam,
  changeTeamsOf,
  createTeam,
  deleteTeam,
  membersQuery,
  teamsQuery,
} from "./member-calls.ts";
import styles from "../organisation.module.css";

function useTeamsChanged() {
  const client = useQueryClient();
  return () => {
    for (const { queryKey } of [membersQuery, teamsQuery, sessionQuery])
      void client.invalidateQueries({ queryKey });
  };
}

/** Sends a form; a refusal stands at its field or above the form. */
function useSending() {
  const changed = useTeamsChanged();
  const [fault, setFault] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const send = async (call: () => Promise<unknown>, done: () => void) => {
    setFault(undefined);
    setFailure(undefined);
    setIsBusy(true);
    try {
      await call();
    } catch (error) {
      setIsBusy(false);
      const said = error instanceof ApiError ? error.fieldErrors["name"]?.join(" ") : undefined;
      return said ? setFault(said) : setFailure(callMessage(error, "L’équipe n’a pas changé."));
    }
    changed();
    done();
  };
  return { fault, setFault, failure, isBusy, send };
}

type Props = {
  readonly team: Team | null;
  readonly people: readonly OrganisationMember[];
  readonly onClose: () => void;
};

export function TeamDialog({ team, people, onClose }: Props) {
  const manages = leads(useOrganisationRole());
  const [isDeleting, setIsDeleting] = useState(false);
  const form = useTeamForm({ team, onClose });
  const { first, name, rename, chosen, setChosen, fault, failure, isBusy, submit } = form;
  if (team !== null && isDeleting)
    return <DeleteTeam team={team} onKeep={() => setIsDeleting(false)} onDone={onClose} />;
  return (
    <FormDialog
      title={team === null ? "Nouvelle équipe" : `Équipe ${team.name}`}
      sheet
      action={team === null ? "Créer l’équipe" : "Enregistrer"}
      initialFocus={first}
      {...{ isBusy, failure, onClose }}
      onSubmit={submit}
    >
      <TextField
        ref={first}
        label="Nom de l’équipe"
        required
        maxLength={60}
        value={name}
        error={fault}
        help={"Les emails disent «\u00a0de la part du service …\u00a0»."}
        onChange={(event) => rename(event.target.value)}
      />
      <People {...{ people, chosen }} onChange={setChosen} />
      {team !== null && manages && (
        <div>
          <Button variant="dangerGhost" onClick={() => setIsDeleting(true)}>
            Supprimer l’équipe…
          </Button>
        </div>
      )}
    </FormDialog>
  );
}

function useTeamForm({ team, onClose }: Omit<Props, "people">) {
  const first = useRef<HTMLInputElement>(null);
  const [name, setName] = useState(team?.name ?? "");
  const [chosen, setChosen] = useState(
    () => new Map(team?.members.map((one) => [one.id, one.is_administrator])),
  );
  const { fault, setFault, failure, isBusy, send } = useSending();
  const submit = () => {
    if (name.trim() === "") {
      setFault("Nom requis");
      return first.current?.focus();
    }
    const members = Array.from(chosen, ([id, is_administrator]) => ({ id, is_administrator }));
    const body = { name: name.trim(), members };
    void send(
      () => (team === null ? createTeam(body) : changeTeam(team.id, body)),
      () => {
        onClose();
        showToast(
          "ok",
          team === null ? `Équipe ${body.name} créée` : `Équipe ${body.name} modifiée`,
        );
      },
    );
  };
  const rename = (typed: string) => {
    setName(typed);
    setFault(undefined);
  };
  return { first, name, rename, chosen, setChosen, fault, failure, isBusy, submit };
}

type PeopleProps = {
  readonly people: readonly OrganisationMember[];
  readonly chosen: ReadonlyMap<string, boolean>;
  readonly onChange: (chosen: Map<string, boolean>) => void;
};

/** A reader cannot administer a team. */
function People({ people, chosen, onChange }: PeopleProps) {
  return (
    <fieldset className={styles["choices"]}>
      <legend className={styles["legend"]}>Personnes</legend>
      {people.map(({ id, name, role }) => (
        <div key={id} className={styles["teamMember"]}>
          <Checkbox
            label={name}
            checked={chosen.has(id)}
            onChange={(event) => {
              const next = new Map(chosen);
              if (event.target.checked) next.set(id, false);
              else next.delete(id);
              onChange(next);
            }}
          />
          {chosen.has(id) && role !== "reader" && (
            <Checkbox
              label={
                <>
                  Administre l’équipe<span className="sr">{`\u00a0: ${name}`}</span>
                </>
              }
              checked={chosen.get(id) === true}
              onChange={(event) => onChange(new Map(chosen).set(id, event.target.checked))}
            />
          )}
        </div>
      ))}
    </fieldset>
  );
}

type DeleteProps = {
  readonly team: Team;
  readonly onKeep: () => void;
  readonly onDone: () => void;
};

function DeleteTeam({ team, onKeep, onDone }: DeleteProps) {
  const { failure, isBusy, send } = useSending();
  return (
    <ConfirmDialog
      title={`Supprimer l’équipe ${team.name}\u202f?`}
      message="Ses enveloppes, modèles et contacts redeviennent ceux des personnes qui les ont faits. Ses clés d’API et ses webhooks cessent."
      secondary={failure}
      tone="danger"
      confirmLabel="Supprimer l’équipe"
      busy={isBusy}
      onConfirm={() =>
        void send(
          () => deleteTeam(team.id),
          () => {
            onDone();
            showToast("ok", `Équipe ${team.name} supprimée`);
            focusOnceDrawn(() => document.querySelector<HTMLElement>("main h1"));
          },
        )
      }
      onCancel={onKeep}
    />
  );
}

type MemberProps = { readonly member: OrganisationMember; readonly onClose: () => void };

export function MemberTeamsDialog({ member, onClose }: MemberProps) {
  const id = useId();
  const { data, error } = useQuery(teamsQuery);
  const [chosen, setChosen] = useState(() => new Set(member.teams.map((team) => team.id)));
  const { failure, isBusy, send } = useSending();
  const unread = error === null ? undefined : callMessage(error, "Impossible de lire les équipes");
  return (
    <FormDialog
      title={`Équipes ${ofName(member.name)}`}
      sheet
      action="Enregistrer"
      isBlocked={data === undefined || data.teams.length === 0}
      {...{ isBusy, onClose }}
      failure={failure ?? unread}
      onSubmit={() =>
        void send(
          () => changeTeamsOf(member.id, [...chosen]),
          () => {
            onClose();
            showToast("ok", `Équipes ${ofName(member.name)} modifiées`);
          },
        )
      }
    >
      {data?.teams.length === 0 && <p>Aucune équipe. Créez-en une dans l’onglet « Équipes ».</p>}
      {data !== undefined && data.teams.length > 0 && (
        <fieldset className={styles["choices"]} aria-describedby={id}>
          <legend className={styles["legend"]}>Équipes</legend>
          {data.teams.map((team) => (
            <Checkbox
              key={team.id}
              label={team.name}
              checked={chosen.has(team.id)}
              onChange={(event) => {
                const next = new Set(chosen);
                if (event.target.checked) next.add(team.id);
                else next.delete(team.id);
                setChosen(next);
              }}
            />
          ))}
        </fieldset>
      )}
      <p id={id} className="small muted">
        Dans une équipe, on voit ses enveloppes, ses modèles et ses contacts. Ce qui a été fait pour
        une équipe y reste.
      </p>
    </FormDialog>
  );
}
