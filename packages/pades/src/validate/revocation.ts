import {
  bitStringBytes,
  child,
  children,
  equalBytes,
  parseDer,
  toHex,
} from "../asn1/der-reader.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import { type Crl, parseCrl, type OcspResponse, parseOcspResponse } from "../x509/ocsp.ts";
import type { Certificate } from "../x509/types.ts";
import { latinText, spend, type WorkBudget } from "../pdf/byte-reader.ts";
import { verifyWithKey } from "../x509/verify-with-key.ts";
import type { RevocationFacts } from "./types.ts";
import { unlessBug } from "../pades-error.ts";
import { digest } from "../cryptography.ts";
import { parseCertificate } from "../x509/certificate.ts";

const MAX_LENGTH = 8;

export type CertificatePool = {
  readonly roots: readonly Certificate[];
  readonly others: readonly Certificate[];
};

export function certificatePool(
  roots: readonly Uint8Array[],
  others: readonly Uint8Array[],
): CertificatePool {
  return { roots: readable(roots), others: readable(others) };
}

export function extendedPool(
  pool: CertificatePool,
  certificates: readonly Uint8Array[],
): CertificatePool {
  return { roots: pool.roots, others: [...pool.others, ...readable(certificates)] };
}

function readable(list: readonly Uint8Array[]): readonly Certificate[] {
  const found = new Map<string, Certificate>();
  for (const der of list) {
    try {
      const certificate = parseCertificate(der);
      found.set(nameOf(certificate), certificate);
    } catch (error) {
      unlessBug(error, null);
    }
  }
  return [...found.values()];
}

/** Each signature asks about the same certificates. */
const NAMES = new WeakMap<Certificate, string>();

function nameOf(certificate: Certificate): string {
  const name = NAMES.get(certificate) ?? latinText(certificate.der);
  NAMES.set(certificate, name);
  return name;
}

/**
 * Builds a path to a root, the leaf first; null without one. Validity is checked later, for the
 * time that matters.
 * Source: RFC 5280 §6.1.
 */
export async function buildChain(
  leaf: Certificate,
  pool: CertificatePool,
): Promise<readonly Certificate[] | null> {
  return extend([leaf], {
    pool,
    dead: Array.from({ length: MAX_LENGTH + 1 }, () => new Set<Certificate>()),
  });
}

/**
 * `dead`: certificates that lead nowhere. Without it, authorities that certify each other would be
 * tried in every order.
 */
type Search = { readonly pool: CertificatePool; readonly dead: readonly Set<Certificate>[] };

async function extend(
  path: readonly Certificate[],
  search: Search,
): Promise<readonly Certificate[] | null> {
  const { pool, dead } = search;
  const last = path.at(-1);
  const tried = dead[path.length];
  if (!last || !tried || last.unprocessed.length > 0) return null;
  if (pool.roots.some((root) => equalBytes(root.der, last.der))) return path;
  for (const issuer of [...pool.roots, ...pool.others]) {
    if (
      tried.has(issuer) ||
      !equalBytes(issuer.subjectDer, last.issuerDer) ||
      path.includes(issuer)
    )
      continue;
    if (!mayIssue(issuer, path.length - 1) || !(await isIssuedBy(last, issuer))) continue;
    const found = await extend([...path, issuer], search);
    if (found) return found;
    tried.add(issuer);
  }
  return null;
}

async function isIssuedBy(certificate: Certificate, issuer: Certificate): Promise<boolean> {
  const verdict = await verifyWithKey({
    data: certificate.tbs,
    signature: certificate.signature,
    algorithm: certificate.signatureAlgorithm,
    subjectPublicKey: issuer.subjectPublicKey,
  });
  return verdict === "valid";
}

/** Source: RFC 5280 §6.1.4 (k) to (n). */
function mayIssue(issuer: Certificate, authoritiesBelow: number): boolean {
  if (!issuer.isCa || (issuer.pathLength !== null && authoritiesBelow > issuer.pathLength))
    return false;
  return issuer.keyUsage === null || issuer.keyUsage.has("keyCertSign");
}

/** Where a time lies in the common validity period. */
export function periodAt(chain: readonly Certificate[], at: Date): "inside" | "before" | "after" {
  if (chain.some((certificate) => at < certificate.notBefore)) return "before";
  return chain.some((certificate) => at > certificate.notAfter) ? "after" : "inside";
}

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

export function revocationPool(
  crls: readonly Uint8Array[],
  ocsps: readonly Uint8Array[],
): RevocationPool {
  const lists = crls.map(readCrl).filter((list) => list !== null);
  const byIssuer = Map.groupBy(lists, ({ issuerDer }) => latinText(issuerDer));
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
 * Errors: `pdf_too_complex` beyond the verifications of any honest file.
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
  for (const crl of pool.byIssuer.get(latinText(pair.issuer.subjectDer)) ?? []) {
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
  const key = latinText(issuer.subjectPublicKey);
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
