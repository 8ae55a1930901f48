import {
  type KeyObject,
  createPrivateKey,
  generateKeyPairSync,
  sign,
  createHash,
  timingSafeEqual,
} from "node:crypto";
import { toHex, toBase64 } from "@paraphe/kernel/bytes";
import type { Signer } from "@paraphe/pades";
import {
  type IssuerAddresses,
  createRoot,
  issueCertificate,
  parseCertificate,
} from "@paraphe/pades/parts";
import { canonicalBytes } from "@paraphe/kernel/canonical-json";
import type { Platform } from "../../platform/platform.ts";
import type { AuthorityPurpose, AuthorityRow, CertificateRow, StoredAuthority } from "./store.ts";

/** Lower-case, without DER's sign byte. */
export function serialHex(serialNumber: Uint8Array): string {
  const hex = toHex(serialNumber).replace(/^(00)+(?=.)/, "");
  return hex === "" ? "00" : hex;
}

/** `chosen`: the settings decide; others use P-256 with SHA-256. */
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
 * The validity stays within its issuer's; the key is wrapped under the row's id. `generation` makes
 * names unique: no list or answer concerns another's certificates.
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

/** The addresses outlive the issuer's replacement. Source: RFC 5280 §4.2.2.1 and §4.2.1.13. */
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

/** Shape: DER SubjectPublicKeyInfo. */
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

/** P-256 or P-384. Shape: DER, the signer's first, then issuers' without the root. */
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

/**
 * `signer.certificates` has its own, then issuers' without the root; `signer` is null without its
 * key.
 */
export type Authority = {
  readonly id: string;
  readonly purpose: AuthorityPurpose;
  readonly issuerId: string | null;
  readonly certificateDer: Uint8Array;
  readonly retiredAt: Date | null;
  readonly revokedAt: Date | null;
  readonly signer: Signer | null;
};
export type LivingAuthority = Authority & { readonly signer: Signer };

export type Authorities = Readonly<Record<"ca" | "tsa" | "ocsp" | "seal", LivingAuthority>> & {
  /** An offline root issues nothing, and its last list stays in use. */
  readonly root: Authority;
  readonly all: readonly Authority[];
  /** Certificates of all authorities, without the roots. */
  readonly roots: readonly Uint8Array[];
  readonly chain: readonly Uint8Array[];
};

export function authorityOf(
  authorities: Pick<Authorities, "all">,
  certificateDer: Uint8Array,
): Authority | null {
  return (
    authorities.all.find(
      (authority) => Buffer.compare(authority.certificateDer, certificateDer) === 0,
    ) ?? null
  );
}

export function issuerOf(
  authorities: Pick<Authorities, "all">,
  certificateDer: Uint8Array,
): Authority | null {
  const { issuerDer } = parseCertificate(certificateDer);
  return (
    authorities.all.find(
      (authority) =>
        Buffer.compare(parseCertificate(authority.certificateDer).subjectDer, issuerDer) === 0,
    ) ?? null
  );
}

const PURPOSE = "authority-row";

type Authenticated = Pick<
  AuthorityRow,
  "id" | "purpose" | "issuerId" | "certificateDer" | "createdAt" | "retiredAt" | "revokedAt"
>;

/**
 * HMAC-SHA-256 over all that is trusted, in canonical JSON; the wrapped key is left out, as only
 * this id and certificate open it (`keyContext`).
 * Source: RFC 2104, RFC 5869, RFC 8785.
 */
export function authorityMac(secrets: Platform["secrets"], row: Authenticated): Uint8Array {
  const said = {
    id: row.id,
    purpose: row.purpose,
    issuer: row.issuerId,
    certificate: toBase64(row.certificateDer),
    created_at: row.createdAt.toISOString(),
    retired_at: row.retiredAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  };
  return secrets.hmac(PURPOSE, canonicalBytes(said));
}

export function isAuthentic(secrets: Platform["secrets"], row: StoredAuthority): boolean {
  const expected = authorityMac(secrets, row);
  return (
    row.mac !== null && row.mac.length === expected.length && timingSafeEqual(row.mac, expected)
  );
}

export function keyContext({
  id,
  certificateDer,
}: Pick<AuthorityRow, "id" | "certificateDer">): string {
  return `authority-key:${id}:${createHash("sha256").update(certificateDer).digest("hex")}`;
}

/**
 * Arc 2.25 needs no registration (ITU-T X.667 §6.3). No ETSI policy; `/politique-de-certification`
 * explains them.
 */
const PARAPHE_ARC = "2.25.1348563553";
/** One-time certificates of natural persons, with a verified address. */
export const SIGNER_POLICY_OID = `${PARAPHE_ARC}.1.1`;
/** Certificates where an identity provider opened the session. */
export const VOUCHED_POLICY_OID = `${PARAPHE_ARC}.1.2`;
/** Time-stamps by the machine's clock, to one second. */
export const TIMESTAMP_POLICY_OID = `${PARAPHE_ARC}.2.1`;
