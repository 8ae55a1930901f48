import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { failure, type Result, success } from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import {
  type AuthorityPlatform,
  loadAuthorities,
  openAuthorities,
  readParts,
} from "./authorities.ts";
import { renewCrl } from "./gather-long-term.ts";
import { type Authority, keyContext, exportKey, importKey, keySigner } from "./make-authority.ts";
import { lockAuthorities, lockCrl, updateAuthority } from "./store.ts";

/** Source: RFC 7468 §5.1. */
export function pemOf(der: Uint8Array): string {
  const lines = toBase64(der).match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

/** PEM: certificate, then encrypted key (PKCS#8, PBES2, AES-256). */
type RootKeyFile = string;
export type RootKeyFault = "root_key_away" | "root_key_present" | "bad_passphrase" | "other_key";

export async function exportRootKey(
  platform: AuthorityPlatform,
  passphrase: string,
): Promise<Result<RootKeyFile, RootKeyFault>> {
  const { root } = await openAuthorities(platform);
  const row = (await loadAuthorities(platform.db, platform)).find(({ id }) => id === root.id);
  if (row === undefined || row.privateKeyWrapped === null) return failure("root_key_away");
  const key = importKey(platform.secrets.unwrap(row.privateKeyWrapped, keyContext(root)));
  const encrypted = key.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase });
  return success(`${pemOf(root.certificateDer)}${String(encrypted)}`);
}

type KeptRoot = { readonly file: RootKeyFile; readonly passphrase: string };

/**
 * Proves that its file opens, signs a list for a year, then removes the key; retired roots too.
 * Errors: `root_key_away`, `bad_passphrase`, `other_key`.
 */
export async function removeRootKey(
  platform: AuthorityPlatform,
  kept: KeptRoot,
): Promise<Result<{ readonly listUntil: Date }, RootKeyFault>> {
  return inTransaction(platform.db, async (trx) => {
    await lockAuthorities(trx);
    const roots = await rootsOf(trx, platform);
    if (roots.every(({ signer }) => signer === null)) return failure("root_key_away");
    const opened = openRootFile(kept, roots);
    if (!opened.ok) return opened;
    const { root } = opened.value;
    if (root.signer === null) return failure("root_key_away");
    await lockCrl(trx, root.id);
    const list = await renewCrl(trx, platform, root);
    await updateAuthority(trx, root.id, { privateKeyWrapped: null });
    return success({ listUntil: list.nextUpdate });
  });
}

/**
 * Imports retired roots too: only they revoke what they issued.
 * Errors: `root_key_present`, `bad_passphrase`, `other_key`.
 */
export async function importRootKey(
  platform: AuthorityPlatform,
  kept: KeptRoot,
): Promise<Result<{ readonly listUntil: Date }, RootKeyFault>> {
  return inTransaction(platform.db, async (trx) => {
    await lockAuthorities(trx);
    const roots = await rootsOf(trx, platform);
    if (roots.every(({ signer }) => signer !== null)) return failure("root_key_present");
    const opened = openRootFile(kept, roots);
    if (!opened.ok) return opened;
    const { root, key } = opened.value;
    if (root.signer !== null) return failure("root_key_present");
    await updateAuthority(trx, root.id, {
      privateKeyWrapped: platform.secrets.wrap(exportKey(key), keyContext(root)),
    });
    await lockCrl(trx, root.id);
    const list = await renewCrl(trx, platform, {
      ...root,
      signer: keySigner(key, [root.certificateDer]),
    });
    return success({ listUntil: list.nextUpdate });
  });
}

async function rootsOf(
  trx: Transaction,
  platform: AuthorityPlatform,
): Promise<readonly Authority[]> {
  return readParts(await loadAuthorities(trx, platform), platform).filter(
    ({ purpose }) => purpose === "root",
  );
}

function openRootFile(
  { file, passphrase }: KeptRoot,
  roots: readonly Authority[],
): Result<{ readonly root: Authority; readonly key: KeyObject }, "bad_passphrase" | "other_key"> {
  const key = decryptedKey(
    /-----BEGIN ENCRYPTED PRIVATE KEY-----[\s\S]+?-----END ENCRYPTED PRIVATE KEY-----/.exec(
      file,
    )?.[0],
    passphrase,
  );
  if (key === null) return failure("bad_passphrase");
  const root = roots.find(({ certificateDer }) =>
    createPublicKey(key).equals(new X509Certificate(certificateDer).publicKey),
  );
  return root === undefined ? failure("other_key") : success({ root, key });
}

function decryptedKey(pem: string | undefined, passphrase: string): KeyObject | null {
  try {
    return createPrivateKey({ key: pem ?? "", passphrase });
  } catch {
    // A wrong passphrase looks like a damaged file.
    return null;
  }
}
