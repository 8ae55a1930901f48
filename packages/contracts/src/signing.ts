import * as z from "zod/mini";
import { documentSchema, fieldSchema, roleSchema, statusSchema } from "./envelope.ts";
import {
  codeSchema,
  dateSchema,
  idSchema,
  instantSchema,
  lineSchema,
  multilineSchema,
  listSchema,
} from "./schema.ts";
import { MAX_SIGNATURE_NAME_LENGTH } from "./constants.ts";

export const handSchema = z.enum([
  "caveat",
  "la-belle-aurore",
  "playwrite-fr-moderne",
  "herr-von-muellerhoff",
]);
export type Hand = z.infer<typeof handSchema>;

const OUTSIDE =
  "Un trait sort de la zone de dessin. Effacez, puis dessinez votre signature de nouveau.";
const WRONG_PRESSURE = "La pression va de 0 à 1.";
/** `[x, y, pressure]`: x and y in units of the pad's height, pressure 0 to 1. */
export const strokePointSchema = z.tuple([
  z.number().check(z.minimum(-1, OUTSIDE), z.maximum(20, OUTSIDE)),
  z.number().check(z.minimum(-1, OUTSIDE), z.maximum(2, OUTSIDE)),
  z.number().check(z.minimum(0, WRONG_PRESSURE), z.maximum(1, WRONG_PRESSURE)),
]);
/** A picture as a data URL, validated by its content: 2 MB at most. */
export const signatureImageSchema = z
  .string()
  .check(
    z.maxLength(3_000_000),
    z.regex(
      /^data:image\/(png|jpeg|webp);base64,[A-Za-z0-9+/]+=*$/,
      "Image attendue\u00a0: «\u00a0data:image/png;base64,…\u00a0» (png, jpeg ou webp)",
    ),
  );

export const newMarkShapes = {
  drawn: {
    strokes: z.optional(
      z
        .array(z.array(strokePointSchema).check(z.minLength(1), z.maxLength(5_000)))
        .check(z.minLength(1), z.maxLength(200)),
    ),
    image: z.optional(signatureImageSchema),
  },
  typed: { text: lineSchema(100, "Saisissez votre nom"), font: z._default(handSchema, "caveat") },
};

export const signatureMarkSchema = z.discriminatedUnion("kind", [
  z
    .strictObject({ kind: z.literal("drawn"), ...newMarkShapes.drawn })
    .check(
      z.refine(
        (mark) => mark.strokes !== undefined || mark.image !== undefined,
        "Dessinez votre signature",
      ),
    ),
  z.strictObject({ kind: z.literal("typed"), ...newMarkShapes.typed }),
  z.strictObject({ kind: z.literal("uploaded"), image: signatureImageSchema }),
  z.strictObject({ kind: z.literal("saved"), saved_signature_id: idSchema }),
]);
export type SignatureMark = z.infer<typeof signatureMarkSchema>;
/** A mark that was not saved before. */
export type NewMark = Exclude<SignatureMark, { kind: "saved" }>;

const fieldValueSchema = z.nullable(multilineSchema(2_000)).register(z.globalRegistry, {
  description:
    "Of `text`: a text. Of `checkbox`: `Oui` or `Non` (`true` and `false` are taken). Of `mention`: the sender's sentence, letter by letter. Of `date` and `name`: ignored, the service " +
    "fills in the day of the signature in Paris and the recipient's name. Of `signature` and `initials`: nothing, they get the request's `signature` or `initials`; `Non` leaves optional initials blank.",
});

export const signRequest = z.strictObject({
  fields: z._default(
    z.array(z.strictObject({ id: idSchema, value: fieldValueSchema })).check(z.maxLength(500)),
    [],
  ),
  signature: signatureMarkSchema,
  /** By default the signature itself. */
  initials: z.optional(signatureMarkSchema),
  consent: z.literal(true, "Cochez la case de consentement avant de signer."),
  /** Needed where two recipients share an address; a guest's link implies it. */
  recipient_id: z.optional(idSchema),
});
export type SignRequest = z.infer<typeof signRequest>;

export const otpChannelSchema = z.enum(["email", "sms"]);
export const sendOtpRequest = z.strictObject({ channel: z.optional(otpChannelSchema) });
export const sendOtpAnswer = z.strictObject({
  channel: otpChannelSchema,
  destination: z.string(),
  expires_in: z.number(),
  resend_in: z.number(),
});
/** A JSON number is refused, for it loses leading zeros. */
export const verifyOtpRequest = z.strictObject({ otp: codeSchema });
/** Opened in a session, the link confirms the account's address. */
export const confirmLinkRequest = z.strictObject({ token: z.string().check(z.maxLength(100)) });
export const verifyOtpAnswer = z.strictObject({ verified: z.literal(true), valid_for: z.number() });

/** `filled_by`: another signer; `value` is then the printed one. */
const shownFieldSchema = z.strictObject({
  ...fieldSchema.shape,
  own: z.boolean(),
  filled_by: z.optional(z.string()),
});
/** Documents and fields are present only with this browser's code. */
export const guestEnvelopeSchema = z.strictObject({
  id: idSchema,
  title: z.string(),
  status: statusSchema,
  sender_name: z.string(),
  /** « Urbanisme »: in whose name it is sent. */
  sender_team: z.optional(z.string()),
  message: z.nullable(z.string()),
  deadline_at: z.nullable(instantSchema),
  recipient: z.strictObject({
    id: idSchema,
    full_name: z.string(),
    email: z.string(),
    phone_hint: z.nullable(z.string()),
    role: roleSchema,
    /** `waiting`: not this turn; `sealing`: signed, being sealed. */
    status: z.enum(["waiting", "notified", "viewed", "sealing", "approved", "signed", "declined"]),
    signed: z.boolean(),
    signed_at: z.nullable(instantSchema),
  }),
  /** Once authenticated: earlier steps to send back to, and whether the step may be given away. */
  step: z.optional(
    z.strictObject({
      returns: z.array(
        z.strictObject({
          order: z.number(),
          role: z.enum([...roleSchema.options, "preparer"]),
          names: z.array(z.string()),
        }),
      ),
      may_reassign: z.boolean(),
      /** French: who sent it back to this step, and why. */
      returned: z.optional(z.string()),
    }),
  ),
  /** Names are present once authenticated (security line 35). */
  signs_before: z.optional(
    z.strictObject({
      count: z.number(),
      visas: z.optional(z.number()),
      sent_back: z.optional(z.string()),
      names: z.array(z.string()),
    }),
  ),
  progress: z.strictObject({ signed: z.number(), total: z.number(), percent: z.number() }),
  /** `channel`: of the last code; `failed`: the channel that could not be used. */
  otp: z.strictObject({
    channel: otpChannelSchema,
    failed: z.nullable(z.literal("sms")),
    verified: z.boolean(),
    resend_in: z.number(),
  }),
  documents: z.optional(z.array(documentSchema)),
  fields: z.optional(z.array(shownFieldSchema)),
  /** False where the service sends no mail; a 410 of this call has it too. */
  mail: z.optional(z.literal(false)),
});
export type GuestEnvelope = z.infer<typeof guestEnvelopeSchema>;
/** `GET …/sign-page/`: as for a guest, without the code. */
export const signPageSchema = z.strictObject({
  id: idSchema,
  title: z.string(),
  status: statusSchema,
  sender_name: z.string(),
  sender_team: guestEnvelopeSchema.shape.sender_team,
  message: z.nullable(z.string()),
  deadline_at: z.nullable(instantSchema),
  recipient: guestEnvelopeSchema.shape.recipient,
  signs_before: guestEnvelopeSchema.shape.signs_before,
  step: guestEnvelopeSchema.shape.step,
  progress: guestEnvelopeSchema.shape.progress,
  /** Whether `hsm_sign/` is available: the organisation has a key in a hardware token. */
  hsm: z.boolean(),
  mail: z.optional(z.literal(false)),
  /** Present where the reader signs for the recipient; `consent`: the sentence to accept. */
  delegation: z.optional(
    z.strictObject({
      delegate_name: z.string(),
      starts_on: dateSchema,
      ends_on: dateSchema,
      scope: z.string(),
      consent: z.string(),
    }),
  ),
  documents: z.array(documentSchema),
  fields: z.array(shownFieldSchema),
});
export type SignPage = z.infer<typeof signPageSchema>;
/** By default whose turn it is among those of this address. */
export const signPageQuery = z.strictObject({ recipient: z.optional(idSchema) });

export const MAX_SIGNATURE_IMAGE_BYTES = 2 * 1024 * 1024;

const nameSchema = lineSchema(MAX_SIGNATURE_NAME_LENGTH, "Donnez un nom à cette signature");
const aside = {
  name: z.optional(nameSchema),
  /** The first one is always the default. */
  is_default: z._default(z.boolean(), false),
};
const backgroundSchema = z._default(z.boolean(), false).register(z.globalRegistry, {
  description:
    "`true`: the paper behind the strokes becomes transparent, and the picture is cut to them.",
});

/** JSON, or multipart with `image` (`kind` is then `uploaded` by default). */
export const saveSignatureRequest = z.discriminatedUnion("kind", [
  z
    .strictObject({
      kind: z.literal("drawn"),
      ...newMarkShapes.drawn,
      ...aside,
      remove_background: backgroundSchema,
    })
    .check(
      z.refine(
        (mark) => mark.strokes !== undefined || mark.image !== undefined,
        "Dessinez votre signature",
      ),
    ),
  z.strictObject({ kind: z.literal("typed"), ...newMarkShapes.typed, ...aside }),
  z.strictObject({
    kind: z.literal("uploaded"),
    image: signatureImageSchema,
    ...aside,
    remove_background: backgroundSchema,
  }),
]);
export type SaveSignatureRequest = z.infer<typeof saveSignatureRequest>;

/** A new default replaces the former. */
export const changeSignatureRequest = z.strictObject({
  name: z.optional(nameSchema),
  is_default: z.optional(z.boolean()),
});
export type ChangeSignatureRequest = z.infer<typeof changeSignatureRequest>;

export const savedSignatureSchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  kind: z.enum(["drawn", "typed", "uploaded"]),
  /** Needs the owner's session: SVG, or PNG of an image. */
  image: z.string(),
  is_default: z.boolean(),
  created_at: instantSchema,
  last_used_at: z.nullable(instantSchema),
  text: z.nullable(z.string()),
  font: z.nullable(handSchema),
});
export type SavedSignature = z.infer<typeof savedSignatureSchema>;
/** The default first, then the newest; 20 at most. */
export const savedSignaturesAnswer = listSchema(savedSignatureSchema);
