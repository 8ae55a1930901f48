import * as z from "zod/mini";
import { hasContrast, parseColour } from "./look/colour.ts";
import { LOGO_FAULTS, MAX_LOGO_BYTES } from "./look/logo.ts";
import { registerAccount, registerProfile, userSchema } from "./account.ts";
import { bareSiret, domainFault, LEGAL_FORMS, siretFault } from "./organisation-rules.ts";
import { wordsFault } from "./person-rules.ts";
import {
  dateSchema,
  emailSchema,
  instantSchema,
  lineSchema,
  multilineSchema,
  namedLineSchema,
} from "./schema.ts";

/** RFC 5280, appendix A.1, ub-organization-name. */
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

/** Mails end with it, so it has no link. */
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

/** As answered: `legal_form` may be an older version's. */
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

/** Says who runs the service, once named. */
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

/** The version edited: a change of an older one is refused. */
const version = z.int().check(z.nonnegative());
export const identityRequest = z.strictObject({ ...identity, version });
export type IdentityRequest = z.infer<typeof identityRequest>;
export const registrationRequest = z.strictObject({ choice: registrationChoice, version });
export type RegistrationRequest = z.infer<typeof registrationRequest>;

const colourSchema = z.pipe(
  z.pipe(
    z.string("Couleur requise").check(z.maxLength(16, "Couleur inconnue")),
    z.transform((text: string) => parseColour(text)),
  ),
  z.nullable(z.string()).check(
    z.refine((colour) => colour !== null, {
      message: "Écrivez une couleur en hexadécimal, par exemple #6B1F3A.",
      abort: true,
    }),
    z.refine(
      (colour) => hasContrast(colour ?? ""),
      "Trop clair pour du texte blanc\u00a0: il faut 4,5 au moins",
    ),
  ),
);

/** Base64; absent, the logo stays; null removes it. */
const logoSchema = z.optional(
  z.nullable(
    z.string("Logo illisible").check(
      z.maxLength(4 * Math.ceil(MAX_LOGO_BYTES / 3), LOGO_FAULTS.size),
      z.refine(
        (text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text),
        LOGO_FAULTS.damage,
      ),
    ),
  ),
);
/** What signers see. `colour`: null for the service's own. */
export const appearanceRequest = z.strictObject({
  colour: z.nullable(colourSchema),
  logo: logoSchema,
  version,
});
export type AppearanceRequest = z.infer<typeof appearanceRequest>;

const LONGEST_FOOTER = 300;
const mails = {
  sender_name: z.nullable(namedLineSchema(LONGEST_NAME, { required: "Nom requis", kind: "nom" })),
  /** Serves mails that nobody sends; null: none. */
  reply_to: z.nullable(emailSchema),
  /** Null: name and address. No link: a mail with a code ends with it. */
  footer: z.nullable(
    z.pipe(
      multilineSchema(LONGEST_FOOTER),
      z.string().check(
        z.minLength(1, { message: "Pied des emails requis", abort: true }),
        z.refine(
          (lines) => lines.split("\n").every((line) => wordsFault(line, "nom") === null),
          "Un pied d’email ne contient ni lien ni adresse de site.",
        ),
      ),
    ),
  ),
};
export const organisationMails = z.strictObject(mails);
export type OrganisationMails = z.infer<typeof organisationMails>;
export const mailsRequest = z.strictObject({ ...mails, version });
export type MailsRequest = z.infer<typeof mailsRequest>;

/** Days for whoever lacks a factor, unless the administrator chooses the day. */
export const SECOND_FACTOR_GRACE_DAYS = 10;
export const FACTOR_DAY_FAULT = "Choisissez un jour à venir, dans l’année.";
/** An hour, a working day, a week, thirty days. */
export const IDLE_HOURS = [1, 8, 168, 720] as const;
export const PASSWORD_LENGTHS = [8, 10, 12, 14, 16] as const;
const access = {
  /** Members show a factor for each signature. */
  confirms_signatures: z.boolean(),
  /** Null: the service's own. */
  password_min_length: z.nullable(z.literal(PASSWORD_LENGTHS)),
  /** Null: 2 hours, 14 days with « Rester connecté ». */
  idle_hours: z.nullable(z.literal(IDLE_HOURS)),
};
/** `second_factor_on`: compulsory from this day of Paris; absent: from ten days later, or as before. */
export const accessRequest = z.strictObject({
  ...access,
  second_factor: z.boolean(),
  second_factor_on: z.optional(dateSchema),
  version,
});
export type AccessRequest = z.infer<typeof accessRequest>;

/** `is_chosen`: false while the setting `REGISTRATION` decides. */
export const organisationSettings = z.strictObject({
  version,
  identity: z.nullable(shownIdentity),
  registration: z.strictObject({
    kind: z.enum(["closed", "domains", "open"]),
    domains: z.array(z.string()),
    is_chosen: z.boolean(),
  }),
  appearance: z.strictObject({
    colour: z.nullable(z.string()),
    logo: z.nullable(z.string()),
  }),
  /** `address`: of the sender, a setting of the service. */
  mails: z.strictObject({
    sender_name: z.nullable(z.string()),
    reply_to: z.nullable(z.string()),
    footer: z.nullable(z.string()),
    address: z.string(),
  }),
  /** `second_factor_by`: from this day only a factor can be added; null: none is compulsory. */
  access: z.strictObject({
    second_factor_by: z.nullable(instantSchema),
    confirms_signatures: z.boolean(),
    password_min_length: z.nullable(z.number()),
    service_password_min_length: z.number(),
    idle_hours: z.nullable(z.number()),
  }),
  /** The local page with a trial service's mails. */
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
/** `account`: a visitor's; a signed-in person has one. */
export const firstStartRequest = z.strictObject({ token, account: z.optional(firstAccount) });
export type FirstStartRequest = z.infer<typeof firstStartRequest>;
export const firstStartAnswer = z.strictObject({ user: userSchema });
