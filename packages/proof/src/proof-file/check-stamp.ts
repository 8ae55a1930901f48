import { sha256 } from "@noble/hashes/sha2.js";
import type { ProofFile } from "@paraphe/contracts/proof-file";
import { fromBase64, toBase64, toHex } from "@paraphe/kernel/bytes";
import { formatExactInstant } from "@paraphe/kernel/french-dates";
import {
  type CertificateReport,
  type Evidence,
  PadesError,
  type TimestampFacts,
  isStrictToken,
  verifyTimestampToken,
} from "@paraphe/pades/parts";
import {
  isRevocationUnknown,
  isRevoked,
  validateAuthority,
} from "../checkpoint/validate-authorities.ts";
import type { ReaderTrust } from "./reader-trust.ts";
import type { CheckState, ProofCheck } from "./types.ts";

/** `provenAt`: proof of existence of the JWS; null without one. */
type StampVerdict = { readonly check: ProofCheck; readonly provenAt: Date | null };

/**
 * Imprint, signature, path and unique encoding; an authority only the proof names proves no time.
 * Source: RFC 3161 §2.2, §2.4.2.
 */
export async function checkStamp(
  file: Pick<ProofFile, "jws" | "timestamp">,
  { trust, now }: StampWork,
): Promise<StampVerdict> {
  if (file.timestamp === null)
    return said(
      "not_checked",
      "La preuve ne porte pas d’horodatage\u00a0: l’autorité ne répondait pas quand elle a été faite, et rien d’autre qu’elle ne dit de quand elle est.",
    );
  const timestamp = await readToken(file.jws, file.timestamp);
  if (timestamp === null)
    return said(
      "failed",
      "L’horodatage de la preuve n’est pas celui de ce cachet, ou il a été modifié.",
    );
  const authority = await validateStamp(timestamp, trust.trusted, now);
  if (authority === null) {
    const claimed = await validateStamp(timestamp, trust.evidence, now);
    return claimed?.chain
      ? said(
          "not_checked",
          `La preuve est horodatée par ${describeClaimed(timestamp, claimed.chain)}`,
        )
      : said(
          "failed",
          "L’autorité qui a horodaté la preuve ne mène pas à une racine reconnue ici.",
        );
  }
  if (isRevoked(authority))
    return said("failed", "L’autorité qui a horodaté la preuve était révoquée.");
  if (isRevocationUnknown(authority))
    return said(
      "not_checked",
      "Rien ici ne dit si l’autorité qui a horodaté la preuve était révoquée.",
    );
  if (authority.indication !== "TOTAL_PASSED")
    return said(
      "not_checked",
      "L’autorité qui a horodaté la preuve n’a pas pu être vérifiée jusqu’au bout.",
    );
  const at = `le ${formatExactInstant(timestamp.time)} (heure de Paris)`;
  return said(
    "ok",
    `La preuve est horodatée par «\u00a0${timestamp.authorityName}\u00a0», ${at}.`,
    timestamp.time,
  );
}

type StampWork = { readonly trust: Pick<ReaderTrust, "evidence" | "trusted">; readonly now: Date };

function said(state: CheckState, sentence: string, provenAt: Date | null = null): StampVerdict {
  return { check: { name: "stamp", state, subject: null, sentence }, provenAt };
}

/** An authority outside the reader's anchors, and the end of its path (DER). */
export function describeClaimed(
  { authorityName }: Pick<TimestampFacts, "authorityName">,
  chain: readonly Uint8Array[],
): string {
  const print = fingerprintOf(chain.at(-1) ?? new Uint8Array());
  return `«\u00a0${authorityName}\u00a0», que la preuve seule nomme (empreinte SHA-256 ${print})\u00a0: ses heures ne prouvent rien, à moins que vous ne donniez vous-même son certificat.`;
}

/** Null without path to an anchor. */
async function validateStamp(
  timestamp: TimestampFacts,
  evidence: Evidence,
  now: Date,
): Promise<CertificateReport | null> {
  const known = new Set(
    [...(evidence.certificates ?? []), ...evidence.trustAnchors.timestamps].map(toHex),
  );
  const unknown = timestamp.certificates.filter((der) => !known.has(toHex(der)));
  const report = await validateAuthority(timestamp.certificateDer, {
    evidence: { ...evidence, certificates: [...(evidence.certificates ?? []), ...unknown] },
    now,
    provenAt: timestamp.time,
  });
  const path = new Set(report.chain?.map(toHex));
  return report.chain === null || !unknown.every((der) => path.has(toHex(der))) ? null : report;
}

/** Null for another imprint or a non-canonical encoding. */
async function readToken(text: string, base64: string): Promise<TimestampFacts | null> {
  const token = fromBase64(base64);
  if (toBase64(token) !== base64 || !isStrictToken(token)) return null;
  try {
    return await verifyTimestampToken(token, { imprint: sha256(new TextEncoder().encode(text)) });
  } catch (error) {
    if (error instanceof PadesError) return null;
    throw error;
  }
}

/** SHA-256 of a certificate in upper-case pairs, as people compare it. */
export function fingerprintOf(der: Uint8Array): string {
  return toHex(sha256(der))
    .toUpperCase()
    .replace(/..(?=.)/g, "$&:");
}
