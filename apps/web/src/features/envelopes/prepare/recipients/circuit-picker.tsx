import { type Circuit, circuitSentence } from "@paraphe/contracts/circuit";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, callMessage } from "../../../../lib/api/api-error.ts";
import { Alert } from "../../../../ui/alert/alert.tsx";
import { Button } from "../../../../ui/button/button.tsx";
import { Card } from "../../../../ui/card/card.tsx";
import { SelectField, TextField } from "../../../../ui/field/field.tsx";
import { useSession } from "../../../accounts/use-session.ts";
import { chooseCircuit, circuitsQuery } from "../../../organisations/circuit-calls.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";

/** A circuit imposed for the kind of document wins over a choice. */
export function CircuitPicker({ keeper }: { readonly keeper: DraftKeeper }) {
  const session = useSession();
  const enabled = session.state === "member" && session.user.organisation_role !== undefined;
  const { data } = useQuery({ ...circuitsQuery, enabled });
  const { envelope } = keeper.state();
  if (data === undefined || data.circuits.length === 0 || envelope === null) return null;
  return <Picker circuits={data.circuits} keeper={keeper} />;
}

type PickerProps = { readonly circuits: readonly Circuit[]; readonly keeper: DraftKeeper };

function Picker({ circuits, keeper }: PickerProps) {
  const { envelope } = keeper.state();
  const [party, setParty] = useState({ full_name: "", email: "" });
  const { isBusy, error, apply } = useApplying(keeper);
  const choice = useChoice({ circuits, keeper, apply });
  const { kind, imposed, circuit, applied } = choice;
  const isKept = envelope?.returned !== undefined && envelope.document_kind !== undefined;
  const hasParty = waitsForParty(circuit);
  const press = () =>
    void apply({
      kind: kind === "" ? null : kind,
      circuit_id: circuit?.id ?? null,
      other_party: hasParty && party.email.trim() !== "" ? [party] : [],
    });
  return (
    <Card id="circuit" title="Circuit">
      <KindField {...{ circuits, kind, isKept }} onKind={choice.chooseKind} />
      {imposed ? (
        <p>
          Circuit <b>{imposed.name}</b>, fixé par l’organisation.
        </p>
      ) : (
        <CircuitField {...{ circuits }} chosen={choice.chosen} onChoose={choice.choose} />
      )}
      {circuit ? <p className="ink2">{circuitSentence(circuit.steps)}</p> : null}
      {hasParty ? <PartyFields {...{ party }} onParty={setParty} /> : null}
      {error ? <Alert tone="danger">{error}</Alert> : null}
      <div className="row">
        {(circuit ?? envelope?.circuit) === undefined ? null : (
          <Button loading={isBusy} onClick={press}>
            {pressWords(circuit, applied)}
          </Button>
        )}
        <AppliedNote
          name={applied?.name ?? (circuit === undefined ? envelope?.circuit?.name : undefined)}
          waiting={circuit === undefined || circuit === applied ? undefined : circuit.name}
        />
      </div>
    </Card>
  );
}

const waitsForParty = (circuit: Circuit | undefined): boolean =>
  circuit?.steps.some(({ by }) => by.who === "other_party") ?? false;

type ChoiceProps = PickerProps & Pick<ReturnType<typeof useApplying>, "apply">;

/** A choice applies at once, unless somebody must be named first or would be lost. */
function useChoice({ circuits, keeper, apply }: ChoiceProps) {
  const { envelope, draft } = keeper.state();
  const applied = circuits.find(
    ({ name, use }) =>
      name === envelope?.circuit?.name && (use === "imposed") === envelope.circuit.imposed,
  );
  const kind = draft.documentKind ?? "";
  const ofKind = (use: Circuit["use"], one = kind) =>
    circuits.find((circuit) => circuit.use === use && circuit.kinds.includes(one));
  const [chosen, setChosen] = useState(applied?.id ?? ofKind("proposed")?.id ?? "");
  const [known, setKnown] = useState(applied?.id);
  // Another card would lose the focus.
  if (known !== applied?.id) {
    setKnown(applied?.id);
    setChosen(applied?.id ?? "");
  }
  const imposed = ofKind("imposed");
  return {
    kind,
    chosen,
    applied,
    imposed,
    circuit: imposed ?? circuits.find(({ id }) => id === chosen),
    chooseKind(next: string) {
      const kept = ofKind("proposed", next)?.id ?? (envelope?.circuit?.imposed ? "" : chosen);
      keeper.update("documentKind", { documentKind: next === "" ? null : next });
      setChosen(kept);
      const follows = ofKind("imposed", next);
      if (follows ? !waitsForParty(follows) : envelope?.circuit?.imposed)
        void apply({ kind: next === "" ? null : next, circuit_id: null, other_party: [] });
    },
    choose(id: string) {
      setChosen(id);
      const isTyped = applied === undefined && draft.recipients.some(({ email }) => email !== "");
      const next = circuits.find((one) => one.id === id);
      if (!waitsForParty(next) && next?.id !== applied?.id && !isTyped)
        void apply({ kind: kind === "" ? null : kind, circuit_id: id || null, other_party: [] });
    },
  };
}

type CircuitFieldProps = Pick<PickerProps, "circuits"> & {
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
};

function CircuitField({ circuits, chosen, onChoose }: CircuitFieldProps) {
  return (
    <SelectField label="Circuit" value={chosen} onChange={(event) => onChoose(event.target.value)}>
      <option value="">Aucun</option>
      {circuits.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

type NoteProps = Readonly<Record<"name" | "waiting", string | undefined>>;

function AppliedNote({ name, waiting }: NoteProps) {
  const note =
    waiting !== undefined
      ? `Pas encore appliqué\u00a0: ${waiting}`
      : name &&
        `Circuit appliqué\u00a0: ${name}. L’appliquer de nouveau reprend ses personnes d’aujourd’hui.`;
  return (
    <span className="muted" role="status">
      {note}
    </span>
  );
}

function pressWords(circuit: Circuit | undefined, applied: Circuit | undefined): string {
  if (circuit === undefined) return "Se passer de circuit";
  return circuit === applied ? "Appliquer de nouveau" : "Appliquer le circuit";
}

type KindProps = Pick<PickerProps, "circuits"> & {
  readonly kind: string;
  readonly isKept: boolean;
  readonly onKind: (kind: string) => void;
};

function KindField({ circuits, kind, isKept, onKind }: KindProps) {
  const kinds = [...new Set(circuits.flatMap((circuit) => circuit.kinds))].sort();
  if (kinds.length === 0) return null;
  return (
    <SelectField
      label="Genre de document"
      value={kind}
      disabled={isKept}
      help={isKept ? "Un document renvoyé garde son genre." : undefined}
      onChange={(event) => onKind(event.target.value)}
    >
      <option value="">Autre</option>
      {kinds.map((one) => (
        <option key={one} value={one}>
          {one}
        </option>
      ))}
    </SelectField>
  );
}

type Party = { readonly full_name: string; readonly email: string };
type PartyProps = { readonly party: Party; readonly onParty: (party: Party) => void };

function PartyFields({ party, onParty }: PartyProps) {
  return (
    <>
      <TextField
        label="Nom de l’autre partie"
        optional
        autoComplete="off"
        value={party.full_name}
        help="Vides, ces deux champs gardent les signataires déjà ajoutés."
        onChange={(event) => onParty({ ...party, full_name: event.target.value })}
      />
      <TextField
        label="Email de l’autre partie"
        type="email"
        optional
        autoComplete="off"
        value={party.email}
        onChange={(event) => onParty({ ...party, email: event.target.value })}
      />
    </>
  );
}

function useApplying(keeper: DraftKeeper) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const apply = async (choice: Parameters<typeof chooseCircuit>[1]) => {
    setIsBusy(true);
    setError(null);
    try {
      await keeper.flush();
      await keeper.exclusively((envelope) => chooseCircuit(envelope?.id ?? "", choice));
      await keeper.reload();
    } catch (cause) {
      const fault = cause instanceof ApiError ? Object.values(cause.fieldErrors)[0]?.[0] : null;
      setError(fault ?? callMessage(cause, "Le circuit n’est pas appliqué. Réessayez."));
    }
    setIsBusy(false);
  };
  return { isBusy, error, apply };
}
