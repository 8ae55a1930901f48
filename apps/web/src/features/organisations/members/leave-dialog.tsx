import { type Holdings, type OrganisationMember, teamLabel } from "@paraphe/contracts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { SelectField } from "../../../ui/field/field.tsx";
import { focusOnceDrawn } from "../../../ui/focus/preserve-focus.ts";
import { KeyValue } from "../../../ui/key-value/key-value.tsx";
import { Skeleton } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { membersQuery, readHoldings, removeMember, teamsQuery } from "./member-calls.ts";

type Props = {
  readonly member: OrganisationMember;
  readonly isOwn: boolean;
  readonly members: readonly OrganisationMember[];
  readonly onLastOwner: () => void;
  readonly onClose: () => void;
};

const SIGNED = "Les documents déjà signés et leurs preuves ne changent pas.";
const wordsOf = ({ member: { name }, isOwn }: Pick<Props, "member" | "isOwn">) =>
  isOwn
    ? {
        title: "Quitter l’organisation\u202f?",
        stays: "Rester",
        leaves: "Quitter et confier",
        atOnce: `Votre accès s’arrête tout de suite. ${SIGNED}`,
        done: "Vous n’avez plus accès",
      }
    : {
        title: `Retirer ${name}\u202f?`,
        stays: `Garder ${name}`,
        leaves: "Retirer et confier",
        atOnce: `Son accès s’arrête tout de suite. ${SIGNED}`,
        done: `${name} n’a plus accès`,
      };

const TEAM = "team:";

export function LeaveDialog({ member, isOwn, members, onLastOwner, onClose }: Props) {
  const words = wordsOf({ member, isOwn });
  const keep = useRef<HTMLButtonElement>(null);
  const { data, error } = useQuery({
    queryKey: ["organisation", "holdings", member.id],
    queryFn: () => readHoldings(member.id),
    staleTime: 0,
  });
  const { heirId, setHeirId, fault, failure, isBusy, remove } = useRemoval({
    member,
    done: words.done,
    onLastOwner,
    onClose,
  });
  return (
    <Dialog
      title={words.title}
      size="lg"
      sheet
      locked={isBusy}
      initialFocus={keep}
      onClose={onClose}
      actions={
        <>
          <Button ref={keep} blocked={isBusy} onClick={onClose}>
            {words.stays}
          </Button>
          <Button variant="danger" loading={isBusy} onClick={() => void remove()}>
            {words.leaves}
          </Button>
        </>
      }
    >
      <div className="stack">
        {failure !== undefined && <Alert tone="danger">{failure}</Alert>}
        <p>{words.atOnce}</p>
        {error !== null && (
          <Alert tone="danger">{callMessage(error, "Impossible de lire ce qui sera confié")}</Alert>
        )}
        {data === undefined && error === null && <Skeleton width="100%" height={120} />}
        {data !== undefined && <Passing holdings={data} />}
        <HeirField {...{ member, members, heirId, setHeirId, fault }} holdings={data} />
        {data !== undefined && data.to_sign > 0 && (
          <LeftToSign {...{ isOwn }} count={data.to_sign} />
        )}
      </div>
    </Dialog>
  );
}

type HeirProps = Pick<Props, "member" | "members"> & {
  readonly heirId: string;
  readonly setHeirId: (id: string) => void;
  readonly fault: string | undefined;
  readonly holdings: Holdings | undefined;
};

function heirWords(isTeam: boolean, holdings: Holdings | undefined): string {
  const {
    open_envelopes = 0,
    closed_envelopes = 0,
    drafts = 0,
    circuit_steps = 0,
  } = holdings ?? {};
  const one = isTeam ? "Une personne de l’équipe" : "Cette personne";
  const envelopes = isTeam
    ? " Toutes verront les enveloppes dans «\u00a0Envoyé\u00a0»."
    : " Elle verra les enveloppes dans «\u00a0Envoyé\u00a0».";
  return [
    `${one} en sera prévenue par email.`,
    open_envelopes + closed_envelopes + drafts > 0 ? envelopes : "",
    circuit_steps > 0
      ? " Les étapes l’attendront dans «\u00a0Action requise\u00a0», quand viendra leur tour."
      : "",
  ].join("");
}

function HeirField({ member, members, heirId, setHeirId, fault, holdings }: HeirProps) {
  const heirs = members.filter(({ id, role }) => id !== member.id && role !== "reader");
  // A team needs another member who may send.
  const teams = (useQuery(teamsQuery).data?.teams ?? []).filter((team) =>
    team.members.some(({ id }) => heirs.some((heir) => heir.id === id)),
  );
  return (
    <SelectField
      label="Les confier à"
      required
      value={heirId}
      error={fault}
      help={heirWords(heirId.startsWith(TEAM), holdings)}
      onChange={(event) => setHeirId(event.target.value)}
    >
      <option value="">
        {teams.length === 0 ? "Choisir une personne" : "Choisir une personne ou une équipe"}
      </option>
      {heirs.map(({ id, name, email }) => (
        <option key={id} value={id}>
          {name} ({email})
        </option>
      ))}
      {teams.map(({ id, name }) => (
        <option key={id} value={`${TEAM}${id}`}>
          {teamLabel(name)}
        </option>
      ))}
    </SelectField>
  );
}

/** A signature is asked of one address: nobody else can give it. */
function LeftToSign({ count, isOwn }: { readonly count: number } & Pick<Props, "isOwn">) {
  const [to, whose] = isOwn ? ["vous", "votre"] : ["lui", "son"];
  return (
    <Alert tone="warning">
      {count === 1
        ? `Il ${to} reste un document à signer, à ${whose} adresse : son expéditeur peut corriger le destinataire.`
        : `Il ${to} reste ${count} documents à signer, à ${whose} adresse : leurs expéditeurs peuvent corriger le destinataire.`}
    </Alert>
  );
}

function Passing({ holdings }: { readonly holdings: Holdings }) {
  return (
    <KeyValue
      entries={[
        ["Enveloppes en cours", holdings.open_envelopes],
        ["Enveloppes terminées", holdings.closed_envelopes],
        ["Brouillons", holdings.drafts],
        ["Modèles", holdings.templates],
        ["Dispositions", holdings.layouts],
        ["Contacts", holdings.contacts],
        ["Étapes de circuit à son nom", holdings.circuit_steps],
      ]}
    />
  );
}

type Removing = Omit<Props, "members" | "isOwn"> & { readonly done: string };

function useRemoval({ member, done, onLastOwner, onClose }: Removing) {
  const client = useQueryClient();
  const [heirId, setHeirId] = useState("");
  const [fault, setFault] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const choose = (id: string) => {
    setFault(undefined);
    setHeirId(id);
  };
  const remove = async () => {
    if (heirId === "") return setFault("Choisissez à qui confier ce qui reste.");
    setIsBusy(true);
    setFailure(undefined);
    try {
      await removeMember(
        member.id,
        heirId.startsWith(TEAM) ? { team_id: heirId.slice(TEAM.length) } : { heir_id: heirId },
      );
    } catch (error) {
      setIsBusy(false);
      if (error instanceof ApiError && error.code === "last_owner") {
        onClose();
        return onLastOwner();
      }
      return setFailure(callMessage(error, "Impossible de retirer cette personne"));
    }
    onClose();
    showToast("ok", done);
    await client.invalidateQueries({ queryKey: membersQuery.queryKey });
    focusOnceDrawn(() => document.querySelector<HTMLElement>("main h1"));
  };
  return { heirId, setHeirId: choose, fault, failure, isBusy, remove };
}
