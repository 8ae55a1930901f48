import type * as pkcs11 from "pkcs11js";
import type { Handle, PKCS11 } from "pkcs11js";
import type { Pkcs11Settings } from "../settings/settings.ts";
import { refuse } from "../settings/read-variable.ts";

export type Pkcs11Library = typeof pkcs11;

/** One logged-in session, with the key's two halves found in it. */
export type TokenSession = { readonly handle: Handle; readonly privateKey: Handle; readonly publicKey: Handle };

/**
 * Opens a session on the token that the settings name, and logs in: once, for a token counts wrong PINs and locks.
 * Errors: `SettingsError`, one French line, for a token, a PIN or a key that is not there; the library's own for a device that is away.
 */
export function openSession(library: Pkcs11Library, module: PKCS11, settings: Pkcs11Settings): TokenSession {
  const handle = module.C_OpenSession(findSlot(module, settings), library.CKF_SERIAL_SESSION);
  try {
    logIn(library, { module, handle }, settings.pin);
    const find = (kind: number) => findKey(library, { module, handle }, { kind, label: settings.key });
    return { handle, privateKey: find(library.CKO_PRIVATE_KEY), publicKey: find(library.CKO_PUBLIC_KEY) };
  } catch (error) {
    module.C_CloseSession(handle);
    throw error;
  }
}

function findSlot(module: PKCS11, { token }: Pkcs11Settings): Handle {
  const slot = module.C_GetSlotList(true).find((candidate) => module.C_GetTokenInfo(candidate).label.trim() === token);
  return slot ?? refuse("PKCS11_TOKEN", "ne nomme aucun jeton présent", "paraphe");
}

type Opened = { readonly module: PKCS11; readonly handle: Handle };

function logIn(library: Pkcs11Library, { module, handle }: Opened, pin: string): void {
  try {
    module.C_Login(handle, library.CKU_USER, pin);
  } catch (error) {
    const code = errorCode(error);
    // Another session of this process is logged in: so is this one (PKCS#11 §5.6.8).
    if (code === library.CKR_USER_ALREADY_LOGGED_IN) return;
    if (code === library.CKR_PIN_LOCKED)
      refuse("PKCS11_PIN", "a été refusé trop souvent, et le jeton s’est verrouillé", "le code du jeton, une fois déverrouillé");
    const isPin = code === library.CKR_PIN_INCORRECT || code === library.CKR_PIN_INVALID || code === library.CKR_PIN_LEN_RANGE;
    if (isPin) refuse("PKCS11_PIN", "est refusé par le jeton, qui n’a pas été essayé deux fois", "le code du jeton");
    throw error;
  }
}

function findKey(library: Pkcs11Library, { module, handle }: Opened, wanted: { readonly kind: number; readonly label: string }): Handle {
  module.C_FindObjectsInit(handle, [
    { type: library.CKA_CLASS, value: wanted.kind },
    { type: library.CKA_LABEL, value: wanted.label },
  ]);
  try {
    return module.C_FindObjects(handle, 1)[0] ?? refuse("PKCS11_KEY", "ne nomme aucune paire de clés du jeton", "cachet");
  } finally {
    module.C_FindObjectsFinal(handle);
  }
}

/** Gives the CKR_ code of an error of the library, or null. */
export function errorCode(error: unknown): number | null {
  const { code } = (typeof error === "object" && error !== null ? error : {}) as { code?: unknown };
  return typeof code === "number" ? code : null;
}
