import type { Reader } from "../../../platform/database/database.ts";
import type { ActMethod } from "./store.ts";

/** How one person agreed: when, by what means, to what, from where. `sealedAt` is null while the signature waits. */
export type ActFacts = {
  readonly recipientId: string;
  readonly method: ActMethod;
  readonly consentVersion: string;
  readonly documentsSha256: Uint8Array;
  readonly ip: string | null;
  readonly userAgent: string | null;
  readonly signedAt: Date;
  readonly sealedAt: Date | null;
};

/** Gives the acts of an envelope, in their order. */
export async function selectActs(reader: Reader, envelopeId: string): Promise<readonly ActFacts[]> {
  const rows = await reader
    .selectFrom("signing_acts")
    .select(["recipient_id", "method", "consent_version", "documents_sha256", "ip_address", "user_agent", "signed_at", "sealed_at"])
    .where("envelope_id", "=", envelopeId)
    .orderBy("signed_at")
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    recipientId: row.recipient_id,
    method: row.method as ActMethod,
    consentVersion: row.consent_version,
    documentsSha256: row.documents_sha256,
    ip: row.ip_address,
    userAgent: row.user_agent,
    signedAt: row.signed_at,
    sealedAt: row.sealed_at,
  }));
}
