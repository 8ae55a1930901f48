import { type RawBuilder, sql } from "kysely";
import type { Reader, Transaction } from "../../platform/database/database.ts";
import { insertionOf, type Write, writeTogether } from "../../platform/database/in-transaction.ts";

export const AUTHORITY_PURPOSES = ["root", "ca", "tsa", "ocsp", "seal"] as const;
/** `hsm`: the seal in a PKCS#11 token. */
export type AuthorityPurpose = (typeof AUTHORITY_PURPOSES)[number] | "hsm";

export type AuthorityRow = {
  readonly id: string;
  readonly purpose: AuthorityPurpose;
  readonly issuerId: string | null;
  readonly certificateDer: Uint8Array;
  readonly privateKeyWrapped: Uint8Array | null;
  readonly createdAt: Date;
  readonly retiredAt: Date | null;
  readonly revokedAt: Date | null;
};
/** `mac`: null on a foreign row; `listedAt`: its certificate's revocation. */
export type StoredAuthority = AuthorityRow & {
  readonly mac: Uint8Array | null;
  readonly listedAt: Date | null;
};
export type AuthorityChange = Partial<
  Pick<AuthorityRow, "retiredAt" | "revokedAt" | "privateKeyWrapped">
> & { readonly mac?: Uint8Array };

export async function lockAuthorities(trx: Transaction): Promise<void> {
  await sql`select pg_advisory_xact_lock(20260002)`.execute(trx);
}

/** Includes retired ones; `authorities.ts` verifies MACs. */
export async function selectAuthorities(reader: Reader): Promise<readonly StoredAuthority[]> {
  const { rows } = await sql<StoredAuthority>`
    select a.id, a.purpose, a.issuer_id as "issuerId", a.certificate_der as "certificateDer", a.private_key_wrapped as "privateKeyWrapped",
      a.created_at as "createdAt", a.retired_at as "retiredAt", a.revoked_at as "revokedAt", a.mac, (
        select min(c.revoked_at) from certificates c
        where c.issuer_id = a.issuer_id and c.revoked_at is not null and c.certificate_der = a.certificate_der) as "listedAt"
    from authority_keys a order by a.created_at, a.id`.execute(reader);
  return rows.map((row) => ({ ...row, certificateDer: new Uint8Array(row.certificateDer) }));
}

export async function insertAuthority(
  trx: Transaction,
  {
    row,
    certificate,
    mac,
  }: {
    readonly row: AuthorityRow;
    readonly certificate: CertificateRow | null;
    readonly mac: Uint8Array;
  },
): Promise<void> {
  await trx
    .insertInto("authority_keys")
    .values({
      id: row.id,
      purpose: row.purpose,
      issuer_id: row.issuerId,
      certificate_der: row.certificateDer,
      private_key_wrapped: row.privateKeyWrapped,
      created_at: row.createdAt,
      mac,
    })
    .execute();
  if (certificate !== null) await writeTogether(trx, [insertCertificates([certificate])]);
}

export async function updateAuthority(
  reader: Reader,
  id: string,
  { retiredAt, revokedAt, privateKeyWrapped, mac }: AuthorityChange,
): Promise<void> {
  await reader
    .updateTable("authority_keys")
    .set({
      ...(retiredAt === undefined ? {} : { retired_at: retiredAt }),
      ...(revokedAt === undefined ? {} : { revoked_at: revokedAt }),
      ...(privateKeyWrapped === undefined ? {} : { private_key_wrapped: privateKeyWrapped }),
      ...(mac === undefined ? {} : { mac }),
    })
    .where("id", "=", id)
    .execute();
}

export type CertificateRow = {
  readonly serialNumber: string;
  readonly issuerId: string;
  readonly subject: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly certificateDer: Uint8Array;
};

export function insertCertificates(rows: readonly CertificateRow[]): Write | null {
  return insertionOf(
    { into: "certificates" },
    rows.map((row) => ({
      serial_number: row.serialNumber,
      issuer_id: row.issuerId,
      subject: row.subject,
      not_before: row.notBefore,
      not_after: row.notAfter,
      certificate_der: row.certificateDer,
    })),
  );
}

export type CertificateKey = { readonly issuerId: string; readonly serialNumber: string };
export type KnownCertificate = { readonly revokedAt: Date | null; readonly reason: number | null };

/** Null when this issuer never issued it. */
export async function findCertificate(
  reader: Reader,
  key: CertificateKey,
): Promise<KnownCertificate | null> {
  const { issuerId, serialNumber } = key;
  const known = await loadRevocation(reader, { issuerIds: [], serialNumbers: [serialNumber] });
  return known.certificate({ issuerId, serialNumber });
}

export async function findIssued(
  reader: Reader,
  serialNumber: string,
): Promise<
  | (Omit<CertificateRow, "certificateDer"> & {
      readonly revokedAt: Date | null;
      readonly reason: number | null;
    })
  | null
> {
  const row = await reader
    .selectFrom("certificates")
    .select([
      "serial_number",
      "issuer_id",
      "subject",
      "not_before",
      "not_after",
      "revoked_at",
      "revocation_reason",
    ])
    .where("serial_number", "=", serialNumber)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    serialNumber: row.serial_number,
    issuerId: row.issuer_id,
    subject: row.subject,
    notBefore: row.not_before,
    notAfter: row.not_after,
    revokedAt: row.revoked_at,
    reason: row.revocation_reason,
  };
}

export type RevokedRow = {
  readonly serialNumber: string;
  readonly revokedAt: Date;
  readonly reason: number | null;
};

export async function loadRevoked(
  reader: Reader,
  issuerId: string,
): Promise<readonly RevokedRow[]> {
  const rows = await reader
    .selectFrom("certificates")
    .select(["serial_number", "revoked_at", "revocation_reason"])
    .where("issuer_id", "=", issuerId)
    .where("revoked_at", "is not", null)
    .orderBy("revoked_at")
    .execute();
  return rows.flatMap((row) =>
    row.revoked_at === null
      ? []
      : [
          {
            serialNumber: row.serial_number,
            revokedAt: row.revoked_at,
            reason: row.revocation_reason,
          },
        ],
  );
}

export async function revokeCertificate(
  reader: Reader,
  serialNumber: string,
  revocation: { readonly at: Date; readonly reason: number },
): Promise<boolean> {
  const result = await reader
    .updateTable("certificates")
    .set((eb) => ({
      revoked_at: eb.fn.coalesce("revoked_at", eb.val(revocation.at)),
      revocation_reason: eb.fn.coalesce("revocation_reason", eb.val(revocation.reason)),
    }))
    .where("serial_number", "=", serialNumber)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export type CrlRow = {
  readonly number: number;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
  readonly der: Uint8Array;
};

export type LatestCrl = CrlRow & { readonly hasLaterRevocation: boolean };

export async function loadLatestCrl(reader: Reader, issuerId: string): Promise<LatestCrl | null> {
  return (await loadRevocation(reader, { issuerIds: [issuerId], serialNumbers: [] })).list(
    issuerId,
  );
}

type CertificateJson = {
  readonly serial_number: string;
  readonly issuer_id: string;
  readonly revoked_at: string | null;
  readonly revocation_reason: number | null;
};
export type CrlJson = {
  readonly issuer_id: string;
  readonly number: number;
  readonly this_update: string;
  readonly next_update: string;
  readonly crl: string;
  readonly has_later_revocation: boolean;
};

type Revocation = {
  list(issuerId: string): LatestCrl | null;
  certificate(key: CertificateKey): KnownCertificate | null;
};

/**
 * Reads lists of issuers and what is known of certificates in one statement. Ids go as JSON: a list
 * of them is planned anew each time (1.1 ms, not 0.4).
 */
export async function loadRevocation(
  reader: Reader,
  asked: { readonly issuerIds: readonly string[]; readonly serialNumbers: readonly string[] },
): Promise<Revocation> {
  const { rows } = await sql<{ certificates: CertificateJson[]; lists: CrlJson[] }>`select
    coalesce((select json_agg(json_build_object('serial_number', serial_number, 'issuer_id', issuer_id,
      'revoked_at', revoked_at, 'revocation_reason', revocation_reason))
      from certificates where serial_number = any(array(
        select json_array_elements_text(${JSON.stringify(asked.serialNumbers)}::json)))), '[]') as certificates,
    ${listsOf(asked.issuerIds)} as lists`.execute(reader);
  const { certificates = [], lists = [] } = rows[0] ?? {};
  return {
    certificate({ issuerId, serialNumber }) {
      const row = certificates.find((one) => one.serial_number === serialNumber);
      if (row === undefined || row.issuer_id !== issuerId) return null;
      const { revoked_at, revocation_reason } = row;
      return {
        revokedAt: revoked_at === null ? null : new Date(revoked_at),
        reason: revocation_reason,
      };
    },
    list: (issuerId) => listFrom(lists, issuerId),
  };
}

/** Gives `listFrom` the latest of these issuers. */
export function listsOf(issuerIds: readonly string[]): RawBuilder<readonly CrlJson[]> {
  return sql`coalesce((select json_agg(json_build_object('issuer_id', issuer_id, 'number', number, 'this_update', this_update,
      'next_update', next_update, 'crl', encode(crl_der, 'hex'), 'has_later_revocation', exists (
        select from certificates c where c.issuer_id = latest.issuer_id and c.revoked_at >= latest.this_update)))
      from json_array_elements_text(${JSON.stringify(issuerIds)}::json) as issuer (id) cross join lateral (
        select issuer_id, number, this_update, next_update, crl_der from crls
        where issuer_id = issuer.id::uuid order by number desc limit 1) as latest), '[]')`;
}

export function listFrom(lists: readonly CrlJson[], issuerId: string): LatestCrl | null {
  const row = lists.find((one) => one.issuer_id === issuerId);
  return row === undefined ? null : readCrl(row);
}

function readCrl(row: CrlJson): LatestCrl {
  return {
    number: row.number,
    thisUpdate: new Date(row.this_update),
    nextUpdate: new Date(row.next_update),
    der: new Uint8Array(Buffer.from(row.crl, "hex")),
    hasLaterRevocation: row.has_later_revocation,
  };
}

/** List numbers only grow, so renewals take turns. */
export async function lockCrl(trx: Transaction, issuerId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${issuerId}, 20260003))`.execute(trx);
}

export async function insertCrl(trx: Transaction, issuerId: string, crl: CrlRow): Promise<void> {
  await trx
    .insertInto("crls")
    .values({
      issuer_id: issuerId,
      number: crl.number,
      this_update: crl.thisUpdate,
      next_update: crl.nextUpdate,
      crl_der: crl.der,
    })
    .execute();
}

export async function loadSecrets(
  reader: Reader,
  prefix: string,
): Promise<readonly { readonly name: string; readonly wrapped: Uint8Array }[]> {
  const rows = await reader
    .selectFrom("service_secrets")
    .select(["name", "secret_wrapped"])
    .where((eb) => eb(eb.fn<boolean>("starts_with", ["name", eb.val(prefix)]), "=", true))
    .orderBy("created_at")
    .execute();
  return rows.map((row) => ({ name: row.name, wrapped: row.secret_wrapped }));
}

export async function removeSecret(reader: Reader, name: string): Promise<boolean> {
  const { numDeletedRows } = await reader
    .deleteFrom("service_secrets")
    .where("name", "=", name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function storeSecret(
  reader: Reader,
  secret: { readonly name: string; readonly wrapped: Uint8Array; readonly createdAt: Date },
): Promise<void> {
  await reader
    .insertInto("service_secrets")
    .values({ name: secret.name, secret_wrapped: secret.wrapped, created_at: secret.createdAt })
    .onConflict((conflict) => conflict.column("name").doNothing())
    .execute();
}

/** OCSP says no more than this of a certificate. */
export async function loadStatuses(
  reader: Reader,
  serialNumbers: readonly string[],
): Promise<
  readonly {
    readonly serial: string;
    readonly issuerId: string;
    readonly der: Uint8Array;
    readonly revokedAt: Date | null;
    readonly reason: number | null;
  }[]
> {
  if (serialNumbers.length === 0) return [];
  return reader
    .selectFrom("certificates")
    .select([
      "serial_number as serial",
      "issuer_id as issuerId",
      "certificate_der as der",
      "revoked_at as revokedAt",
      "revocation_reason as reason",
    ])
    .where("serial_number", "in", [...new Set(serialNumbers)])
    .orderBy("serial_number")
    .execute();
}

export async function loadIssuedCertificates(
  reader: Reader,
  serialNumbers: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  if (serialNumbers.length === 0) return new Map();
  const rows = await reader
    .selectFrom("certificates")
    .select(["serial_number", "certificate_der"])
    .where("serial_number", "in", [...new Set(serialNumbers)])
    .execute();
  // A purged certificate has its hash only.
  return new Map(
    rows.flatMap((row) =>
      row.certificate_der.length === 0 ? [] : [[row.serial_number, row.certificate_der]],
    ),
  );
}
