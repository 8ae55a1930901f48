import * as z from "zod/mini";
import { registerAccount, registerProfile, userSchema } from "./account.ts";
import { wordsFault } from "./person-rules.ts";
import { emailSchema, lineSchema, namedLineSchema } from "./schema.ts";

/** French, as shown. */
export const LEGAL_FORMS = [
  "SAS",
  "SASU",
  "SARL",
  "EURL",
  "SA",
  "SCI",
  "SCP",
  "SELARL",
  "SELAS",
  "Entreprise individuelle",
  "Société coopérative",
  "Association",
  "Fondation",
  "Commune",
  "Intercommunalité",
  "Département",
  "Région",
  "Établissement public",
  "Service de l’État",
  "Autre",
] as const;

/** RFC 5280, appendix A.1, ub-organization-name: the name stands in certificates. */
const LONGEST_NAME = 64;
const LONGEST_ADDRESS = 200;

/** La Poste, whose thousands of offices exhaust the key. */
const LA_POSTE = "356000000";

/**
 * Null for a SIRET: 14 digits, spaces allowed.
 * Source: Insee: the key of ISO/IEC 7812-1 (Luhn); for La Poste, a sum of digits divisible by 5.
 */
export function siretFault(text: string): string | null {
  const siret = bareSiret(text);
  if (!/^(?!0{9})\d{14}$/.test(siret)) return "Un SIRET a 14 chiffres.";
  const digits = Array.from(siret, Number);
  const isPost = siret.startsWith(LA_POSTE) && sumOf(digits) % 5 === 0;
  return isPost || luhnSum(digits) % 10 === 0
    ? null
    : "Ce numéro n’est pas un SIRET\u00a0: le dernier chiffre ne correspond pas.";
}

function bareSiret(text: string): string {
  return text.replace(/[\s\u00a0\u202f.]/g, "");
}

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0);

/** Every second digit from the right counts twice. */
function luhnSum(digits: readonly number[]): number {
  return sumOf(
    digits.map((digit, index) => {
      const weighed = (digits.length - index) % 2 === 0 ? digit * 2 : digit;
      return weighed > 9 ? weighed - 9 : weighed;
    }),
  );
}

/** `812 345 678 00012`. */
export function formatSiret(siret: string): string {
  return siret.replace(/^(\d{3})(\d{3})(\d{3})(\d{5})$/, "$1\u00a0$2\u00a0$3\u00a0$4");
}

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

/** Anybody may have an address there: it says nothing of who one is. */
const PUBLIC_MAIL = new Set(
  (
    "aliceadsl.fr aol.com aol.fr bbox.fr club-internet.fr free.fr gmail.com gmx.com gmx.fr googlemail.com " +
    "hotmail.com hotmail.fr icloud.com laposte.net live.com live.fr mac.com mail.com mail.ru mailo.com me.com " +
    "msn.com neuf.fr numericable.fr orange.fr outlook.com outlook.fr pm.me proton.me protonmail.com sfr.fr " +
    "tutanota.com wanadoo.fr yahoo.com yahoo.fr yandex.com ymail.com zoho.com"
  ).split(" "),
);
const DOMAIN = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const MOST_DOMAINS = 50;

/** Null for a domain whose addresses may register. */
export function domainFault(domain: string): string | null {
  if (!DOMAIN.test(domain)) return `«\u00a0${domain.slice(0, 40)}\u00a0» n’est pas un domaine.`;
  return PUBLIC_MAIL.has(domain)
    ? `${domain} est une messagerie publique\u00a0: tout le monde peut y avoir une adresse.`
    : null;
}

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

/** `closed`: on invitation only. */
export const registrationChoice = z
  .strictObject({
    kind: z.enum(["closed", "domains", "open"], "Choix requis"),
    domains: z
      .array(domainSchema)
      .check(z.maxLength(MOST_DOMAINS, `${MOST_DOMAINS} domaines au maximum`)),
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
