import { bitStringBytes, child, children, equalBytes, parseDer } from "../asn1/der-reader.ts";
import { toHex } from "../asn1/hex.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import { type Crl, parseCrl } from "../x509/certificate-revocation-list.ts";
import { type OcspResponse, parseOcspResponse } from "../x509/ocsp.ts";
import type { Certificate } from "../x509/types.ts";
import { spend, type WorkBudget } from "../pdf/byte-reader.ts";
import { verifyWithKey } from "../x509/verify-with-key.ts";
import { certificatePool, isIssuedBy } from "./build-chain.ts";
import type { RevocationFacts } from "./types.ts";
import { unlessBug } from "../pades-error.ts";
import { digest } from "../cryptography.ts";

/** `byIssuer`: CRLs by name, in hexadecimal; `checks`: verifications left. */
export type RevocationPool = {
  readonly crls: readonly Crl[];
  readonly byIssuer: ReadonlyMap<string, readonly Crl[]>;
  readonly ocsps: readonly OcspResponse[];
  readonly checks: WorkBudget;
  readonly words: Map<Certificate, Map<Certificate, Promise<RevocationWord | null>>>;
};

/** Above what a thousand signatures need. */
const MOST_CHECKS = 10_000;
/** The evidence, the file's store and its updates read the same data. */
const CRLS = new WeakMap<Uint8Array, Crl | null>();
const RESPONSES = new WeakMap<Uint8Array, OcspResponse | null>();

/** Unreadable data are left out. */
export function revocationPool(
  crls: readonly Uint8Array[],
  ocsps: readonly Uint8Array[],
): RevocationPool {
  const lists = crls.map(readCrl).filter((list) => list !== null);
  const byIssuer = Map.groupBy(lists, ({ issuerDer }) => toHex(issuerDer));
  const answers = ocsps.map(readOcspResponse).filter((answer) => answer !== null);
  return { crls: lists, byIssuer, ocsps: answers, checks: { left: MOST_CHECKS }, words: new Map() };
}

/** Parsed once for its bytes; null for an unreadable one. */
export function readCrl(der: Uint8Array): Crl | null {
  return readOnce(der, parseCrl, CRLS);
}

/** Parsed once for its bytes; null for a refusal or an unreadable one. */
export function readOcspResponse(der: Uint8Array): OcspResponse | null {
  return readOnce(der, parseOcspResponse, RESPONSES);
}

function readOnce<T>(
  der: Uint8Array,
  parse: (der: Uint8Array) => T | null,
  known: WeakMap<Uint8Array, T | null>,
): T | null {
  const read = known.get(der);
  if (read !== undefined) return read;
  const value = parsed(der, parse);
  known.set(der, value);
  return value;
}

function parsed<T>(der: Uint8Array, parse: (der: Uint8Array) => T | null): T | null {
  try {
    return parse(der);
  } catch (error) {
    return unlessBug(error, null);
  }
}

/**
 * The earliest revocation, else the newest authentic status; null without authentic data.
 * Errors: PadesError `pdf_too_complex` beyond the verifications of any honest file.
 * Source: RFC 6960 §3.2, §4.2.2.2; RFC 5280 §6.3.
 */
export function revocationOf(
  certificate: Certificate,
  issuer: Certificate,
  pool: RevocationPool,
): Promise<RevocationWord | null> {
  const known =
    pool.words.get(certificate) ?? new Map<Certificate, Promise<RevocationWord | null>>();
  pool.words.set(certificate, known);
  const word = known.get(issuer) ?? findWord({ certificate, issuer, checks: pool.checks }, pool);
  known.set(issuer, word);
  return word;
}

async function findWord(pair: Pair, pool: RevocationPool): Promise<RevocationWord | null> {
  const facts: RevocationWord[] = [];
  for (const response of pool.ocsps) {
    const found = await fromOcsp(response, pair);
    if (found) facts.push(found);
  }
  for (const crl of pool.byIssuer.get(toHex(pair.issuer.subjectDer)) ?? []) {
    const found = await fromCrl(crl, pair);
    if (found) facts.push(found);
  }
  const newest = facts.toSorted(
    (left, right) => right.producedAt.getTime() - left.producedAt.getTime(),
  );
  const revoked = newest.filter(({ status }) => status === "revoked");
  const earliest = revoked.toSorted(
    (left, right) => Number(left.revokedAt) - Number(right.revokedAt),
  )[0];
  return earliest ?? newest.find(({ status }) => status === "good") ?? newest[0] ?? null;
}

type Pair = {
  readonly certificate: Certificate;
  readonly issuer: Certificate;
  readonly checks: WorkBudget;
};

/** A status, and until when its source meant it to hold. */
export type RevocationWord = RevocationFacts & { readonly nextUpdate: Date | null };

async function fromOcsp(response: OcspResponse, pair: Pair): Promise<RevocationWord | null> {
  for (const answer of response.answers) {
    if (!(await speaksOf(answer.certId, pair))) continue;
    if (!(await isAuthentic(response, pair))) return null;
    // The age of its status counts. Source: RFC 6960 §2.4.
    const { status, revokedAt, thisUpdate, nextUpdate } = answer;
    const producedAt = thisUpdate < response.producedAt ? thisUpdate : response.producedAt;
    return { source: "ocsp", status, producedAt, revokedAt, nextUpdate };
  }
  return null;
}

async function speaksOf(
  id: OcspResponse["answers"][number]["certId"],
  { certificate, issuer }: Pair,
): Promise<boolean> {
  const digest = DIGEST_NAMES[id.hashAlgorithm];
  if (!digest || !equalBytes(id.serialNumber, certificate.serialNumber)) return false;
  const { name, key } = await identifiersOf(issuer, digest);
  return equalBytes(name, id.issuerNameHash) && equalBytes(key, id.issuerKeyHash);
}

type Identifiers = { readonly name: Uint8Array; readonly key: Uint8Array };

/** Every certificate and answer of a file asks about one issuer. */
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
  const [name, key] = await Promise.all([
    digest(digestName, issuer.subjectDer),
    digest(digestName, keyBits),
  ]);
  return { name, key };
}

/** Signed by the issuer, or by a responder that it certified. Source: RFC 6960 §4.2.2.2. */
async function isAuthentic(response: OcspResponse, { issuer, checks }: Pair): Promise<boolean> {
  const delegated: Certificate[] = [];
  for (const candidate of certificatePool([], response.certificates).others) {
    const period =
      response.producedAt >= candidate.notBefore && response.producedAt <= candidate.notAfter;
    const allowed =
      candidate.extendedKeyUsage.includes(OID.ekuOcspSigning) &&
      equalBytes(candidate.issuerDer, issuer.subjectDer) &&
      period;
    if (!allowed) continue;
    spend(checks, 1);
    if (await isIssuedBy(candidate, issuer)) delegated.push(candidate);
  }
  // A delegated responder signs most answers.
  for (const signer of [...delegated, issuer]) {
    spend(checks, 1);
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

/** By the verifying key, in hexadecimal. */
const SIGNED_BY = new WeakMap<Crl, Map<string, Promise<boolean>>>();

function isSignedBy(crl: Crl, { issuer, checks }: Pair): Promise<boolean> {
  const known = SIGNED_BY.get(crl) ?? new Map<string, Promise<boolean>>();
  SIGNED_BY.set(crl, known);
  const key = toHex(issuer.subjectPublicKey);
  const found = known.get(key);
  if (found) return found;
  spend(checks, 1);
  const { tbs: data, signature, signatureAlgorithm: algorithm } = crl;
  const verified = verifyWithKey({
    data,
    signature,
    algorithm,
    subjectPublicKey: issuer.subjectPublicKey,
  }).then((verdict) => verdict === "valid");
  known.set(key, verified);
  return verified;
}

async function fromCrl(crl: Crl, pair: Pair): Promise<RevocationWord | null> {
  const { certificate, issuer } = pair;
  if (
    (issuer.keyUsage !== null && !issuer.keyUsage.has("cRLSign")) ||
    !(await isSignedBy(crl, pair))
  )
    return null;
  const entry = crl.revoked.get(toHex(certificate.serialNumber));
  const said = { source: "crl", producedAt: crl.thisUpdate, nextUpdate: crl.nextUpdate } as const;
  if (entry) return { ...said, status: "revoked", revokedAt: entry.at };
  return crl.complete ? { ...said, status: "good", revokedAt: null } : null;
}
