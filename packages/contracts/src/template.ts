import * as z from "zod/mini";
import {
  MAX_DOCUMENTS,
  MAX_FIELDS,
  MAX_FILE_NAME_LENGTH,
  MAX_LAYOUT_NAME_LENGTH,
  MAX_RECIPIENTS,
  MAX_TEMPLATE_NAME_LENGTH,
} from "./constants.ts";
import { isToCopy } from "./field-kinds.ts";
import {
  fieldTypeSchema,
  flowSchema,
  inPage,
  personNameSchema,
  placementShape,
  roleSchema,
  titleSchema,
} from "./envelope.ts";
import {
  emailSchema,
  idSchema,
  instantSchema,
  lineSchema,
  listSchema,
  multilineSchema,
  namedLineSchema,
  pageQuery,
  phoneSchema,
  teamChoice,
  teamRef,
} from "./schema.ts";

export const MAX_SUGGESTIONS = 8;

const nameSchema = namedLineSchema(MAX_TEMPLATE_NAME_LENGTH, {
  required: "Nom requis",
  kind: "nom",
});
const roleLabelSchema = lineSchema(60, "Nom du rôle requis");

/** A role name (« Locataire ») per recipient, generated where left out. */
export const saveTemplateRequest = z.strictObject({
  envelope: idSchema,
  name: nameSchema,
  roles: z._default(
    z
      .array(z.strictObject({ recipient: idSchema, label: roleLabelSchema }))
      .check(z.maxLength(MAX_RECIPIENTS)),
    [],
  ),
  team: teamChoice,
});
export type SaveTemplateRequest = z.infer<typeof saveTemplateRequest>;
export const renameTemplateRequest = z.strictObject({ name: nameSchema });

/** `role_index` counts from 0 in the template's list. */
const roleHolder = z.strictObject({
  role_index: z.number().check(z.int(), z.minimum(0)),
  email: emailSchema,
  full_name: personNameSchema,
  phone_number: z._default(z.nullable(phoneSchema), null),
});
/** `POST templates/{id}/use/`: a person for every role. */
export const useTemplateRequest = z.strictObject({
  title: z.optional(titleSchema),
  people: z._default(z.array(roleHolder).check(z.maxLength(MAX_RECIPIENTS)), []),
});
export type UseTemplateRequest = z.infer<typeof useTemplateRequest>;

export const templateSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  team: z.optional(teamRef),
  title: z.string(),
  message: z.nullable(z.string()),
  flow: flowSchema,
  documents: z.array(
    z.strictObject({ name: z.string(), size: z.number(), page_count: z.number() }),
  ),
  roles: z.array(
    z.strictObject({
      label: z.string(),
      role: roleSchema,
      order: z.number(),
      field_count: z.number(),
    }),
  ),
  field_count: z.number(),
  /** Labels of its text fields, once each. */
  texts: z.array(z.string()),
  created_at: instantSchema,
  updated_at: instantSchema,
});
export type Template = z.infer<typeof templateSchema>;
/** `GET templates/`: all, by name; 100 at most. */
export const templatesAnswer = z.strictObject({
  count: z.number(),
  results: z.array(templateSchema),
});
export type Templates = z.infer<typeof templatesAnswer>;

/** `GET recipients/suggestions/`: contacts, the last one asked first. */
export const suggestionsQuery = z.strictObject({ search: z._default(lineSchema(200), "") });
export const suggestionSchema = z.strictObject({
  full_name: z.string(),
  email: z.string(),
  phone_number: z.nullable(z.string()),
});
export type Suggestion = z.infer<typeof suggestionSchema>;
export const suggestionsAnswer = z.strictObject({ results: z.array(suggestionSchema) });

/** Suggestions for a mistyped domain. */
export const MAX_KNOWN_DOMAINS = 200;
/** Mail domains with counts, most used first. */
export const knownDomainsAnswer = z.strictObject({
  results: z.array(z.strictObject({ domain: z.string(), people: z.number() })),
});
export type KnownDomains = z.infer<typeof knownDomainsAnswer>;

/** Layouts (« dispositions »): places of fields without documents and people. */

const rank = (below: number) => z.number().check(z.int(), z.minimum(0), z.maximum(below - 1));
/** Indices from 0; fractions of the displayed page. */
const layoutFieldShape = {
  document_rank: rank(MAX_DOCUMENTS),
  person_rank: rank(MAX_RECIPIENTS),
  type: fieldTypeSchema,
  ...placementShape,
  /** From 1; −1 is the last page. */
  page: z.union([z.literal(-1), placementShape.page], "Page invalide"),
};
const layoutFieldRequest = z
  .strictObject({
    ...layoutFieldShape,
    required: z._default(z.boolean(), true),
    label: z._default(z.nullable(lineSchema(200)), null),
    value: z._default(z.nullable(multilineSchema(2_000)), null),
  })
  .check(
    inPage,
    z.refine(
      (field) => isToCopy(field) || field.value === null,
      "Seule la phrase d’une mention est gardée",
    ),
  );
/** `value`: the sentence of a mention alone. */
export const layoutFieldSchema = z.strictObject({
  ...layoutFieldShape,
  required: z.boolean(),
  label: z.nullable(z.string()),
  value: z.nullable(z.string()),
});
export type LayoutField = z.infer<typeof layoutFieldSchema>;

/** `POST layouts/`. */
export const saveLayoutRequest = z.strictObject({
  name: namedLineSchema(MAX_LAYOUT_NAME_LENGTH, { required: "Nom requis", kind: "nom" }),
  fields: z
    .array(layoutFieldRequest)
    .check(z.minLength(1, "Aucun champ à garder"), z.maxLength(MAX_FIELDS)),
  team: teamChoice,
});
export type SaveLayoutRequest = z.infer<typeof saveLayoutRequest>;

export const layoutSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  team: z.optional(teamRef),
  fields: z.array(layoutFieldSchema),
  created_at: instantSchema,
});
export type Layout = z.infer<typeof layoutSchema>;
/** `GET layouts/`: all, by name; 100 at most. */
export const layoutsAnswer = z.strictObject({ count: z.number(), results: z.array(layoutSchema) });
export type Layouts = z.infer<typeof layoutsAnswer>;

/** Mailings (« envoi par fichier »): each line of a CSV becomes an envelope of a template. */

export const MAX_MAILING_ROWS = 1_000;
export const MAX_MAILING_SIZE_BYTES = 5 * 1024 * 1024;
export const MAX_MAILING_COLUMNS = 60;
/** Of an ended mailing with its report. */
export const MAILING_KEPT_DAYS = 30;

/** Sentences of a refused file, at `file`; `{name}` is its name. */
export const MAILING_SENTENCES = {
  empty: "Ce fichier n’a aucune ligne sous les titres de ses colonnes.",
  spreadsheet:
    "«\u00a0{name}\u00a0» est un classeur. Enregistrez-le au format «\u00a0CSV UTF-8\u00a0», puis déposez-le ici.",
  unreadable: "«\u00a0{name}\u00a0» n’est pas un fichier CSV.",
  too_long: "Ce fichier a plus de 1\u202f000 lignes. Partagez-le en plusieurs fichiers.",
  too_large: "Ce fichier dépasse 5\u00a0Mo. Partagez-le en plusieurs fichiers.",
  too_wide: "Ce fichier a plus de 60 colonnes. Retirez celles qui ne servent pas.",
  open_quote:
    "Un guillemet ouvert dans ce fichier n’est jamais fermé. Corrigez-le, puis recommencez.",
} as const;
/** Why a file is refused. */
export type MailingRefusal = keyof typeof MAILING_SENTENCES;

/** What a column becomes; the number is the index of a role or of a text of the template. */
export const mailingTargetSchema = z
  .string()
  .check(z.regex(/^(title|(name|first|email|phone|text):\d{1,3})$/, "Destination inconnue"));
const personOfAllRows = roleHolder;
/** `people`: the same on every line. */
export const mailingPlanRequest = z.strictObject({
  columns: z.array(z.nullable(mailingTargetSchema)).check(z.maxLength(MAX_MAILING_COLUMNS)),
  people: z._default(z.array(personOfAllRows).check(z.maxLength(MAX_RECIPIENTS)), []),
  deadline_days: z._default(
    z.nullable(z.number().check(z.int(), z.minimum(1), z.maximum(365))),
    null,
  ),
});
export type MailingPlanRequest = z.infer<typeof mailingPlanRequest>;

/** `POST mailings/`: the CSV in base64. */
export const mailingRequest = z.strictObject({
  template: idSchema,
  file: z.strictObject({
    name: lineSchema(MAX_FILE_NAME_LENGTH, "Nom requis"),
    content: z.string("Fichier requis").register(z.globalRegistry, {
      description: "The CSV in base64 (RFC 4648 §4), at most 5 242 880 bytes once decoded.",
      contentEncoding: "base64",
      contentMediaType: "text/csv",
    }),
  }),
});
export type MailingRequest = z.infer<typeof mailingRequest>;

export const mailingStateSchema = z.enum(["ready", "running", "paused", "done"]);
const counts = {
  total: z.number(),
  /** Lines that leave, or wait for it. */
  ready: z.number(),
  refused: z.number(),
  doubles: z.number(),
  left: z.number(),
  sent: z.number(),
  failed: z.number(),
};
/** `pause`: until when it waits and why, in French. `template`: null once deleted. */
export const mailingSchema = z.strictObject({
  id: idSchema,
  template: z.nullable(idSchema),
  template_name: z.string(),
  file_name: z.string(),
  separator: z.enum([",", ";", "tab"]),
  encoding: z.enum(["utf-8", "windows-1252", "utf-16"]),
  state: mailingStateSchema,
  pause: z.nullable(z.strictObject({ until: instantSchema, detail: z.string() })),
  columns: z.array(
    z.strictObject({
      heading: z.string(),
      samples: z.array(z.string()),
      target: z.nullable(z.string()),
    }),
  ),
  people: z.array(
    z.strictObject({
      role_index: z.number(),
      email: z.string(),
      full_name: z.string(),
      phone_number: z.nullable(z.string()),
    }),
  ),
  deadline_days: z.nullable(z.number()),
  /** What the columns lack, in French; nothing leaves before. */
  faults: z.array(z.string()),
  ...counts,
  created_at: instantSchema,
  started_at: z.nullable(instantSchema),
  finished_at: z.nullable(instantSchema),
  available_until: z.nullable(instantSchema),
});
export type Mailing = z.infer<typeof mailingSchema>;
export const mailingsQuery = z.strictObject(pageQuery);
export const mailingsAnswer = listSchema(mailingSchema);
export type Mailings = z.infer<typeof mailingsAnswer>;

/** `refused`: to correct. `double`: its people have an earlier line. `left`: does not leave. */
export const mailingRowStateSchema = z.enum([
  "ready",
  "refused",
  "double",
  "left",
  "sent",
  "failed",
]);
export type MailingRowState = z.infer<typeof mailingRowStateSchema>;
/** `line`: in the file, from 1. `note`: why, in French; `column`: the one at fault. */
export const mailingRowSchema = z.strictObject({
  line: z.number(),
  cells: z.array(z.string()),
  state: mailingRowStateSchema,
  note: z.nullable(z.string()),
  column: z.nullable(z.number()),
  envelope_id: z.nullable(idSchema),
});
export type MailingRow = z.infer<typeof mailingRowSchema>;
export const mailingRowsQuery = z.strictObject({
  ...pageQuery,
  /** `faults`: what to correct first. */
  order: z._default(z.enum(["faults", "line"]), "faults"),
  state: z.optional(mailingRowStateSchema),
});
export const mailingRowsAnswer = listSchema(mailingRowSchema);
export type MailingRows = z.infer<typeof mailingRowsAnswer>;
/** `choice`: `send` a double all the same, or `leave` the line out. */
export const mailingRowRequest = z.strictObject({
  cells: z.optional(
    z.array(z.string().check(z.maxLength(4_000))).check(z.maxLength(MAX_MAILING_COLUMNS)),
  ),
  choice: z.optional(z.nullable(z.enum(["send", "leave"]))),
});
export type MailingRowRequest = z.infer<typeof mailingRowRequest>;
/** `retry`: lines that failed or were stopped leave again. */
export const startMailingRequest = z.strictObject({ retry: z._default(z.boolean(), false) });
export const mailingReportQuery = z.strictObject({ only: z.optional(z.enum(["faults"])) });
export const mailingLineSchema = z.coerce.number().check(z.int("Nombre entier"), z.minimum(1));

type Receiver = {
  readonly roles: readonly { readonly label: string }[];
  readonly texts: readonly string[];
};

/** « Client : email ». Null for a role or text that the template has not. */
export function mailingTargetName(target: string, { roles, texts }: Receiver): string | null {
  if (target === "title") return "Titre de l’enveloppe";
  const [part = "", index = ""] = target.split(":");
  if (part === "text") {
    const label = texts[Number(index)];
    return label === undefined ? null : `Texte «\u00a0${label}\u00a0»`;
  }
  const role = roles[Number(index)];
  return role === undefined ? null : `${role.label}\u00a0: ${PART_NAMES[part as "name"]}`;
}

const PART_NAMES = { name: "nom", first: "prénom", email: "email", phone: "téléphone" } as const;

/** What keeps a file's lines from leaving: a destination taken twice or unknown, nobody for a role. */
export function mailingPlanFaults(
  receiver: Receiver,
  {
    columns,
    people,
  }: Pick<MailingPlanRequest, "columns"> & {
    readonly people: readonly { readonly role_index: number }[];
  },
): readonly string[] {
  const taken = columns.filter((target) => target !== null);
  const faults = taken.flatMap((target, index) => {
    const name = mailingTargetName(target, receiver);
    if (name === null) return ["Une colonne devient ce que le modèle n’a pas."];
    return taken.indexOf(target) < index ? [`Deux colonnes deviennent «\u00a0${name}\u00a0».`] : [];
  });
  const lacking = receiver.roles.flatMap(({ label }, index) => {
    const isFixed = people.some(({ role_index }) => role_index === index);
    const has = (part: string) => taken.includes(`${part}:${index}`);
    if (isFixed)
      return ["name", "first", "email", "phone"].some(has)
        ? [`«\u00a0${label}\u00a0» a une colonne et une même personne pour toutes les lignes.`]
        : [];
    if (!has("email"))
      return [`Aucune colonne ne donne l’adresse email de «\u00a0${label}\u00a0».`];
    return has("name") || has("first")
      ? []
      : [`Aucune colonne ne donne le nom de «\u00a0${label}\u00a0».`];
  });
  return [...new Set([...faults, ...lacking])];
}
