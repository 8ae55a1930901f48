import * as z from "zod/mini";
import { userAnswer } from "./account.ts";
import { MAX_FILE_NAME_LENGTH } from "./constants.ts";
import { createEnvelopeRequest, findingSchema, updateEnvelopeRequest } from "./envelope.ts";
import { fillSentence, type Problem, type ProblemCode, PROBLEMS } from "./problems.ts";
import { idSchema, instantSchema, lineSchema, sha256Schema } from "./schema.ts";

/** In the order of the page. */
export const KEY_SCOPES = {
  "envelopes:read": "Lire les enveloppes",
  "envelopes:write": "Créer et modifier des brouillons",
  "envelopes:send": "Envoyer et annuler",
  "proof:read": "Lire les preuves et les exemplaires signés",
  "contacts:read": "Lire les contacts",
  "webhooks:write": "Gérer les webhooks",
} as const;
export type KeyScope = keyof typeof KEY_SCOPES;
/** A reader may give a program no other. */
export const isReadScope = (one: KeyScope): boolean => one.endsWith(":read");
const SCOPES = Object.keys(KEY_SCOPES) as [KeyScope, ...KeyScope[]];

export const KEY_PREFIX = "pk_live_";
export const MAX_KEYS = 50;
export const MAX_KEY_NAME_LENGTH = 60;
export const MAX_KEY_ADDRESSES = 20;
export const KEY_LIVES = [365, 90, null] as const;

const scope = z.enum(SCOPES);
/** An address, or a range (RFC 4632, RFC 4291 §2.3). */
const addressRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], "Adresse IP invalide");

export const programHolder = z.object({
  kind: z.enum(["person", "team", "organisation"]),
  id: idSchema,
  name: z.nullable(z.string()),
});
export type ProgramHolder = z.infer<typeof programHolder>;
/** Absent: whoever calls. */
export const holderChoice = z.optional(idSchema);

const SITE = /^(https:\/\/[a-z0-9.-]{1,253}|http:\/\/(localhost|127\.0\.0\.1))(:\d{1,5})?$/;
/** As browsers serialise it (RFC 6454 §6.2); http on a developer's own machine alone. */
export const siteOrigin = z.string().check(
  z.regex(SITE, {
    error: ({ input = "" }) =>
      input.endsWith("/") && SITE.test(input.slice(0, -1))
        ? "Retirez le «\u00a0/\u00a0» final du site"
        : input.startsWith("http:")
          ? "Site en https attendu\u202f; en http, localhost et 127.0.0.1 seuls"
          : "Site attendu sans chemin\u00a0: https://client.exemple.fr",
  }),
);

const addressRanges = z
  .array(addressRange)
  .check(z.maxLength(MAX_KEY_ADDRESSES, `${MAX_KEY_ADDRESSES} adresses au maximum`));
const siteOrigins = z
  .array(siteOrigin)
  .check(z.maxLength(MAX_KEY_ADDRESSES, `${MAX_KEY_ADDRESSES} sites au maximum`));

/** `addresses`: none, from everywhere. `origins`: sites that may embed the signing page. */
export const keyRequest = z.strictObject({
  name: lineSchema(MAX_KEY_NAME_LENGTH, "Nom de la clé requis"),
  scopes: z.array(scope).check(z.minLength(1, "Choisissez au moins un droit"), z.maxLength(20)),
  days: z.nullable(z.union([z.literal(365), z.literal(90)], "365, 90 ou null (sans fin)")),
  addresses: z._default(addressRanges, []),
  origins: z._default(siteOrigins, []),
  holder: holderChoice,
});
export type KeyRequest = z.infer<typeof keyRequest>;

export const keyChange = z.strictObject({
  name: z.optional(keyRequest.shape.name),
  scopes: z.optional(keyRequest.shape.scopes),
  addresses: z.optional(addressRanges),
  origins: z.optional(siteOrigins),
});
export type KeyChange = z.infer<typeof keyChange>;

/** `by`: who stands behind it. */
export const apiKey = z.object({
  id: idSchema,
  holder: programHolder,
  by: z.string(),
  name: z.string(),
  hint: z.string(),
  scopes: z.array(scope),
  addresses: z.array(z.string()),
  origins: z.array(z.string()),
  created_at: instantSchema,
  expires_at: z.nullable(instantSchema),
  last_used_at: z.nullable(instantSchema),
});
export type ApiKey = z.infer<typeof apiKey>;

/** Newest first. `holders`: who may have a new one. */
export const keyList = z.object({ keys: z.array(apiKey), holders: z.array(programHolder) });
export type KeyList = z.infer<typeof keyList>;

/** `secret`: shown once. */
export const createdKey = z.object({ key: apiKey, secret: z.string() });
export type CreatedKey = z.infer<typeof createdKey>;

/** `key`: the one that calls; absent in a session. */
export const accountAnswer = z.extend(userAnswer, {
  key: z.optional(
    z.strictObject(z.pick(apiKey, { id: true, name: true, holder: true, scopes: true }).shape),
  ),
});

const base64 = z.string("Fichier requis").register(z.globalRegistry, {
  description:
    "The PDF in base64 (RFC 4648 §4: `+` and `/`, padded, without line breaks), at most 10 485 760 bytes once decoded.",
  contentEncoding: "base64",
  contentMediaType: "application/pdf",
});
const fileName = lineSchema(MAX_FILE_NAME_LENGTH, "Nom requis");
/** A file within JSON, where a form has a part; or one sent ahead. */
const fileRequest = z.union(
  [
    z.strictObject({ name: fileName, content: base64 }),
    z.strictObject({ upload_id: idSchema, name: z.optional(fileName) }),
  ],
  "Un nom et un contenu en base64, ou un upload_id",
);
export type FileRequest = z.infer<typeof fileRequest>;
const filesRequest = z.array(fileRequest, {
  error: ({ input }) => (input === undefined ? "Au moins un fichier" : "Une liste est attendue"),
});

/** The form's texts; `send`: sent at once, or not made. */
export const newEnvelopeForm = z.extend(createEnvelopeRequest, { send: z.optional(z.boolean()) });
export const newEnvelopeRequest = z.extend(newEnvelopeForm, {
  files: filesRequest.check(z.minLength(1, "Au moins un fichier")),
});
/** `PATCH envelopes/{id}/` as JSON: `files` adds. */
export const changedEnvelopeRequest = z.extend(updateEnvelopeRequest, {
  files: z.optional(filesRequest),
});

export const uploadQuery = z.strictObject({ name: z._default(fileName, "document.pdf") });
/** A PDF sent ahead, until an envelope takes it or it expires. */
export const uploadAnswer = z.strictObject({
  id: idSchema,
  name: z.string(),
  size: z.number(),
  sha256: sha256Schema,
  page_count: z.number(),
  control: z.strictObject({ result: z.enum(["ok", "fixable"]), findings: z.array(findingSchema) }),
  expires_at: instantSchema,
});
export type UploadAnswer = z.infer<typeof uploadAnswer>;

/** Says to the caller with a key what to send instead. */
const PROGRAM_SENTENCES: Readonly<Partial<Record<ProblemCode, string>>> = {
  validation: "Corrigez les champs que «\u00a0errors\u00a0» nomme, puis renvoyez la demande.",
  malformed_request:
    "La demande n’a pas pu être lue. Envoyez du JSON valide en UTF-8 (Content-Type: application/json), ou un formulaire multipart/form-data entier, dont l’en-tête nomme la limite (boundary).",
  unsupported_media_type:
    "Ce contenu n’est pas accepté. Envoyez Content-Type: {types}, sans Content-Encoding, les textes en UTF-8.",
  key_not_for_programs:
    "Aucune clé d’API ne permet cet appel, réservé à une personne connectée. Une adresse «\u00a0download_url\u00a0» s’ouvre sans l’en-tête Authorization.",
  not_found:
    "Il n’y a rien à cette adresse pour le compte de cette clé. Vérifiez le chemin, qui finit par «\u00a0/\u00a0», et l’identifiant.",
  method_not_allowed:
    "Cette adresse n’a pas cette méthode. Envoyez l’une de celles que donne l’en-tête Allow.",
  session_expired:
    "Cet appel n’a pas de clé d’API. Envoyez l’en-tête «\u00a0Authorization: Bearer pk_live_…\u00a0».",
  csrf_failed:
    "Cet appel n’a pas de clé d’API. Envoyez l’en-tête «\u00a0Authorization: Bearer pk_live_…\u00a0», ou X-CSRFToken (GET /api/verify-token/) avec une session.",
  not_allowed:
    "Cette action est réservée à l’expéditeur de l’enveloppe. Envoyez une clé de son compte.",
  version_conflict:
    "Cette enveloppe a changé depuis votre lecture. Relisez-la, puis envoyez sa «\u00a0version\u00a0» dans l’en-tête If-Match.",
  idempotency_conflict:
    "Cette Idempotency-Key a déjà servi pour une autre demande. Envoyez-en une nouvelle.",
  invalid_state:
    "Action impossible\u00a0: l’enveloppe est à l’état «\u00a0{state}\u00a0». Relisez-la\u00a0: «\u00a0status\u00a0» dit où elle en est.",
  not_ready_to_send: "L’enveloppe ne peut pas encore être envoyée\u00a0: {reason} {next}",
  not_completed:
    "L’enveloppe est à l’état «\u00a0{state}\u00a0»\u00a0: tous n’ont pas signé. Attendez l’événement envelope.completed, ou ajoutez ?current=true pour le fichier tel qu’il est.",
  copy_to_accept:
    "Ce PDF doit être corrigé avant d’être signé. Envoyez PATCH avec «\u00a0accept_normalised\u00a0» et l’identifiant du document, ou un autre fichier.",
  organisation_changed:
    "L’organisation a été modifiée ailleurs. Relisez-la, puis renvoyez votre changement.",
  request_too_large: "La demande dépasse {limit} octets, la limite de cet appel. Envoyez-en moins.",
  file_too_large:
    "Un fichier dépasse 10\u202f485\u202f760 octets\u00a0: «\u00a0file_index\u00a0» dit lequel parmi plusieurs, à partir de 0.",
  envelope_too_large:
    "L’enveloppe dépasse 52\u202f428\u202f800 octets ou 20 documents. Envoyez moins de fichiers.",
  not_a_pdf:
    "Un fichier n’est pas un PDF\u00a0: son nom finit par «\u00a0.pdf\u00a0», et son contenu est celui d’un PDF. «\u00a0file_index\u00a0» dit lequel parmi plusieurs.",
  too_many_requests:
    "Trop de demandes. Renvoyez celle-ci après le nombre de secondes de l’en-tête Retry-After.",
  service_unavailable:
    "Le service est momentanément indisponible. Renvoyez la demande après Retry-After, avec la même Idempotency-Key.",
  internal:
    "Une erreur inattendue est survenue. Renvoyez la demande avec la même Idempotency-Key\u202f; «\u00a0request_id\u00a0» désigne cet appel.",
};

export function programSentence(value: Problem): string {
  return fillSentence(PROGRAM_SENTENCES[value.code] ?? PROBLEMS[value.code].sentence, {
    ...value,
    params: {
      next: "Complétez le brouillon (PATCH), puis renvoyez-la.",
      types: "application/json",
      limit: "2\u202f097\u202f152",
      ...value.params,
    },
  });
}
