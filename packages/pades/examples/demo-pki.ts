import {
  createCrl,
  createOcspCertId,
  createOcspResponse,
  createRoot,
  createTimestampToken,
  type CertificateProfile,
  issueCertificate,
  type LongTermData,
  type LongTermNeeds,
  parseCertificate,
  type Signer,
  type TimestampAuthority,
  webCryptoSigner,
} from "@paraphe/pades";

/** A policy under the private enterprise number of examples (RFC 5612). */
const POLICY = "1.3.6.1.4.1.32473.1";
const YEAR_MS = 365 * 86_400_000;
const DAY_MS = 86_400_000;

/** A real authority offers the same few calls. */
export type DemoPki = {
  readonly root: Uint8Array;
  issue(fullName: string): Promise<Signer>;
  timestampAt(now: Date): TimestampAuthority;
  gather(needs: LongTermNeeds, now: Date): Promise<LongTermData>;
};

/** Makes root P-384 → CA P-256 → time-stamp authority, OCSP responder and people. */
export async function createDemoPki(now: Date): Promise<DemoPki> {
  const life = {
    notBefore: new Date(now.getTime() - YEAR_MS),
    notAfter: new Date(now.getTime() + 10 * YEAR_MS),
  };
  const rootKey = await makeKey("P-384");
  const rootName = {
    commonName: "Racine de démonstration",
    organization: "Exemple",
    country: "FR",
  };
  const rootDer = await createRoot(webCryptoSigner(rootKey.privateKey, []), {
    subject: rootName,
    subjectPublicKey: rootKey.publicKey,
    serialNumber: serial(),
    ...life,
  });
  const root = webCryptoSigner(rootKey.privateKey, [rootDer]);

  const certify = async (
    issuer: Signer,
    commonName: string,
    options: { profile: CertificateProfile; notAfter?: Date },
  ): Promise<Signer> => {
    const key = await makeKey("P-256");
    const der = await issueCertificate(issuer, {
      profile: options.profile,
      subject: { commonName, organization: "Exemple", country: "FR" },
      subjectPublicKey: key.publicKey,
      serialNumber: serial(),
      ...(options.profile === "ca" ? {} : { policyOid: POLICY }),
      notBefore: life.notBefore,
      notAfter: options.notAfter ?? life.notAfter,
    });
    return webCryptoSigner(key.privateKey, issuer === root ? [der] : [der, ...issuer.certificates]);
  };
  const ca = await certify(root, "Autorité de démonstration", { profile: "ca" });
  const tsa = await certify(ca, "Horodatage de démonstration", { profile: "tsa" });
  const ocsp = await certify(ca, "Répondeur de démonstration", { profile: "ocsp" });

  return {
    root: rootDer,
    issue: (fullName) =>
      certify(ca, fullName, { profile: "signer", notAfter: new Date(now.getTime() + YEAR_MS) }),
    timestampAt: (at) => ({
      timestamp: (imprint) =>
        createTimestampToken(
          { hashAlgorithm: "SHA-256", imprint, nonce: null, certificateRequested: true },
          { signer: tsa, policyOid: POLICY, serialNumber: serial(), now: at },
        ),
    }),
    gather: (needs, at) => gather(needs, { root, ocsp, at }),
  };
}

async function gather(
  { certificates, revocations }: LongTermNeeds,
  { root, ocsp, at }: { readonly root: Signer; readonly ocsp: Signer; readonly at: Date },
): Promise<LongTermData> {
  const until = new Date(at.getTime() + DAY_MS);
  const ocsps: Uint8Array[] = [];
  for (const { certificate, issuer } of revocations) {
    const { isCa, notAfter } = parseCertificate(certificate);
    // The file has data for an expired certificate.
    if (isCa || notAfter < at) continue;
    const certId = await createOcspCertId(certificate, issuer);
    ocsps.push(
      await createOcspResponse(ocsp, {
        producedAt: at,
        answers: [{ certId, status: "good", thisUpdate: at, nextUpdate: until }],
      }),
    );
  }
  const crl = { number: 1n, thisUpdate: at, nextUpdate: until, revoked: [] };
  return { certificates, ocsps, crls: [await createCrl(root, crl)] };
}

async function makeKey(
  namedCurve: "P-256" | "P-384",
): Promise<{ privateKey: CryptoKey; publicKey: Uint8Array }> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve }, false, [
    "sign",
    "verify",
  ]);
  return {
    privateKey: pair.privateKey,
    publicKey: new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey)),
  };
}

const serial = (): Uint8Array => crypto.getRandomValues(new Uint8Array(16));
