import {
  type NewPasskey,
  type PasskeyAssertion,
  type Problem,
  problem,
  type Result,
  SECOND_STEP_S,
  failure,
  success,
} from "@paraphe/contracts";
import { toBase64Url } from "@paraphe/kernel/bytes";
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { Platform } from "../../../platform/platform.ts";
import type { PasskeyKey } from "./factor-store.ts";

/**
 * Runs the ceremonies of WebAuthn level 3, without the database. The library loads at first use: it
 * costs 0.3 s and 30 MB, which most processes never need.
 */
const ceremonies = () => import("@simplewebauthn/server");

const CHALLENGE_LENGTH = 32;
const TIMEOUT_MS = SECOND_STEP_S * 1_000;
/** A passkey replaces the password, so each use verifies face, finger or code. */
const USER_VERIFICATION = "required";

/** Authenticators have EdDSA, ES256 and RS256 (RFC 9053, RFC 8812). */
const ALGORITHMS = [-8, -7, -257];

export function drawChallenge(platform: Pick<Platform, "random">): Uint8Array {
  return platform.random(CHALLENGE_LENGTH);
}

/** The host of `PUBLIC_URL`; another host or port is another origin. */
function relyingParty({ settings }: Pick<Platform, "settings">): {
  readonly id: string;
  readonly origin: string;
} {
  const { hostname, origin } = new URL(settings.publicUrl);
  return { id: hostname, origin };
}

/** The handle is opaque: an authenticator shows it to its holder (WebAuthn §14.6.1). */
function userHandle(platform: Pick<Platform, "secrets">, userId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(platform.secrets.hmac("passkey-user", Buffer.from(userId)));
}

type KnownCredential = Pick<PasskeyKey, "credentialId" | "transports">;

const describeCredential = ({ credentialId, transports }: KnownCredential) => ({
  id: credentialId,
  transports: [...transports],
});

export async function creationOptions(
  platform: Platform,
  asked: {
    readonly userId: string;
    readonly username: string;
    readonly challenge: Uint8Array;
    readonly known: readonly KnownCredential[];
  },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await ceremonies();
  return generateRegistrationOptions({
    rpName: "Paraphe",
    rpID: relyingParty(platform).id,
    userName: asked.username,
    userDisplayName: asked.username,
    userID: userHandle(platform, asked.userId),
    challenge: new Uint8Array(asked.challenge),
    timeout: TIMEOUT_MS,
    attestationType: "none",
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: asked.known.map(describeCredential),
    authenticatorSelection: { residentKey: "required", userVerification: USER_VERIFICATION },
  });
}

export async function assertionOptions(
  platform: Platform,
  asked: { readonly challenge: Uint8Array; readonly allowed: readonly KnownCredential[] },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await ceremonies();
  return generateAuthenticationOptions({
    rpID: relyingParty(platform).id,
    challenge: new Uint8Array(asked.challenge),
    timeout: TIMEOUT_MS,
    userVerification: USER_VERIFICATION,
    allowCredentials: asked.allowed.map(describeCredential),
  });
}

type VerifiedPasskey = Pick<PasskeyKey, "credentialId" | "publicKey" | "counter" | "transports">;

/**
 * Errors: `passkey_refused` for another challenge, origin or relying party, no verification of the
 * user, or unreadable bytes.
 * Source: WebAuthn §7.1.
 */
export async function verifyNewPasskey(
  platform: Platform,
  tried: { readonly credential: NewPasskey; readonly challenge: Uint8Array },
): Promise<Result<VerifiedPasskey, Problem>> {
  const { id, origin } = relyingParty(platform);
  const { verifyRegistrationResponse } = await ceremonies();
  const verified = await attempt(platform, () =>
    verifyRegistrationResponse({
      response: tried.credential as RegistrationResponseJSON,
      expectedChallenge: toBase64Url(tried.challenge),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  );
  if (verified?.registrationInfo === undefined) return failure(problem("passkey_refused"));
  const { credential } = verified.registrationInfo;
  return success({
    credentialId: credential.id,
    publicKey: credential.publicKey,
    counter: credential.counter,
    transports: tried.credential.response.transports ?? [],
  });
}

/**
 * Gives the new counter.
 * Errors: `passkey_refused`, also for a counter that did not grow: a cloned key.
 * Source: WebAuthn §7.2.
 */
export async function verifyAssertion(
  platform: Platform,
  tried: {
    readonly credential: PasskeyAssertion;
    readonly challenge: Uint8Array;
    readonly passkey: PasskeyKey;
  },
): Promise<Result<number, Problem>> {
  const { id, origin } = relyingParty(platform);
  const { passkey, credential } = tried;
  const handle = credential.response.userHandle;
  if (handle !== undefined && handle !== toBase64Url(userHandle(platform, passkey.userId)))
    return failure(problem("passkey_refused"));
  const { verifyAuthenticationResponse } = await ceremonies();
  const verified = await attempt(platform, () =>
    verifyAuthenticationResponse({
      response: {
        ...credential,
        authenticatorAttachment: credential.authenticatorAttachment ?? undefined,
      } as AuthenticationResponseJSON,
      expectedChallenge: toBase64Url(tried.challenge),
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    }),
  );
  return verified?.verified === true
    ? success(verified.authenticationInfo.newCounter)
    : failure(problem("passkey_refused"));
}

/** The library throws at bad input: the reason goes to the log alone. */
async function attempt<T>(
  { log }: Pick<Platform, "log">,
  verify: () => Promise<T>,
): Promise<T | null> {
  try {
    return await verify();
  } catch (error) {
    log.info({ reason: error instanceof Error ? error.message : "unknown" }, "passkey refused");
    return null;
  }
}
