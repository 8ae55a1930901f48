import { type KeyObject, createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { toHex } from "@paraphe/kernel/bytes";
import type { Signer } from "@paraphe/pades";
import {
  type IssuerAddresses,
  createRoot,
  issueCertificate,
  parseCertificate,
} from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import { type Authority, keyContext } from "./authority.ts";
import type { AuthorityPurpose, AuthorityRow, CertificateRow } from "./store.ts";

/** Lower-case hexadecimal without DER's sign byte. */
export function serialHex(serialNumber: Uint8Array): string {
  const hex = toHex(serialNumber).replace(/^(00)+(?=.)/, "");
  return hex === "" ? "00" : hex;
}

/** `chosen`: the settings' kind of key; other signers use SHA-256 with P-256. */
const PROFILES = {
  root: { years: 25, role: "Racine", curve: "P-384" },
  ca: { years: 15, role: "Signature", curve: "chosen" },
  tsa: { years: 10, role: "Horodatage", curve: "P-256" },
  ocsp: { years: 10, role: "OCSP", curve: "chosen" },
  seal: { years: 10, role: "Cachet", curve: "P-256" },
} as const satisfies Readonly<
  Record<MadePurpose, { years: number; role: string; curve: "P-256" | "P-384" | "chosen" }>
>;

export type MadePurpose = Exclude<AuthorityPurpose, "hsm">;
type MadeAuthority = { readonly row: AuthorityRow; readonly certificate: CertificateRow | null };

/**
 * Ends inside its issuer's validity; the key is wrapped under the row's id.
 * `generation` makes names unique, so that no list or answer concerns another's certificates.
 */
export async function makeAuthority(
  platform: Pick<Platform, "secrets" | "clock" | "random" | "newId" | "settings">,
  wanted: {
    readonly purpose: MadePurpose;
    readonly issuer: Authority | null;
    readonly generation: number;
  },
): Promise<MadeAuthority> {
  const { purpose, issuer, generation } = wanted;
  const { years, role, curve } = PROFILES[purpose];
  const { organization, country, keyType } = platform.settings.pki;
  const commonName = `${organization} ${role}`;
  const id = platform.newId();
  const now = platform.clock();
  const key = makeKey(curve === "chosen" ? keyType : curve);
  const request = {
    subject: {
      commonName: generation === 1 ? commonName : `${commonName} G${generation}`,
      organization,
      country,
    },
    subjectPublicKey: key.subjectPublicKey,
    serialNumber: platform.random(16),
    notBefore: now,
    notAfter: endOfLife(now, { years, issuer }),
  };
  const certificateDer =
    purpose === "root"
      ? await createRoot(keySigner(key.privateKey, []), request)
      : await issueCertificate(signerOf(issuer), {
          ...request,
          profile: purpose,
          addresses: addressesOf(issuerId(issuer), platform.settings),
        });
  const row: AuthorityRow = {
    id,
    purpose,
    issuerId: issuer?.id ?? null,
    certificateDer,
    privateKeyWrapped: platform.secrets.wrap(
      exportKey(key.privateKey),
      keyContext({ id, certificateDer }),
    ),
    createdAt: now,
    retiredAt: null,
    revokedAt: null,
  };
  return { row, certificate: certificateRow(row) };
}

/**
 * The issuer's own services, which outlive its replacement. Source: RFC 5280 §4.2.2.1 and
 * §4.2.1.13.
 */
export function addressesOf(
  issuer: string,
  settings: Pick<Platform["settings"], "publicUrl">,
): IssuerAddresses {
  const base = `${settings.publicUrl}/pki`;
  return {
    ocspUrl: `${base}/ocsp`,
    caIssuersUrl: `${base}/ca/${issuer}.crt`,
    crlUrl: `${base}/crl/${issuer}.crl`,
  };
}

function certificateRow({ issuerId, certificateDer }: AuthorityRow): CertificateRow | null {
  if (issuerId === null) return null;
  const { serialNumber, subject, notBefore, notAfter } = parseCertificate(certificateDer);
  return {
    serialNumber: serialHex(serialNumber),
    issuerId,
    subject: subject.commonName,
    notBefore,
    notAfter,
    certificateDer,
  };
}

function endOfLife(
  now: Date,
  { years, issuer }: { years: number; issuer: Authority | null },
): Date {
  const wanted = Date.UTC(now.getUTCFullYear() + years, now.getUTCMonth(), now.getUTCDate());
  return new Date(
    issuer === null
      ? wanted
      : Math.min(wanted, parseCertificate(issuer.certificateDer).notAfter.getTime()),
  );
}

function signerOf(issuer: Authority | null) {
  if (issuer === null || issuer.signer === null) throw new Error("Expected an issuer with its key");
  return issuer.signer;
}

function issuerId(issuer: Authority | null): string {
  return issuer?.id ?? "";
}

/** Shape: `subjectPublicKey` is a DER SubjectPublicKeyInfo. */
type KeyPair = { readonly privateKey: KeyObject; readonly subjectPublicKey: Uint8Array };

export function makeKey(curve: "P-256" | "P-384"): KeyPair {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: curve });
  return {
    privateKey,
    subjectPublicKey: new Uint8Array(publicKey.export({ type: "spki", format: "der" })),
  };
}

export function exportKey(privateKey: KeyObject): Uint8Array {
  return new Uint8Array(privateKey.export({ type: "pkcs8", format: "der" }));
}

export function importKey(pkcs8: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
}

/**
 * P-256 or P-384. Shape: `certificates` is DER, the signer's first, then its issuers' without the
 * root.
 */
export function keySigner(privateKey: KeyObject, certificates: readonly Uint8Array[]): Signer {
  const isP384 = privateKey.asymmetricKeyDetails?.namedCurve === "secp384r1";
  return {
    certificates,
    algorithm: isP384 ? "ecdsa-p384-sha384" : "ecdsa-p256-sha256",
    sign: async (data) =>
      new Uint8Array(
        sign(isP384 ? "sha384" : "sha256", data, { key: privateKey, dsaEncoding: "der" }),
      ),
  };
}
