import * as z from "zod/mini";
import { idSchema, instantSchema, lineSchema } from "./schema.ts";

/** What a program may do, in the order of the page. */
export const KEY_SCOPES = {
  "envelopes:read": "Lire les enveloppes",
  "envelopes:write": "Créer et modifier des brouillons",
  "envelopes:send": "Envoyer et annuler",
  "proof:read": "Lire les preuves et les exemplaires signés",
  "contacts:read": "Lire les contacts",
} as const;
export type KeyScope = keyof typeof KEY_SCOPES;
const SCOPES = Object.keys(KEY_SCOPES) as [KeyScope, ...KeyScope[]];

export const KEY_PREFIX = "pk_live_";
export const MAX_KEYS = 50;
export const MAX_KEY_NAME_LENGTH = 60;
export const MAX_KEY_ADDRESSES = 20;
/** Days; null: never expires. */
export const KEY_LIVES = [365, 90, null] as const;

const scope = z.enum(SCOPES, "Droit inconnu");
/** An address, or a range (RFC 4632, RFC 4291 §2.3). */
const addressRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], "Adresse IP invalide");

/** `addresses`: none, from everywhere. */
export const keyRequest = z.strictObject({
  name: lineSchema(MAX_KEY_NAME_LENGTH, "Nom de la clé requis"),
  scopes: z.array(scope).check(z.minLength(1, "Choisissez au moins un droit"), z.maxLength(20)),
  days: z.nullable(z.union([z.literal(365), z.literal(90)], "Durée invalide")),
  addresses: z._default(
    z
      .array(addressRange)
      .check(z.maxLength(MAX_KEY_ADDRESSES, `${MAX_KEY_ADDRESSES} adresses au maximum`)),
    [],
  ),
});
export type KeyRequest = z.infer<typeof keyRequest>;

/** `hint`: its first characters. */
export const apiKey = z.object({
  id: idSchema,
  name: z.string(),
  hint: z.string(),
  scopes: z.array(scope),
  addresses: z.array(z.string()),
  created_at: instantSchema,
  expires_at: z.nullable(instantSchema),
  last_used_at: z.nullable(instantSchema),
});
export type ApiKey = z.infer<typeof apiKey>;

/** Usable and expired ones, newest first. */
export const keyList = z.object({ keys: z.array(apiKey) });
export type KeyList = z.infer<typeof keyList>;

/** `secret`: shown once. */
export const createdKey = z.object({ key: apiKey, secret: z.string() });
export type CreatedKey = z.infer<typeof createdKey>;
