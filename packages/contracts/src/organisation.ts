import * as z from "zod/mini";
import { registerAccount, registerProfile, userSchema } from "./account.ts";
import { bareSiret, domainFault, LEGAL_FORMS, siretFault } from "./organisation-rules.ts";
import { wordsFault } from "./person-rules.ts";
import { emailSchema, lineSchema, namedLineSchema } from "./schema.ts";

/** RFC 5280, appendix A.1, ub-organization-name: the name stands in certificates. */
const LONGEST_NAME = 64;
const LONGEST_ADDRESS = 200;

const siretSchema = z.pipe(
  z.string("SIRET invalide").check(
    z.maxLength(32, { message: "Un SIRET a 14 chiffres.", abort: true }),
    z.refine((text) => siretFault(text) === null, {
      error: ({ input }) => siretFault(String(input)) ?? "",
    }),
  ),
  z.transform(bareSiret),
);

/** Mails end with it: it holds no link. */
const addressSchema = z.pipe(
  lineSchema(LONGEST_ADDRESS, "Adresse requise"),
  z
    .string()
    .check(
      z.refine(
        (line) => wordsFault(line, "nom") === null,
        "Une adresse postale ne contient ni lien ni adresse de site.",
      ),
    ),
);

/** Published in the legal notice. Source: loi n° 2004-575 du 21 juin 2004, article 1-1. */
const identity = {
  name: namedLineSchema(LONGEST_NAME, { required: "Nom requis", kind: "nom" }),
  legal_form: z.enum(LEGAL_FORMS, "Forme juridique requise"),
  address: addressSchema,
  siret: z.nullable(siretSchema),
  representative: z.nullable(
    namedLineSchema(LONGEST_NAME, { required: "Nom requis", kind: "nom" }),
  ),
  contact_email: emailSchema,
  /** Source: GDPR art. 37(7). */
  dpo_email: z.nullable(emailSchema),
};
export const organisationIdentity = z.strictObject(identity);
export type OrganisationIdentity = z.infer<typeof organisationIdentity>;

/** As it leaves: `legal_form` may be an older version's. */
const shownIdentity = z.strictObject({
  name: z.string(),
  legal_form: z.string(),
  address: z.string(),
  siret: z.nullable(z.string()),
  representative: z.nullable(z.string()),
  contact_email: z.string(),
  dpo_email: z.nullable(z.string()),
});
export type ShownIdentity = z.infer<typeof shownIdentity>;

/** `GET organisation/`: whoever runs the service, once it was named. */
export const organisationAnswer = z.strictObject({ identity: z.nullable(shownIdentity) });
export type OrganisationAnswer = z.infer<typeof organisationAnswer>;

const MOST_DOMAINS = 50;

const domainSchema = z.pipe(
  z.pipe(
    z.string("Domaine invalide").check(z.maxLength(254, "Domaine trop long")),
    z.transform((text: string) => text.trim().toLowerCase().replace(/^@/, "")),
  ),
  z.string().check(
    z.refine((domain) => domainFault(domain) === null, {
      error: ({ input }) => domainFault(String(input)) ?? "",
    }),
  ),
);

export const domainList = z
  .array(domainSchema)
  .check(z.maxLength(MOST_DOMAINS, `${MOST_DOMAINS} domaines au maximum`));

/** `closed`: on invitation only. */
export const registrationChoice = z
  .strictObject({
    kind: z.enum(["closed", "domains", "open"], "Choix requis"),
    domains: domainList,
  })
  .check(
    z.refine(({ kind, domains }) => kind !== "domains" || domains.length > 0, {
      message: "Indiquez au moins un domaine.",
      path: ["domains"],
    }),
  );
export type RegistrationChoice = z.infer<typeof registrationChoice>;

/** The version that was edited: a change of an older one is refused. */
const version = z.int().check(z.nonnegative());
export const identityRequest = z.strictObject({ ...identity, version });
export type IdentityRequest = z.infer<typeof identityRequest>;
export const registrationRequest = z.strictObject({ choice: registrationChoice, version });
export type RegistrationRequest = z.infer<typeof registrationRequest>;

/** `is_chosen`: false while the setting `REGISTRATION` decides. */
export const organisationSettings = z.strictObject({
  version,
  identity: z.nullable(shownIdentity),
  registration: z.strictObject({
    kind: z.enum(["closed", "domains", "open"]),
    domains: z.array(z.string()),
    is_chosen: z.boolean(),
  }),
  /** Local page of a trial service's mails. */
  mailbox: z.nullable(z.string()),
});
export type OrganisationSettings = z.infer<typeof organisationSettings>;

const token = z.string().check(z.minLength(1), z.maxLength(128));
export const firstStartCheck = z.strictObject({ token });
export const firstAccount = z.strictObject({
  ...registerAccount.shape,
  first_name: registerProfile.shape.first_name,
  last_name: registerProfile.shape.last_name,
});
export type FirstAccount = z.infer<typeof firstAccount>;
/** `account`: of a visitor; a signed-in person keeps theirs. */
export const firstStartRequest = z.strictObject({ token, account: z.optional(firstAccount) });
export type FirstStartRequest = z.infer<typeof firstStartRequest>;
export const firstStartAnswer = z.strictObject({ user: userSchema });
