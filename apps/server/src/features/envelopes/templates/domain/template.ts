import {
  failure,
  type Field,
  problem,
  type RecipientRequest,
  type Result,
  type Role,
  type StoredStatus,
  success,
  type TeamRef,
  type UseTemplateRequest,
  isToCopy,
} from "@paraphe/contracts";
import { isBrought } from "../../domain/envelope.ts";

/** `label`: « Locataire »; `order`: rank in a sequential flow. */
type TemplateRole = { readonly label: string; readonly role: Role; readonly order: number };
type CircuitPlace = Pick<TemplateRole, "role" | "order">;
type FieldForm = Readonly<Omit<Field, "id" | "document_id" | "recipient_id">>;
type TemplateField = FieldForm & {
  readonly document_index: number;
  readonly recipient_index: number;
};
/** Its files are stored apart; it names no person. A field's recipient is a role, then a step. */
export type TemplateContent = {
  readonly title: string;
  readonly message: string | null;
  readonly flow: "parallel" | "sequential";
  readonly remind_every_days: number | null;
  readonly proof_only?: boolean;
  readonly document_kind?: string | null;
  /** `steps`: to which the circuit brings a person. */
  readonly circuit?: {
    readonly id: string;
    readonly name: string;
    readonly steps: readonly CircuitPlace[];
  } | null;
  readonly lost_circuit?: string;
  readonly roles: readonly TemplateRole[];
  readonly fields: readonly TemplateField[];
};
export type TemplateDocument = {
  readonly name: string;
  readonly pageCount: number;
  readonly sha256: Uint8Array;
  readonly sizeBytes: number;
};
export type Template = {
  readonly id: string;
  readonly name: string;
  readonly ownerId: string;
  readonly team: TeamRef | null;
  readonly content: TemplateContent;
  readonly documents: readonly TemplateDocument[];
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

type Prepared = {
  readonly envelope: {
    readonly status: StoredStatus;
    readonly title: string;
    readonly message: string | null;
    readonly flow: "parallel" | "sequential";
    readonly remindEveryDays: number | null;
    readonly proofOnly: boolean;
    readonly documentKind: string | null;
    readonly circuit: {
      readonly id: string;
      readonly name: string;
      readonly steps: readonly (CircuitPlace & { readonly who: string })[];
    } | null;
  };
  readonly documents: readonly {
    readonly id: string;
    readonly name: string;
    readonly pageCount: number;
    readonly original: { readonly sha256: Uint8Array; readonly sizeBytes: number };
  }[];
  readonly recipients: readonly Person[];
  readonly fields: readonly (FieldForm & {
    readonly documentId: string;
    readonly recipientId: string;
  })[];
};

/**
 * Takes originals, fields and roles, without recipients' answers; those whom a circuit brings become
 * steps. Errors: those of `nameRoles`.
 */
export function templateOf(
  prepared: Prepared,
  given: Parameters<typeof nameRoles>[1],
): Result<{ readonly content: TemplateContent; readonly documents: readonly TemplateDocument[] }> {
  const { circuit } = prepared.envelope;
  const [brought = [], asked = []] = [true, false].map((isStep) =>
    prepared.recipients.filter(
      (one) => isBrought(circuit && { steps: circuit.steps }, one) === isStep,
    ),
  );
  const steps = new Set(brought.map(({ id }) => id));
  const roles = nameRoles(
    asked,
    given.filter(({ recipient }) => !steps.has(recipient)),
  );
  if (!roles.ok) return roles;
  return success({
    content: {
      title: prepared.envelope.title,
      message: prepared.envelope.message,
      flow: prepared.envelope.flow,
      remind_every_days: prepared.envelope.remindEveryDays,
      proof_only: prepared.envelope.proofOnly,
      document_kind: prepared.envelope.documentKind,
      circuit: circuit && {
        id: circuit.id,
        name: circuit.name,
        steps: brought.map(({ role, order }) => ({ role, order })),
      },
      roles: roles.value,
      fields: fieldsOf(prepared, [...asked, ...brought]),
    },
    documents: prepared.documents.map(({ name, pageCount, original }) => ({
      name,
      pageCount,
      sha256: original.sha256,
      sizeBytes: original.sizeBytes,
    })),
  });
}

function fieldsOf(prepared: Prepared, people: readonly Person[]): readonly TemplateField[] {
  const documentPlace = new Map(prepared.documents.map((document, index) => [document.id, index]));
  const recipientPlace = new Map(people.map(({ id }, index) => [id, index]));
  const isDraft = prepared.envelope.status === "draft";
  return prepared.fields.flatMap(
    ({ type, page, x, y, width, height, required, label, value, documentId, recipientId }) => {
      const [document_index, recipient_index] = [
        documentPlace.get(documentId),
        recipientPlace.get(recipientId),
      ];
      if (document_index === undefined || recipient_index === undefined) return [];
      return [
        {
          document_index,
          recipient_index,
          type,
          page,
          x,
          y,
          width,
          height,
          required,
          label,
          value: isDraft || isToCopy({ type }) ? value : null,
        },
      ];
    },
  );
}

const WORDS: Readonly<Record<Role, string>> = {
  signer: "Signataire",
  approver: "Approbateur",
  visa: "Visa",
  viewer: "Copie",
};

/** `current` would be chosen now; without any, the steps become roles at the same places. */
export function withCircuitNow(content: TemplateContent, current: string | null): TemplateContent {
  if (!content.circuit) return content;
  if (current !== null) return { ...content, circuit: { ...content.circuit, name: current } };
  const { name, steps } = content.circuit;
  const taken = new Set(content.roles.map(({ label }) => key(label)));
  const roles = steps.map(({ role, order }) => {
    const label = firstFree(WORDS[role], taken);
    taken.add(key(label));
    return { label, role, order };
  });
  return { ...content, circuit: null, lost_circuit: name, roles: [...content.roles, ...roles] };
}

type Person = { readonly id: string; readonly role: Role; readonly order: number };
/**
 * Gives the name chosen, or « Signataire 2 ».
 * Errors: `validation` on `roles` for a duplicate name or unknown recipient.
 */
function nameRoles(
  recipients: readonly Person[],
  given: readonly { readonly recipient: string; readonly label: string }[],
): Result<readonly TemplateRole[]> {
  const ids = new Set(recipients.map((recipient) => recipient.id));
  const labels = new Map<string, string>();
  const taken = new Set<string>();
  const errors: Record<string, string[]> = {};
  for (const [index, { recipient, label }] of given.entries()) {
    if (!ids.has(recipient) || labels.has(recipient))
      errors[`roles.${index}.recipient`] = ["Ce destinataire n’est pas dans l’enveloppe"];
    else if (taken.has(key(label)))
      errors[`roles.${index}.label`] = ["Ce nom de rôle est déjà pris"];
    labels.set(recipient, label);
    taken.add(key(label));
  }
  if (Object.keys(errors).length > 0) return failure(problem("validation", { errors }));
  return success(
    recipients.map(({ id, role, order }) => {
      const label = labels.get(id) ?? firstFree(WORDS[role], taken);
      taken.add(key(label));
      return { label, role, order };
    }),
  );
}

function firstFree(word: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++)
    if (!taken.has(key(`${word} ${number}`))) return `${word} ${number}`;
}

function key(label: string): string {
  return label.normalize("NFKC").toLowerCase();
}

/**
 * Gives a recipient for each role.
 * Errors: `validation` under `roles.<index>` for a role without a person, unknown or taken.
 */
function fillRoles(
  roles: readonly TemplateRole[],
  people: UseTemplateRequest["people"],
): Result<readonly RecipientRequest[]> {
  const errors: Record<string, string[]> = {};
  const holders = new Map<number, UseTemplateRequest["people"][number]>();
  for (const [index, person] of people.entries()) {
    if (roles[person.role_index] === undefined)
      errors[`people.${index}.role_index`] = ["Ce rôle n’est pas dans le modèle"];
    else if (holders.has(person.role_index))
      errors[`people.${index}.role_index`] = ["Ce rôle a déjà une personne"];
    holders.set(person.role_index, person);
  }
  const filled = roles.flatMap(({ label, role, order }, index) => {
    const holder = holders.get(index);
    if (holder === undefined) {
      errors[`roles.${index}`] = [`Indiquez une personne pour le rôle «\u00a0${label}\u00a0»`];
      return [];
    }
    const { email, full_name, phone_number } = holder;
    return [{ email, full_name, phone_number, role, order }];
  });
  return Object.keys(errors).length === 0
    ? success(filled)
    : failure(problem("validation", { errors }));
}

type Filling = {
  readonly title?: string | undefined;
  readonly people: UseTemplateRequest["people"];
  /** By the label of the text fields they fill. */
  readonly texts?: ReadonlyMap<string, string>;
  readonly deadlineAt?: string | null;
};

/**
 * What `createEnvelopeRequest` parses. `brought`: by the circuit now; a step without a person loses
 * its fields. Errors: those of `fillRoles`.
 */
export function requestOf(
  { content, team }: Pick<Template, "content" | "team">,
  filling: Filling,
  brought: readonly RecipientRequest[] = [],
) {
  const asked = fillRoles(content.roles, filling.people);
  if (!asked.ok) return asked;
  const free = [...brought];
  const steps = (content.circuit?.steps ?? []).map(({ role, order }) => {
    const found = free.findIndex((one) => one.role === role && one.order === order);
    return found === -1 ? undefined : free.splice(found, 1)[0];
  });
  const recipients = [...asked.value, ...steps.filter((one) => one !== undefined)];
  const places = [...asked.value, ...steps].map((one) => one && recipients.indexOf(one));
  const { texts, deadlineAt = null } = filling;
  return success({
    title: filling.title ?? content.title,
    message: content.message,
    deadline_at: deadlineAt,
    flow: content.flow,
    reminders: { every_days: content.remind_every_days },
    proof_only: content.proof_only,
    team: team?.id ?? null,
    recipients,
    fields: content.fields.flatMap((field) => {
      const recipient_index = places[field.recipient_index];
      if (recipient_index === undefined) return [];
      const text =
        field.type === "text" && field.label !== null ? texts?.get(field.label) : undefined;
      return [{ ...field, recipient_index, ...(text === undefined ? {} : { value: text }) }];
    }),
  });
}

export function textLabels({ fields }: Pick<TemplateContent, "fields">): readonly string[] {
  const labels = fields.flatMap(({ type, label }) =>
    type === "text" && label !== null ? [label] : [],
  );
  return [...new Set(labels)];
}
