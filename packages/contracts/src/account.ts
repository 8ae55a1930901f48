import * as z from "zod/mini";
import { MAX_NAME_LENGTH, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from "./constants.ts";
import { asciiAddress } from "./person-rules.ts";
import {
  anyLineSchema,
  codeSchema,
  dateSchema,
  emailSchema,
  idSchema,
  instantSchema,
  lineSchema,
  multilineSchema,
  namedLineSchema,
  phoneSchema,
  rawTextSchema,
  teamRef,
} from "./schema.ts";

/** Characters of a password in NFC, surrogate pairs counted once. */
export function passwordLength(password: string): number {
  return Array.from(password.normalize("NFC")).length;
}

/** `minimum` characters or more, 128 at most (specification §5). */
export function passwordSchema(
  required = "Mot de passe requis",
  minimum: number = MIN_PASSWORD_LENGTH,
) {
  const tooLong = `${MAX_PASSWORD_LENGTH} caractères au maximum`;
  return rawTextSchema(MAX_PASSWORD_LENGTH, { wrong: required, tooLong })
    .check(
      z.minLength(1, { message: required, abort: true }),
      z.refine(
        (password) => passwordLength(password) >= minimum,
        minimum === MIN_PASSWORD_LENGTH ? "Minimum 5 caractères" : `Minimum ${minimum} caractères`,
      ),
      z.refine((password) => passwordLength(password) <= MAX_PASSWORD_LENGTH, tooLong),
    )
    .register(z.globalRegistry, { minLength: minimum, maxLength: MAX_PASSWORD_LENGTH });
}

/** A name with one of these is refused, not cleaned. */
const NOT_IN_NAMES = /[<>\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

function nameSchema(required: string) {
  const plain = rawTextSchema(MAX_NAME_LENGTH, {
    wrong: required,
    tooLong: `${MAX_NAME_LENGTH} caractères au maximum`,
  }).check(
    z.refine((value) => !NOT_IN_NAMES.test(value.trim()), "Caractères non autorisés dans un nom"),
  );
  return z.pipe(plain, namedLineSchema(MAX_NAME_LENGTH, { required, kind: "nom" }));
}

export const usernameSchema = lineSchema(150, "Nom d'utilisateur requis");
export const genderSchema = z.enum(["Homme", "Femme", ""]);

export const loginRequest = z.strictObject({
  // A username contains no `@`; an address has its domain in ASCII, as at registration.
  username: z.pipe(
    z.pipe(anyLineSchema(254, "Nom d'utilisateur requis"), z.transform(asciiAddress)),
    z.string(),
  ),
  password: z
    .string("Mot de passe requis")
    .check(z.minLength(1, "Mot de passe requis"), z.maxLength(1_024, "Mot de passe trop long")),
  remember_me: z._default(z.boolean(), false),
});
export type LoginRequest = z.infer<typeof loginRequest>;

export const registerAccount = z.strictObject({
  username: usernameSchema,
  email: emailSchema,
  password: passwordSchema(),
});
export type RegisterAccount = z.infer<typeof registerAccount>;
export const BIRTH_DATE_REQUIRED = "Date de naissance requise";
export const registerProfile = z.strictObject({
  first_name: nameSchema("Prénom requis"),
  last_name: nameSchema("Nom requis"),
  birth_date: z
    .string(BIRTH_DATE_REQUIRED)
    .check(
      z.minLength(1, { message: BIRTH_DATE_REQUIRED, abort: true }),
      z.iso.date("Date invalide"),
    ),
  phone_number: z.optional(phoneSchema),
  gender: z.optional(genderSchema),
  address: z.optional(multilineSchema(500)),
});
/** Multipart fields of `register/`, beside the file part `avatar`. */
export const registerRequest = z
  .strictObject({
    ...registerAccount.shape,
    ...registerProfile.shape,
    /** Only an invited person may leave it out. */
    birth_date: z.optional(registerProfile.shape.birth_date),
    /** Invitation token, where registration is closed. */
    invitation: z.optional(z.string().check(z.maxLength(128))),
  })
  .check(
    z.refine(
      ({ birth_date, invitation }) => birth_date !== undefined || invitation !== undefined,
      // Reported beside the faults of other fields.
      { error: BIRTH_DATE_REQUIRED, path: ["birth_date"], when: () => true },
    ),
  );
export type RegisterRequest = z.infer<typeof registerRequest>;

export const emailRequest = z.strictObject({ email: emailSchema });
export const changePasswordRequest = z.strictObject({
  uid: z.string().check(z.minLength(1), z.maxLength(64)),
  token: z.string().check(z.minLength(1), z.maxLength(128)),
  password: passwordSchema(),
});
export const ownPasswordRequest = z.strictObject({
  old_password: z
    .string("Ancien mot de passe requis")
    .check(z.minLength(1, "Ancien mot de passe requis"), z.maxLength(1_024)),
  new_password: passwordSchema("Nouveau mot de passe requis"),
});
export const profileRequest = z.strictObject({
  first_name: z.optional(nameSchema("Prénom requis")),
  last_name: z.optional(nameSchema("Nom requis")),
  birth_date: z.optional(z.nullable(dateSchema)),
  phone_number: z.optional(z.nullable(phoneSchema)),
  gender: z.optional(z.nullable(genderSchema)),
  address: z.optional(z.nullable(multilineSchema(500))),
  avatar: z.optional(z.null()),
});
export type ProfileRequest = z.infer<typeof profileRequest>;

/** At least one channel (specification §5). */
export const notificationsSchema = z
  .strictObject({ email: z.boolean(), sms: z.boolean(), push: z.boolean() })
  .check(
    z.refine((value) => value.email || value.sms || value.push, "Sélectionnez au moins un canal"),
  );
export type NotificationChannels = z.infer<typeof notificationsSchema>;
const anyChannel = { email: z.boolean(), sms: z.boolean(), push: z.boolean() };
/** `PUT me/notifications/`: what is left out stays. */
export const notificationsRequest = z
  .strictObject({
    ...anyChannel,
    quiet_hours: z.optional(z.boolean()),
    daily_summary: z.optional(z.boolean()),
  })
  .check(
    z.refine((value) => value.email || value.sms || value.push, "Sélectionnez au moins un canal"),
  );
export type NotificationsRequest = z.infer<typeof notificationsRequest>;
/** `quiet_hours`: waits from 20 h to 8 h in Paris. `daily_summary`: one mail a day, at 8 h. */
export const notificationChoice = z.strictObject({
  ...anyChannel,
  quiet_hours: z.boolean(),
  daily_summary: z.boolean(),
});
export type NotificationChoice = z.infer<typeof notificationChoice>;
/** `GET me/notifications/`, with how many messages wait and until when. */
export const notificationsAnswer = z.strictObject({
  ...notificationChoice.shape,
  sms_offered: z.boolean(),
  waiting: z.nullable(z.strictObject({ count: z.number(), until: instantSchema })),
});
export type NotificationsAnswer = z.infer<typeof notificationsAnswer>;

/** `POST me/notifications/test/`: the channels used. */
export const notificationTrial = z.strictObject({
  channels: z.array(z.enum(["email", "sms", "push"])),
});
export type NotificationTrial = z.infer<typeof notificationTrial>;

/** The server's `organisations/domain/permissions.ts` says what each may do. */
export const MEMBER_ROLES = ["owner", "administrator", "member", "reader"] as const;
export type MemberRole = (typeof MEMBER_ROLES)[number];

export const userSchema = z.strictObject({
  id: idSchema,
  username: z.string(),
  email: z.string(),
  /** A link or code came back in a session, which then acts as that recipient. */
  email_confirmed: z.boolean(),
  first_name: z.string(),
  last_name: z.string(),
  birth_date: z.nullable(dateSchema),
  phone_number: z.nullable(z.string()),
  phone_verified: z.boolean(),
  gender: z.string(),
  address: z.nullable(z.string()),
  avatar: z.nullable(z.string()),
  notifications: z.strictObject({ email: z.boolean(), sms: z.boolean(), push: z.boolean() }),
  unread_actions: z.number(),
  /** The role in the installation's organisation; absent for others. */
  organisation_role: z.optional(z.enum(MEMBER_ROLES)),
  /** From this day only a factor can be added; absent where there is one. */
  second_factor_by: z.optional(instantSchema),
  teams: z.optional(z.array(teamRef)),
});
export type User = z.infer<typeof userSchema>;
export const userAnswer = z.strictObject({ user: userSchema });
/** `registration`: for everybody, addresses of some `domains`, or `closed`. */
export const providerKind = z.enum(["oidc", "proconnect"]);
export type ProviderKind = z.infer<typeof providerKind>;
const offeredProvider = z.strictObject({ kind: providerKind, label: z.string() });
export type OfferedProvider = z.infer<typeof offeredProvider>;

const serviceRules = {
  password_min_length: z.number(),
  registration: z.strictObject({
    kind: z.enum(["open", "domains", "closed"]),
    domains: z.array(z.string()),
  }),
  mail: z.boolean(),
  sms: z.boolean(),
  /** Other ways to sign in; absent where none is set up. */
  providers: z.optional(z.array(offeredProvider)),
};
export const serviceRulesSchema = z.strictObject(serviceRules);
export type ServiceRules = z.infer<typeof serviceRulesSchema>;
/** Its 401 has the service's rules too. */
export const verifyTokenAnswer = z.strictObject({ user: userSchema, ...serviceRules });
export const detailAnswer = z.strictObject({ detail: z.string() });
/** `activated`: without a mail. `mailbox`: a trial service's local page. */
export const registerAnswer = z.strictObject({
  detail: z.string(),
  activated: z.optional(z.literal(true)),
  mailbox: z.optional(z.string()),
});
export type RegisterAnswer = z.infer<typeof registerAnswer>;
export const emptyAnswer = z.strictObject({});
/** `POST logout/`. `location`: of a provider whose session ends too. */
export const logoutAnswer = z.strictObject({ location: z.optional(z.string()) });
export type LogoutAnswer = z.infer<typeof logoutAnswer>;

/** Masked destination; seconds of validity and until the next code. */
export const phoneCodeAnswer = z.strictObject({
  destination: z.string(),
  expires_in: z.number(),
  resend_in: z.number(),
});
export type PhoneCodeAnswer = z.infer<typeof phoneCodeAnswer>;
export const phoneVerifyRequest = z.strictObject({ code: codeSchema });

/** `POST me/email/`: the answer is the same for any address. */
export const addressChangeRequest = z.strictObject({
  email: emailSchema,
  password: z
    .string("Mot de passe requis")
    .check(z.minLength(1, "Mot de passe requis"), z.maxLength(1_024, "Mot de passe trop long")),
});
export const addressConfirmRequest = z.strictObject({
  token: z.string().check(z.minLength(1), z.maxLength(128)),
});

/** `id` is no token; `device` is short, in French. */
export const ownSession = z.strictObject({
  id: idSchema,
  current: z.boolean(),
  created_at: instantSchema,
  last_used_at: instantSchema,
  remember_me: z.boolean(),
  device: z.string(),
  ip: z.nullable(z.string()),
});
export type OwnSession = z.infer<typeof ownSession>;
export const sessionList = z.strictObject({ results: z.array(ownSession) });
export type SessionList = z.infer<typeof sessionList>;

/** `cancel_open`: otherwise open envelopes prevent it. */
export const eraseAccountRequest = z.strictObject({
  password: z
    .string("Mot de passe requis")
    .check(z.minLength(1, "Mot de passe requis"), z.maxLength(1_024, "Mot de passe trop long")),
  cancel_open: z._default(z.boolean(), false),
});
export type EraseAccountRequest = z.infer<typeof eraseAccountRequest>;

/** `PushSubscription.toJSON()` of the browser (W3C Push API §8.2). */

const REFUSED = "Abonnement illisible. Rechargez la page, puis réessayez.";

/** https without user information. */
const endpointSchema = z
  .string(REFUSED)
  .check(
    z.maxLength(1_024, { message: REFUSED, abort: true }),
    z.regex(/^https:\/\/[^\s@/?#]+(?:[/?][^\s#]*)?$/, { message: REFUSED, abort: true }),
    z.url(REFUSED),
  );

export const pushSubscriptionRequest = z.strictObject({
  endpoint: endpointSchema,
  expirationTime: z.optional(z.nullable(z.number())),
  keys: z.strictObject({
    /** Uncompressed P-256 point, base64url. */
    p256dh: z.string(REFUSED).check(z.regex(/^[A-Za-z0-9_-]{87}=?$/, REFUSED)),
    auth: z.string(REFUSED).check(z.regex(/^[A-Za-z0-9_-]{22}(==)?$/, REFUSED)),
  }),
});
export type PushSubscriptionRequest = z.infer<typeof pushSubscriptionRequest>;

export const pushUnsubscribeRequest = z.strictObject({ endpoint: endpointSchema });

/** `public_key`: base64url, for `applicationServerKey`. */
export const pushKeyAnswer = z.strictObject({ public_key: z.string() });
export type PushKeyAnswer = z.infer<typeof pushKeyAnswer>;

export const storageAnswer = z.strictObject({
  used_bytes: z.int().check(z.nonnegative()),
  quota_bytes: z.nullable(z.int().check(z.positive())),
});
export type StorageAnswer = z.infer<typeof storageAnswer>;
