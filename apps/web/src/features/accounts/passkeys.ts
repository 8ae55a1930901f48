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

/** WebAuthn needs a host name: an address in figures is no relying party. */
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
  /** Second step of this browser's login. */
  readonly afterPassword?: boolean;
  readonly remember?: boolean;
  /** Waits in the list of names, without asking anything. */
  readonly offered?: boolean;
  /** Asked once the challenge is there; false gives up. */
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

/** For the next signature of this session. */
export async function confirmWithPasskey(): Promise<void> {
  const { startAuthentication } = await ceremonies();
  const optionsJSON = await api.post<PublicKeyCredentialRequestOptionsJSON>(
    `${CONFIRMATION}options/`,
  );
  const credential = await startAuthentication({ optionsJSON });
  await api.post(CONFIRMATION, { body: { credential } });
}

/** Ends a ceremony that waits. */
export async function cancelPasskeys(): Promise<void> {
  const { WebAuthnAbortService } = await ceremonies();
  WebAuthnAbortService.cancelCeremony();
}

/** Refused before the device is asked when the sign-in is not fresh. */
export function startPasskey(): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return api.post(`${ADD}options/`);
}

export async function addPasskey(name: string): Promise<RecoveryCodesAnswer> {
  const { startRegistration } = await ceremonies();
  const credential = await startRegistration({ optionsJSON: await startPasskey() });
  return api.post<RecoveryCodesAnswer>(ADD, { body: { name, credential } });
}

/** The browser's own names for what a person or another ceremony stopped (WebAuthn §14.5). */
export function isCancelled(error: unknown): boolean {
  return error instanceof Error && ["NotAllowedError", "AbortError"].includes(error.name);
}

export function isKnownPasskey(error: unknown): boolean {
  return error instanceof Error && error.name === "InvalidStateError";
}
