import * as z from "zod/mini";
import { MAX_FILE_NAME_LENGTH } from "./constants.ts";
import { fieldSchema, roleSchema } from "./envelope.ts";
import { idSchema, instantSchema, lineSchema, listSchema, pageQuery } from "./schema.ts";
import { MAX_MAILING_CELLS, MAX_MAILING_COLUMNS } from "./mailing-rules.ts";
import { useTemplateRequest } from "./template.ts";

/** Mailings (« envoi par fichier »): each line of a CSV becomes an envelope of a template. */

/** What a column becomes; the number is the index of a role or of a text of the template. */
export const mailingTargetSchema = z
  .string()
  .check(
    z.regex(
      /^(title|(name|first|email|phone|text):\d{1,3})$/,
      "Au choix\u00a0: title, name:0, first:0, email:0, phone:0, text:0 (0\u00a0: rang du rôle ou du texte dans le modèle)",
    ),
  );
/** `people`: the same on every line. */
export const mailingPlanRequest = z.strictObject({
  columns: z.array(z.nullable(mailingTargetSchema)).check(z.maxLength(MAX_MAILING_COLUMNS)),
  people: useTemplateRequest.shape.people,
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
  stopped: z.number(),
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
export const mailingPreview = z.strictObject({
  title: z.string(),
  message: z.nullable(z.string()),
  deadline_at: z.nullable(instantSchema),
  recipients: z.array(z.object({ full_name: z.string(), email: z.string(), role: roleSchema })),
  fields: z.array(
    z.extend(z.omit(fieldSchema, { id: true, document_id: true, recipient_id: true }), {
      document_index: z.number(),
      recipient_index: z.number(),
    }),
  ),
});
export type MailingPreview = z.infer<typeof mailingPreview>;
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
    z.array(z.string().check(z.maxLength(4_000))).check(z.maxLength(MAX_MAILING_CELLS)),
  ),
  choice: z.optional(z.nullable(z.enum(["send", "leave"]))),
});
export type MailingRowRequest = z.infer<typeof mailingRowRequest>;
/** `retry`: lines that failed or were stopped leave again. */
export const startMailingRequest = z.strictObject({ retry: z._default(z.boolean(), false) });
export const mailingReportQuery = z.strictObject({ only: z.optional(z.enum(["faults"])) });
export const mailingLineSchema = z.coerce
  .number()
  .check(z.int("Nombre entier"), z.minimum(1), z.maximum(1_000_000));
