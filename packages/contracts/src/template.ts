import * as z from "zod/mini";
import {
  MAX_DOCUMENTS,
  MAX_FIELDS,
  MAX_LAYOUT_NAME_LENGTH,
  MAX_RECIPIENTS,
  MAX_TEMPLATE_NAME_LENGTH,
} from "./constants.ts";
import { isToCopy } from "./field-kinds.ts";
import {
  fieldTypeSchema,
  flowSchema,
  inPage,
  placementShape,
  roleSchema,
  titleSchema,
} from "./envelope.ts";
import {
  emailSchema,
  idSchema,
  instantSchema,
  lineSchema,
  multilineSchema,
  namedLineSchema,
  personNameSchema,
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
/** `POST templates/{id}/use/`: a person for every role; a circuit brings its own. */
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
  document_kind: z.nullable(z.string()),
  /** It brings its people; `roles` are the others. */
  circuit: z.nullable(z.strictObject({ name: z.string() })),
  lost_circuit: z.optional(z.string()),
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
  page: z.union(
    [z.literal(-1), placementShape.page],
    "Page\u00a0: -1 (la dernière) ou un numéro à partir de 1",
  ),
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
