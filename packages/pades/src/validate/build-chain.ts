import { equalBytes } from "../asn1/der-reader.ts";
import { toHex } from "../asn1/hex.ts";
import { unlessBug } from "../pades-error.ts";
import { parseCertificate } from "../x509/certificate.ts";
import type { Certificate } from "../x509/types.ts";
import { verifyWithKey } from "../x509/verify-with-key.ts";

const MAX_LENGTH = 8;

export type CertificatePool = {
  readonly roots: readonly Certificate[];
  readonly others: readonly Certificate[];
};

/** Leaves out unreadable certificates. */
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
  const name = NAMES.get(certificate) ?? toHex(certificate.der);
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

/** Where a time lies in the common validity period. */
export function periodAt(chain: readonly Certificate[], at: Date): "inside" | "before" | "after" {
  if (chain.some((certificate) => at < certificate.notBefore)) return "before";
  return chain.some((certificate) => at > certificate.notAfter) ? "after" : "inside";
}
