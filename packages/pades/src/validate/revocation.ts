import { bitStringBytes, child, children, equalBytes, parseDer } from "../asn1/der-reader.ts";
import { toHex } from "../asn1/hex.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import { type Crl, parseCrl } from "../x509/certificate-revocation-list.ts";
import { type OcspResponse, parseOcspResponse } from "../x509/ocsp.ts";
import type { Certificate } from "../x509/types.ts";
import { verifyWithKey } from "../x509/verify-with-key.ts";
import { certificatePool, isIssuedBy } from "./build-chain.ts";
import type { RevocationFacts } from "./types.ts";
import { unlessBug } from "./unless-bug.ts";
import { digest } from "../cms/digest.ts";

/** Revocation data as gathered, read once. */
export type RevocationPool = { readonly crls: readonly Crl[]; readonly ocsps: readonly OcspResponse[] };

/** Reads revocation data; what cannot be read is left out. */
export function revocationPool(crls: readonly Uint8Array[], ocsps: readonly Uint8Array[]): RevocationPool {
  const readable = <T>(list: readonly Uint8Array[], parse: (der: Uint8Array) => T | null): readonly T[] =>
    list.flatMap((der) => {
      try {
        const value = parse(der);
        return value === null ? [] : [value];
      } catch (error) {
        return unlessBug(error, []);
      }
    });
  return { crls: readable(crls, parseCrl), ocsps: readable(ocsps, parseOcspResponse) };
}

/**
 * Gives what is known of a certificate's revocation: the newest authentic word, a revocation before anything else, the earliest one.
 * Shape: null when nothing authentic speaks of it.
 * Source: RFC 6960 §3.2, §4.2.2.2; RFC 5280 §6.3.
 */
export async function revocationOf(certificate: Certificate, issuer: Certificate, pool: RevocationPool): Promise<RevocationWord | null> {
  const facts: RevocationWord[] = [];
  for (const response of pool.ocsps) {
    const found = await fromOcsp(response, { certificate, issuer });
    if (found) facts.push(found);
  }
  for (const crl of pool.crls) {
    const found = await fromCrl(crl, { certificate, issuer });
    if (found) facts.push(found);
  }
  const newest = facts.toSorted((left, right) => right.producedAt.getTime() - left.producedAt.getTime());
  const revoked = newest.filter(({ status }) => status === "revoked");
  const earliest = revoked.toSorted((left, right) => Number(left.revokedAt) - Number(right.revokedAt))[0];
  return earliest ?? newest.find(({ status }) => status === "good") ?? newest[0] ?? null;
}

type Pair = { readonly certificate: Certificate; readonly issuer: Certificate };

/** What is known, and until when whoever said it meant it to hold. */
export type RevocationWord = RevocationFacts & { readonly nextUpdate: Date | null };

async function fromOcsp(response: OcspResponse, pair: Pair): Promise<RevocationWord | null> {
  for (const answer of response.answers) {
    if (!(await speaksOf(answer.certId, pair))) continue;
    if (!(await isAuthentic(response, pair.issuer))) return null;
    // An answer is as old as what it says, not as its envelope. Source: RFC 6960 §2.4.
    const { status, revokedAt, thisUpdate, nextUpdate } = answer;
    const producedAt = thisUpdate < response.producedAt ? thisUpdate : response.producedAt;
    return { source: "ocsp", status, producedAt, revokedAt, nextUpdate };
  }
  return null;
}

async function speaksOf(id: OcspResponse["answers"][number]["certId"], { certificate, issuer }: Pair): Promise<boolean> {
  const digest = DIGEST_NAMES[id.hashAlgorithm];
  if (!digest || !equalBytes(id.serialNumber, certificate.serialNumber)) return false;
  const { name, key } = await identifiersOf(issuer, digest);
  return equalBytes(name, id.issuerNameHash) && equalBytes(key, id.issuerKeyHash);
}

type Identifiers = { readonly name: Uint8Array; readonly key: Uint8Array };

/** One issuer is asked about for every certificate and answer of a file. */
const identifiers = new WeakMap<Certificate, Map<string, Promise<Identifiers>>>();

function identifiersOf(issuer: Certificate, digestName: string): Promise<Identifiers> {
  const known = identifiers.get(issuer) ?? new Map<string, Promise<Identifiers>>();
  identifiers.set(issuer, known);
  const found = known.get(digestName) ?? identify(issuer, digestName);
  known.set(digestName, found);
  return found;
}

async function identify(issuer: Certificate, digestName: string): Promise<Identifiers> {
  const keyBits = bitStringBytes(child(children(parseDer(issuer.subjectPublicKey)), 1));
  const [name, key] = await Promise.all([digest(digestName, issuer.subjectDer), digest(digestName, keyBits)]);
  return { name, key };
}

/** Signed by the issuer itself, or by a responder that the issuer certified for it. Source: RFC 6960 §4.2.2.2. */
async function isAuthentic(response: OcspResponse, issuer: Certificate): Promise<boolean> {
  const delegated: Certificate[] = [];
  for (const candidate of certificatePool([], response.certificates).others) {
    const period = response.producedAt >= candidate.notBefore && response.producedAt <= candidate.notAfter;
    const allowed = candidate.extendedKeyUsage.includes(OID.ekuOcspSigning) && equalBytes(candidate.issuerDer, issuer.subjectDer) && period;
    if (allowed && (await isIssuedBy(candidate, issuer))) delegated.push(candidate);
  }
  // Whoever was certified to answer most often did: tried first, it saves checking with a key that did not sign.
  for (const signer of [...delegated, issuer]) {
    const verdict = await verifyWithKey({
      data: response.tbs,
      signature: response.signature,
      algorithm: response.signatureAlgorithm,
      subjectPublicKey: signer.subjectPublicKey,
    });
    if (verdict === "valid") return true;
  }
  return false;
}

async function fromCrl(crl: Crl, { certificate, issuer }: Pair): Promise<RevocationWord | null> {
  if (!equalBytes(crl.issuerDer, issuer.subjectDer) || (issuer.keyUsage !== null && !issuer.keyUsage.has("cRLSign"))) return null;
  const verdict = await verifyWithKey({
    data: crl.tbs,
    signature: crl.signature,
    algorithm: crl.signatureAlgorithm,
    subjectPublicKey: issuer.subjectPublicKey,
  });
  if (verdict !== "valid") return null;
  const entry = crl.revoked.get(toHex(certificate.serialNumber));
  const said = { source: "crl", producedAt: crl.thisUpdate, nextUpdate: crl.nextUpdate } as const;
  if (entry) return { ...said, status: "revoked", revokedAt: entry.at };
  return crl.complete ? { ...said, status: "good", revokedAt: null } : null;
}
