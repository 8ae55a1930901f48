import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import * as x509 from "@peculiar/x509";
import type { TlsMaterial } from "../http/create-app.ts";

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 3_600_000;
/** A machine's clock may lag behind the browser's. */
const BACKDATED_MS = 3_600_000;

x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);

/** Makes the local authority: a self-signed certificate that may sign servers' certificates and nothing below them. */
export async function issueAuthority(now: Date, days: number): Promise<TlsMaterial> {
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=Paraphe local ${now.toISOString().slice(0, 10)}, O=Paraphe`,
    keys,
    ...lifetime(now, days),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key: await exportKey(keys.privateKey), cert: `${certificate.toString("pem")}\n` };
}

/** Makes a server's certificate for these names and addresses (RFC 9525: subject alternative names only). */
export async function issueServer(request: {
  authority: TlsMaterial;
  names: readonly string[];
  now: Date;
  days: number;
}): Promise<TlsMaterial> {
  const issuer = new x509.X509Certificate(request.authority.cert);
  const signingKey = await importKey(request.authority.key);
  const keys = await makeKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${request.names[0]}`,
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    ...lifetime(request.now, request.days),
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        request.names.map((name) => ({ type: isIP(name) ? "ip" : "dns", value: name }) as const),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { key: await exportKey(keys.privateKey), cert: `${certificate.toString("pem")}\n` };
}

function lifetime(now: Date, days: number): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(now.getTime() - BACKDATED_MS),
    notAfter: new Date(now.getTime() - BACKDATED_MS + days * DAY_MS),
  };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, [
    "sign",
    "verify",
  ]) as Promise<webcrypto.CryptoKeyPair>;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY")}\n`;
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey("pkcs8", x509.PemConverter.decodeFirst(pem), ALGORITHM, false, [
    "sign",
  ]);
}
