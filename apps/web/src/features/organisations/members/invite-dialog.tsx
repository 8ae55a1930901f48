import {
  INVITATION_DAYS,
  INVITED_ROLES,
  type InvitedRole,
  MOST_INVITED,
  ROLE_NAMES,
} from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useId, useMemo, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { SelectField, TextArea } from "../../../ui/field/field.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { parseAddresses } from "../../envelopes/prepare/recipients/parse-people.ts";
import { invitationsQuery, invite, membersQuery, teamsQuery } from "./member-calls.ts";
import styles from "../organisation.module.css";

const HELP: Readonly<Record<InvitedRole, string>> = {
  member: "Prépare, envoie et signe.",
  reader: "Consulte les enveloppes de ses équipes.",
  administrator: "Gère aussi les membres et l’identité.",
};

const MOST_NAMED = 8;

type Read = ReturnType<typeof parseAddresses>;

function readWords({ emails, doubles }: Read): string {
  if (emails.length === 0) return "";
  const read = `${plural(emails.length, "adresse reconnue", "adresses reconnues")}.`;
  if (doubles === 0) return read;
  const double = plural(doubles, "adresse en double n’a", "adresses en double n’ont");
  return `${read} ${double} été ${doubles > 1 ? "gardées" : "gardée"} qu’une fois.`;
}

function faultOf({ emails, faults }: Omit<Read, "doubles">): string | undefined {
  const [first, ...others] = faults.map((text) => `«\u00a0${text.slice(0, 80)}\u00a0»`);
  if (first !== undefined && others.length === 0)
    return `${first} n’est pas une adresse email. Corrigez-la ou retirez-la.`;
  if (first !== undefined)
    return `Ces ${faults.length}\u00a0textes ne sont pas des adresses email\u00a0: ${namedOf([first, ...others])}. Corrigez-les ou retirez-les.`;
  return emails.length > MOST_INVITED
    ? `${MOST_INVITED} adresses au maximum, en une fois.`
    : undefined;
}

const namedOf = (texts: readonly string[]) =>
  [...texts.slice(0, MOST_NAMED), ...(texts.length > MOST_NAMED ? ["…"] : [])].join(", ");

export function InviteDialog({ onClose }: { readonly onClose: () => void }) {
  const { text, type, role, setRole, team, setTeam, read, fault, failure, isBusy, submit } =
    useInviting(onClose);
  const id = useId();
  const { length } = read.emails;
  return (
    <FormDialog
      title="Inviter des membres"
      sheet
      action={length === 0 ? "Envoyer" : `Envoyer ${plural(length, "invitation")}`}
      {...{ isBusy, failure, onClose }}
      onSubmit={() => void submit()}
    >
      <TextArea
        label="Adresses email"
        required
        rows={4}
        spellCheck={false}
        value={text}
        error={fault}
        help={
          <>
            Une par ligne, ou collez une liste. <span role="status">{readWords(read)}</span>
          </>
        }
        onChange={(event) => type(event.target.value)}
      />
      <fieldset className={styles["choices"]}>
        <legend className={styles["legend"]}>Rôle à l’arrivée</legend>
        {INVITED_ROLES.map((one) => (
          <div className={styles["choice"]} key={one}>
            <input
              type="radio"
              id={`${id}-${one}`}
              name={id}
              checked={role === one}
              onChange={() => setRole(one)}
            />
            <label htmlFor={`${id}-${one}`}>
              <b>{ROLE_NAMES[one]}</b> <small>{HELP[one]}</small>
            </label>
          </div>
        ))}
      </fieldset>
      <TeamSelect {...{ team, setTeam }} />
      <p className="small">
        Chacun reçoit un email, valable {INVITATION_DAYS}
        {"\u00a0"}jours.
      </p>
    </FormDialog>
  );
}

type TeamProps = { readonly team: string; readonly setTeam: (team: string) => void };

function TeamSelect({ team, setTeam }: TeamProps) {
  const teams = useQuery(teamsQuery).data?.teams ?? [];
  if (teams.length === 0) return null;
  return (
    <SelectField label="Équipe" value={team} onChange={(event) => setTeam(event.target.value)}>
      <option value="">Aucune</option>
      {teams.map((one) => (
        <option key={one.id} value={one.id}>
          {one.name}
        </option>
      ))}
    </SelectField>
  );
}

function useInviting(onClose: () => void) {
  const client = useQueryClient();
  const [text, setText] = useState("");
  const [role, setRole] = useState<InvitedRole>("member");
  const [team, setTeam] = useState("");
  const [refused, setRefused] = useState<string>();
  const [isAsked, setIsAsked] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const seen = useDeferredValue(text);
  // A last address still being typed is no fault.
  const ended = isAsked ? seen : (/^.*[\n,;]/s.exec(seen)?.[0] ?? "");
  const read = useMemo(() => parseAddresses(seen), [seen]);
  const fault = useMemo(() => faultOf(parseAddresses(ended)), [ended]);
  const type = (typed: string) => {
    setText(typed);
    setRefused(undefined);
    setFailure(undefined);
  };
  const submit = async () => {
    setIsAsked(true);
    const { emails, faults } = parseAddresses(text);
    if (faultOf({ emails, faults }) !== undefined) return;
    if (emails.length === 0) return setRefused("Indiquez au moins une adresse.");
    setIsBusy(true);
    try {
      const body = { emails: [...emails], role, team: team || null };
      client.setQueryData(invitationsQuery.queryKey, await invite(body));
      void client.invalidateQueries({ queryKey: membersQuery.queryKey });
      onClose();
      showToast("ok", plural(emails.length, "invitation envoyée", "invitations envoyées"));
    } catch (error) {
      setIsBusy(false);
      const said = error instanceof ApiError ? Object.values(error.fieldErrors)[0] : undefined;
      if (said) setRefused(said.join(" "));
      else setFailure(callMessage(error, "Impossible d’envoyer les invitations"));
    }
  };
  return {
    text,
    type,
    role,
    setRole,
    team,
    setTeam,
    read,
    fault: refused ?? fault,
    failure,
    isBusy,
    submit,
  };
}
