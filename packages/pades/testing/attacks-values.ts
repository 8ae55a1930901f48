import { equalBytes, readElement, toHex } from "../src/asn1/der-reader.ts";
import { concatBytes, octetString, sequence } from "../src/asn1/der-writer.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { parseCertificate } from "../src/x509/certificate.ts";
import { type Attack, type AttackStage, sealed, type Attacks } from "./attack-stage.ts";
import { edited } from "./forge.ts";
import { freeCertificate, freeCms, signFreely } from "./sign-freely.ts";

type Value = (stage: AttackStage, covered: Uint8Array) => Promise<Uint8Array>;

const indefinite = (tag: number, parts: readonly Uint8Array[]): Uint8Array =>
  concatBytes([Uint8Array.of(tag, 0x80), ...parts, Uint8Array.of(0, 0)]);

/**
 * An element with indefinite lengths, but for what is kept; octet strings in two segments.
 * Source: X.690 §8.1.3.6, §8.7.3.
 */
function inBer(der: Uint8Array, kept: readonly Uint8Array[]): Uint8Array {
  const { tag, content } = readElement(der);
  if (kept.some((one) => equalBytes(one, der))) return der;
  if (tag === 0x04) {
    const half = content.length >> 1;
    return indefinite(0x24, [
      octetString(content.subarray(0, half)),
      octetString(content.subarray(half)),
    ]);
  }
  if ((tag & 0x20) === 0) return der;
  const parts: Uint8Array[] = [];
  for (let at = 0; at < content.length; at += parts.at(-1)?.length ?? 0)
    parts.push(readElement(content, at).bytes);
  return indefinite(
    tag,
    parts.map((part) => inBer(part, kept)),
  );
}

/** Certificates and names stay: their issuer signed those bytes. */
const ber: Value = async ({ free }, covered) => {
  const { issuerDer } = parseCertificate(free.certificates[0] as Uint8Array);
  return inBer(await freeCms(covered, free), [...free.certificates, issuerDer]);
};
const followed: Value = async ({ free }, covered) =>
  concatBytes([await freeCms(covered, free), Uint8Array.of(0), latinBytes("JUVYSTL+8S3hhDRP")]);
const over =
  (value: Value, change: (bytes: Uint8Array) => Uint8Array = (bytes) => bytes): Attack =>
  async (stage) =>
    change(
      await signFreely(stage.prepared, {
        subFilter: "adbe.pkcs7.detached",
        cms: (covered) => value(stage, covered),
      }),
    );
const altered = (bytes: Uint8Array): Uint8Array => edited(bytes, "Contrat", "Contrad");

type Bare = {
  readonly hash?: string;
  readonly bits?: number;
  readonly beside?: (certificate: string) => string;
};

/** A bare RSA value and its certificate. Source: ISO 32000-2 §12.8.3.2. */
const bare =
  ({
    hash = "SHA-1",
    bits = 2048,
    beside = (certificate) => `/Cert ${certificate}`,
  }: Bare = {}): Attack =>
  async ({ pki, prepared }) => {
    const kind = {
      name: "RSASSA-PKCS1-v1_5",
      modulusLength: bits,
      publicExponent: Uint8Array.of(1, 0, 1),
      hash,
    };
    const { privateKey, publicKey } = await crypto.subtle.generateKey(kind, true, [
      "sign",
      "verify",
    ]);
    const subjectPublicKey = new Uint8Array(await crypto.subtle.exportKey("spki", publicKey));
    const certificate = await freeCertificate(pki.ca, {
      commonName: "Alice",
      subjectPublicKey,
      keyUsage: 0x40,
    });
    return signFreely(prepared, {
      subFilter: "adbe.x509.rsa_sha1",
      valueExtra: beside(`<${toHex(certificate)}>`),
      cms: async (covered) =>
        octetString(
          new Uint8Array(await crypto.subtle.sign(kind.name, privateKey, covered as BufferSource)),
        ),
    });
  };
const changed =
  (attack: Attack): Attack =>
  async (stage) =>
    altered(await attack(stage));

/** A sound value under another or unknown SubFilter. */
const called =
  (subFilter: string, type = "Sig"): Attack =>
  ({ alice, pki, prepared }) =>
    signFreely(prepared, {
      subFilter,
      type,
      cms: (covered) => sealed({ signer: alice, tsa: pki.tsa }, covered),
    });

/** Other makers' values, and attacks that resemble them. */
export const VALUE_ATTACKS: Attacks = {
  "value: in BER, of other bytes": over(ber, altered),
  "value: something behind it": over(followed),
  "value: something behind it, of other bytes": over(followed, altered),
  "value: a bare one, by SHA-1": bare(),
  "value: a bare one, by SHA-256, which nothing signed binds to its certificate": bare({
    hash: "SHA-256",
  }),
  "value: a bare one, by a key of 1 024 bits": bare({ bits: 1024 }),
  "value: a bare one of other bytes": changed(bare()),
  "value: a bare one of other bytes, its certificate first of a list": changed(
    bare({ beside: (certificate) => `/Cert[${certificate}]` }),
  ),
  "value: a bare one without a certificate": bare({ beside: () => "" }),
  "value: a bare one with a certificate that is none": bare({ beside: () => "/Cert<3003020101>" }),
  "value: a CMS that calls itself a bare value": called("adbe.x509.rsa_sha1"),
  "value: of a kind that nobody knows": called("PBAD.PAdES"),
  "value: a signature that calls itself a time-stamp": called(
    "ETSI.CAdES.detached",
    "DocTimeStamp",
  ),
  "value: a string that is no value": over(async () => sequence()),
};
export const HONEST_VALUES: Attacks = {
  "a value in BER": over(ber),
};
