import { MAX_TEMPLATE_NAME_LENGTH, type Role, type SaveTemplateRequest } from "@paraphe/contracts";
import { ROLE_LABELS } from "../prepare/recipients/parse-people.ts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { ofName } from "@paraphe/kernel/french-words";
import { type FormEvent, useId, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { RequiredNote, TextField } from "../../../ui/field/field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { TeamField } from "../../accounts/team-field.tsx";
import { type Faults, templateCalls, templatesQuery, useFormFaults } from "./use-templates.ts";

/** A recipient whose place a role takes. */
export type RolePerson = {
  readonly key: string;
  readonly name: string;
  readonly role: Role;
  /** By the circuit, so that no role takes their place. */
  readonly isBrought?: boolean;
};
type SaveTemplateDialogProps = {
  readonly title: string;
  readonly people: readonly RolePerson[];
  readonly team: string | null;
  /** Recipient ids in the order of `people`; null on failure. */
  readonly onReady: () => Promise<{
    readonly envelope: string;
    readonly recipients: readonly string[];
  } | null>;
  readonly onClose: () => void;
};

export function SaveTemplateDialog(props: SaveTemplateDialogProps) {
  const { people, onClose } = props;
  const asked = people.filter(({ isBrought }) => !isBrought);
  const form = useId();
  const { body, faults, name, rename, team, setTeam, labels, renameRole, save, isSaving } =
    useTemplateNames(props);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save();
  };
  return (
    <Dialog
      title="Enregistrer comme modèle"
      sheet
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" type="submit" form={form} loading={isSaving}>
            Enregistrer le modèle
          </Button>
        </>
      }
    >
      <form id={form} ref={body} className="stack" onSubmit={submit} noValidate>
        <p>
          Le modèle garde les fichiers, les champs, l’ordre et le message. Les personnes n’y sont
          pas : un rôle prend leur place.
          {asked.length < people.length &&
            " Le circuit reste aussi, et désignera lui-même les personnes de ses étapes."}
        </p>
        <RequiredNote fields="all" />
        {faults["all"] ? <Alert tone="danger">{faults["all"]}</Alert> : null}
        <TextField
          label="Nom du modèle"
          required
          maxLength={MAX_TEMPLATE_NAME_LENGTH}
          value={name}
          error={faults["name"]}
          onChange={(event) => rename(event.target.value)}
        />
        <TeamField value={team} help="L’équipe voit ce modèle, et l’utilise." onChange={setTeam} />
        {asked.map((person, index) => (
          <TextField
            key={person.key}
            label={`Rôle ${ofName(person.name)}`}
            required
            maxLength={60}
            value={labels[index] ?? ""}
            error={faults[index]}
            onChange={(event) => renameRole(index, event.target.value)}
          />
        ))}
      </form>
    </Dialog>
  );
}

function useTemplateNames({ title, people, team: own, onReady, onClose }: SaveTemplateDialogProps) {
  const client = useQueryClient();
  const { body, faults, refuse, forget } = useFormFaults();
  const [name, setName] = useState(title.slice(0, MAX_TEMPLATE_NAME_LENGTH));
  const [team, setTeam] = useState(own);
  const [labels, setLabels] = useState(() =>
    defaultLabels(people.filter(({ isBrought }) => !isBrought)),
  );
  const saving = useMutation({
    mutationFn: async () => {
      const ready = await onReady();
      if (!ready) throw new Error("the draft could not be saved");
      const roles = ready.recipients
        .filter((_, index) => !people[index]?.isBrought)
        .map((recipient, index) => ({ recipient, label: labels[index] ?? "" }));
      return templateCalls.save({
        envelope: ready.envelope,
        name,
        roles,
        team,
      } satisfies SaveTemplateRequest);
    },
    onSuccess: async (template) => {
      onClose();
      showToast("ok", `Modèle «\u00a0${template.name}\u00a0» enregistré.`);
      await client.invalidateQueries({ queryKey: templatesQuery.queryKey });
    },
    onError: (error) => refuse(faultsOf(error)),
  });
  return {
    body,
    faults,
    name,
    rename(typed: string) {
      setName(typed);
      forget("name");
    },
    team,
    setTeam,
    labels,
    renameRole(index: number, typed: string) {
      setLabels(labels.map((label, at) => (at === index ? typed : label)));
      forget(String(index));
    },
    save() {
      const found = check(name, labels);
      if (Object.keys(found).length > 0) refuse(found);
      else saving.mutate();
    },
    isSaving: saving.isPending,
  };
}

function defaultLabels(people: readonly RolePerson[]): readonly string[] {
  return people.map(
    ({ role }, index) =>
      `${ROLE_LABELS[role]} ${people.slice(0, index + 1).filter((other) => other.role === role).length}`,
  );
}

function check(name: string, labels: readonly string[]): Faults {
  const faults: Record<string, string> = name.trim() === "" ? { name: "Nom requis" } : {};
  const keys = labels.map((label) => label.trim().toLowerCase());
  keys.forEach((key, index) => {
    if (key === "") faults[index] = "Nom du rôle requis";
    else if (keys.indexOf(key) < index) faults[index] = "Ce nom de rôle est déjà pris";
  });
  return faults;
}

/** The service names a role by its index. */
function faultsOf(error: unknown): Faults {
  const found = error instanceof ApiError ? Object.entries(error.fieldErrors) : [];
  const entries = found.map(
    ([key, [first = ""]]) => [key.replace(/^roles\.(\d+)\..*$/, "$1"), first] as const,
  );
  return entries.length > 0
    ? Object.fromEntries(entries)
    : {
        all: callMessage(error, "Le modèle n’a pas pu être enregistré. Réessayez dans un instant."),
      };
}
