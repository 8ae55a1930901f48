import {
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from "node:crypto";
import { isIP } from "node:net";
import { createRoot, issueCertificate, type Issuer, webCryptoSigner } from "@paraphe/pades/parts";
import type { TlsMaterial } from "../http/create-app.ts";

const DAY_MS = 24 * 3_600_000;
/** Tolerates a clock behind the browser's. */
const BACKDATED_MS = 3_600_000;

export async function issueAuthority(now: Date, days: number): Promise<TlsMaterial> {
  const { privateKey, ...requested } = request(now, days);
  const der = await createRoot(signerOf(privateKey), {
    ...requested,
    subject: {
      commonName: `Paraphe local ${now.toISOString().slice(0, 10)}`,
      organization: "Paraphe",
    },
    pathLength: 0,
  });
  return material(privateKey, der);
}

/** RFC 9525 reads subject alternative names only. */
export async function issueServer({
  authority,
  names,
  now,
  days,
}: {
  authority: TlsMaterial;
  names: readonly string[];
  now: Date;
  days: number;
}): Promise<TlsMaterial> {
  const { privateKey, ...requested } = request(now, days);
  const issuer = signerOf(createPrivateKey(authority.key), new X509Certificate(authority.cert).raw);
  const der = await issueCertificate(issuer, {
    ...requested,
    profile: "tls",
    subject: { commonName: names[0] ?? "" },
    hosts: names.map((name) => (isIP(name) ? addressBytes(name) : name)),
  });
  return material(privateKey, der);
}

function request(now: Date, days: number) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    privateKey,
    subjectPublicKey: new Uint8Array(publicKey.export({ type: "spki", format: "der" })),
    serialNumber: new Uint8Array(randomBytes(16)),
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() - BACKDATED_MS + days * DAY_MS),
  };
}

function signerOf(key: KeyObject, ...certificates: readonly Uint8Array[]): Issuer {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  return webCryptoSigner(key.toCryptoKey(algorithm, false, ["sign"]), certificates);
}

function material(key: KeyObject, der: Uint8Array): TlsMaterial {
  return {
    key: key.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: new X509Certificate(der).toString(),
  };
}

function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.from(address.split("."), Number);
  // The URL parser writes IPv6 as groups, with one "::" at most.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = groups
    .split("::")
    .map((part) => part.split(":").filter((group) => group !== ""));
  const all = [...head, ...Array<string>(8 - head.length - tail.length).fill("0"), ...tail];
  return Uint8Array.from(
    all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff]),
  );
}
