import { type RawBuilder, sql } from "kysely";
import type { Reader, Transaction } from "../../../platform/database/database.ts";
import type { JsonValue } from "../../../platform/database/schema.generated.ts";
import { insertionOf, build, type Write } from "../../../platform/database/in-transaction.ts";
import { handSchema, idSchema, strokePointSchema } from "@paraphe/contracts";
import * as z from "zod/mini";

export type ActMethod = "guest" | "authenticated" | "hsm" | "self" | "bulk";

/** An act is one recipient's consent, committed before anything is sealed. */
export type NewAct = {
  readonly id: string;
  readonly envelopeId: string;
  readonly recipientId: string;
  readonly userId: string | null;
  readonly method: ActMethod;
  readonly consentVersion: string;
  readonly documentsSha256: Uint8Array;
  /** Digest of request and method; null where each call makes an envelope. */
  readonly bodySha256: Uint8Array | null;
  readonly content: ActContent;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly signedAt: Date;
};

/** `content` is null once sealed. */
export type Act = Omit<NewAct, "content" | "bodySha256"> & {
  readonly content: ActContent | null;
  readonly sealedAt: Date | null;
  readonly failedTries: number;
};

export function insertAct(act: NewAct): Write | null {
  return insertionOf({ into: "signing_acts" }, [
    {
      ...actRow(act),
      content: act.content as unknown as JsonValue,
      body_sha256: act.bodySha256,
    },
  ]);
}

/** These acts never had their content stored. */
export function insertSealedActs(
  acts: readonly (Omit<NewAct, "content" | "bodySha256"> & { readonly sealedAt: Date })[],
): Write | null {
  return insertionOf(
    { into: "signing_acts" },
    acts.map((act) => ({ ...actRow(act), content: null, sealed_at: act.sealedAt })),
  );
}

function actRow(act: Omit<NewAct, "content" | "bodySha256">) {
  return {
    id: act.id,
    envelope_id: act.envelopeId,
    recipient_id: act.recipientId,
    user_id: act.userId,
    method: act.method,
    consent_version: act.consentVersion,
    documents_sha256: act.documentsSha256,
    ip_address: act.ip,
    user_agent: act.userAgent,
    signed_at: act.signedAt,
  };
}

const ACT_COLUMNS = [
  "id",
  "envelope_id",
  "recipient_id",
  "user_id",
  "method",
  "consent_version",
  "documents_sha256",
  "content",
  "ip_address",
  "user_agent",
  "signed_at",
  "sealed_at",
  "failed_tries",
] as const;

export async function loadAct(reader: Reader, actId: string): Promise<Act | null> {
  const row = await reader
    .selectFrom("signing_acts")
    .select(ACT_COLUMNS)
    .where("id", "=", actId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    id: row.id,
    envelopeId: row.envelope_id,
    recipientId: row.recipient_id,
    userId: row.user_id,
    method: row.method as ActMethod,
    consentVersion: row.consent_version,
    documentsSha256: row.documents_sha256,
    content: row.content === null ? null : actContentSchema.parse(row.content),
    ip: row.ip_address,
    userAgent: row.user_agent,
    signedAt: row.signed_at,
    sealedAt: row.sealed_at,
    failedTries: row.failed_tries,
  };
}

export type FoundAct = {
  readonly id: string;
  readonly sealed: boolean;
  readonly bodySha256: Uint8Array | null;
};

export async function findAct(reader: Reader, recipientId: string): Promise<FoundAct | null> {
  const row = await reader
    .selectFrom("signing_acts")
    .select(["id", "sealed_at", "body_sha256"])
    .where("recipient_id", "=", recipientId)
    .executeTakeFirst();
  return row === undefined
    ? null
    : { id: row.id, sealed: row.sealed_at !== null, bodySha256: row.body_sha256 };
}

export function waitsForSealing(actId: string): RawBuilder<boolean> {
  return sql`exists (select from signing_acts where id = ${actId}::uuid and sealed_at is null)`;
}

/** The oldest comes first, whatever its age. */
export async function listUnsealedActs(reader: Reader): Promise<readonly string[]> {
  const rows = await reader
    .selectFrom("signing_acts")
    .select("id")
    .where("sealed_at", "is", null)
    .orderBy("signed_at")
    .execute();
  return rows.map((row) => row.id);
}

export async function selectUnsealed(
  reader: Reader,
): Promise<{ readonly count: number; readonly oldestAt: Date | null }> {
  const row = await reader
    .selectFrom("signing_acts")
    .select((eb) => [eb.fn.countAll<number>().as("count"), eb.fn.min("signed_at").as("oldest_at")])
    .where("sealed_at", "is", null)
    .executeTakeFirstOrThrow();
  return { count: row.count, oldestAt: row.oldest_at };
}

/** Erases the act's content, which the document now shows. */
export function markActSealed(actId: string, at: Date): Write {
  const statement = build
    .updateTable("signing_acts")
    .set({ sealed_at: at, content: null, last_failure: null })
    .where("id", "=", actId);
  return { into: ["signing_acts"], statement };
}

/** `failure` is for operators and has no personal data. */
export async function noteActFailure(
  reader: Reader,
  actId: string,
  failure: string,
): Promise<void> {
  await reader
    .updateTable("signing_acts")
    .set((eb) => ({
      failed_tries: eb("failed_tries", "+", 1),
      last_failure: failure.slice(0, 200),
    }))
    .where("id", "=", actId)
    .where("sealed_at", "is", null)
    .execute();
}

type SignatureRow = {
  readonly id: string;
  readonly envelopeId: string;
  readonly documentId: string;
  readonly recipientId: string | null;
  readonly actId: string | null;
  readonly revision: number;
  readonly signerName: string;
  readonly level: "B-B" | "B-T" | "B-LT" | "B-LTA";
  readonly certificateDer: Uint8Array;
  readonly serialNumber: string;
  readonly signedAt: Date;
};
/** Includes OCSP answer and CRL at signing time. */
export type NewSignature = SignatureRow & {
  readonly ocspDer: Uint8Array;
  readonly crl: { readonly issuerId: string; readonly number: number };
};

export function insertSignatures(rows: readonly NewSignature[]): Write | null {
  return insertionOf(
    { into: "signatures" },
    rows.map((row) => ({
      id: row.id,
      envelope_id: row.envelopeId,
      document_id: row.documentId,
      recipient_id: row.recipientId,
      act_id: row.actId,
      revision: row.revision,
      signer_name: row.signerName,
      level: row.level,
      certificate_der: row.certificateDer,
      serial_number: row.serialNumber,
      signed_at: row.signedAt,
      ocsp_der: row.ocspDer,
      crl_issuer_id: row.crl.issuerId,
      crl_number: row.crl.number,
    })),
  );
}

/** All signatures of an envelope have its level. */
export function raiseLevels(envelopeId: string, level: SignatureRow["level"]): Write {
  const statement = build
    .updateTable("signatures")
    .set({ level })
    .where("envelope_id", "=", envelopeId)
    .where("level", "<>", level);
  return { into: ["signatures"], statement };
}

type KeptRow = {
  readonly documentId: string;
  readonly serialNumber: string;
  readonly ocspDer: Uint8Array | null;
  readonly crlDer: Uint8Array | null;
};

export async function loadKept(reader: Reader, envelopeId: string): Promise<readonly KeptRow[]> {
  const rows = await reader
    .selectFrom("signatures as s")
    .leftJoin("crls as c", (join) =>
      join.onRef("c.issuer_id", "=", "s.crl_issuer_id").onRef("c.number", "=", "s.crl_number"),
    )
    .select(["s.document_id", "s.serial_number", "s.ocsp_der", "c.crl_der"])
    .where("s.envelope_id", "=", envelopeId)
    .orderBy("s.signed_at")
    .orderBy("s.id")
    .execute();
  return rows.map((row) => ({
    documentId: row.document_id,
    serialNumber: row.serial_number,
    ocspDer: row.ocsp_der,
    crlDer: row.crl_der,
  }));
}

/** Stored values let the sender read them without the PDF. */
export function saveFieldValues(
  values: readonly { readonly id: string; readonly value: string | null }[],
): Write | null {
  if (values.length === 0) return null;
  const statement = sql`
    update fields set value = printed.value
    from unnest(${sql.val(values.map((entry) => entry.id))}::uuid[], ${sql.val(values.map((entry) => entry.value))}::text[]) as printed (id, value)
    where fields.id = printed.id
  `;
  return { into: ["fields"], statement };
}

export type ArchiveRow = {
  readonly documentId: string;
  readonly revision: number;
  readonly authoritySerial: string;
  readonly stampedAt: Date;
  readonly validUntil: Date;
  readonly renewAt: Date;
};
export type DueArchive = { readonly envelopeId: string; readonly documentId: string };

const RENEWED = sql`on conflict (document_id) do update set revision = excluded.revision, authority_serial = excluded.authority_serial,
      stamped_at = excluded.stamped_at, valid_until = excluded.valid_until, renew_at = excluded.renew_at`;

export function saveArchives(rows: readonly ArchiveRow[]): Write | null {
  return insertionOf(
    { into: "document_archives", conflict: RENEWED },
    rows.map((row) => ({
      document_id: row.documentId,
      revision: row.revision,
      authority_serial: row.authoritySerial,
      stamped_at: row.stampedAt,
      valid_until: row.validUntil,
      renew_at: row.renewAt,
    })),
  );
}

export async function loadArchive(reader: Reader, documentId: string): Promise<ArchiveRow | null> {
  const row = await reader
    .selectFrom("document_archives")
    .select([
      "document_id",
      "revision",
      "authority_serial",
      "stamped_at",
      "valid_until",
      "renew_at",
    ])
    .where("document_id", "=", documentId)
    .executeTakeFirst();
  if (row === undefined) return null;
  return {
    documentId: row.document_id,
    revision: row.revision,
    authoritySerial: row.authority_serial,
    stampedAt: row.stamped_at,
    validUntil: row.valid_until,
    renewAt: row.renew_at,
  };
}

/** The most urgent comes first; purged envelopes have no file. */
export async function listDueArchives(
  reader: Reader,
  due: { readonly now: Date; readonly limit: number },
): Promise<readonly DueArchive[]> {
  const rows = await reader
    .selectFrom("document_archives as a")
    .innerJoin("documents as d", "d.id", "a.document_id")
    .innerJoin("envelopes as e", "e.id", "d.envelope_id")
    .select(["d.envelope_id", "a.document_id"])
    .where("a.renew_at", "<=", due.now)
    .where("e.purged_at", "is", null)
    .orderBy("a.renew_at")
    .orderBy("a.document_id")
    .limit(due.limit)
    .execute();
  return rows.map((row) => ({ envelopeId: row.envelope_id, documentId: row.document_id }));
}

export async function hastenRenewals(
  trx: Transaction,
  authoritySerials: readonly string[],
  now: Date,
): Promise<number> {
  if (authoritySerials.length === 0) return 0;
  const result = await trx
    .updateTable("document_archives")
    .set((eb) => ({ renew_at: eb.fn<Date>("least", [eb.ref("renew_at"), eb.val(now)]) }))
    .where("authority_serial", "in", [...authoritySerials])
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom("documents as d")
          .innerJoin("envelopes as e", "e.id", "d.envelope_id")
          .select("d.id")
          .whereRef("d.id", "=", "document_archives.document_id")
          .where("e.purged_at", "is", null),
      ),
    )
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** A stored mark is validated, its images re-encoded. */
export const storedMarkSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("strokes"), strokes: z.array(z.array(strokePointSchema)) }),
  z.strictObject({ kind: z.literal("typed"), text: z.string(), hand: handSchema }),
  z.strictObject({ kind: z.literal("image"), png_base64: z.string() }),
]);
export type StoredMark = z.infer<typeof storedMarkSchema>;

/** Stored until sealed. `fields`: blanks are null. */
const actContentSchema = z.strictObject({
  fields: z.array(z.strictObject({ id: idSchema, value: z.nullable(z.string()) })),
  mark: storedMarkSchema,
  initials: z.optional(storedMarkSchema),
});
export type ActContent = z.infer<typeof actContentSchema>;
