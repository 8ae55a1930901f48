import { PdfString } from "@libpdf/core";
import { toHex } from "../asn1/hex.ts";
import { OID } from "../asn1/oids.ts";
import { findSigningCertificate } from "../cms/find-signing-certificate.ts";
import { parseSignedData, type SignedData } from "../cms/signed-data.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { follow, openPdf } from "../pdf/open-pdf.ts";
import type { Evidence } from "../validate/types.ts";
import { buildChain, certificatePool } from "../validate/build-chain.ts";
import { readSecurityStore } from "../validate/security-store.ts";

/**
 * What a file needs to prove itself: all certificates of its chains, and those whose revocation
 * status is needed. DER.
 */
export type LongTermNeeds = {
  readonly certificates: readonly Uint8Array[];
  readonly revocations: readonly {
    readonly certificate: Uint8Array;
    readonly issuer: Uint8Array;
  }[];
};

/**
 * Lists what long-term validation needs: the chains of signatures, signature time-stamps and
 * document time-stamps.
 * Shape: nothing is fetched; roots, and certificates with ocsp-nocheck, need no revocation data
 * (RFC 6960 §4.2.2.2.1).
 * Source: EN 319 142-1 §5.4.2.
 */
export async function longTermNeeds(
  bytes: Uint8Array,
  known: Pick<Evidence, "trustAnchors" | "certificates">,
): Promise<LongTermNeeds> {
  const open = await openPdf(bytes);
  const signed = signedFields(open).flatMap(({ value }) => {
    const contents = follow(open, value.get("Contents"));
    return contents instanceof PdfString
      ? withTimestamps(parseSignedData(contents.bytes, "allowed"))
      : [];
  });
  const carried = [
    ...signed.flatMap(({ certificates }) => certificates),
    ...(known.certificates ?? []),
    ...readSecurityStore(open).certificates,
  ];
  const pool = certificatePool(
    [...known.trustAnchors.signers, ...known.trustAnchors.timestamps],
    carried,
  );
  const certificates = new Map<string, Uint8Array>();
  const revocations = new Map<string, LongTermNeeds["revocations"][number]>();
  for (const item of signed) {
    const leaf = await findSigningCertificate(item, carried);
    const chain = leaf ? await buildChain(leaf, pool) : null;
    for (const [index, certificate] of (chain ?? []).entries()) {
      certificates.set(toHex(certificate.der), certificate.der);
      const issuer = chain?.[index + 1];
      if (issuer && !certificate.ocspNoCheck)
        revocations.set(toHex(certificate.der), {
          certificate: certificate.der,
          issuer: issuer.der,
        });
    }
  }
  return { certificates: [...certificates.values()], revocations: [...revocations.values()] };
}

function withTimestamps(signed: SignedData): SignedData[] {
  const tokens = signed.unsignedAttributes.get(OID.signatureTimestamp) ?? [];
  return [signed, ...tokens.map((token) => parseSignedData(token.bytes, "allowed"))];
}
