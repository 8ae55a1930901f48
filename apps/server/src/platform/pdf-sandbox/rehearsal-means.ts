import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import {
  createRoot,
  createTimestampToken,
  issueCertificate,
  positiveSerialNumber,
  type RehearsalMeans,
  type Signer,
} from "@paraphe/pades";

const DAY_MS = 86_400_000;
const VALID_MS = 3_650 * DAY_MS;
const POLICY = "2.25.1";

type Means = Pick<RehearsalMeans, "signer" | "tsa" | "root" | "now">;

/**
 * Throw-away keys in memory: an untrusted root, one signer and one time-stamping authority, which
 * states the time of each rehearsal.
 */
export function createRehearsalMeans(): () => Promise<Means> {
  let kept: ReturnType<typeof makeKeys> | null = null;
  return async () => {
    kept ??= makeKeys();
    const { root, signer, stamper } = await kept;
    const now = new Date();
    const timestamp = (imprint: Uint8Array) =>
      createTimestampToken(
        { hashAlgorithm: "SHA-256", imprint, nonce: null, certificateRequested: true },
        { signer: stamper, policyOid: POLICY, serialNumber: serial(), now },
      );
    return { signer, tsa: { timestamp }, root, now };
  };
}

async function makeKeys(): Promise<{
  readonly root: Uint8Array;
  readonly signer: Signer;
  readonly stamper: Signer;
}> {
  const [top, person, authority] = [makeKey(), makeKey(), makeKey()];
  const from = Date.now();
  const common = { notBefore: new Date(from - DAY_MS), notAfter: new Date(from + VALID_MS) };
  const rootName = { commonName: "Répétition" };
  const root = await createRoot(signerOf(top.privateKey, []), {
    ...common,
    subject: rootName,
    serialNumber: serial(),
    subjectPublicKey: top.spki,
  });
  const issuer = signerOf(top.privateKey, [root]);
  const issue = async (
    { privateKey, spki }: ReturnType<typeof makeKey>,
    profile: "signer" | "tsa",
  ): Promise<Signer> => {
    const subject = { commonName: `Répétition ${profile}` };
    const der = await issueCertificate(issuer, {
      ...common,
      profile,
      subject,
      serialNumber: serial(),
      subjectPublicKey: spki,
    });
    return signerOf(privateKey, [der]);
  };
  return { root, signer: await issue(person, "signer"), stamper: await issue(authority, "tsa") };
}

function makeKey(): { readonly privateKey: KeyObject; readonly spki: Uint8Array } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { privateKey, spki: new Uint8Array(publicKey.export({ type: "spki", format: "der" })) };
}

function signerOf(key: KeyObject, certificates: readonly Uint8Array[]): Signer {
  const signed = (data: Uint8Array) =>
    new Uint8Array(sign("sha256", data, { key, dsaEncoding: "der" }));
  return { certificates, algorithm: "ecdsa-p256-sha256", sign: async (data) => signed(data) };
}

const serial = (): Uint8Array => positiveSerialNumber(new Uint8Array(randomBytes(16)));
