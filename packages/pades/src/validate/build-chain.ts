import { equalBytes } from "../asn1/der-reader.ts";
import { toHex } from "../asn1/hex.ts";
import { parseCertificate } from "../x509/parse-certificate.ts";
import type { Certificate } from "../x509/types.ts";
import { verifyWithKey } from "../x509/verify-with-key.ts";
import { unlessBug } from "../pades-error.ts";

const MAX_LENGTH = 8;

/** The certificates at hand for building paths. */
export type CertificatePool = {
  readonly roots: readonly Certificate[];
  readonly others: readonly Certificate[];
};

/** Gives a pool from DER, what cannot be read left out. */
export function certificatePool(
  roots: readonly Uint8Array[],
  others: readonly Uint8Array[],
): CertificatePool {
  return { roots: readable(roots), others: readable(others) };
}

/** Gives the same pool with further certificates that may stand on a path, never end it. */
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
      // A certificate that cannot be read cannot be trusted either: it is as if it were not there.
      unlessBug(error, null);
    }
  }
  return [...found.values()];
}

/** A file's certificates are asked about for each of its signatures, authorities' for each file. */
const NAMES = new WeakMap<Certificate, string>();

function nameOf(certificate: Certificate): string {
  const name = NAMES.get(certificate) ?? toHex(certificate.der);
  NAMES.set(certificate, name);
  return name;
}

/**
 * Builds a path from a certificate to a root: names chain, signatures verify, issuers are authorities.
 * Shape: the leaf first, the root last; null when there is none. Validity periods are judged apart, at the time that matters.
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
 * `dead`: certificates that led nowhere from their place in a path; from the same place they never will. Without it a handful of
 * authorities of one name and one key, each certifying all, would be tried in every order.
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

/** Says whether a certificate's signature verifies with an issuer's key. */
export async function isIssuedBy(certificate: Certificate, issuer: Certificate): Promise<boolean> {
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

/** Says where a time stands against every validity period of a path. */
export function periodAt(chain: readonly Certificate[], at: Date): "inside" | "before" | "after" {
  if (chain.some((certificate) => at < certificate.notBefore)) return "before";
  return chain.some((certificate) => at > certificate.notAfter) ? "after" : "inside";
}
