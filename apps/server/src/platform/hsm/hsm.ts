import { type JsonWebKey, createHash, createPublicKey } from "node:crypto";
import { ecdsaRawToDer } from "@paraphe/pades/parts";
import type * as pkcs11 from "pkcs11js";
import type { Handle, PKCS11 } from "pkcs11js";
import { refuse } from "../settings/read-variable.ts";
import { type Pkcs11Settings, SettingsError } from "../settings/settings.ts";

/** A signing key in a hardware token (PKCS#11). */
export type Hsm = {
  readonly subjectPublicKey: Uint8Array;
  readonly algorithm: "ecdsa-p256-sha256" | "rsa-pkcs1-sha256";
  isReady(): Promise<boolean>;
  /** As in CMS (ECDSA: DER, RFC 5753 §7.2). Errors: `HsmUnavailableError`. */
  sign(data: Uint8Array): Promise<Uint8Array>;
  close(): void;
};

export class HsmUnavailableError extends Error {
  override readonly name = "HsmUnavailableError";
}

type Pkcs11Library = typeof pkcs11;

type TokenSession = {
  readonly handle: Handle;
  readonly privateKey: Handle;
  readonly publicKey: Handle;
};

/**
 * Tries the PIN once: a token counts wrong PINs and locks.
 * Errors: `SettingsError` for a missing token, PIN or key; the library's for a device away.
 */
function openSession(
  library: Pkcs11Library,
  module: PKCS11,
  settings: Pkcs11Settings,
): TokenSession {
  const handle = module.C_OpenSession(findSlot(module, settings), library.CKF_SERIAL_SESSION);
  try {
    logIn(library, { module, handle }, settings.pin);
    const find = (kind: number) =>
      findKey(library, { module, handle }, { kind, label: settings.key });
    return {
      handle,
      privateKey: find(library.CKO_PRIVATE_KEY),
      publicKey: find(library.CKO_PUBLIC_KEY),
    };
  } catch (error) {
    module.C_CloseSession(handle);
    throw error;
  }
}

function findSlot(module: PKCS11, { token }: Pkcs11Settings): Handle {
  const slot = module
    .C_GetSlotList(true)
    .find((candidate) => module.C_GetTokenInfo(candidate).label.trim() === token);
  return slot ?? refuse("PKCS11_TOKEN", "ne nomme aucun jeton présent", "paraphe");
}

type Opened = { readonly module: PKCS11; readonly handle: Handle };

function logIn(library: Pkcs11Library, { module, handle }: Opened, pin: string): void {
  try {
    module.C_Login(handle, library.CKU_USER, pin);
  } catch (error) {
    const code = errorCode(error);
    // Another session of this process is logged in already (PKCS#11 §5.6.8).
    if (code === library.CKR_USER_ALREADY_LOGGED_IN) return;
    if (code === library.CKR_PIN_LOCKED)
      refuse(
        "PKCS11_PIN",
        "a été refusé trop souvent, et le jeton s’est verrouillé",
        "le code du jeton, une fois déverrouillé",
      );
    const isPin =
      code === library.CKR_PIN_INCORRECT ||
      code === library.CKR_PIN_INVALID ||
      code === library.CKR_PIN_LEN_RANGE;
    if (isPin)
      refuse(
        "PKCS11_PIN",
        "est refusé par le jeton, qui n’a pas été essayé deux fois",
        "le code du jeton",
      );
    throw error;
  }
}

function findKey(
  library: Pkcs11Library,
  { module, handle }: Opened,
  wanted: { readonly kind: number; readonly label: string },
): Handle {
  module.C_FindObjectsInit(handle, [
    { type: library.CKA_CLASS, value: wanted.kind },
    { type: library.CKA_LABEL, value: wanted.label },
  ]);
  try {
    return (
      module.C_FindObjects(handle, 1)[0] ??
      refuse("PKCS11_KEY", "ne nomme aucune paire de clés du jeton", "cachet")
    );
  } finally {
    module.C_FindObjectsFinal(handle);
  }
}

function errorCode(error: unknown): number | null {
  const { code } = (typeof error === "object" && error !== null ? error : {}) as { code?: unknown };
  return typeof code === "number" ? code : null;
}

/** DER of curves with a SHA-256 profile. Source: SEC 2; RFC 5480 §2.1.1. */
const CURVES = {
  "06082a8648ce3d030107": { crv: "P-256", bytes: 32, algorithm: "ecdsa-p256-sha256" },
} as const;

function readPublicKey(
  library: Pkcs11Library,
  module: PKCS11,
  session: TokenSession,
): Pick<Hsm, "subjectPublicKey" | "algorithm"> {
  const read = (type: number): Buffer => {
    const [attribute] = module.C_GetAttributeValue(session.handle, session.publicKey, [{ type }]);
    if (!Buffer.isBuffer(attribute?.value))
      throw new Error("The token gives no such attribute of its key");
    return attribute.value;
  };
  const type = read(library.CKA_KEY_TYPE).readUInt32LE(0);
  if (type === library.CKK_RSA) {
    const jwk = {
      kty: "RSA",
      n: read(library.CKA_MODULUS).toString("base64url"),
      e: read(library.CKA_PUBLIC_EXPONENT).toString("base64url"),
    };
    return { subjectPublicKey: spkiOf(jwk), algorithm: "rsa-pkcs1-sha256" };
  }
  const name = type === library.CKK_EC ? read(library.CKA_EC_PARAMS).toString("hex") : "";
  const curve = Object.hasOwn(CURVES, name) ? CURVES[name as keyof typeof CURVES] : null;
  if (curve === null)
    return refuse("PKCS11_KEY", "nomme une clé d’un autre genre que P-256 ou RSA", "cachet");
  // Tolerance: some tokens give the point bare, not as an OCTET STRING; coordinates end both forms.
  const point = read(library.CKA_EC_POINT).subarray(-2 * curve.bytes);
  const [x, y] = [point.subarray(0, curve.bytes), point.subarray(curve.bytes)].map((coordinate) =>
    coordinate.toString("base64url"),
  );
  return {
    subjectPublicKey: spkiOf({ kty: "EC", crv: curve.crv, x, y } as JsonWebKey),
    algorithm: curve.algorithm,
  };
}

function spkiOf(key: JsonWebKey): Uint8Array {
  return new Uint8Array(
    createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "der" }),
  );
}

const LONGEST_SIGNATURE = 1_024;

/**
 * Reopens a lost session once; never repeats a refused PIN.
 * Errors: `SettingsError` for a wrong module, token, PIN or key.
 * Source: PKCS#11 v2.40 §5.6, §5.11.
 */
export async function openHsm(settings: Pkcs11Settings): Promise<Hsm> {
  const library = await loadLibrary();
  const module = loadModule(library, settings);
  const { subjectPublicKey, algorithm, ...opened } = openFirst(library, module, settings);
  let session: TokenSession | null = opened.session;
  let refused = false;
  let turn: Promise<unknown> = Promise.resolve();

  const current = (): TokenSession => {
    if (refused) throw new HsmUnavailableError("The token refused the PIN: it is not tried again");
    session ??= openSession(library, module, settings);
    return session;
  };
  /** Runs one operation at a time (PKCS#11 §5.11); a failure opens a new session, once. */
  const inSession = <T>(work: (session: TokenSession) => Promise<T>): Promise<T> => {
    const attempt = async (): Promise<T> => {
      try {
        return await work(current());
      } catch (error) {
        // A token counts refused PINs, so they are not repeated.
        if (error instanceof HsmUnavailableError || error instanceof SettingsError) throw error;
        forget();
        return work(current());
      }
    };
    const done = turn.then(attempt, attempt).catch((error: unknown) => {
      if (error instanceof SettingsError) refused = true;
      else forget();
      throw error instanceof HsmUnavailableError
        ? error
        : new HsmUnavailableError("The token does not sign", { cause: error });
    });
    turn = done.catch(() => null);
    return done;
  };
  const forget = () => {
    const lost = session;
    session = null;
    try {
      if (lost !== null) module.C_CloseSession(lost.handle);
    } catch {
      // The token has nothing left to close.
    }
  };
  return {
    subjectPublicKey,
    algorithm,
    isReady: () =>
      inSession(async ({ handle }) => module.C_GetSessionInfo(handle)).then(
        () => true,
        () => false,
      ),
    sign: (data) =>
      inSession((opened) => signIn(library, module, { session: opened, algorithm, data })),
    close: () => {
      forget();
      module.C_Finalize();
    },
  };
}

type FirstSession = Pick<Hsm, "subjectPublicKey" | "algorithm"> & {
  readonly session: TokenSession;
};

/** Unloads the library on failure. */
function openFirst(library: Pkcs11Library, module: PKCS11, settings: Pkcs11Settings): FirstSession {
  try {
    const session = openSession(library, module, settings);
    return { session, ...readPublicKey(library, module, session) };
  } catch (error) {
    module.C_Finalize();
    if (error instanceof SettingsError) throw error;
    return refuse("PKCS11_TOKEN", "nomme un jeton qui ne répond pas", "paraphe");
  }
}

type Signing = {
  readonly session: TokenSession;
  readonly algorithm: Hsm["algorithm"];
  readonly data: Uint8Array;
};

async function signIn(
  library: Pkcs11Library,
  module: PKCS11,
  { session, algorithm, data }: Signing,
): Promise<Uint8Array> {
  const isRsa = algorithm === "rsa-pkcs1-sha256";
  const mechanism = isRsa ? library.CKM_SHA256_RSA_PKCS : library.CKM_ECDSA;
  const input = isRsa ? Buffer.from(data) : createHash("sha256").update(data).digest();
  module.C_SignInit(session.handle, { mechanism }, session.privateKey);
  const value = new Uint8Array(
    await module.C_SignAsync(session.handle, input, Buffer.alloc(LONGEST_SIGNATURE)),
  );
  return isRsa ? value : ecdsaRawToDer(value);
}

/** Optional, as its installation needs a compiler. */
async function loadLibrary(): Promise<Pkcs11Library> {
  try {
    const loaded = await import("pkcs11js");
    return ((loaded as { default?: Pkcs11Library }).default ?? loaded) as Pkcs11Library;
  } catch {
    return refuse(
      "PKCS11_MODULE",
      "demande le paquet pkcs11js, qui n’est pas installé (npm rebuild pkcs11js)",
      "/usr/lib/softhsm/libsofthsm2.so",
    );
  }
}

function loadModule(library: Pkcs11Library, settings: Pkcs11Settings): PKCS11 {
  const module = new library.PKCS11();
  try {
    module.load(settings.module);
    module.C_Initialize({ flags: library.CKF_OS_LOCKING_OK });
    return module;
  } catch {
    return refuse(
      "PKCS11_MODULE",
      "n’est pas une bibliothèque PKCS#11 qui se charge",
      "/usr/lib/softhsm/libsofthsm2.so",
    );
  }
}
