import type { Reader, Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { authorityMac, isAuthentic } from "./authority-mac.ts";
import { type AuthorityRow, type CertificateRow, insertAuthority, selectAuthorities, updateAuthority } from "./store.ts";

type Secrets = Pick<Platform, "secrets">;

/**
 * Gives every authority whose row bears its MAC, oldest first, retired ones too: their certificates prove old signatures for ever. Whatever else stands in the table
 * is nobody's. `revokedAt` is the earliest that its own row, or its certificate's, tells of.
 */
export async function loadAuthorities(reader: Reader, { secrets }: Secrets): Promise<readonly AuthorityRow[]> {
  return (await selectAuthorities(reader)).filter((row) => isAuthentic(secrets, row)).map(believed);
}

function believed({ mac: _mac, listedAt, ...row }: Awaited<ReturnType<typeof selectAuthorities>>[number]): AuthorityRow {
  const [first = null] = [row.revokedAt, listedAt].filter((at) => at !== null).toSorted((left, right) => left.getTime() - right.getTime());
  return { ...row, revokedAt: first };
}

/** Writes an authority down, authenticated, with its certificate among those that its issuer issued. */
export function keepAuthority(
  trx: Transaction,
  { secrets }: Secrets,
  made: { readonly row: AuthorityRow; readonly certificate: CertificateRow | null },
): Promise<void> {
  return insertAuthority(trx, { ...made, mac: authorityMac(secrets, made.row) });
}

/** Retires the living authority of this purpose. A kept key signs only lists and answers about what it issued. */
export async function retireAuthority(
  trx: Transaction,
  { secrets }: Secrets,
  retired: { readonly purpose: AuthorityRow["purpose"]; readonly at: Date; readonly key: "kept" | "destroyed" },
): Promise<void> {
  for (const row of await selectAuthorities(trx)) {
    if (row.purpose !== retired.purpose || row.retiredAt !== null) continue;
    const after = { ...row, retiredAt: retired.at };
    await updateAuthority(trx, row.id, {
      retiredAt: retired.at,
      ...(retired.key === "destroyed" ? { privateKeyWrapped: null } : {}),
      // A row that is nobody's makes room as any other, and stays nobody's.
      ...(isAuthentic(secrets, row) ? { mac: authorityMac(secrets, after) } : {}),
    });
  }
}

/** Says in an authority's own row that its certificate is revoked: the row of the certificate alone could be changed by whoever writes in the tables. */
export async function noteRevocation(
  trx: Transaction,
  { secrets }: Secrets,
  { id, at }: { readonly id: string; readonly at: Date },
): Promise<void> {
  for (const row of await selectAuthorities(trx)) {
    if (row.id !== id || row.revokedAt !== null || !isAuthentic(secrets, row)) continue;
    await updateAuthority(trx, id, { revokedAt: at, mac: authorityMac(secrets, { ...row, revokedAt: at }) });
  }
}
