import { CONTACT_SENTENCES, type Contact, type ContactRequest } from "@paraphe/contracts";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { ApiError, callMessage } from "../../../lib/api/api-error.ts";
import { formatPhone } from "../../../lib/format/slugify.ts";
import { FormDialog } from "../../../ui/dialog/form-dialog.tsx";
import { TextField } from "../../../ui/field/field.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { TeamField } from "../../accounts/team-field.tsx";
import { contactCalls, contactsKey, type Pair } from "./contact-calls.ts";

const FIELDS = [
  { name: "full_name", label: "Nom", type: "text", required: true, longest: 150 },
  { name: "email", label: "Email", type: "email", required: true, longest: 254 },
  { name: "second_email", label: "Seconde adresse", type: "email", longest: 254 },
  { name: "phone_number", label: "Téléphone", type: "tel", longest: 32 },
  { name: "company", label: "Société", type: "text", longest: 150 },
] as const satisfies readonly {
  readonly name: keyof ContactRequest;
  readonly label: string;
  readonly type: string;
  readonly required?: true;
  readonly longest: number;
}[];

export function valuesOf(contact: Contact | null): ContactRequest {
  return {
    full_name: contact?.full_name ?? "",
    email: contact?.email ?? "",
    second_email: contact?.second_email ?? "",
    phone_number: contact?.phone_number ? formatPhone(contact.phone_number) : "",
    company: contact?.company ?? "",
    team: contact?.team?.id ?? null,
  };
}

type Props = {
  readonly contact: Contact | null;
  readonly onCompare: (pair: Pair) => void;
  readonly onClose: () => void;
};

async function ownContactAt(address: string): Promise<Contact | undefined> {
  const asked = { search: address, team: "mine", page: 1, page_size: 20 } as const;
  const { results } = await contactCalls.list(asked);
  const isMeant = (one: string | null) => one?.toLowerCase() === address.toLowerCase();
  return results.find(({ email, second_email }) => isMeant(email) || isMeant(second_email));
}

function useContactForm({ contact, onClose }: Omit<Props, "onCompare">) {
  const client = useQueryClient();
  const [values, setValues] = useState(() => valuesOf(contact));
  const [errors, setErrors] = useState<Readonly<Record<string, string | undefined>>>({});
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const [twin, setTwin] = useState<Contact>();
  const inputs = useRef<Partial<Record<keyof ContactRequest, HTMLInputElement | null>>>({});
  const refuse = (refused: Readonly<Record<string, string | undefined>>) => {
    setErrors(refused);
    const name = FIELDS.find((field) => refused[field.name] !== undefined)?.name;
    if (name !== undefined) inputs.current[name]?.focus();
    setTwin(undefined);
    const isOwn = contact !== null && contact.team === undefined && values.team === null;
    if (isOwn && name !== undefined && refused[name] === CONTACT_SENTENCES.address_taken)
      void ownContactAt(values[name] ?? "").then(setTwin, () => undefined);
  };
  const submit = async () => {
    setFailure(undefined);
    const missing = {
      ...(values.full_name.trim() === "" ? { full_name: "Nom requis" } : {}),
      ...(values.email.trim() === "" ? { email: "Email requis" } : {}),
    };
    if (Object.keys(missing).length > 0) return refuse(missing);
    setIsBusy(true);
    try {
      await (contact === null ? contactCalls.add(values) : contactCalls.change(contact.id, values));
    } catch (error) {
      setIsBusy(false);
      const told = error instanceof ApiError ? error.fieldErrors : {};
      const refused = Object.fromEntries(
        FIELDS.flatMap(({ name }) => (told[name] ? [[name, told[name].join(" ")]] : [])),
      );
      if (Object.keys(refused).length > 0) return refuse(refused);
      return setFailure(callMessage(error, "Le contact n’a pas pu être enregistré."));
    }
    onClose();
    showToast("ok", contact === null ? "Contact ajouté" : "Contact modifié");
    void client.invalidateQueries({ queryKey: ["suggestions"] });
    await client.invalidateQueries({ queryKey: contactsKey });
  };
  const change = (name: keyof ContactRequest, value: string | null) => {
    setValues({ ...values, [name]: value });
    setErrors({ ...errors, [name]: undefined });
  };
  const errorOf = (name: keyof ContactRequest, compare: (pair: Pair) => void) => {
    if (errors[name] !== CONTACT_SENTENCES.address_taken || !contact || !twin) return errors[name];
    const { full_name, phone_number, company } = values;
    const first = { ...contact, full_name, phone_number, company };
    return (
      <span>
        {errors[name]}{" "}
        <LinkAction onClick={() => compare({ first, second: twin })}>
          Comparer avec {twin.full_name}
        </LinkAction>
      </span>
    );
  };
  return { values, errorOf, failure, isBusy, inputs, change, submit };
}

export function ContactDialog({ onCompare, ...of }: Props) {
  const { contact, onClose } = of;
  const { values, errorOf, inputs, change, submit, ...state } = useContactForm(of);
  const first = useRef<HTMLInputElement>(null);
  return (
    <FormDialog
      title={contact === null ? "Nouveau contact" : "Modifier le contact"}
      sheet
      action={contact === null ? "Ajouter" : "Enregistrer"}
      initialFocus={first}
      {...state}
      onClose={onClose}
      onSubmit={() => void submit()}
    >
      {FIELDS.map((field) => (
        <TextField
          key={field.name}
          ref={(input) => {
            inputs.current[field.name] = input;
            if (field.name === "full_name") first.current = input;
          }}
          label={field.label}
          type={field.type}
          autoComplete="off"
          spellCheck={false}
          required={"required" in field}
          optional={!("required" in field)}
          maxLength={field.longest}
          value={values[field.name]}
          error={errorOf(field.name, onCompare)}
          onChange={(event) => change(field.name, event.target.value)}
        />
      ))}
      <TeamField
        value={values.team}
        help="L’équipe voit ce contact, et l’utilise."
        onChange={(team) => change("team", team)}
      />
    </FormDialog>
  );
}
