import type { TeamRef } from "@paraphe/contracts";
import type { ComponentProps } from "react";
import { LinkButton } from "../../ui/button/link-button.tsx";
import { SelectField } from "../../ui/field/field.tsx";
import { useSession } from "./use-session.ts";

/** False for a reader, who only consults. */
export function useMayWork(): boolean {
  const session = useSession();
  return session.state !== "member" || session.user.organisation_role !== "reader";
}

/** A link to something that a reader may not do. */
export function WorkLink(props: ComponentProps<typeof LinkButton>) {
  return useMayWork() ? <LinkButton {...props} /> : null;
}

/** The teams that the signed-in person is in. */
export function useTeams(): readonly TeamRef[] {
  const session = useSession();
  return (session.state === "member" ? session.user.teams : undefined) ?? [];
}

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
