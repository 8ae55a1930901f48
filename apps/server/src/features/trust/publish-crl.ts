import { createCrl, type RevocationReason } from "@paraphe/pades/parts";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Authority } from "./authority.ts";
import { type CrlRow, holdCrl, insertCrl, loadLatestCrl, loadRevoked } from "./store.ts";

const HOUR_MS = 3_600_000;
/** A list is renewed long before it ends, so that a cached copy is never an expired one. */
const RENEW_AFTER_MS = 12 * HOUR_MS;
const VALIDITY_MS = 7 * 24 * HOUR_MS;
/** A root's key may be kept offline: its list must stand until it is brought back. */
const ROOT_VALIDITY_MS = 366 * 24 * HOUR_MS;

/**
 * Gives an issuer's current revocation list, made anew when it is half a day old or when somebody was revoked since.
 * An issuer whose key is away or destroyed gives the last list it signed; null when it never signed one.
 * Source: RFC 5280 §5.
 */
export async function publishCrl(platform: Pick<Platform, "db" | "clock">, issuer: Authority): Promise<CrlRow | null> {
  const latest = await loadLatestCrl(platform.db, issuer.id);
  if (latest !== null && (issuer.signer === null || isCurrent(latest, platform.clock()))) return latest;
  if (issuer.signer === null) return null;
  return inTransaction(platform.db, async (trx) => {
    await holdCrl(trx, issuer.id);
    const known = await loadLatestCrl(trx, issuer.id);
    return known !== null && known.number !== latest?.number ? known : renewCrl(trx, platform, issuer);
  });
}

/** Makes an issuer's next list, whatever the age of the last one. The caller holds the making of its lists (`holdCrl`). */
export async function renewCrl(trx: Transaction, platform: Pick<Platform, "clock">, issuer: Authority): Promise<CrlRow> {
  if (issuer.signer === null) throw new Error("Expected an issuer with its key");
  const now = platform.clock();
  const number = ((await loadLatestCrl(trx, issuer.id))?.number ?? 0) + 1;
  const nextUpdate = new Date(now.getTime() + (issuer.purpose === "root" ? ROOT_VALIDITY_MS : VALIDITY_MS));
  const revoked = await revokedBy(trx, issuer);
  const der = await createCrl(issuer.signer, { number: BigInt(number), thisUpdate: now, nextUpdate, revoked });
  const row = { number, thisUpdate: now, nextUpdate, der };
  await insertCrl(trx, issuer.id, row);
  return row;
}

async function revokedBy(reader: Reader, issuer: Authority) {
  return (await loadRevoked(reader, issuer.id)).map((row) => ({
    serialNumber: new Uint8Array(Buffer.from(row.serialNumber, "hex")),
    revokedAt: row.revokedAt,
    ...(row.reason === null ? {} : { reason: row.reason as RevocationReason }),
  }));
}

function isCurrent(crl: CrlRow & { readonly hasLaterRevocation: boolean }, now: Date): boolean {
  const age = now.getTime() - crl.thisUpdate.getTime();
  return age >= 0 && age < RENEW_AFTER_MS && !crl.hasLaterRevocation;
}
