import { readFile } from "node:fs/promises";
import { Decrypter, Encrypter } from "age-encryption";
import { CommandFault } from "../command-fault.ts";

/** How what a backup holds is wrapped before it leaves this machine. */
export type Wrapping = {
  /** The public key (age, `age1…`); null: nothing is encrypted. */
  readonly recipient: string | null;
  wrap(bytes: Uint8Array): Promise<Uint8Array>;
};
export type Unwrapping = (bytes: Uint8Array) => Promise<Uint8Array>;

/** What is written and read as it is: the list of the files too, so that the next backup knows which are there. */
export const NOTHING = { wrap: async (bytes: Uint8Array) => bytes, unwrap: async (bytes: Uint8Array) => bytes } as const;

/** Errors: `CommandFault` for what is no public key. Source: age-encryption.org/v1. */
export function createWrapping(recipient: string | null): Wrapping {
  if (recipient === null) return { recipient, wrap: NOTHING.wrap };
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (error) {
    throw new CommandFault("--recipient n’est pas une clé publique age (age1…)\u00a0: «\u00a0age-keygen\u00a0» en fait une.", {
      cause: error,
    });
  }
  return { recipient, wrap: (bytes) => encrypter.encrypt(bytes) };
}

/**
 * Gives what opens a backup; null where it is encrypted and no private key is given.
 * Errors: `CommandFault` for a file that holds no private key.
 */
export async function readUnwrapping(recipient: string | null, identityFile: string | null): Promise<Unwrapping | null> {
  if (recipient === null) return NOTHING.unwrap;
  if (identityFile === null) return null;
  const text = await readFile(identityFile, "utf8").catch(() => "");
  const keys = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  const decrypter = new Decrypter();
  try {
    if (keys.length === 0) throw new Error("Expected a key");
    for (const key of keys) decrypter.addIdentity(key);
  } catch (error) {
    throw new CommandFault("--identity ne nomme pas un fichier de clé privée age (AGE-SECRET-KEY-…).", { cause: error });
  }
  return async (bytes) => {
    try {
      return await decrypter.decrypt(bytes);
    } catch (error) {
      throw new CommandFault(`La clé privée de --identity n’ouvre pas cette sauvegarde, chiffrée pour ${recipient}.`, { cause: error });
    }
  };
}
