import { emailFault, nameFault } from "@paraphe/contracts";
import { type Circuit, circuitSentence } from "@paraphe/contracts/circuit";
import { andList, foldText } from "@paraphe/kernel/french-words";
import { useQuery } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, callMessage } from "../../../../lib/api/api-error.ts";
import { Alert } from "../../../../ui/alert/alert.tsx";
import { Button } from "../../../../ui/button/button.tsx";
import { Card } from "../../../../ui/card/card.tsx";
import { SelectField, TextField } from "../../../../ui/field/field.tsx";
import { focusOnceDrawn } from "../../../../ui/focus/preserve-focus.ts";
import { useSession } from "../../../accounts/use-session.ts";
import { chooseCircuit, circuitsQuery } from "../../../organisations/circuit-calls.ts";
import { isFixedBy } from "../../recipient-state.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import { addressIn, type DraftRecipient, isBlankRecipient } from "../draft/draft.ts";

/** A circuit imposed for the kind of document wins over a choice. */
export function CircuitPicker({ keeper }: { readonly keeper: DraftKeeper }) {
  const session = useSession();
  const enabled = session.state === "member" && session.user.organisation_role !== undefined;
  const { data } = useQuery({ ...circuitsQuery, enabled });
  const { envelope } = keeper.state();
  if (data === undefined || envelope === null) return null;
  const { circuit, document_kind: kind } = envelope;
  if (data.circuits.length === 0 && (circuit ?? kind) === undefined) return null;
  const own = session.state === "member" ? session.user.email : "";
  return <Picker circuits={data.circuits} {...{ keeper, own }} />;
}

type PickerProps = { readonly circuits: readonly Circuit[]; readonly keeper: DraftKeeper };

function Picker({ circuits, keeper, own }: PickerProps & { readonly own: string }) {
  const { envelope } = keeper.state();
  const { isBusy, error, brought, apply, settled } = useApplying(keeper);
  const choice = useChoice({ circuits, keeper, apply, settled });
  const { kind, imposed, circuit, applied } = choice;
  const party = useParty({ keeper, circuit, brought, own });
  const stale = applied === undefined && !isBusy ? envelope?.circuit?.name : undefined;
  const isKept = envelope?.returned !== undefined && envelope.document_kind !== undefined;
  const press = async () => {
    const other_party = party.check();
    if (other_party === null) return;
    const asked = { kind: kind === "" ? null : kind, circuit_id: circuit?.id ?? null, other_party };
    if (await apply(asked)) party.clear();
  };
  return (
    <Card id="circuit" title="Circuit">
      <KindField {...{ circuits, kind, isKept }} onKind={(next) => void choice.chooseKind(next)} />
      {imposed ? (
        <p>
          Circuit <b>{imposed.name}</b>, fixé par l’organisation.
        </p>
      ) : (
        <CircuitField {...{ circuits, stale }} chosen={choice.chosen} onChoose={choice.choose} />
      )}
      {circuit ? <p className="ink2">{circuitSentence(circuit.steps)}</p> : null}
      {waitsForParty(circuit) ? <PartyFields {...{ party }} /> : null}
      {error ? <Alert tone="danger">{error}</Alert> : null}
      <div className="row">
        {(circuit ?? envelope?.circuit) === undefined ? null : (
          <Button loading={isBusy} onClick={() => void press()}>
            {pressWords(circuit, applied)}
          </Button>
        )}
        <AppliedNote {...{ circuit, applied, stale }} />
      </div>
    </Card>
  );
}

const waitsForParty = (circuit: Circuit | undefined): boolean =>
  circuit?.steps.some(({ by }) => by.who === "other_party") ?? false;

type ChoiceProps = PickerProps & Pick<ReturnType<typeof useApplying>, "apply" | "settled">;

/** A choice applies at once, unless somebody must be named first or would be lost. */
function useChoice({ circuits, keeper, apply, settled }: ChoiceProps) {
  const { envelope, draft } = keeper.state();
  const applied = circuits.find(
    ({ name, use }) =>
      name === envelope?.circuit?.name && (use === "imposed") === envelope.circuit.imposed,
  );
  const said = draft.documentKind ?? "";
  const kinds = circuits.flatMap((circuit) => circuit.kinds);
  const kind = kinds.find((one) => foldText(one) === foldText(said)) ?? said;
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
    async chooseKind(next: string) {
      await settled();
      const wasImposed = keeper.state().envelope?.circuit?.imposed === true;
      const kept = ofKind("proposed", next)?.id ?? (wasImposed ? "" : chosen);
      keeper.update("documentKind", { documentKind: next === "" ? null : next });
      setChosen(kept);
      const follows = ofKind("imposed", next);
      if (follows ? !waitsForParty(follows) : wasImposed)
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
  readonly stale: string | undefined;
  readonly chosen: string;
  readonly onChoose: (id: string) => void;
};

function CircuitField({ circuits, stale, chosen, onChoose }: CircuitFieldProps) {
  return (
    <SelectField label="Circuit" value={chosen} onChange={(event) => onChoose(event.target.value)}>
      <option value="">{stale === undefined ? "Aucun" : `${stale} (modifié ou supprimé)`}</option>
      {circuits.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

type NoteProps = Readonly<Record<"circuit" | "applied", Circuit | undefined>> & {
  readonly stale: string | undefined;
};

function AppliedNote({ circuit, applied, stale }: NoteProps) {
  return (
    <span className="muted" role="status">
      {noteOf({ circuit, applied, stale })}
    </span>
  );
}

function noteOf({ circuit, applied, stale }: NoteProps): string {
  if (circuit !== undefined && circuit !== applied)
    return `Pas encore appliqué\u00a0: ${circuit.name}`;
  if (applied !== undefined)
    return `Circuit appliqué\u00a0: ${applied.name}. L’appliquer de nouveau reprend ses personnes d’aujourd’hui.`;
  return stale === undefined
    ? ""
    : `Circuit appliqué\u00a0: ${stale}, modifié ou supprimé depuis. Ses personnes restent, et vous pouvez les changer.`;
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
  const known = circuits.flatMap((circuit) => circuit.kinds);
  const kinds = [...new Set(kind === "" ? known : [...known, kind])].sort();
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

type PartyProps = { readonly party: ReturnType<typeof useParty> };

function PartyFields({ party: { typed, type, isNeeded, help, faults } }: PartyProps) {
  const common = { required: isNeeded, optional: !isNeeded, autoComplete: "off" };
  return (
    <>
      <TextField
        {...common}
        label="Nom de l’autre partie"
        value={typed.full_name}
        help={help}
        error={faults.full_name ?? undefined}
        onChange={(event) => type({ full_name: event.target.value })}
      />
      <TextField
        {...common}
        label="Email de l’autre partie"
        type="email"
        value={typed.email}
        error={faults.email ?? undefined}
        onChange={(event) => type({ email: event.target.value })}
      />
    </>
  );
}

type PartyOf = {
  readonly keeper: DraftKeeper;
  readonly circuit: Circuit | undefined;
  readonly brought: ReadonlySet<string>;
  readonly own: string;
};
const NOBODY = { full_name: "", email: "" };

function useParty(of: PartyOf) {
  const [typed, setTyped] = useState(NOBODY);
  const [isAsked, setIsAsked] = useState(false);
  const { kept, sent } = keptParty(of);
  const isTyped = typed.full_name.trim() !== "" || typed.email.trim() !== "";
  const isNeeded = waitsForParty(of.circuit) && (isTyped || kept?.length === 0);
  const found = { full_name: nameFault(typed.full_name), email: emailFault(typed.email) };
  const isWrong = isNeeded && (found.full_name ?? found.email) !== null;
  return {
    typed,
    isNeeded,
    help: kept?.length === 0 ? undefined : keptWords(kept ?? []),
    faults: isAsked && isWrong ? found : { full_name: null, email: null },
    type: (part: Partial<typeof NOBODY>) => setTyped({ ...typed, ...part }),
    check() {
      setIsAsked(isWrong);
      if (isWrong)
        focusOnceDrawn(() =>
          document.querySelector<HTMLElement>("[aria-labelledby=circuit] [aria-invalid]"),
        );
      if (isWrong || !waitsForParty(of.circuit)) return isWrong ? null : [];
      return isTyped ? [typed] : sent;
    },
    clear: () => setTyped(NOBODY),
  };
}

function keptWords(kept: readonly DraftRecipient[]): string {
  const names = kept.map(({ fullName, email }) => fullName.trim() || email);
  const few = names.length > 0 && names.length <= 3;
  return `Vides, ces deux champs gardent ${few ? andList(names) : "les signataires déjà ajoutés"}.`;
}

/** `kept` null: the service finds them among the people of the former circuit. */
function keptParty({ keeper, circuit, brought, own }: PartyOf) {
  const { envelope, draft } = keeper.state();
  const former = envelope?.circuit;
  const fixed = new Set([...brought, ...holdersOf(circuit, own)]);
  const signers = draft.recipients.filter((row) => row.role === "signer" && !isBlankRecipient(row));
  const others = signers.filter((row) => !fixed.has(addressIn(row)));
  const asPeople = others.map((row) => ({
    full_name: row.fullName.trim(),
    email: row.email.trim(),
  }));
  if (former === undefined)
    return { kept: others, sent: others.length === signers.length ? [] : asPeople };
  const placed = others.filter(({ rank }) => former.open.includes(rank));
  const isMissing =
    placed.length === 0 &&
    former.imposed &&
    (former.open.length > 0 || former.name !== circuit?.name);
  return { kept: placed.length > 0 || isMissing ? placed : null, sent: [] };
}

const holdersOf = (circuit: Circuit | undefined, own: string): readonly string[] =>
  (circuit?.steps ?? []).flatMap(({ kind, by }) => {
    if (kind === "copy") return [];
    const email = by.who === "person" ? by.email : by.who === "preparer" ? own : "";
    return email === "" ? [] : [email.toLowerCase()];
  });

const TWICE = "L’autre partie figure déjà dans ce circuit. Indiquez une autre personne.";

function useApplying(keeper: DraftKeeper) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [brought, setBrought] = useState<ReadonlySet<string>>(new Set());
  const last = useRef<Promise<unknown>>(Promise.resolve());
  const attempt = async (choice: Parameters<typeof chooseCircuit>[1]): Promise<boolean> => {
    setIsBusy(true);
    setError(null);
    try {
      // Saving another kind already frees the circuit's people.
      const { draft, envelope: before } = keeper.state();
      await keeper.flush();
      await keeper.exclusively((envelope) => chooseCircuit(envelope?.id ?? "", choice));
      await keeper.reload();
      const left = before?.circuit;
      if (left?.imposed) {
        const fixed = draft.recipients.filter((row) =>
          isFixedBy(left, { ...row, order: row.rank }),
        );
        setBrought((known) => new Set([...known, ...fixed.map(addressIn)]));
      }
      return true;
    } catch (cause) {
      const [fault] = cause instanceof ApiError ? Object.entries(cause.fieldErrors) : [];
      const isTwice = fault?.[0].startsWith("recipients.") && fault[0].endsWith(".email");
      setError(
        isTwice
          ? TWICE
          : (fault?.[1][0] ?? callMessage(cause, "Le circuit n’est pas appliqué. Réessayez.")),
      );
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  const apply = (choice: Parameters<typeof chooseCircuit>[1]) => {
    const done = attempt(choice);
    last.current = done;
    return done;
  };
  return { isBusy, error, brought, apply, settled: () => last.current };
}
