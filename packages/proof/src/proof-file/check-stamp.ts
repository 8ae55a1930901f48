import { sha256 } from "@noble/hashes/sha2.js";
import type { ProofFile } from "@paraphe/contracts/proof-file";
import { type Evidence, isStrictToken, PadesError, type TimestampFacts, validateCertificate, verifyTimestampToken } from "@paraphe/pades";
import { fromBase64, toBase64, toHex } from "./bytes.ts";
import type { CheckState, ProofCheck } from "./types.ts";

/** `provenAt`: when the JWS is proven to have been there; null without a proof of it. */
export type StampVerdict = { readonly check: ProofCheck; readonly provenAt: Date | null };

/**
 * Checks the time-stamp beside a proof's JWS: its imprint, its authority's signature and path, and that no byte of it could be another one.
 * Source: RFC 3161 §2.2, §2.4.2.
 */
export async function checkStamp(
  file: Pick<ProofFile, "jws" | "timestamp">,
  { evidence, now }: { readonly evidence: Evidence; readonly now: Date },
): Promise<StampVerdict> {
  const said = (state: CheckState, sentence: string, provenAt: Date | null = null): StampVerdict => ({
    check: { name: "stamp", state, subject: null, sentence },
    provenAt,
  });
  if (file.timestamp === null)
    return said(
      "not_checked",
      "La preuve ne porte pas d’horodatage\u00a0: l’autorité ne répondait pas quand elle a été faite, et rien d’autre qu’elle ne dit de quand elle est.",
    );
  const timestamp = await readToken(file.jws, file.timestamp);
  if (timestamp === null) return said("failed", "L’horodatage de la preuve n’est pas celui de ce cachet, ou il a été modifié.");
  const known = new Set([...(evidence.certificates ?? []), ...evidence.trustAnchors.timestamps].map(toHex));
  const strange = timestamp.certificates.filter((der) => !known.has(toHex(der)));
  const authority = await validateCertificate(timestamp.certificateDer, {
    evidence: { ...evidence, certificates: [...(evidence.certificates ?? []), ...strange] },
    trustedFor: "timestamps",
    now,
    provenAt: timestamp.time,
  });
  // A certificate that nobody vouches for may be any bytes.
  const path = new Set(authority.chain?.map(toHex));
  if (authority.chain === null || authority.indication === "TOTAL_FAILED" || !strange.every((der) => path.has(toHex(der))))
    return said("failed", "L’autorité qui a horodaté la preuve ne mène pas à une racine reconnue ici.");
  if (authority.indication !== "TOTAL_PASSED")
    return said("not_checked", "L’autorité qui a horodaté la preuve n’a pas pu être vérifiée jusqu’au bout.");
  const [day = "", time = ""] = timestamp.time.toISOString().split("T");
  const at = `le ${day.split("-").toReversed().join("/")} à ${time.slice(0, 8)} (UTC)`;
  return said("ok", `La preuve est horodatée par «\u00a0${timestamp.authorityName}\u00a0», ${at}.`, timestamp.time);
}

/** Gives what a token over this text says; null for one that is over something else, or not written to the letter. */
async function readToken(text: string, base64: string): Promise<TimestampFacts | null> {
  const token = fromBase64(base64);
  if (toBase64(token) !== base64 || !isStrictToken(token)) return null;
  try {
    return await verifyTimestampToken(token, { imprint: sha256(new TextEncoder().encode(text)) });
  } catch (error) {
    // Whatever is wrong with it, it proves no time.
    if (error instanceof PadesError) return null;
    throw error;
  }
}
