import * as z from "zod/mini";
import { MAX_NAME_LENGTH } from "./constants.ts";
import {
  emailSchema,
  idSchema,
  instantSchema,
  lineSchema,
  listSchema,
  namedLineSchema,
  pageQuery,
  phoneSchema,
  teamChoice,
  teamFilter,
  teamRef,
} from "./schema.ts";

export const MAX_CONTACTS = 100_000;
export const MAX_IMPORT_LINES = 50_000;
export const MAX_IMPORT_SIZE_BYTES = 20 * 1024 * 1024;
export const MAX_COMPANY_LENGTH = 150;
/** Above it, an import goes on in the background. */
export const IMPORT_AT_ONCE = 1_000;

export const contactOriginSchema = z.enum(["sent", "imported", "added"]);
export type ContactOrigin = z.infer<typeof contactOriginSchema>;

export const CONTACT_SENTENCES = {
  address_taken: "Un autre de vos contacts a déjà cette adresse.",
  same_address: "Les deux adresses sont les mêmes.",
  too_many: "Vous avez déjà 100\u202f000 contacts. Effacez-en avant d’en ajouter.",
} as const;

/** Empty for none, as a form sends all it shows. */
export const contactRequest = z.strictObject({
  full_name: namedLineSchema(MAX_NAME_LENGTH, { required: "Nom requis", kind: "nom" }),
  email: emailSchema,
  second_email: z._default(z.union([z.literal(""), emailSchema]), ""),
  phone_number: z._default(phoneSchema, ""),
  company: z._default(lineSchema(MAX_COMPANY_LENGTH), ""),
  team: teamChoice,
});
export type ContactRequest = z.infer<typeof contactRequest>;

export const contactSchema = z.strictObject({
  id: idSchema,
  full_name: z.string(),
  email: z.string(),
  second_email: z.nullable(z.string()),
  phone_number: z.nullable(z.string()),
  company: z.nullable(z.string()),
  origin: contactOriginSchema,
  /** Envelopes sent since the contact exists. */
  sent_count: z.number(),
  last_sent_at: z.nullable(instantSchema),
  created_at: instantSchema,
  team: z.optional(teamRef),
});
export type Contact = z.infer<typeof contactSchema>;

export const contactsQuery = z.strictObject({
  ...pageQuery,
  search: z._default(lineSchema(200), ""),
  ordering: z._default(z.enum(["recent", "name"]), "recent"),
  origin: z.optional(contactOriginSchema),
  team: z.optional(teamFilter),
});
export type ContactsQuery = z.input<typeof contactsQuery>;
export const contactsAnswer = listSchema(contactSchema);
export type Contacts = z.infer<typeof contactsAnswer>;

export const contactSettings = z.strictObject({ keeps_sent: z.boolean() });
export type ContactSettings = z.infer<typeof contactSettings>;

/** Contacts who may be one person; `count`: of pairs. */
export const contactDoubles = z.strictObject({
  count: z.number(),
  results: z.array(z.strictObject({ first: contactSchema, second: contactSchema })),
});
export type ContactDoubles = z.infer<typeof contactDoubles>;

/** `contact` replaces both; counts add up. */
export const mergeContactsRequest = z.strictObject({
  first: idSchema,
  second: idSchema,
  contact: contactRequest,
});
export type MergeContactsRequest = z.input<typeof mergeContactsRequest>;
export const contactsApartRequest = z.strictObject({ first: idSchema, second: idSchema });

export const IMPORT_SENTENCES = {
  empty: "Ce fichier ne contient aucun contact.",
  spreadsheet:
    "Ce fichier est un classeur. Dans votre tableur, enregistrez-le au format CSV, puis importez ce fichier-là.",
  unreadable:
    "Ce fichier n’est ni un CSV ni une vCard. Exportez vos contacts dans un de ces formats.",
  too_long: "Ce fichier a plus de 50\u202f000 lignes. Partagez-le en plusieurs fichiers.",
  no_address:
    "Aucune colonne d’adresses email dans ce fichier. Nommez-la «\u00a0Email\u00a0» sur la première ligne.",
  open_quote:
    "Un guillemet ouvert à la ligne {line} n’est jamais fermé. Corrigez-le, puis recommencez.",
  too_many: "Avec ce fichier, vous auriez plus de 100\u202f000 contacts. Effacez-en d’abord.",
} as const;
export type ImportRefusal = keyof typeof IMPORT_SENTENCES;

/** What is done with a contact that exists. */
export const existingChoiceSchema = z.enum(["complete", "replace", "skip"]);
export type ExistingChoice = z.infer<typeof existingChoiceSchema>;

export const importLineStateSchema = z.enum(["new", "known", "double", "refused"]);
export type ImportLineState = z.infer<typeof importLineStateSchema>;

/** `line`: from 1. `note`: what is wrong or guessed, in French. */
export const importLineSchema = z.strictObject({
  line: z.number(),
  full_name: z.string(),
  email: z.string(),
  state: importLineStateSchema,
  note: z.nullable(z.string()),
});
export type ImportLine = z.infer<typeof importLineSchema>;

/** `lines`: faults, guesses and doubles, then the first ones; empty once begun. */
export const contactImportSchema = z.strictObject({
  file_name: z.string(),
  format: z.enum(["csv", "vcard"]),
  separator: z.nullable(z.enum([",", ";", "tab"])),
  encoding: z.enum(["utf-8", "windows-1252", "utf-16"]),
  state: z.enum(["ready", "running", "done"]),
  line_count: z.number(),
  new_count: z.number(),
  known_count: z.number(),
  refused_count: z.number(),
  written_count: z.number(),
  lines: z.array(importLineSchema),
});
export type ContactImport = z.infer<typeof contactImportSchema>;
export const contactImportAnswer = z.strictObject({ import: z.nullable(contactImportSchema) });
export type ContactImportAnswer = z.infer<typeof contactImportAnswer>;

export const startImportRequest = z.strictObject({ existing: existingChoiceSchema });
