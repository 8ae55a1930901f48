import {
  businessDays,
  type Circuit,
  circuitFaults,
  circuitSentence,
  type CircuitStep,
  STEP_KINDS,
  type StepKind,
  stepRanks,
} from "@paraphe/contracts/circuit";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { announce } from "../../lib/browser/announce.ts";
import { classNames } from "../../lib/class-names.ts";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { plural } from "../../lib/format/format-numbers.ts";
import { Alert } from "../../ui/alert/alert.tsx";
import { Button } from "../../ui/button/button.tsx";
import { Card } from "../../ui/card/card.tsx";
import { Checkbox } from "../../ui/checkbox/checkbox.tsx";
import { SelectField, TextField } from "../../ui/field/field.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { Segmented } from "../../ui/segmented/segmented.tsx";
import { showToast } from "../../ui/toast/toast-store.ts";
import { PersonInput } from "../envelopes/prepare/recipients/person-input.tsx";
import { addCircuit, changeCircuit, circuitsQuery, type TypedCircuit } from "./circuit-calls.ts";
import styles from "./circuits.module.css";
import { teamsQuery } from "./members/member-calls.ts";

type Keyed = CircuitStep & { readonly key: number };
type Form = Omit<TypedCircuit, "steps" | "kinds"> & {
  readonly kinds: string;
  readonly steps: readonly Keyed[];
};

const PERSON = { who: "person", email: "", full_name: "" } as const;
const newStep = (key: number, kind: StepKind): Keyed => ({
  key,
  kind,
  by: PERSON,
  together: false,
  may_return: true,
  may_reassign: true,
  days: null,
  remind: null,
});

function formOf(circuit: Circuit | undefined): Form {
  if (circuit === undefined)
    return {
      name: "",
      use: "free",
      kinds: "",
      steps: [newStep(0, "visa"), newStep(1, "signature")],
    };
  const steps = circuit.steps.map((step, key) => ({ ...step, key }));
  return { name: circuit.name, use: circuit.use, kinds: circuit.kinds.join(", "), steps };
}

function typedOf({ steps, kinds, ...rest }: Form): TypedCircuit {
  return {
    ...rest,
    kinds: kinds
      .split(",")
      .map((kind) => kind.trim())
      .filter((kind) => kind !== ""),
    steps: steps.map(({ key: _key, ...step }) => step),
  };
}

type Fault = { readonly step: number | null; readonly text: string };
type EditorProps = { readonly circuit: Circuit | undefined; readonly onLeave: () => void };

export function CircuitEditor({ circuit, onLeave }: EditorProps) {
  const [form, setForm] = useState(() => formOf(circuit));
  const change = (part: Partial<Form>) => setForm((before) => ({ ...before, ...part }));
  const { faults, isBusy, save } = useSaving({ circuit, form, onLeave });
  const running = circuit?.running ?? 0;
  const isChanged = JSON.stringify(typedOf(form)) !== JSON.stringify(typedOf(formOf(circuit)));
  return (
    <>
      <FaultSummary faults={faults} />
      {running > 0 && isChanged && (
        <p className="muted num" role="status">
          {plural(running, "enveloppe en cours garde", "enveloppes en cours gardent")} la version
          précédente.
        </p>
      )}
      <Card id="circuit" title={circuit?.name ?? "Nouveau circuit"}>
        <TextField
          id="nom"
          label="Nom du circuit"
          required
          maxLength={100}
          value={form.name}
          onChange={(event) => change({ name: event.target.value })}
        />
        <Sentence steps={form.steps} />
      </Card>
      <StepsCard
        steps={form.steps}
        faulty={new Set(faults.map(({ step }) => step))}
        onSteps={(steps) => change({ steps })}
      />
      <UseCard {...{ form, change }} />
      <div className="row">
        <Button onClick={onLeave}>Annuler</Button>
        <Button variant="primary" loading={isBusy} onClick={() => void save()}>
          Enregistrer
        </Button>
      </div>
    </>
  );
}

function FaultSummary({ faults }: { readonly faults: readonly Fault[] }) {
  const summary = useRef<HTMLDivElement>(null);
  const found = faults.map(({ text }) => text).join();
  const before = useRef("");
  useEffect(() => {
    // Mending one of several faults does not move the focus.
    if (found !== "" && !before.current.includes(found)) summary.current?.focus();
    before.current = found;
  }, [found]);
  if (faults.length === 0) return null;
  return (
    <Alert ref={summary} tone="danger" title="Le circuit n’est pas enregistré">
      <ul>
        {faults.map(({ step, text }) => (
          <li key={text}>
            <a href={`#${step === null ? "nom" : `etape-${step + 1}`}`}>{text}</a>
          </li>
        ))}
      </ul>
    </Alert>
  );
}

type UseProps = {
  readonly form: Form;
  readonly change: (part: Partial<Form>) => void;
};

function UseCard({ form, change }: UseProps) {
  return (
    <Card id="emploi" title="Emploi">
      <SelectField
        label="Ce circuit est"
        value={form.use}
        onChange={(event) => change({ use: event.target.value as Form["use"] })}
      >
        <option value="imposed">Fixé pour certains documents</option>
        <option value="proposed">Proposé</option>
        <option value="free">Au choix de qui prépare</option>
      </SelectField>
      {form.use !== "free" && (
        <TextField
          label="Genres de document"
          required
          value={form.kinds}
          help={"Séparés par des virgules. Qui prépare choisit le genre\u202f; le circuit suit."}
          onChange={(event) => change({ kinds: event.target.value })}
        />
      )}
    </Card>
  );
}

function useSaving({ circuit, form, onLeave }: EditorProps & { readonly form: Form }) {
  const client = useQueryClient();
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const [wereFound, setWereFound] = useState(true);
  const [isBusy, setIsBusy] = useState(false);
  const save = async () => {
    const typed = typedOf(form);
    const found = faultsOf(form);
    setFaults(found);
    setWereFound(true);
    if (found.length > 0) return;
    setIsBusy(true);
    try {
      const saved =
        circuit === undefined
          ? await addCircuit(typed)
          : await changeCircuit(circuit.id, { ...typed, version: circuit.version });
      client.setQueryData(circuitsQuery.queryKey, saved);
      showToast("ok", "Circuit enregistré");
      onLeave();
    } catch (cause) {
      setIsBusy(false);
      setFaults(refusedFaults(cause));
      setWereFound(false);
    }
  };
  // A fault that only the service finds stays until the next save.
  const there = new Set(faultsOf(form).map(({ text }) => text));
  const left = wereFound ? faults.filter(({ text }) => there.has(text)) : faults;
  return { faults: left, isBusy, save };
}

function faultsOf(form: Form): readonly Fault[] {
  const nameless =
    form.name.trim() === "" ? [{ step: null, text: "Donnez un nom au circuit." }] : [];
  return [...nameless, ...circuitFaults(form.steps)];
}

function refusedFaults(cause: unknown): readonly Fault[] {
  const errors = cause instanceof ApiError ? Object.entries(cause.fieldErrors) : [];
  if (errors.length === 0)
    return [
      { step: null, text: callMessage(cause, "Le circuit n’est pas enregistré. Réessayez.") },
    ];
  return errors.map(([name, [text = "Valeur incorrecte"]]) => {
    const index = /^steps\.(\d+)/.exec(name)?.[1];
    return index === undefined
      ? { step: null, text }
      : { step: Number(index), text: `Étape ${Number(index) + 1}\u00a0: ${text}` };
  });
}

const SAID_AFTER_MS = 500;

function Sentence({ steps }: { readonly steps: readonly CircuitStep[] }) {
  const now = circuitSentence(steps);
  const [said, setSaid] = useState(now);
  useEffect(() => {
    const timer = setTimeout(() => setSaid(now), SAID_AFTER_MS);
    return () => clearTimeout(timer);
  }, [now]);
  return (
    <div>
      <h3 className="h3">En une phrase</h3>
      <p role="status">{said}</p>
    </div>
  );
}

type StepsProps = {
  readonly steps: readonly Keyed[];
  readonly faulty: ReadonlySet<number | null>;
  readonly onSteps: (steps: readonly Keyed[]) => void;
};

function useSteps({ steps, onSteps }: Pick<StepsProps, "steps" | "onSteps">) {
  const [removed, setRemoved] = useState<{ step: Keyed; index: number } | null>(null);
  const nextKey = Math.max(-1, ...steps.map(({ key }) => key), removed?.step.key ?? -1) + 1;
  const move = (index: number, by: -1 | 1) => {
    const to = index + by;
    const [step] = steps.slice(index, index + 1);
    if (step === undefined || to < 0 || to >= steps.length) return;
    const rest = steps.toSpliced(index, 1);
    onSteps(rest.toSpliced(to, 0, step));
    announce(`Étape ${index + 1} déplacée en position ${to + 1}`);
    // A node that changes place loses the focus.
    const focused = document.activeElement;
    requestAnimationFrame(() => focused instanceof HTMLElement && focused.focus());
  };
  const remove = (index: number) => {
    const [step] = steps.slice(index, index + 1);
    if (step === undefined) return;
    setRemoved({ step, index });
    onSteps(steps.toSpliced(index, 1));
  };
  const restore = () => {
    if (removed !== null) onSteps(steps.toSpliced(removed.index, 0, removed.step));
    setRemoved(null);
  };
  const add = (together: boolean) =>
    onSteps([...steps, { ...newStep(nextKey, "signature"), together }]);
  return { removed, move, remove, restore, add };
}

function StepsCard({ steps, faulty, onSteps }: StepsProps) {
  const { removed, move, remove, restore, add } = useSteps({ steps, onSteps });
  const ranks = stepRanks(steps);
  return (
    <Card id="etapes" title="Étapes">
      <ol className={styles["circuit"]}>
        {steps.map((step, index) => (
          <StepItem
            key={step.key}
            {...{ step, index }}
            rank={ranks[index] ?? 1}
            isLast={index === steps.length - 1}
            isFaulty={faulty.has(index)}
            onChange={(part) => onSteps(steps.with(index, { ...step, ...part }))}
            onMove={(by) => move(index, by)}
            onRemove={() => remove(index)}
          />
        ))}
      </ol>
      {removed !== null && (
        <div className="row" role="status">
          <span>{`Étape ${removed.index + 1} retirée.`}</span>
          <Button size="sm" onClick={restore}>
            La remettre
          </Button>
        </div>
      )}
      <div className="row">
        <Button size="sm" onClick={() => add(false)}>
          <Icon name="plus" size="sm" />
          Ajouter une étape
        </Button>
        <Button size="sm" variant="ghost" onClick={() => add(true)}>
          Ajouter en parallèle
        </Button>
      </div>
    </Card>
  );
}

type StepProps = {
  readonly step: Keyed;
  readonly index: number;
  readonly rank: number;
  readonly isLast: boolean;
  readonly isFaulty: boolean;
  readonly onChange: (part: Partial<CircuitStep>) => void;
  readonly onMove: (by: -1 | 1) => void;
  readonly onRemove: () => void;
};

const KINDS = (Object.keys(STEP_KINDS) as StepKind[]).map((value) => ({
  value,
  label: STEP_KINDS[value],
}));

function StepItem(props: StepProps) {
  const { step, index, rank, isFaulty, onChange } = props;
  const [isOpen, setIsOpen] = useState(true);
  return (
    <li className={styles["step"]}>
      <span className={styles["number"]} aria-hidden="true">
        {rank}
      </span>
      <div className={styles["edit"]} data-faulty={isFaulty || undefined}>
        <StepHead {...props} isOpen={isOpen} onFold={() => setIsOpen(!isOpen)} />
        {isOpen && (
          <>
            <Segmented
              label={`Ce que fait l’étape ${index + 1}`}
              value={step.kind}
              options={KINDS}
              onChange={(kind) => onChange({ kind })}
            />
            <HolderFields
              by={step.by}
              onBy={(by) => onChange({ by, ...rightsChange(step.by, by) })}
            />
            {step.kind !== "copy" && <LimitFields {...{ step, onChange }} />}
            <StepRights {...{ step, index, rank, onChange }} />
          </>
        )}
      </div>
    </li>
  );
}

function rightsChange(before: By, by: By): Partial<CircuitStep> {
  const isParty = by.who === "other_party";
  return isParty === (before.who === "other_party")
    ? {}
    : { may_return: !isParty, may_reassign: !isParty };
}

type HeadProps = StepProps & { readonly isOpen: boolean; readonly onFold: () => void };

function StepHead({ step, index, isLast, isOpen, onFold, onMove, onRemove }: HeadProps) {
  const moveByKey = (event: KeyboardEvent) => {
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : null;
    if (!event.altKey || by === null) return;
    event.preventDefault();
    onMove(by);
  };
  const of = <span className="sr"> l’étape {index + 1}</span>;
  return (
    <div className="row row--between">
      <h3 className="h3">
        <button
          type="button"
          className={styles["fold"]}
          id={`etape-${index + 1}`}
          title="Alt + flèches pour déplacer"
          aria-expanded={isOpen}
          onClick={onFold}
          onKeyDown={moveByKey}
        >
          {`Étape ${index + 1}\u00a0: ${STEP_KINDS[step.kind]}`}
          <Icon name={isOpen ? "chevron-up" : "chevron-down"} size="sm" />
        </button>
      </h3>
      <div className={classNames("row", styles["moves"])}>
        <Button size="sm" variant="ghost" blocked={index === 0} onClick={() => onMove(-1)}>
          Monter{of}
        </Button>
        <Button size="sm" variant="ghost" blocked={isLast} onClick={() => onMove(1)}>
          Descendre{of}
        </Button>
        <Button size="sm" variant="ghost" onClick={onRemove}>
          Retirer{of}
        </Button>
      </div>
    </div>
  );
}

const LIMITS = [1, 2, 3, 5, 10, 15];

function LimitFields({ step, onChange }: Pick<StepProps, "step" | "onChange">) {
  const { days, remind } = step;
  const limits = [...new Set([...LIMITS, days ?? 1])].sort((one, other) => one - other);
  const setDays = (value: string) =>
    onChange(
      value === ""
        ? { days: null, remind: remind === "eve" ? null : remind }
        : { days: Number(value) },
    );
  return (
    <div className={styles["limits"]}>
      <SelectField
        label="Délai"
        value={String(days ?? "")}
        onChange={(event) => setDays(event.target.value)}
      >
        <option value="">Sans délai</option>
        {limits.map((one) => (
          <option key={one} value={one}>
            {businessDays(one)}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="Rappel"
        value={remind ?? ""}
        onChange={(event) =>
          onChange({ remind: event.target.value === "" ? null : (event.target.value as Remind) })
        }
      >
        <option value="">Aucun</option>
        {days !== null && <option value="eve">La veille</option>}
        <option value="daily">Chaque jour ouvré</option>
      </SelectField>
      {days !== null && (
        <p className="muted small">
          Passé le délai, la personne est relancée et l’expéditeur prévenu.
        </p>
      )}
    </div>
  );
}

type Remind = NonNullable<CircuitStep["remind"]>;
type RightsProps = Pick<StepProps, "step" | "index" | "rank" | "onChange">;

function StepRights({ step, index, rank, onChange }: RightsProps) {
  const right = (part: "together" | "may_return" | "may_reassign", label: string) => (
    <Checkbox
      label={label}
      checked={step[part]}
      onChange={(event) => onChange({ [part]: event.target.checked })}
    />
  );
  return (
    <>
      {index > 0 && right("together", "En même temps que l’étape précédente")}
      {step.kind !== "copy" && (
        <>
          {right(
            "may_return",
            rank > 1
              ? "Peut renvoyer à une étape précédente ou à qui prépare, avec un motif"
              : "Peut renvoyer à qui prépare, avec un motif",
          )}
          {right("may_reassign", "Peut confier l’étape à quelqu’un d’autre")}
        </>
      )}
    </>
  );
}

type By = CircuitStep["by"];
type HolderProps = { readonly by: By; readonly onBy: (by: By) => void };

function HolderFields({ by, onBy }: HolderProps) {
  const teams = useQuery(teamsQuery).data?.teams ?? [];
  const [who, team] = "team" in by ? [by.who, by.team?.id ?? ""] : [by.who, ""];
  const choose = (next: By["who"], id: string) => {
    const found = teams.find((one) => one.id === id);
    const named = found === undefined ? null : { id: found.id, name: found.name };
    if (next === "person") onBy(PERSON);
    else if (next === "team_administrator" || next === "team_members")
      onBy({ who: next, team: named });
    else onBy({ who: next });
  };
  return (
    <>
      <SelectField
        label="Par"
        value={who}
        onChange={(event) => choose(event.target.value as By["who"], team)}
      >
        <option value="person">Une personne</option>
        <optgroup label="Un rôle">
          <option value="owner">Un propriétaire de l’organisation</option>
          <option value="administrator">Un administrateur de l’organisation</option>
          <option value="team_administrator">Un administrateur d’une équipe</option>
          <option value="team_members">Chaque membre d’une équipe</option>
        </optgroup>
        <option value="preparer">Qui prépare</option>
        <option value="other_party">L’autre partie</option>
      </SelectField>
      {"team" in by && (
        <SelectField
          label="Équipe"
          value={team}
          onChange={(event) => choose(who, event.target.value)}
        >
          <option value="">L’équipe de qui prépare</option>
          {[...teams, ...goneTeam(by.team, teams)].map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
      {by.who === "person" && <PersonFields {...{ by, onBy }} />}
    </>
  );
}

type Named = { readonly id: string; readonly name: string };
const goneTeam = (team: Named | null, teams: readonly Named[]) =>
  team === null || teams.some(({ id }) => id === team.id) ? [] : [team];

function PersonFields({
  by,
  onBy,
}: Pick<HolderProps, "onBy"> & { readonly by: Extract<By, { who: "person" }> }) {
  return (["fullName", "email"] as const).map((part) => (
    <PersonInput
      key={part}
      part={part}
      value={part === "email" ? by.email : by.full_name}
      taken={() => []}
      onChange={({ fullName = by.full_name, email = by.email }) =>
        onBy({ ...by, full_name: fullName, email })
      }
      onLeave={() => undefined}
    />
  ));
}
