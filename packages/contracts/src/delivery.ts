/** State of the messages to a recipient, for the sender alone (contract §4). */
import * as z from "zod/mini";
import { emailSchema, idSchema, instantSchema, personNameSchema, phoneSchema } from "./schema.ts";

/**
 * Words after « Échec d’envoi : ». Codes are never renamed nor reused; `other` shows the server's
 * answer.
 * Source: RFC 3463 §3, RFC 7372 §3, RFC 7505 §4.
 */
export const DELIVERY_FAILURES = {
  unknown_address: "adresse inconnue",
  unknown_domain: "domaine inconnu",
  mailbox_full: "boîte pleine",
  mailbox_disabled: "boîte désactivée",
  refused_as_spam: "message pris pour un indésirable",
  refused_by_policy: "message refusé par le serveur du destinataire",
  sender_refused: "adresse d’envoi de ce service refusée",
  too_large: "message trop volumineux",
  number_refused: "numéro refusé",
  no_answer: "aucune réponse du serveur du destinataire",
  too_late: "expiré avant l’envoi",
  too_many: "trop de messages aujourd’hui",
  mail_off: "ce service n’envoie pas d’email",
  not_offered: "ce moyen d’envoi n’est pas disponible",
  restored: "le service a été restauré d’une sauvegarde avant son départ",
  other: "refus du serveur du destinataire",
} as const;
export type DeliveryFailureCode = keyof typeof DELIVERY_FAILURES;

export const deliveryStateSchema = z.enum(["queued", "sent", "delivered", "refused", "withdrawn"]);
export type DeliveryState = z.infer<typeof deliveryStateSchema>;
/** `sent`: a server accepted it. `delivered`: its link was opened or its code entered. */
export const deliverySchema = z.strictObject({
  id: idSchema,
  kind: z.string(),
  channel: z.string(),
  destination: z.string(),
  /** As it left, except a code's. */
  subject: z.nullable(z.string()),
  state: deliveryStateSchema,
  created_at: instantSchema,
  /** When it was sent, refused or withdrawn. */
  ended_at: z.nullable(instantSchema),
  opened_at: z.nullable(instantSchema),
  tries: z.number(),
  /** Null: this service did not send it. */
  server_answer: z.nullable(z.string()),
  failure: z.nullable(z.strictObject({ code: z.string(), detail: z.string() })),
});
export type Delivery = z.infer<typeof deliverySchema>;

/** Recipients of an open envelope; what is left out stays. */
export const correctRecipientRequest = z
  .strictObject({
    full_name: z.optional(personNameSchema),
    email: z.optional(emailSchema),
    phone_number: z.optional(z.nullable(phoneSchema)),
  })
  .check(
    z.refine(
      (value) => Object.values(value).some((one) => one !== undefined),
      "Indiquez un nom, une adresse ou un numéro",
    ),
  );
export type CorrectRecipientRequest = z.infer<typeof correctRecipientRequest>;
/** `POST envelopes/{id}/recipients/{recipientId}/resend/`. */
export const resendRequest = z.strictObject({
  channel: z._default(z.enum(["email", "sms"]), "email"),
});
