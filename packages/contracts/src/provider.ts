import * as z from "zod/mini";
import { providerKind, userSchema } from "./account.ts";
import { domainList } from "./organisation.ts";
import { anyLineSchema, instantSchema, lineSchema } from "./schema.ts";

/** RFC 6749 §4.1.1. */
const LOCATION = z.strictObject({ location: z.string() });
/** `POST token/provider/` and a trial: where the browser goes. */
/** `fresh`: the provider makes the person sign in again. */
export const providerLoginRequest = z.strictObject({
  provider: providerKind,
  fresh: z._default(z.boolean(), false),
});
export const providerLoginAnswer = LOCATION;
export type ProviderLoginAnswer = z.infer<typeof providerLoginAnswer>;

const parameter = (maximum: number) => z.optional(z.string().check(z.maxLength(maximum)));
/** `POST token/provider/return/`: what the provider put in the return address. */
export const providerReturnRequest = z.strictObject({
  state: parameter(512),
  code: parameter(8_192),
  iss: parameter(2_048),
  error: parameter(256),
  remember_me: z._default(z.boolean(), false),
});
export type ProviderReturnRequest = z.infer<typeof providerReturnRequest>;

/** What a provider said of a person, beside the confirmed facts of an account. */
export const vouchedIdentity = z.strictObject({
  /** Host of the issuer. */
  provider: z.string(),
  full_name: z.nullable(z.string()),
  email: z.nullable(z.string()),
  siret: z.nullable(z.string()),
});
export type VouchedIdentity = z.infer<typeof vouchedIdentity>;
/** `trial`: an administrator's, which opens no session. */
export const providerReturnAnswer = z.strictObject({
  user: z.optional(userSchema),
  trial: z.optional(vouchedIdentity),
});
export type ProviderReturnAnswer = z.infer<typeof providerReturnAnswer>;
export const providerLinkAnswer = z.strictObject({ linked: z.boolean() });
export type ProviderLinkAnswer = z.infer<typeof providerLinkAnswer>;

const NO_ADDRESS = "Indiquez une adresse en https, sans « ? » ni « # ».";
const ISSUER = /^https:\/\/[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?(?:\/[^\s?#]*)?$/i;
/** OpenID Connect Discovery 1.0 §3: https, no query, no fragment. */
const issuerSchema = z.pipe(
  anyLineSchema(512, "Adresse requise"),
  z.pipe(
    z.transform((line: string) => line.replace(/\/?\.well-known\/openid-configuration$/, "")),
    z.string().check(z.regex(ISSUER, NO_ADDRESS)),
  ),
);

const provider = {
  issuer: issuerSchema,
  client_id: anyLineSchema(255, "Identifiant requis"),
  label: lineSchema(60, "Texte du bouton requis"),
  domains: domainList,
  /** Given to an account that its first login makes. */
  arrival_role: z.enum(["member", "reader"]),
  role_claim: z.nullable(z.enum(["groups", "roles"])),
  is_only_way: z.boolean(),
};
/** `PUT organisation/providers/:kind/`. Without `client_secret` the stored one stays. */
export const providerRequest = z
  .strictObject({
    ...provider,
    client_secret: z.optional(
      z.string().check(z.minLength(1, "Secret requis"), z.maxLength(1_024, "Secret trop long")),
    ),
    version: z.int().check(z.nonnegative()),
  })
  .check(
    z.refine(({ is_only_way, domains }) => !is_only_way || domains.length > 0, {
      message: "Indiquez les domaines pour lesquels c’est le seul moyen.",
      path: ["domains"],
    }),
  );
export type ProviderRequest = z.infer<typeof providerRequest>;

export const providerParams = z.strictObject({ kind: providerKind });
/** The secret is left out. */
const providerSettings = z.strictObject({
  issuer: z.string(),
  client_id: z.string(),
  label: z.string(),
  domains: z.array(z.string()),
  arrival_role: z.string(),
  role_claim: z.nullable(z.string()),
  is_only_way: z.boolean(),
  version: z.number(),
  secret_saved_at: instantSchema,
  tested_at: z.nullable(instantSchema),
  trial_failure: z.nullable(z.strictObject({ at: instantSchema, sentence: z.string() })),
});
export type ProviderSettings = z.infer<typeof providerSettings>;
/** The provider must know these addresses, for returning browsers and logouts. */
const addresses = z.strictObject({ return: z.string(), logout: z.string() });
export const providerList = z.strictObject({
  oidc: z.nullable(providerSettings),
  proconnect: z.nullable(providerSettings),
  addresses: z.strictObject({ oidc: addresses, proconnect: addresses }),
});
export type ProviderList = z.infer<typeof providerList>;
