import { onBehalfOf, teamLabel } from "@paraphe/contracts";
import { SelectField } from "../../ui/field/field.tsx";
import { chosenOf, type Filter, type FilterValues } from "../../ui/filter-bar/filters.ts";
import { useTeams } from "./use-session.ts";

type TeamFieldProps = {
  readonly value: string | null;
  readonly onChange: (team: string | null) => void;
  readonly help: string;
  readonly error?: string | undefined;
};

/** The team that something belongs to; hidden from a person in no team. */
export function TeamField({ value, onChange, ...field }: TeamFieldProps) {
  const teams = useTeams();
  if (teams.length === 0) return null;
  return (
    <SelectField
      {...field}
      label="Équipe"
      value={value ?? ""}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">Aucune</option>
      {teams.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

type TeamFilterWords = Pick<Filter, "label"> & { readonly all: string; readonly mine: string };
const FILTER = "de";
const MINE = "moi";

/** Words for shared things: templates, layouts, contacts. */
export const SHARING: TeamFilterWords = { label: "Partage", all: "Tous", mine: "À moi" };

export function useTeamFilter({ label, all, mine }: TeamFilterWords): readonly Filter[] {
  const teams = useTeams();
  if (teams.length === 0) return [];
  const choices = teams.map(({ id, name }) => ({ slug: id, label: teamLabel(name) }));
  return [
    {
      name: FILTER,
      label,
      choices: [{ slug: "", label: all }, { slug: MINE, label: mine }, ...choices],
    },
  ];
}

export function teamQuery(
  filters: readonly Filter[],
  values: FilterValues,
): { readonly team?: string } {
  const [chosen] = filters
    .filter(({ name }) => name === FILTER)
    .flatMap((filter) => chosenOf(filter, values));
  return chosen === undefined ? {} : { team: chosen.slug === MINE ? "mine" : chosen.slug };
}

/** « Service Urbanisme · come@exemple.fr ». */
export function withTeam(team: { readonly name: string } | undefined, words: string): string {
  return team === undefined ? words : `${teamLabel(team.name)} · ${words}`;
}

/** In whose name an envelope goes. */
export function SenderTeamField(props: Omit<TeamFieldProps, "help">) {
  const team = useTeams().find(({ id }) => id === props.value);
  return (
    <TeamField
      {...props}
      help={
        team === undefined
          ? "Avec une équipe, l’enveloppe est envoyée de sa part, et ses membres la suivent."
          : `Envoyée ${onBehalfOf(team.name)}. Ses membres voient l’enveloppe et la suivent.`
      }
    />
  );
}
