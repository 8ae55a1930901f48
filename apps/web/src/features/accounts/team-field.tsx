import { onBehalfOf } from "@paraphe/contracts";
import { SelectField } from "../../ui/field/field.tsx";
import { useTeams } from "./use-session.ts";

type TeamFieldProps = {
  readonly value: string | null;
  readonly onChange: (team: string | null) => void;
  /** What the team will see. */
  readonly help: string;
  readonly error?: string | undefined;
};

/** To whom something belongs; nothing for somebody in no team. */
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

/** In whose name an envelope is sent; its draft is seen by the team from now on. */
export function SenderTeamCard({ value, onChange }: Pick<TeamFieldProps, "value" | "onChange">) {
  const team = useTeams().find(({ id }) => id === value);
  return (
    <div className="card card__body">
      <TeamField
        {...{ value, onChange }}
        help={
          team === undefined
            ? "Avec une équipe, l’enveloppe est envoyée de sa part, et ses membres la suivent."
            : `Envoyée ${onBehalfOf(team.name)}. Ses membres voient l’enveloppe et la suivent.`
        }
      />
    </div>
  );
}
