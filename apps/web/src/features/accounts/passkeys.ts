import type { LoginAnswer, RecoveryCodesAnswer } from "@paraphe/contracts";
import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from "@simplewebauthn/browser";
import { api } from "../../lib/api/api.ts";
import { loadPart } from "../../lib/api/load-part.ts";

const OPTIONS = "/api/token/passkey/options/";
const LOGIN = "/api/token/passkey/";
const CONFIRMATION = "/api/signature/me/confirmation/";
const ADD = "/api/signature/me/factors/passkeys/";

/** WebAuthn needs a host name: an IP address is no relying party. */
export function canUsePasskeys(): boolean {
  return (
    "PublicKeyCredential" in globalThis && !/^\[|^\d+(\.\d+){3}$/.test(globalThis.location.hostname)
  );
}

/** Whether the browser offers passkeys among the names it fills in. */
export async function canOfferPasskeys(): Promise<boolean> {
  if (!canUsePasskeys()) return false;
  return (await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false;
}

const ceremonies = () => loadPart(() => import("@simplewebauthn/browser"));

type PasskeyLogin = {
  /** The passkey follows a password given in this browser. */
  readonly afterPassword?: boolean;
  readonly remember?: boolean;
  /** Waits in the browser's list of names instead of opening a window. */
  readonly offered?: boolean;
  /** Called once the challenge is there; false gives up. */
  readonly isWanted?: () => boolean;
};

export async function logInWithPasskey({
  afterPassword = false,
  remember = false,
  offered = false,
  isWanted = () => true,
}: PasskeyLogin): Promise<LoginAnswer> {
  const { startAuthentication } = await ceremonies();
  const optionsJSON = await api.post<PublicKeyCredentialRequestOptionsJSON>(OPTIONS, {
    body: { after_password: afterPassword },
  });
  if (!isWanted()) throw new DOMException("no longer wanted", "AbortError");
  const credential = await startAuthentication({
    optionsJSON,
    useBrowserAutofill: offered,
    verifyBrowserAutofillInput: false,
  });
  return api.post<LoginAnswer>(LOGIN, {
    body: { credential, after_password: afterPassword, remember_me: remember },
  });
}

/** Confirms the session's next signature. */
export async function confirmWithPasskey(): Promise<void> {
  const { startAuthentication } = await ceremonies();
  const optionsJSON = await api.post<PublicKeyCredentialRequestOptionsJSON>(
    `${CONFIRMATION}options/`,
  );
  const credential = await startAuthentication({ optionsJSON });
  await api.post(CONFIRMATION, { body: { credential } });
}

export async function cancelPasskeys(): Promise<void> {
  const { WebAuthnAbortService } = await ceremonies();
  WebAuthnAbortService.cancelCeremony();
}

/** A sign-in that is not fresh is refused before the device is asked. */
export function startPasskey(): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return api.post(`${ADD}options/`);
}

export async function addPasskey(name: string): Promise<RecoveryCodesAnswer> {
  const { startRegistration } = await ceremonies();
  const credential = await startRegistration({ optionsJSON: await startPasskey() });
  return api.post<RecoveryCodesAnswer>(ADD, { body: { name, credential } });
}

/** Error names for a ceremony that a person or another ceremony stopped (WebAuthn §14.5). */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && ["NotAllowedError", "AbortError"].includes(error.name);
}

export function isKnownPasskey(error: unknown): boolean {
  return error instanceof Error && error.name === "InvalidStateError";
}
