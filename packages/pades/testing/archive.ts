import { type TestPki, trusting } from "./test-pki.ts";
import { completeSignature } from "../src/sign/create-signature.ts";
import {
  type LongTermData,
  longTermNeeds,
  prepareDocumentTimestamp,
} from "../src/sign/long-term.ts";
import { createCrl, createOcspCertId, createOcspResponse } from "../src/x509/ocsp.ts";
import { parseCertificate } from "../src/x509/certificate.ts";

const DAY_MS = 86_400_000;

/** Gives the root's list of what it revoked: nothing. Good for a day. */
export function rootList(pki: TestPki, at: Date): Promise<Uint8Array> {
  return createCrl(pki.root, {
    number: 1n,
    thisUpdate: at,
    nextUpdate: new Date(at.getTime() + DAY_MS),
    revoked: [],
  });
}

/**
 * Gathers what a file needs from the test PKI: OCSP for what the CA issued and is in force, the
 * root's list for the CA (of its own unless one is given).
 */
export async function gatherLongTerm(
  pki: TestPki,
  bytes: Uint8Array,
  at: Date,
  list?: Uint8Array,
): Promise<LongTermData> {
  const needs = await longTermNeeds(bytes, trusting(pki.root.certificates));
  const nextUpdate = new Date(at.getTime() + DAY_MS);
  const ocsps: Uint8Array[] = [];
  for (const { certificate, issuer } of needs.revocations) {
    const { isCa, notAfter } = parseCertificate(certificate);
    if (isCa || notAfter < at) continue;
    const certId = await createOcspCertId(certificate, issuer);
    ocsps.push(
      await createOcspResponse(pki.ocsp, {
        producedAt: at,
        answers: [{ certId, status: "good", thisUpdate: at, nextUpdate }],
      }),
    );
  }
  return { certificates: needs.certificates, ocsps, crls: [list ?? (await rootList(pki, at))] };
}

/** Adds the security store and a document time-stamp. */
export async function archiveWith(
  pki: TestPki,
  bytes: Uint8Array,
  at: Date,
  list?: Uint8Array,
): Promise<Uint8Array> {
  const prepared = await prepareDocumentTimestamp(bytes, {
    longTermData: await gatherLongTerm(pki, bytes, at, list),
  });
  return completeSignature(prepared, await pki.tsaAt(at).timestamp(prepared.digestSha256));
}
