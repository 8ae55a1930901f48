import { X509Certificate } from "node:crypto";
import { sql } from "kysely";
import { createTrust, checkAuthorityRows } from "../../../server/src/features/trust/public.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";
import {
  type AuditNotes,
  type AuditOutcome,
  auditOutcome,
  type AuditPlatform,
  createStatedFault,
  type StatedFault,
} from "./audit-fault.ts";

/** Every authority's row has a valid MAC, and each purpose has a living authority. */
export function checkAuthorities(
  platform: Pick<Platform, "db" | "secrets">,
): Promise<AuditOutcome> {
  return auditOutcome("Autorités enregistrées", async ({ checked, fault }) => {
    const { count, foreign, missing } = await checkAuthorityRows(platform);
    checked(count);
    // A service that never started has none.
    for (const purpose of count === 0 ? [] : missing)
      fault(`autorité ${purpose}`, "aucune n’est en vie\u202f: sa ligne a été retirée ou changée");
    for (const id of foreign)
      fault(
        `autorité ${id}`,
        "sa ligne n’est pas celle que ce service a écrite\u202f: elle n’est pas crue",
      );
  });
}

/**
 * Verifies checkpoints by the service's authorities; if these are unreadable, every checkpoint
 * fails and the audit continues.
 */
export async function openStatedFault(platform: Platform): Promise<StatedFault> {
  const unread = async () => "les autorités du service ne peuvent pas être lues";
  // Opening would create them, and the audit changes nothing.
  if ((await checkAuthorityRows(platform)).count === 0) return unread;
  try {
    return createStatedFault(await (await createTrust(platform)).evidence());
  } catch (error) {
    const { foreign, missing } = await checkAuthorityRows(platform);
    if (foreign.length + missing.length === 0) throw error;
    return unread;
  }
}

const BATCH = 2_000;
const MOST_NAMED = 1_000;

/** `certificateDer`: empty for a signer of a purged envelope, whose hash stays. */
type Issued = {
  readonly serialNumber: string;
  readonly issuerId: string;
  readonly certificateDer: Uint8Array;
  readonly hasHash: boolean;
};

/**
 * Every certificate has its issuer's signature and its own number; those of signatures and
 * authorities are among them, for revocation is answered from these rows.
 */
export function checkCertificates({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome("Certificats émis", async (notes) => {
    const issuers = await readIssuers(db);
    for (let after = ""; ; ) {
      const { rows } = await sql<Issued>`
        select serial_number as "serialNumber", issuer_id as "issuerId", certificate_der as "certificateDer",
          coalesce(length(certificate_hash) = 32, false) as "hasHash"
        from certificates where serial_number > ${after} order by serial_number limit ${BATCH}`.execute(
        db,
      );
      notes.checked(rows.length);
      for (const row of rows)
        if (!isSound(row, issuers.get(row.issuerId)))
          notes.fault(
            `certificat ${row.serialNumber}`,
            "sa ligne n’est pas celle d’un certificat que ce service a émis",
          );
      after = rows.at(-1)?.serialNumber ?? after;
      if (rows.length < BATCH) break;
    }
    await checkPresence(db, notes);
  });
}

async function readIssuers(db: AuditPlatform["db"]): Promise<ReadonlyMap<string, X509Certificate>> {
  const { rows } = await sql<{ id: string; certificateDer: Uint8Array }>`
    select id, certificate_der as "certificateDer" from authority_keys where purpose in ('root', 'ca')`.execute(
    db,
  );
  return new Map(
    rows.flatMap(({ id, certificateDer }) =>
      readCertificate(certificateDer).map((certificate) => [id, certificate] as const),
    ),
  );
}

function isSound(
  { serialNumber, certificateDer, hasHash }: Issued,
  issuer: X509Certificate | undefined,
): boolean {
  if (certificateDer.length === 0) return hasHash;
  const [certificate] = readCertificate(certificateDer);
  if (certificate === undefined || issuer === undefined) return false;
  return (
    isSameNumber(certificate.serialNumber, serialNumber) && certificate.verify(issuer.publicKey)
  );
}

/** Empty for unreadable bytes. */
function readCertificate(der: Uint8Array): readonly X509Certificate[] {
  try {
    return [new X509Certificate(der)];
  } catch {
    // The row's own check reports it.
    return [];
  }
}

function isSameNumber(one: string, other: string): boolean {
  return /^[0-9a-f]+$/i.test(other) && BigInt(`0x${one}`) === BigInt(`0x${other}`);
}

async function checkPresence(db: AuditPlatform["db"], { fault }: AuditNotes): Promise<void> {
  const { rows } = await sql<{ subject: string }>`
    select 'signature ' || s.id as subject from signatures s join envelopes e on e.id = s.envelope_id and e.purged_at is null
      where not exists (select from certificates c where c.serial_number = s.serial_number and c.certificate_der = s.certificate_der)
    union all
    select 'autorité ' || a.id from authority_keys a
      where a.issuer_id is not null and not exists (select from certificates c where c.issuer_id = a.issuer_id and c.certificate_der = a.certificate_der)
    limit ${MOST_NAMED}`.execute(db);
  for (const { subject } of rows)
    fault(subject, "son certificat n’est pas parmi ceux que ce service a émis");
}
