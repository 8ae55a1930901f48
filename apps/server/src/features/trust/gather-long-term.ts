import { type LongTermData, type LongTermNeeds, parseCertificate, parseOcspResponse, type RevocationSource } from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import { ocspOf } from "./answer-ocsp.ts";
import { type Authorities, authorityOf } from "./authority.ts";
import { publishCrl } from "./publish-crl.ts";
import { serialHex } from "./serial-hex.ts";
import { RevocationUnaskableError } from "./timestamp-unavailable-error.ts";

/** What was kept when each signature was made, DER: a one-time certificate has ended long before the last person signs. */
export type KeptRevocation = Pick<LongTermData, "ocsps" | "crls">;

type Sources = {
  readonly authorities: Authorities;
  readonly platform: Pick<Platform, "db" | "clock">;
  readonly outside: RevocationSource;
};

/**
 * Gathers what a file needs to prove itself for the long term: for each certificate that needs it, an answer or a list.
 * What was kept with a signature goes first; for our own authorities, an answer or a list of this moment; for an outside time-stamping authority, what its issuers say.
 * Errors: `TimestampUnavailableError` when an outside issuer does not answer, `RevocationUnaskableError` when there is none to ask.
 * Source: EN 319 142-1 §5.4.2.
 */
export async function gatherLongTerm(sources: Sources, needs: LongTermNeeds, kept: KeptRevocation): Promise<LongTermData> {
  const { authorities, platform, outside } = sources;
  const ocsps: Uint8Array[] = [...kept.ocsps];
  const crls: Uint8Array[] = [...kept.crls];
  const answered = new Set(kept.ocsps.flatMap(serialsIn));
  for (const { certificate, issuer } of needs.revocations) {
    const own = authorityOf(authorities, issuer);
    const isAnswered = own !== null && answered.has(serialHex(parseCertificate(certificate).serialNumber));
    if (own?.purpose === "root") crls.push(...derOf(await publishCrl(platform, own)));
    else if (own !== null && !isAnswered) ocsps.push(...presence(await ocspOf(authorities, platform, certificate)));
    else if (own === null) await askOutside(outside, { certificate, issuer }, { ocsps, crls });
  }
  return { certificates: needs.certificates, ocsps: distinct(ocsps), crls: distinct(crls) };
}

async function askOutside(
  outside: RevocationSource,
  { certificate, issuer }: LongTermNeeds["revocations"][number],
  into: { readonly ocsps: Uint8Array[]; readonly crls: Uint8Array[] },
): Promise<void> {
  const ocsp = await outside.ocsp(certificate, issuer);
  const crl = ocsp === null ? await outside.crl(certificate, issuer) : null;
  if (ocsp === null && crl === null)
    throw new RevocationUnaskableError("The time-stamping authority's certificate bears no address that says whether it was revoked");
  into.ocsps.push(...presence(ocsp));
  into.crls.push(...presence(crl));
}

function serialsIn(ocsp: Uint8Array): readonly string[] {
  return parseOcspResponse(ocsp)?.answers.map(({ certId }) => serialHex(certId.serialNumber)) ?? [];
}

function derOf(crl: { readonly der: Uint8Array } | null): readonly Uint8Array[] {
  return crl === null ? [] : [crl.der];
}

function presence(der: Uint8Array | null): readonly Uint8Array[] {
  return der === null ? [] : [der];
}

function distinct(list: readonly Uint8Array[]): readonly Uint8Array[] {
  return [...new Map(list.map((der) => [Buffer.from(der).toString("base64"), der])).values()];
}
