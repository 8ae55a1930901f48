import * as z from "zod/mini";
import {
  MAX_FIELDS,
  MAX_FILE_NAME_LENGTH,
  MAX_MESSAGE_LENGTH,
  MAX_RECIPIENTS,
  MAX_REMINDER_DAYS,
  MAX_TITLE_LENGTH,
} from "./constants.ts";
import { deliverySchema } from "./delivery.ts";
import { FIELD_TYPES } from "./field-kinds.ts";
import {
  emailSchema,
  idSchema,
  givenInstantSchema,
  instantSchema,
  lineSchema,
  listSchema,
  multilineSchema,
  namedLineSchema,
  personNameSchema,
  pageQuery,
  periodDateSchema,
  phoneSchema,
  sha256Schema,
  teamChoice,
  teamFilter,
  teamRef,
} from "./schema.ts";

/** Two rows of one `id` are ambiguous. */
export const rowsOnce = <T extends z.ZodMiniType>(row: T, maximum: number, twice: string) =>
  z.array(row).check(
    z.maxLength(maximum),
    z.refine((rows) => isNamedOnce(rows as readonly { readonly id?: string | undefined }[]), twice),
  );

export const idsOnce = (twice: string) =>
  z.array(idSchema).check(z.refine((given) => new Set(given).size === given.length, twice));

function isNamedOnce(rows: readonly { readonly id?: string | undefined }[]): boolean {
  const given = rows.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return new Set(given).size === given.length;
}

export const storedStatusSchema = z.enum([
  "draft",
  "sent",
  "pending",
  "completed",
  "declined",
  "expired",
  "cancelled",
]);
export type StoredStatus = z.infer<typeof storedStatusSchema>;
/** `action_required`: only to the user who must sign. */
export const statusSchema = z.enum([...storedStatusSchema.options, "action_required"]);
export type Status = z.infer<typeof statusSchema>;

export const flowSchema = z.enum(["parallel", "sequential"]);
/** `visa`: approves before a signature, without signing; `viewer`: gets a copy. */
export const roleSchema = z.enum(["signer", "approver", "visa", "viewer"]);
export type Role = z.infer<typeof roleSchema>;
export const fieldTypeSchema = z.enum(FIELD_TYPES);
export const padesLevelSchema = z.nullable(z.enum(["B-B", "B-T", "B-LT", "B-LTA"]));

/**
 * Fractions (0 to 1) of the displayed page (CropBox, rotation applied), origin top left; `page`
 * from 1, −1 in a placement: the last.
 */
export const placementShape = {
  page: z.number().check(z.int(), z.minimum(1)),
  x: z.number().check(z.minimum(0), z.maximum(1)),
  y: z.number().check(z.minimum(0), z.maximum(1)),
  width: z.number().check(z.positive(), z.maximum(1)),
  height: z.number().check(z.positive(), z.maximum(1)),
};

const fieldRequestShape = {
  type: fieldTypeSchema,
  ...placementShape,
  required: z._default(z.boolean(), true),
  label: z._default(z.nullable(lineSchema(200)), null),
  value: z._default(z.nullable(multilineSchema(2_000)), null),
};
export const inPage = z.refine<{ x: number; y: number; width: number; height: number }>(
  (field) => field.x + field.width <= 1.0001 && field.y + field.height <= 1.0001,
  "Le champ dépasse de la page",
);
/** From 0, into the request's lists. */
const indexSchema = z.number().check(z.int(), z.minimum(0));
export const newFieldRequest = z
  .strictObject({
    document_index: indexSchema,
    recipient_index: indexSchema,
    ...fieldRequestShape,
  })
  .check(inPage);
/** A field of an existing draft. */
export const fieldRequest = z
  .strictObject({
    id: z.optional(idSchema),
    document_id: idSchema,
    recipient_id: idSchema,
    ...fieldRequestShape,
  })
  .check(inPage);

export const recipientRequest = z.strictObject({
  id: z.optional(idSchema),
  email: emailSchema,
  full_name: personNameSchema,
  phone_number: z._default(z.nullable(phoneSchema), null),
  role: z._default(roleSchema, "signer"),
  /** By default, a sequential flow follows the list. */
  order: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(MAX_RECIPIENTS))),
});
export type RecipientRequest = z.infer<typeof recipientRequest>;

/** Days, or null; sent on French business days, 9 h to 18 h in Paris. */
export const remindersSchema = z.strictObject({
  every_days: z.nullable(z.number().check(z.int(), z.minimum(1), z.maximum(MAX_REMINDER_DAYS))),
  business_days: z._default(z.literal(true), true),
});
export type Reminders = z.infer<typeof remindersSchema>;

export const titleSchema = namedLineSchema(MAX_TITLE_LENGTH, {
  required: "Titre requis",
  kind: "titre",
});
const envelopeShape = {
  message: z.nullable(multilineSchema(MAX_MESSAGE_LENGTH)),
  deadline_at: z.nullable(givenInstantSchema),
  flow: flowSchema,
  document_kind: z.nullable(lineSchema(60, "Genre requis")),
};
/** `role`: of text tags, else null. `erase_tags`: consent to cover them. */
const useForms = <D extends z.core.$ZodShape, R extends z.core.$ZodShape>(document: D, person: R) =>
  z.optional(
    z.array(
      z.strictObject({
        ...document,
        recipients: z._default(
          z.array(z.strictObject({ role: z.nullable(z.string()), ...person })),
          [],
        ),
        erase_tags: z._default(z.boolean(), false),
      }),
    ),
  );
/** The form once its JSON fields are parsed, beside the file parts `files`. */
export const createEnvelopeRequest = z.strictObject({
  title: titleSchema,
  message: z._default(envelopeShape.message, null),
  deadline_at: z._default(envelopeShape.deadline_at, null),
  flow: z._default(envelopeShape.flow, "parallel"),
  reminders: z._default(remindersSchema, { every_days: null, business_days: true }),
  proof_only: z._default(z.boolean(), false),
  document_kind: z._default(envelopeShape.document_kind, null),
  team: teamChoice,
  recipients: z._default(z.array(recipientRequest).check(z.maxLength(MAX_RECIPIENTS)), []),
  fields: z._default(z.array(newFieldRequest).check(z.maxLength(MAX_FIELDS)), []),
  use_forms: useForms({ document_index: indexSchema }, { recipient_index: indexSchema }),
});
export type CreateEnvelopeRequest = z.infer<typeof createEnvelopeRequest>;
const TWICE = {
  document: "Ce document figure deux fois",
  recipient: "Ce destinataire figure deux fois",
  field: "Ce champ figure deux fois",
};

/** Changes a draft: `recipients` and `fields` replace the list; rows with an `id` are updated. */
export const updateEnvelopeRequest = z.strictObject({
  title: z.optional(titleSchema),
  message: z.optional(envelopeShape.message),
  deadline_at: z.optional(envelopeShape.deadline_at),
  flow: z.optional(envelopeShape.flow),
  reminders: z.optional(remindersSchema),
  proof_only: z.optional(z.boolean()),
  document_kind: z.optional(envelopeShape.document_kind),
  team: z.optional(z.nullable(idSchema)),
  recipients: z.optional(rowsOnce(recipientRequest, MAX_RECIPIENTS, TWICE.recipient)),
  fields: z.optional(rowsOnce(fieldRequest, MAX_FIELDS, TWICE.field)),
  remove_documents: z.optional(idsOnce(TWICE.document)),
  order: z.optional(z.array(idSchema)),
  accept_normalised: z.optional(idsOnce(TWICE.document)),
  use_forms: useForms({ document_id: idSchema }, { recipient_id: idSchema }),
  /** `.pdf` is added where missing. */
  document_names: z.optional(
    z.array(z.strictObject({ id: idSchema, name: lineSchema(MAX_FILE_NAME_LENGTH, "Nom requis") })),
  ),
});
export type UpdateEnvelopeRequest = z.infer<typeof updateEnvelopeRequest>;
export const sendEnvelopeRequest = z.strictObject({ message: z.optional(envelopeShape.message) });
/** The body of a visa: nothing is filled in. */
export const visaRequest = z.strictObject({});
/** `order`: an earlier rank, or 0 for its sender's correction; all is done again from there. */
export const sendBackRequest = z.strictObject({
  order: z.number().check(z.int(), z.minimum(0)),
  reason: multilineSchema(500, "Indiquez le motif du renvoi"),
});
export const reassignRequest = z.strictObject({
  email: emailSchema,
  full_name: personNameSchema,
  reason: z._default(z.nullable(lineSchema(500)), null),
});
export type ReassignRequest = z.infer<typeof reassignRequest>;
export const declineRequest = z.strictObject({
  reason: lineSchema(500, "Indiquez le motif de votre refus"),
});

/** By default the end of the seventh day in Paris after the deadline or, once passed, today. */
export const extendRequest = z.strictObject({ deadline_at: z.optional(givenInstantSchema) });
export type ExtendRequest = z.infer<typeof extendRequest>;
/** Null removes it; one that has passed needs `extend/`. */
export const deadlineRequest = z.strictObject({ deadline_at: envelopeShape.deadline_at });
export type DeadlineRequest = z.infer<typeof deadlineRequest>;

export const publicPageRequest = z.strictObject({ proof_only: z.boolean() });

/** `told`: false within 24 hours of the last message to the sender. */
export const extensionRequestAnswer = z.strictObject({ told: z.boolean() });

/** `unsigned`: nobody has signed yet and somebody may. */
const listedStatus = z.enum(["draft", "sent", "completed", "cancelled", "action_required"]);
const progressSchema = z.enum(["unsigned", "pending", "declined", "expired"]);
export type Progress = z.infer<typeof progressSchema>;
const severalOf = new RegExp(
  `^(${progressSchema.options.join("|")})(,(${progressSchema.options.join("|")}))*$`,
);

/**
 * `status`: one list, or progress values (`unsigned,pending`). `sent`: neither completed nor
 * cancelled. A search covers title, sender, team and one's own recipients; `search_in`: titles
 * alone. `team`: what one of one's teams has, or `mine`: what no team has.
 */
export const listEnvelopesQuery = z.strictObject({
  ...pageQuery,
  status: z.optional(
    z.union(
      [
        listedStatus,
        z.pipe(
          z.string().check(z.regex(severalOf)),
          z.pipe(
            z.transform((text: string) => text.split(",")),
            z.array(progressSchema),
          ),
        ),
      ],
      `Au choix\u00a0: ${listedStatus.options.join(", ")}\u202f; ou un ou plusieurs de ${progressSchema.options.join(",")}`,
    ),
  ),
  search: z.optional(lineSchema(200)),
  search_in: z.optional(z.enum(["title"])),
  team: z.optional(teamFilter),
  from: z.optional(periodDateSchema),
  to: z.optional(periodDateSchema),
  ordering: z._default(
    z.enum(["-created_at", "created_at", "title", "-title", "deadline_at"]),
    "-created_at",
  ),
});
export type ListEnvelopesQuery = z.infer<typeof listEnvelopesQuery>;

export const findingSchema = z.strictObject({ code: z.string(), detail: z.string() });
export const documentSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  size: z.number(),
  page_count: z.number(),
  sha256: sha256Schema,
  /** Displayed size in points (CropBox, rotation applied); rotation in degrees clockwise. */
  pages: z.array(z.strictObject({ width: z.number(), height: z.number(), rotation: z.number() })),
  order: z.number(),
  control: z.strictObject({
    result: z.enum(["ok", "fixable"]),
    findings: z.array(findingSchema),
    accepted: z.boolean(),
  }),
});
export type Document = z.infer<typeof documentSchema>;

/** `unreached`: every message to this person was refused. */
export const recipientStatusSchema = z.enum([
  "waiting",
  "unreached",
  "notified",
  "viewed",
  "approved",
  "signed",
  "declined",
]);
export const recipientSchema = z.strictObject({
  id: idSchema,
  email: z.string(),
  full_name: z.string(),
  phone_number: z.nullable(z.string()),
  role: roleSchema,
  order: z.number(),
  signed: z.boolean(),
  signed_at: z.nullable(instantSchema),
  approved_at: z.nullable(instantSchema),
  viewed_at: z.nullable(instantSchema),
  status: recipientStatusSchema,
  decline_reason: z.nullable(z.string()),
  /** Who signed for this person, by delegation. */
  delegate_name: z.optional(z.string()),
  /** In the sender's detail: who had the step before. */
  given_by: z.optional(z.string()),
  /** In the sender's detail: the last time this person sent the document back. */
  sent_back: z.optional(
    z.strictObject({
      to: z.array(z.string()),
      at: instantSchema,
      reason: z.nullable(z.string()),
      delegate_name: z.optional(z.string()),
    }),
  ),
  /** The limit of a circuit's step, business days; `day`: the last one, once it is asked for. */
  due: z.optional(z.strictObject({ days: z.number(), day: z.nullable(z.string()) })),
  /** The newest comes first; only the sender's detail has them. */
  deliveries: z.optional(z.array(deliverySchema)),
  delegate_deliveries: z.optional(z.array(deliverySchema)),
});
export type Recipient = z.infer<typeof recipientSchema>;

export const fieldSchema = z.strictObject({
  id: idSchema,
  document_id: idSchema,
  recipient_id: idSchema,
  type: fieldTypeSchema,
  ...placementShape,
  required: z.boolean(),
  label: z.nullable(z.string()),
  value: z.nullable(z.string()),
});
export type Field = z.infer<typeof fieldSchema>;

/**
 * What `use_forms` places. `refused`: why it may not; null when it may.
 */
export const formAnswer = z.strictObject({
  documents: z.array(
    z.strictObject({
      document_id: idSchema,
      refused: z.nullable(z.enum(["signed", "copy_to_accept", "too_many"])),
      findings: z.array(findingSchema),
      fields: z.array(
        z.strictObject({
          source: z.enum(["form", "tag"]),
          name: z.string(),
          role: z.nullable(z.string()),
          type: fieldTypeSchema,
          ...placementShape,
          required: z.boolean(),
          label: z.nullable(z.string()),
          value: z.nullable(z.string()),
          /** Of the form, in characters; not enforced. */
          max_length: z.nullable(z.number()),
        }),
      ),
    }),
  ),
});
export type FormAnswer = z.infer<typeof formAnswer>;

/**
 * `covers_form_field`: over a field or signature of the file. `mention_too_small`: below 5 points.
 * `page_covered`: beyond valid signatures; prevents sending, `field_id` is the largest.
 */
export const warningSchema = z.strictObject({
  code: z.enum(["covers_form_field", "mention_too_small", "page_covered"]),
  field_id: idSchema,
  document_id: idSchema,
  page: z.number(),
});
export type EnvelopeWarning = z.infer<typeof warningSchema>;

export const envelopeSchema = z.strictObject({
  id: idSchema,
  version: z.number(),
  title: z.string(),
  message: z.nullable(z.string()),
  status: statusSchema,
  flow: flowSchema,
  created_at: instantSchema,
  updated_at: instantSchema,
  sent_at: z.nullable(instantSchema),
  completed_at: z.nullable(instantSchema),
  deadline_at: z.nullable(instantSchema),
  cancelled_at: z.nullable(instantSchema),
  created_by_name: z.string(),
  /** The reader is its sender, or in its team. */
  is_owner: z.boolean(),
  /** Whom the reader is asked to sign for, by delegation. */
  on_behalf_of: z.optional(z.strictObject({ recipient_id: idSchema, full_name: z.string() })),
  /** Whom the reader signed or gave a visa for, by delegation. */
  signed_for: z.optional(z.array(z.string())),
  /** The team that sends; absent for a person's own. */
  team: z.optional(teamRef),
  /** The reader sees what its sender sees, without acting. */
  read_only: z.optional(z.literal(true)),
  /** A draft that was sent before, and is to be corrected; the sender's detail says why. */
  returned: z.optional(
    z.strictObject({
      by: z.nullable(z.string()),
      at: z.nullable(instantSchema),
      reason: z.nullable(z.string()),
      corrected_by: z.optional(z.string()),
    }),
  ),
  /** Who sent it again, once corrected. */
  resent_by: z.optional(z.string()),
  documents: z.array(documentSchema),
  files: z.array(documentSchema),
  recipients: z.array(recipientSchema),
  /** To recipients removed since; only the sender's detail has them. */
  former_deliveries: z.optional(z.array(deliverySchema)),
  /** Empty in a list, which has the count. */
  fields: z.array(fieldSchema),
  field_count: z.optional(z.number()),
  progress: z.strictObject({ signed: z.number(), total: z.number(), percent: z.number() }),
  days_remaining: z.nullable(z.number()),
  restores_to: z.optional(storedStatusSchema),
  level: padesLevelSchema,
  download_url: z.nullable(z.string()),
  /** `open`: ranks of signers whom the preparer names. */
  circuit: z.optional(
    z.strictObject({ name: z.string(), imposed: z.boolean(), open: z.array(z.number()) }),
  ),
  document_kind: z.optional(z.string()),
  /** False when no message has reached anybody. */
  reached: z.optional(z.boolean()),
  /** Only the sender's detail has it. `next_at` null: none. */
  reminders: z.optional(
    z.strictObject({
      every_days: z.nullable(z.number()),
      business_days: z.literal(true),
      next_at: z.nullable(instantSchema),
    }),
  ),
  proof_only: z.optional(z.boolean()),
  /** Only the sender's detail has it; null: at once, or nobody is awaited. */
  remind_at: z.optional(z.nullable(instantSchema)),
  /** Only the sender's draft has them; `page_covered` alone prevents sending. */
  warnings: z.optional(z.array(warningSchema)),
});
export type Envelope = z.infer<typeof envelopeSchema>;
/** `near`: a similar text with results, folded. */
export const envelopeListAnswer = z.extend(listSchema(envelopeSchema), {
  near: z.optional(z.string()),
});

export const countsAnswer = z.strictObject({
  draft: z.number(),
  sent: z.number(),
  completed: z.number(),
  action_required: z.number(),
  cancelled: z.number(),
});
export type Counts = z.infer<typeof countsAnswer>;
export const downloadAnswer = z.strictObject({ download_url: z.string(), file_name: z.string() });
export const remindAnswer = z.strictObject({ reminded: z.array(z.string()) });
export type EnvelopeList = z.infer<typeof envelopeListAnswer>;

const daySchema = z.strictObject({ date: z.iso.date(), count: z.number() });
export const dashboardQuery = z.strictObject({
  from: z.optional(periodDateSchema),
  to: z.optional(periodDateSchema),
});
export const dashboardAnswer = z.strictObject({
  counts: z.strictObject({
    draft: z.number(),
    sent: z.number(),
    completed: z.number(),
    actionRequired: z.number(),
  }),
  totalThisMonth: z.number(),
  periodTotal: z.number(),
  periodCompleted: z.number(),
  completionRate: z.number(),
  avgSigningTime: z.number(),
  sparklines: z.strictObject({ last7: z.array(daySchema), last30: z.array(daySchema) }),
  /**
   * The last draft; returned documents; sent envelopes within `DEADLINE_SOON_DAYS` of their deadline; the first
   * deadline awaiting me.
   */
  standing: z.strictObject({
    lastDraftAt: z.nullable(instantSchema),
    toCorrect: z.number(),
    expiringSoon: z.number(),
    mostUrgentAt: z.nullable(instantSchema),
  }),
  recent: z.array(envelopeSchema),
  notifications: z.array(
    z.strictObject({ envelope_id: idSchema, title: z.string(), completed_at: instantSchema }),
  ),
});
export type Dashboard = z.infer<typeof dashboardAnswer>;

/** The envelope or its messages changed. `purged`: it is gone. */
export const liveEnvelopeEvent = z.strictObject({
  id: idSchema,
  version: z.number(),
  status: z.enum([...storedStatusSchema.options, "action_required", "purged"]),
});
export type LiveEnvelopeEvent = z.infer<typeof liveEnvelopeEvent>;

/** The stream ends for good: the page checks its session first. */
export const liveEndEvent = z.strictObject({ reason: z.enum(["session_ended", "replaced"]) });
export type LiveEndEvent = z.infer<typeof liveEndEvent>;
