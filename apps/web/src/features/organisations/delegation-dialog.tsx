import { type Delegation, type DelegationRequest, SCOPE_CHOICES } from "@paraphe/contracts";
import { onBehalf } from "@paraphe/kernel/french-words";
import { addDays, parisDay } from "@paraphe/kernel/paris-days";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, callMessage } from "../../lib/api/api-error.ts";
import { DateField } from "../../ui/date-field/date-field.tsx";
import { FormDialog } from "../../ui/dialog/form-dialog.tsx";
import { SelectField } from "../../ui/field/field.tsx";
import { fullName, useSession } from "../accounts/use-session.ts";
import { circuitsQuery } from "./circuit-calls.ts";
import { membersQuery } from "./members/member-calls.ts";
import styles from "./organisation.module.css";

type Props = {
  readonly delegation?: Delegation | undefined;
  readonly onSave: (request: DelegationRequest, id?: string) => Promise<void>;
  readonly onClose: () => void;
};

const REQUIRED = {
  delegate_id: "Choisissez une personne.",
  starts_on: "Indiquez le premier jour.",
  ends_on: "Indiquez le dernier jour.",
  circuit_id: "Choisissez un circuit.",
};
type Required = keyof typeof REQUIRED;
type Name = Required | "scope";
const isDay = (text: string) => /^\d{4}-\d{2}-\d{2}$/u.test(text);

export function DelegationDialog({ delegation, onSave, onClose }: Props) {
  const { values, set, faults, failure, isBusy, submit } = useWriting({
    delegation,
    onSave,
    onClose,
  });
  const session = useSession();
  const user = session.state === "member" ? session.user : undefined;
  const others = (useQuery(membersQuery).data?.members ?? []).filter(
    ({ id, role }) => id !== user?.id && role !== "reader",
  );
  const delegate = others.find(({ id }) => id === values.delegate_id);
  return (
    <FormDialog
      title={delegation === undefined ? "Nouvelle délégation" : "Modifier la délégation"}
      sheet
      action={delegation === undefined ? "Créer la délégation" : "Enregistrer"}
      {...{ isBusy, failure, onClose }}
      onSubmit={() => void submit()}
    >
      <SelectField
        label="À qui"
        required
        value={values.delegate_id}
        error={faults.delegate_id}
        onChange={(event) => set("delegate_id", event.target.value)}
      >
        <option value="">Choisir une personne</option>
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <Days {...{ values, set, faults }} />
      <ScopeFields {...{ values, set, faults }} />
      {delegate !== undefined && user !== undefined && (
        <p className="small">
          {values.scope === "visas" ? "La preuve dira" : "Le document et la preuve diront"}
          {"\u00a0"}: «{"\u00a0"}
          {onBehalf(delegate.name, fullName(user))}
          {values.scope === "visas" ? "\u00a0»." : "\u00a0»\u202f; le certificat est à son nom."}
        </p>
      )}
    </FormDialog>
  );
}

type FieldsProps = Pick<ReturnType<typeof useWriting>, "values" | "set" | "faults">;

function ScopeFields({ values, set, faults }: FieldsProps) {
  const { data } = useQuery(circuitsQuery);
  return (
    <>
      <SelectField
        label="Pour"
        value={values.scope}
        onChange={(event) => set("scope", event.target.value)}
      >
        {Object.entries(SCOPE_CHOICES).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {values.scope === "circuit" && (
        <SelectField
          label="Circuit"
          required
          value={values.circuit_id}
          error={faults.circuit_id}
          onChange={(event) => set("circuit_id", event.target.value)}
        >
          <option value="">Choisir un circuit</option>
          {data?.circuits.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      )}
    </>
  );
}

function Days({ values, set, faults }: FieldsProps) {
  const today = parisDay(new Date());
  return (
    <div className={styles["days"]}>
      <DateField
        label="Du"
        required
        shortYear
        min={today}
        value={values.starts_on}
        error={faults.starts_on}
        onChange={(day) => set("starts_on", day)}
      />
      <DateField
        label="Au (inclus)"
        required
        shortYear
        min={isDay(values.starts_on) ? values.starts_on : today}
        value={values.ends_on}
        error={faults.ends_on}
        onChange={(day) => set("ends_on", day)}
      />
    </div>
  );
}

function useWriting({ delegation, onSave, onClose }: Props) {
  const today = parisDay(new Date());
  const [values, setValues] = useState<Readonly<Record<Name, string>>>({
    delegate_id: delegation?.person.id ?? "",
    starts_on: delegation?.starts_on ?? today,
    ends_on: delegation?.ends_on ?? addDays(today, 14),
    scope: delegation?.scope ?? "all",
    circuit_id: delegation?.circuit?.id ?? "",
  });
  const [faults, setFaults] = useState<Readonly<Partial<Record<Name, string>>>>({});
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const set = (name: Name, value: string) => {
    setValues((before) => ({ ...before, [name]: value }));
    setFaults(({ [name]: _fixed, ...others }) => others);
  };
  const submit = async () => {
    const ofCircuit = values.scope === "circuit";
    const missing = (Object.keys(REQUIRED) as Required[]).filter((name) => {
      if (name === "circuit_id") return ofCircuit && values[name] === "";
      return name === "delegate_id" ? values[name] === "" : !isDay(values[name]);
    });
    if (missing.length > 0)
      return setFaults(Object.fromEntries(missing.map((name) => [name, REQUIRED[name]])));
    setIsBusy(true);
    setFailure(undefined);
    try {
      const scope = values.scope as DelegationRequest["scope"];
      const circuit_id = ofCircuit ? values.circuit_id : null;
      await onSave({ ...values, scope, circuit_id }, delegation?.id);
      onClose();
    } catch (error) {
      setIsBusy(false);
      const said = error instanceof ApiError ? Object.entries(error.fieldErrors) : [];
      if (said.length > 0)
        return setFaults(Object.fromEntries(said.map(([name, [sentence]]) => [name, sentence])));
      setFailure(callMessage(error, "Impossible d’enregistrer la délégation"));
    }
  };
  return { values, set, faults, failure, isBusy, submit };
}
