import { createHash } from "node:crypto";
import { ecdsaRawToDer } from "@paraphe/pades/parts";
import type { PKCS11 } from "pkcs11js";
import { refuse } from "../settings/read-variable.ts";
import { type Pkcs11Settings, SettingsError } from "../settings/settings.ts";
import { type Hsm, HsmUnavailableError } from "./hsm.ts";
import { readPublicKey } from "./read-public-key.ts";
import { openSession, type Pkcs11Library, type TokenSession } from "./token-session.ts";

/** Room for the longest signature: RSA of 8192 bits. */
const LONGEST_SIGNATURE = 1_024;

/**
 * Opens the key that the settings name in a hardware token.
 * A session that is lost is opened again once; a PIN that is refused is never tried again.
 * Errors: `SettingsError`, one French line, for a module, token, PIN or key that is not right.
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
  /** One operation at a time in a session (PKCS#11 §5.11); whatever the token complains of, a fresh session is tried, once. */
  const inSession = <T>(work: (session: TokenSession) => Promise<T>): Promise<T> => {
    const attempt = async (): Promise<T> => {
      try {
        return await work(current());
      } catch (error) {
        // A PIN that is refused counts against the token: once is enough.
        if (error instanceof HsmUnavailableError || error instanceof SettingsError) throw error;
        forget();
        return work(current());
      }
    };
    const done = turn.then(attempt, attempt).catch((error: unknown) => {
      if (error instanceof SettingsError) refused = true;
      else forget();
      throw error instanceof HsmUnavailableError ? error : new HsmUnavailableError("The token does not sign", { cause: error });
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
      // It is lost: there is nothing to close.
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
    sign: (data) => inSession((opened) => signIn(library, module, { session: opened, algorithm, data })),
    close: () => {
      forget();
      module.C_Finalize();
    },
  };
}

type FirstSession = Pick<Hsm, "subjectPublicKey" | "algorithm"> & { readonly session: TokenSession };

/** Opens the first session, and reads the key that it is opened for; the library is let go when either fails. */
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

type Signing = { readonly session: TokenSession; readonly algorithm: Hsm["algorithm"]; readonly data: Uint8Array };

async function signIn(library: Pkcs11Library, module: PKCS11, { session, algorithm, data }: Signing): Promise<Uint8Array> {
  const isRsa = algorithm === "rsa-pkcs1-sha256";
  const mechanism = isRsa ? library.CKM_SHA256_RSA_PKCS : library.CKM_ECDSA;
  const input = isRsa ? Buffer.from(data) : createHash("sha256").update(data).digest();
  module.C_SignInit(session.handle, { mechanism }, session.privateKey);
  const value = new Uint8Array(await module.C_SignAsync(session.handle, input, Buffer.alloc(LONGEST_SIGNATURE)));
  return isRsa ? value : ecdsaRawToDer(value);
}

/** An optional package: it is compiled at its installation, which a machine without a compiler cannot do. */
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
    return refuse("PKCS11_MODULE", "n’est pas une bibliothèque PKCS#11 qui se charge", "/usr/lib/softhsm/libsofthsm2.so");
  }
}
