import {
  type CertificateProfile,
  createCrl,
  createOcspCertId,
  createOcspResponse,
  createRoot,
  createTimestampToken,
  type FieldPlacement,
  type Fonts,
  issueCertificate,
  type LongTermData,
  type LongTermNeeds,
  parseCertificate,
  type Signer,
  type TimestampAuthority,
  webCryptoSigner,
} from "@paraphe/pades";

/** The caller brings the fonts: TrueType files with outlines. */
export async function readDemoFonts(): Promise<Fonts> {
  const [{ readFile }, { createRequire }] = await Promise.all([
    import("node:fs/promises"),
    import("node:module"),
  ]);
  const { resolve } = createRequire(import.meta.url);
  const read = async (path: string): Promise<Uint8Array> =>
    new Uint8Array(await readFile(resolve(`@expo-google-fonts/${path}`)));
  const [text, caveat, aurore, muellerhoff] = await Promise.all([
    read("instrument-sans/400Regular/InstrumentSans_400Regular.ttf"),
    read("caveat/400Regular/Caveat_400Regular.ttf"),
    read("la-belle-aurore/400Regular/LaBelleAurore_400Regular.ttf"),
    read("herr-von-muellerhoff/400Regular/HerrVonMuellerhoff_400Regular.ttf"),
  ]);
  const hands = {
    caveat,
    "la-belle-aurore": aurore,
    "playwrite-fr-moderne": caveat,
    "herr-von-muellerhoff": muellerhoff,
  };
  return { text: [text], hands };
}

/** What the examples share. The core has no clock: the caller gives the time. */
export type Demo = { readonly pki: DemoPki; readonly fonts: Fonts; readonly now: Date };

/** For example `node examples/countersign.ts countersigned.pdf`. */
export async function runExample(make: (demo: Demo) => Promise<Uint8Array>): Promise<void> {
  // A browser loads this file too.
  const { writeFile } = await import("node:fs/promises");
  const path = process.argv[2];
  if (!path) throw new Error("Expected the path of the file to write");
  const now = new Date();
  const pki = await createDemoPki(now);
  const bytes = await make({ pki, fonts: await readDemoFonts(), now });
  await writeFile(path, bytes);
  await writeFile(`${path}.root.der`, pki.root);
  console.log(`${path}: ${bytes.length} bytes`);
}

export function contractPdf(): Uint8Array {
  const content =
    "BT /F1 20 Tf 72 740 Td (Bail du 12, rue des Lilas) Tj 0 -40 Td /F1 11 Tf (Loyer mensuel : 850 euros.) Tj ET";
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
    `<</Length ${content.length}>>\nstream\n${content}\nendstream`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
  ];
  let text = "%PDF-1.7\n";
  const rows = objects.map((syntax, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${syntax}\nendobj\n`;
    return `${String(offset).padStart(10, "0")} 00000 n\r\n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f\r\n${rows.join("")}`;
  return new TextEncoder().encode(
    `${text}${table}trailer\n<</Size ${size}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  );
}

/** Sets our fields apart from those of the file, for example an envelope's id. */
export const PREFIX = "bail-2026";

/**
 * Where the two sign, and what the tenant writes.
 * Units: fractions of the displayed page, from its top left.
 */
export const PLACES: readonly FieldPlacement[] = [
  place("mention", {
    ownerKey: "locataire",
    type: "text",
    label: "Mention manuscrite",
    x: 0.1,
    y: 0.3,
    height: 0.05,
  }),
  place("signature-locataire", {
    ownerKey: "locataire",
    type: "signature",
    label: "Le locataire",
    x: 0.1,
    y: 0.75,
    height: 0.12,
  }),
  place("signature-bailleur", {
    ownerKey: "bailleur",
    type: "signature",
    label: "Le bailleur",
    x: 0.55,
    y: 0.75,
    height: 0.12,
  }),
];

function place(
  name: string,
  rest: Omit<FieldPlacement, "name" | "pageNumber" | "width" | "tooltip">,
): FieldPlacement {
  return { name, pageNumber: 1, width: 0.35, tooltip: rest.label, ...rest };
}

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
