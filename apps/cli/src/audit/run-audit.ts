import { formatCount } from "@paraphe/kernel/french-numbers";
import {
  type CopyProgress,
  readCopyProgress,
} from "../../../server/src/features/journal/public.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";
import { faultsOf, tableOf } from "../outcome.ts";
import {
  type AuditOutcome,
  auditOutcome,
  type AuditPlatform,
  type AuditNotes,
  createStatedFault,
  type StatedFault,
} from "./audit-fault.ts";
import { checkHeads, checkJournals, checkLog } from "./check-log.ts";
import { checkRows } from "./check-rows.ts";
import { toHex } from "@paraphe/kernel/bytes";
import { sql } from "kysely";
import {
  AlteredFileError,
  MissingFileError,
} from "../../../server/src/platform/files/file-store.ts";
import { isOfAnother } from "../store/check-revisions.ts";
import { isStillNeeded, NAMED_FILES, namesOf } from "../store/named-files.ts";
import { X509Certificate } from "node:crypto";
import { createTrust, checkAuthorityRows } from "../../../server/src/features/trust/public.ts";

function describeAudit(outcomes: readonly AuditOutcome[]): readonly string[] {
  const checks = outcomes.map(({ check, ...outcome }) => ({ ...outcome, name: check }));
  const faults = faultsOf(checks);
  return [
    ...tableOf("Contrôle", checks),
    ...(faults.length > 0 ? faults : ["", "Rien n’a été modifié, déplacé ni retiré."]),
  ];
}

const NAMES: Readonly<Record<CopyProgress["kind"], string>> = {
  folder: "dossier (CHECKPOINT_DIR)",
  s3: "stockage verrouillé (CHECKPOINT_S3_…)",
  mail: "email (CHECKPOINT_MAIL)",
};

/** French. A place that fails leaves the exit code. */
function describeCopies(places: readonly CopyProgress[]): readonly string[] {
  const title = "Copies des points de contrôle à l’extérieur\u00a0:";
  if (places.length === 0)
    return [
      "",
      title,
      "- aucune\u00a0: personne d’autre ne garde de quoi montrer qu’un passé a été réécrit en entier (docs/operations/settings.md).",
    ];
  return ["", title, ...places.map((place) => `- ${NAMES[place.kind]}\u00a0: ${stateOf(place)}.`)];
}

function stateOf({ kind, missing, copiedAt, failingSince, fault }: CopyProgress): string {
  const last =
    copiedAt === null ? "aucune copie encore" : `dernière copie le ${copiedAt.toISOString()}`;
  const lacks =
    missing === 0 || kind === "mail" ? "" : `\u202f; il en manque ${formatCount(missing)}`;
  return failingSince === null
    ? `${last}${lacks}`
    : `en échec depuis le ${failingSince.toISOString()} (${fault ?? ""})\u202f; ${last}${lacks}`;
}

export type AuditAnswer = { readonly code: 0 | 1 | 64; readonly lines: readonly string[] };

export const USAGE = [
  "Usage\u00a0: paraphe audit check [--copies <dossier>]",
  "",
  "Contrôle tous les journaux, le journal de transparence et les fichiers conservés. Code de sortie\u00a0: 0 rien à signaler, 1 au moins un défaut.",
  "--copies\u00a0: un dossier où des copies des points de contrôle ont été gardées (CHECKPOINT_DIR, ou ailleurs, rapportées du stockage S3 ou tirées des emails)\u202f; sans lui, celui de CHECKPOINT_DIR.",
];

/** Runs on the configured service, running or not; changes nothing. */
export async function runAudit(
  platform: Platform,
  [name = "", ...words]: readonly string[],
): Promise<AuditAnswer> {
  const copies = copiesOf(words, platform.settings.checkpointDir);
  if (name !== "check" || copies === undefined) return { code: 64, lines: USAGE };
  const statedFault = await openStatedFault(platform);
  const outcomes: AuditOutcome[] = [
    await checkAuthorities(platform),
    await checkCertificates(platform),
    await checkJournals(platform),
    await checkHeads(platform),
    await checkDates(platform),
    await checkRows(platform),
    ...(await checkLog(platform, { statedFault, copies })),
    await checkSignedFiles(platform),
    await checkFiles(platform),
  ];
  const lines = [...describeAudit(outcomes), ...describeCopies(await readCopyProgress(platform))];
  return { code: outcomes.some(({ faultCount }) => faultCount > 0) ? 1 : 0, lines };
}

function copiesOf(words: readonly string[], configured: string | null): string | null | undefined {
  if (words.length === 0) return configured;
  const [option, folder] = words;
  return words.length === 2 && option === "--copies" ? folder : undefined;
}

const MOST_NAMED = 1_000;

/** Checks the hash of every stored file, and finds every file that a row needs. */
function checkFiles({ db, files }: AuditPlatform): Promise<AuditOutcome> {
  return auditOutcome("Fichiers conservés", async ({ checked, fault }) => {
    for await (const { sha256 } of files.list()) {
      checked();
      if (await isAltered(files, sha256))
        fault(toHex(sha256), "le fichier n’a plus l’empreinte sous laquelle il a été conservé");
    }
    for (const named of NAMED_FILES)
      for await (const names of namesOf(db, named, "needed"))
        for (const sha256 of names)
          if ((await files.size(sha256)) === null && (await isStillNeeded(db, named, sha256)))
            fault(toHex(sha256), "le fichier n’est plus là");
  });
}

async function isAltered(files: AuditPlatform["files"], sha256: Uint8Array): Promise<boolean> {
  try {
    await files.get(sha256);
    return false;
  } catch (error) {
    if (error instanceof AlteredFileError) return true;
    // Removed meanwhile: the rows say which files must exist.
    if (error instanceof MissingFileError) return false;
    throw error;
  }
}

const BATCH = 500;
const NOTHING = "00000000-0000-0000-0000-000000000000";

type SignedDocument = {
  readonly id: string;
  readonly envelopeId: string;
  readonly sha256: Uint8Array;
  readonly originalSize: number;
};

/** A signed file names the envelope of its row, or rows were moved. */
function checkSignedFiles({ db, files }: AuditPlatform): Promise<AuditOutcome> {
  return auditOutcome(
    "Fichiers signés, de l’enveloppe qui les présente",
    async ({ checked, fault }) => {
      for (let after = NOTHING; ; ) {
        const { rows } = await sql<SignedDocument>`
        select d.id, d.envelope_id as "envelopeId", r.blob_sha256 as sha256, o.size::int as "originalSize" from documents d
        join envelopes e on e.id = d.envelope_id and e.purged_at is null
        join document_revisions r on r.document_id = d.id and r.number = d.current_revision
        join document_revisions o on o.document_id = d.id and o.number = 0
        where d.id > ${after}::uuid and exists (select from signatures s where s.document_id = d.id)
        order by d.id limit ${BATCH}`.execute(db);
        for (const { id, envelopeId, sha256, originalSize } of rows) {
          checked();
          const bytes = await files.get(sha256).catch(() => null);
          if (bytes !== null && isOfAnother(bytes.subarray(originalSize), envelopeId))
            fault(
              `document ${id}`,
              "ses signatures ont été faites pour une autre enveloppe que celle qui le présente",
            );
        }
        after = rows.at(-1)?.id ?? after;
        if (rows.length < BATCH) return;
      }
    },
  );
}

/** Clocks may differ; committed events are due at once. */
const MARGIN = sql`interval '2 hours'`;

/** Finds events older than a checkpoint without them, or than the event before. */
function checkDates({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome(
    "Dates des événements, face au journal de transparence",
    async ({ checked, fault }) => {
      const { rows: counted } = await sql<{
        count: number;
      }>`select count(*) as count from audit_events`.execute(db);
      checked(counted[0]?.count ?? 0);
      const { rows: late } = await sql<Found>`
      with marks as (
        select envelope_id, sequence, leaf_index from transparency_leaves
        union all select envelope_id, sequence, 9223372036854775807 from transparency_due
      ), spans as (
        -- the first leaf that stands for an event is the lowest of those at its number or after
        select envelope_id, sequence, coalesce(lag(sequence) over (partition by envelope_id order by sequence), 0) as before,
          min(leaf_index) over (partition by envelope_id order by sequence desc rows between unbounded preceding and current row) as leaf_index
        from marks
      )
      select e.envelope_id as "envelopeId", e.sequence
      from spans s cross join lateral (select at from transparency_checkpoints c where c.size <= s.leaf_index order by c.size desc limit 1) missed
      join audit_events e on e.envelope_id = s.envelope_id and e.sequence > s.before and e.sequence <= s.sequence and e.at < missed.at - ${MARGIN}
      order by e.envelope_id, e.sequence limit ${MOST_NAMED}`.execute(db);
      for (const event of late)
        fault(
          nameOf(event),
          "sa date est antérieure à un point de contrôle qui ne l’a pas\u202f: il a été écrit plus tard qu’il ne le dit",
        );
      const { rows: backwards } = await sql<Found>`
      select e.envelope_id as "envelopeId", e.sequence from audit_events e
      join audit_events p on p.envelope_id = e.envelope_id and p.sequence = e.sequence - 1 and e.at < p.at - ${MARGIN}
      order by e.envelope_id, e.sequence limit ${MOST_NAMED}`.execute(db);
      for (const event of backwards)
        fault(nameOf(event), "sa date est antérieure à celle de l’événement qui le précède");
    },
  );
}

type Found = { readonly envelopeId: string; readonly sequence: number };

function nameOf({ envelopeId, sequence }: Found): string {
  return `enveloppe ${envelopeId}, événement ${sequence}`;
}

/** Requires a valid MAC for every row and a living authority for each purpose. */
function checkAuthorities(platform: Pick<Platform, "db" | "secrets">): Promise<AuditOutcome> {
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
 * Checks by the service's authorities; if they are unreadable, every checkpoint fails and the audit
 * goes on.
 */
async function openStatedFault(platform: Platform): Promise<StatedFault> {
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

const CERTIFICATES_AT_ONCE = 2_000;

/** Empty for a purged envelope's signer, whose hash stays. */
type Issued = {
  readonly serialNumber: string;
  readonly issuerId: string;
  readonly certificateDer: Uint8Array;
  readonly hasHash: boolean;
};

/**
 * Requires of each its issuer's signature and its own number; those of signatures and authorities
 * are among them, since these rows answer for revocation.
 */
function checkCertificates({ db }: Pick<AuditPlatform, "db">): Promise<AuditOutcome> {
  return auditOutcome("Certificats émis", async (notes) => {
    const issuers = await readIssuers(db);
    for (let after = ""; ; ) {
      const { rows } = await sql<Issued>`
        select serial_number as "serialNumber", issuer_id as "issuerId", certificate_der as "certificateDer",
          coalesce(length(certificate_hash) = 32, false) as "hasHash"
        from certificates where serial_number > ${after} order by serial_number limit ${CERTIFICATES_AT_ONCE}`.execute(
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
      if (rows.length < CERTIFICATES_AT_ONCE) break;
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

function readCertificate(der: Uint8Array): readonly X509Certificate[] {
  try {
    return [new X509Certificate(der)];
  } catch {
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
