import * as z from "zod/mini";
import { userSchema } from "./account.ts";
import { codeSchema, idSchema, instantSchema, lineSchema } from "./schema.ts";

/** A change of factors needs a sign-in within these seconds. */
export const FRESH_SIGN_IN_S = 600;
/** Seconds from password to factor, and from start to end of an addition. */
export const SECOND_STEP_S = 600;
export const RECOVERY_CODES = 8;
export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME_LENGTH = 60;

const base64Url = (maximum: number) =>
  z.string().check(z.maxLength(maximum), z.regex(/^[A-Za-z0-9_-]*$/));
/** WebAuthn §5.8.3: a credential id has 1023 bytes at most. */
const credentialId = base64Url(1_364);
const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  authenticatorAttachment: z.optional(z.nullable(z.enum(["platform", "cross-platform"]))),
  clientExtensionResults: z.record(z.string(), z.unknown()),
};

/** `PublicKeyCredential.toJSON()` of a new passkey (WebAuthn §5.1.4). */
export const newPasskey = z.strictObject({
  ...credential,
  response: z.strictObject({
    clientDataJSON: base64Url(4_096),
    attestationObject: base64Url(65_536),
    authenticatorData: z.optional(base64Url(16_384)),
    transports: z.optional(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(10))),
    publicKeyAlgorithm: z.optional(z.number()),
    publicKey: z.optional(base64Url(8_192)),
  }),
});
export type NewPasskey = z.infer<typeof newPasskey>;

/** `PublicKeyCredential.toJSON()` of a sign-in (WebAuthn §5.1.4). */
export const passkeyAssertion = z.strictObject({
  ...credential,
  response: z.strictObject({
    clientDataJSON: base64Url(4_096),
    authenticatorData: base64Url(16_384),
    signature: base64Url(8_192),
    userHandle: z.optional(base64Url(128)),
  }),
});
export type PasskeyAssertion = z.infer<typeof passkeyAssertion>;

/** `navigator.credentials` (WebAuthn §5.4, §5.5) parses it. */
export const passkeyOptions = z.looseObject({ challenge: z.string() });

/** `POST token/passkey/options/`. `after_password`: for the second step of this browser's login. */
export const passkeyOptionsRequest = z.strictObject({ after_password: z.boolean() });
/** `POST token/passkey/`. `remember_me`: where no password was given before. */
export const passkeyLoginRequest = z.strictObject({
  credential: passkeyAssertion,
  after_password: z.boolean(),
  remember_me: z._default(z.boolean(), false),
});
/** `POST me/confirmation/`: one factor, for one signature. */
export const confirmationRequest = z.union([
  z.strictObject({ code: codeSchema }),
  z.strictObject({ credential: passkeyAssertion }),
]);
export type ConfirmationRequest = z.infer<typeof confirmationRequest>;
/** Members of the refusal `confirmation_required`. */
export const confirmationAsked = z.strictObject({ methods: z.array(z.enum(["passkey", "totp"])) });
export type ConfirmationAsked = z.infer<typeof confirmationAsked>;
/** A confirmation waits for its signature this long. */
export const CONFIRMATION_S = 300;

export const totpRequest = z.strictObject({ code: codeSchema });

const WRONG_RECOVERY_CODE = "Un code de secours a 8 lettres ou chiffres.";
/** `POST token/recovery-code/`: case, spaces and dashes are ignored. */
export const recoveryCodeRequest = z.strictObject({
  code: z.pipe(
    z.pipe(
      z.string(WRONG_RECOVERY_CODE).check(z.maxLength(64, WRONG_RECOVERY_CODE)),
      z.transform((code: string) => code.replace(/[\s\u2010-\u2015-]/g, "").toUpperCase()),
    ),
    z.string().check(z.regex(/^[A-HJ-NP-Z2-9]{8}$/, WRONG_RECOVERY_CODE)),
  ),
});

export const secondFactorMethod = z.enum(["passkey", "totp", "recovery_code"]);
export type SecondFactorMethod = z.infer<typeof secondFactorMethod>;
export const secondStep = z.strictObject({
  methods: z.array(secondFactorMethod),
  recovery_codes_left: z.number(),
});
export type SecondStep = z.infer<typeof secondStep>;

/** `recovery_codes_left`: present after a login with one of them. */
export const loginAnswer = z.strictObject({
  user: userSchema,
  recovery_codes_left: z.optional(z.number()),
});
export type LoginAnswer = z.infer<typeof loginAnswer>;

export const passkeySchema = z.strictObject({
  id: idSchema,
  name: z.string(),
  created_at: instantSchema,
  last_used_at: z.nullable(instantSchema),
});
export type Passkey = z.infer<typeof passkeySchema>;
/** `GET me/factors/`: never a secret, a key or a code. */
export const factorList = z.strictObject({
  passkeys: z.array(passkeySchema),
  totp: z.nullable(z.strictObject({ created_at: instantSchema })),
  recovery_codes: z.strictObject({ left: z.number(), total: z.number() }),
});
export type FactorList = z.infer<typeof factorList>;

export const addPasskeyRequest = z.strictObject({
  name: lineSchema(MAX_PASSKEY_NAME_LENGTH, "Nom de la clé requis"),
  credential: newPasskey,
});
/** `secret`: base32; `uri`: `otpauth://` for the QR code. */
export const totpSetup = z.strictObject({ secret: z.string(), uri: z.string() });
export type TotpSetup = z.infer<typeof totpSetup>;
/** Shown once; empty where the account has codes already. */
export const recoveryCodesAnswer = z.strictObject({ recovery_codes: z.array(z.string()) });
export type RecoveryCodesAnswer = z.infer<typeof recoveryCodesAnswer>;
