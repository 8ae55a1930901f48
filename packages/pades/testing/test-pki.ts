import type { Signer, TimestampAuthority } from "../src/ports.ts";
import { createTimestampToken } from "../src/tsp/timestamp.ts";
import type { Evidence } from "../src/validate/types.ts";
import { createRoot, issueCertificate } from "../src/x509/certificate.ts";
import {
  webCryptoSigner,
  type CertificateProfile,
  type DistinguishedName,
} from "../src/x509/types.ts";

export const TEST_NOW = new Date("2026-11-21T14:16:04.567Z");
export const TEST_POLICY = "1.3.6.1.4.1.32473.1.1";
const ADDRESSES = {
  ocspUrl: "http://pki.test/pki/ocsp/",
  caIssuersUrl: "http://pki.test/pki/ca.crt",
  crlUrl: "http://pki.test/pki/ca.crl",
};
const years = (count: number): Date => new Date(TEST_NOW.getTime() + count * 365 * 86_400_000);

export type TestPki = {
  readonly root: Signer;
  readonly ca: Signer;
  readonly ocsp: Signer;
  readonly tsaSigner: Signer;
  /** Its tokens state `TEST_NOW`. */
  readonly tsa: TimestampAuthority;
  tsaAt(now: Date): TimestampAuthority;
  issue(
    subject: DistinguishedName,
    options?: { profile?: CertificateProfile; email?: string; notBefore?: Date; notAfter?: Date },
  ): Promise<Signer>;
};

export async function generateKeys(
  namedCurve: "P-256" | "P-384" = "P-256",
): Promise<{ privateKey: CryptoKey; spki: Uint8Array }> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve }, true, [
    "sign",
    "verify",
  ]);
  return {
    privateKey: pair.privateKey,
    spki: new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)),
  };
}

/** For makers that know no other key. */
export async function rsaKeys(): Promise<Awaited<ReturnType<typeof generateKeys>>> {
  const kind = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: "SHA-256",
  };
  const pair = await crypto.subtle.generateKey(kind, true, ["sign", "verify"]);
  return {
    privateKey: pair.privateKey,
    spki: new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)),
  };
}

const serial = (): Uint8Array => crypto.getRandomValues(new Uint8Array(16));

/**
 * The test PKI: root P-384 → CA P-256 (or given keys) → TSA, OCSP responder, signers, named after
 * the organisation.
 */
export async function createTestPki(
  organization = "Paraphe Test",
  keysOfCa?: Awaited<ReturnType<typeof generateKeys>>,
): Promise<TestPki> {
  const name = (role: string): DistinguishedName => ({
    commonName: `${organization} ${role}`,
    organization,
    country: "FR",
  });
  const common = { notBefore: years(-1), notAfter: years(10) };
  const rootKeys = await generateKeys("P-384");
  const rootSubject = name("Root");
  const rootDer = await createRoot(webCryptoSigner(rootKeys.privateKey, []), {
    subject: rootSubject,
    subjectPublicKey: rootKeys.spki,
    serialNumber: serial(),
    ...common,
  });
  const root = webCryptoSigner(rootKeys.privateKey, [rootDer]);
  const caKeys = keysOfCa ?? (await generateKeys());
  const caDer = await issueCertificate(root, {
    profile: "ca",
    subject: name("CA"),
    subjectPublicKey: caKeys.spki,
    serialNumber: serial(),
    addresses: { crlUrl: "http://pki.test/pki/root.crl" },
    ...common,
  });
  const ca = webCryptoSigner(caKeys.privateKey, [caDer]);
  const issue: TestPki["issue"] = async (subject, options = {}) => {
    const keys = await generateKeys();
    const der = await issueCertificate(ca, {
      profile: options.profile ?? "signer",
      subject,
      subjectPublicKey: keys.spki,
      serialNumber: serial(),
      policyOid: TEST_POLICY,
      addresses: ADDRESSES,
      notBefore: options.notBefore ?? new Date(TEST_NOW.getTime() - 60_000),
      notAfter: options.notAfter ?? years(1),
      ...(options.email ? { email: options.email } : {}),
    });
    return webCryptoSigner(keys.privateKey, [der, caDer]);
  };
  const tsaSigner = await issue(name("TSA"), {
    profile: "tsa",
    notBefore: years(-1),
    notAfter: years(8),
  });
  const ocsp = await issue(name("OCSP"), {
    profile: "ocsp",
    notBefore: years(-1),
    notAfter: years(5),
  });
  const tsaAt: TestPki["tsaAt"] = (now) => ({
    timestamp: (imprint) =>
      createTimestampToken(
        { hashAlgorithm: "SHA-256", imprint, nonce: null, certificateRequested: true },
        { signer: tsaSigner, policyOid: TEST_POLICY, serialNumber: serial(), now },
      ),
  });
  return { root, ca, ocsp, tsaSigner, tsa: tsaAt(TEST_NOW), tsaAt, issue };
}

/** Trusts these for signers and for time-stamps. */
export const trusting = (anchors: readonly Uint8Array[]): Evidence => ({
  trustAnchors: { signers: anchors, timestamps: anchors },
});
