import { explicit, integer, octetString, oid, sequence, setOf } from "../src/asn1/der-writer.ts";
import { OID } from "../src/asn1/oids.ts";
import { attribute, createSignedData } from "../src/cms/signed-data.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import type { Signer } from "../src/ports.ts";
import { completeSignature } from "../src/sign/create-signature.ts";
import { prepareDocumentTimestamp } from "../src/sign/long-term.ts";
import { createTimestampToken } from "../src/tsp/timestamp.ts";
import { type CertificateProfile, webCryptoSigner } from "../src/x509/types.ts";
import {
  type Attack,
  type AttackStage,
  STAGE_LATER,
  sealed,
  type Attacks,
} from "./attack-stage.ts";
import { latin } from "./forge.ts";
import {
  AUTHORITY,
  type FreeCertificate,
  type FreeCmsOptions,
  extension,
  freeCertificate,
  freeCms,
  signFreely,
} from "./sign-freely.ts";
import { generateKeys, TEST_POLICY, type TestPki } from "./test-pki.ts";

/** The first byte of a key usage. Source: RFC 5280 §4.2.1.3. */
const USAGE = {
  signature: 0x80,
  commitment: 0x40,
  encipherment: 0x20,
  certificates: 0x04,
} as const;
const PURPOSE = {
  server: "1.3.6.1.5.5.7.3.1",
  client: "1.3.6.1.5.5.7.3.2",
  code: "1.3.6.1.5.5.7.3.3",
  mail: OID.ekuEmailProtection,
};
const NAMES_OF_OTHERS = extension(
  "2.5.29.30",
  sequence(explicit(0, sequence(sequence(new Uint8Array([0x82, 1, 0x78]))))),
);

/** Signs with one of our profiles. */
const profiled =
  (profile: CertificateProfile): Attack =>
  async ({ pki, prepared }) => {
    const signer = await pki.issue({ commonName: "Alice" }, { profile });
    return signFreely(prepared, { cms: (covered) => sealed({ signer, tsa: pki.tsa }, covered) });
  };
/** Signs with any certificate of the trusted authority. */
const certified =
  (make: Omit<FreeCertificate, "commonName" | "subjectPublicKey">): Attack =>
  async ({ pki, prepared }) => {
    const { privateKey, spki } = await generateKeys();
    const leaf = await freeCertificate(pki.ca, {
      commonName: "Alice",
      subjectPublicKey: spki,
      ...make,
    });
    const signer = webCryptoSigner(privateKey, [leaf, ...pki.ca.certificates]);
    return signFreely(prepared, { cms: (covered) => sealed({ signer, tsa: pki.tsa }, covered) });
  };
/** Signs with a certificate with its own key identifier, named by it or by another. */
const named =
  (identifier: Uint8Array): Attack =>
  async ({ pki, prepared }) => {
    const { privateKey, spki } = await generateKeys();
    const own = extension(OID.subjectKeyIdentifier, octetString(KEY_NAME));
    const make = {
      commonName: "Alice",
      subjectPublicKey: spki,
      keyUsage: USAGE.commitment,
      extensions: [own],
    };
    const certificates = [await freeCertificate(pki.ca, make), ...pki.ca.certificates];
    return signFreely(prepared, {
      cms: (covered) => freeCms(covered, { privateKey, certificates, keyIdentifier: identifier }),
    });
  };
/** RFC 5280 §4.2.1.2: the issuer may choose any. */
const KEY_NAME = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
/** Signs below any authority that this issuer certified. */
const below =
  (
    issuer: (stage: AttackStage) => Signer,
    make: Omit<FreeCertificate, "commonName" | "subjectPublicKey">,
  ): Attack =>
  async (stage) => {
    const [own, keys] = [await generateKeys(), await generateKeys()];
    const above = issuer(stage);
    const authority = await freeCertificate(above, {
      commonName: "Relais",
      subjectPublicKey: own.spki,
      ...make,
    });
    const subject = {
      commonName: "Alice",
      subjectPublicKey: keys.spki,
      keyUsage: USAGE.commitment,
    };
    const leaf = await freeCertificate(webCryptoSigner(own.privateKey, [authority]), subject);
    const signer = webCryptoSigner(keys.privateKey, [leaf, authority, ...above.certificates]);
    return signFreely(stage.prepared, {
      cms: (covered) => sealed({ signer, tsa: stage.pki.tsa }, covered),
    });
  };

async function shortRsa(stage: AttackStage): Promise<Uint8Array> {
  const kind = {
    name: "RSASSA-PKCS1-v1_5",
    modulusLength: 1024,
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: "SHA-256",
  };
  const pair = await crypto.subtle.generateKey(kind, true, ["sign", "verify"]);
  const subjectPublicKey = new Uint8Array(await crypto.subtle.exportKey("spki", pair.publicKey));
  const leaf = await freeCertificate(stage.pki.ca, {
    commonName: "Alice",
    subjectPublicKey,
    keyUsage: USAGE.commitment,
  });
  const signer = webCryptoSigner(pair.privateKey, [leaf, ...stage.pki.ca.certificates]);
  return signFreely(stage.prepared, {
    cms: (covered) => sealed({ signer, tsa: stage.pki.tsa }, covered),
  });
}

const CERTIFICATES: Attacks = {
  "certificate: an OCSP responder's": profiled("ocsp"),
  "certificate: a time-stamping authority's": profiled("tsa"),
  "certificate: an authority's": profiled("ca"),
  "certificate: a TLS server's": certified({
    keyUsage: USAGE.signature,
    purposes: [PURPOSE.server],
  }),
  "certificate: a TLS server's and client's": certified({
    keyUsage: USAGE.signature,
    purposes: [PURPOSE.server, PURPOSE.client],
  }),
  "certificate: for code": certified({ keyUsage: USAGE.signature, purposes: [PURPOSE.code] }),
  "certificate: for encipherment alone": certified({ keyUsage: USAGE.encipherment }),
  "certificate: for encipherment alone, its purpose being mail": certified({
    keyUsage: USAGE.encipherment,
    purposes: [PURPOSE.mail],
  }),
  "certificate: for nothing it says": certified({}),
  "certificate: a key of 1 024 bits": shortRsa,
  "certificate: named by another identifier than it says": named(KEY_NAME.toReversed()),
  "certificate: below somebody's signing certificate": below(({ alice }) => alice, {
    keyUsage: USAGE.commitment,
  }),
  "certificate: below an authority that may not certify": below(({ pki }) => pki.root, {
    keyUsage: USAGE.signature,
    extensions: [AUTHORITY],
  }),
  "certificate: below an authority of other names, as a remark": below(({ pki }) => pki.root, {
    keyUsage: USAGE.certificates,
    extensions: [AUTHORITY, NAMES_OF_OTHERS],
  }),
};
export const HONEST_CERTIFICATES: Attacks = {
  "a certificate of no purpose in particular": certified({ keyUsage: USAGE.commitment }),
  "a certificate for mail and for servers": certified({
    keyUsage: USAGE.signature,
    purposes: [PURPOSE.client, PURPOSE.mail],
  }),
  "a certificate for any purpose": certified({
    keyUsage: USAGE.signature,
    purposes: ["2.5.29.37.0"],
  }),
  "a certificate for documents, by Microsoft's name": certified({
    keyUsage: USAGE.commitment,
    purposes: ["1.3.6.1.4.1.311.10.3.12"],
  }),
  "a certificate for documents, by Adobe's name": certified({
    keyUsage: USAGE.commitment,
    purposes: ["1.2.840.113583.1.1.5"],
  }),
  "a seal": profiled("seal"),
  "a certificate named by the identifier that it says": named(KEY_NAME),
  "a certificate below an authority that another certified": below(({ pki }) => pki.root, {
    keyUsage: USAGE.certificates,
    extensions: [AUTHORITY],
  }),
};

/** A time-stamp authority whose issuer only its tokens carry. */
export async function distantTsa(
  { pki }: AttackStage,
  carried: "chain" | "certificate",
): Promise<TestPki["tsa"]> {
  const [own, keys] = [await generateKeys(), await generateKeys()];
  const subject = {
    commonName: "Horodatage lointain",
    subjectPublicKey: own.spki,
    keyUsage: USAGE.certificates,
    extensions: [AUTHORITY],
  };
  const authority = await freeCertificate(pki.root, subject);
  const purpose = extension(OID.extendedKeyUsage, sequence(oid(OID.ekuTimeStamping)), "critical");
  const leaf = await freeCertificate(webCryptoSigner(own.privateKey, [authority]), {
    commonName: "Horodateur",
    subjectPublicKey: keys.spki,
    keyUsage: USAGE.signature,
    extensions: [purpose],
  });
  return stamping(
    webCryptoSigner(keys.privateKey, carried === "chain" ? [leaf, authority] : [leaf]),
  );
}
type Imprint = Parameters<typeof createTimestampToken>[0]["hashAlgorithm"];
const stamping = (
  signer: Signer,
  {
    hashAlgorithm = "SHA-256",
    certificateRequested = true,
  }: { hashAlgorithm?: Imprint; certificateRequested?: boolean } = {},
): TestPki["tsa"] => ({
  timestamp: (imprint) =>
    createTimestampToken(
      { hashAlgorithm, imprint, nonce: null, certificateRequested },
      { signer, policyOid: TEST_POLICY, serialNumber: Uint8Array.of(7), now: STAGE_LATER },
    ),
});
/** A document time-stamp without a store. */
export async function sealedBy(bytes: Uint8Array, tsa: TestPki["tsa"]): Promise<Uint8Array> {
  const prepared = await prepareDocumentTimestamp(bytes, {});
  return completeSignature(prepared, await tsa.timestamp(prepared.digestSha256));
}
/** The same with an imprint of another digest. */
export async function sealedUnder(
  { pki, second }: AttackStage,
  hash: Imprint,
): Promise<Uint8Array> {
  const prepared = await prepareDocumentTimestamp(second, {});
  const text = latin(prepared.bytes);
  const [, , from = 0, length = 0] = prepared.byteRange;
  const covered = latinBytes(
    text.slice(0, prepared.byteRange[1]) + text.slice(from, from + length),
  );
  const imprint = new Uint8Array(await crypto.subtle.digest(hash, covered as BufferSource));
  return completeSignature(
    prepared,
    await stamping(pki.tsaSigner, { hashAlgorithm: hash }).timestamp(imprint),
  );
}

const TOKENS: Attacks = {
  "time-stamp: with the chain of an authority of the same name": async ({ second, stranger }) =>
    sealedBy(second, stamping(stranger.tsaSigner)),
  "time-stamp: with the chain of the one whose name it bears": async ({ second, stranger, pki }) =>
    sealedBy(
      second,
      stamping({
        ...stranger.tsaSigner,
        certificates: [...stranger.tsaSigner.certificates.slice(0, 1), ...pki.ca.certificates],
      }),
    ),
  "time-stamp: without its chain": async (stage) =>
    sealedBy(stage.second, await distantTsa(stage, "certificate")),
  "time-stamp: without the certificate of its authority": async ({ second, pki }) =>
    sealedBy(second, stamping(pki.tsaSigner, { certificateRequested: false })),
  "time-stamp: on a signature, with another's chain": async ({ prepared, alice, stranger }) =>
    signFreely(prepared, {
      cms: (covered) => sealed({ signer: alice, tsa: stamping(stranger.tsaSigner) }, covered),
    }),
  "time-stamp: an imprint that another digest's name stands for": async ({ second, pki }) =>
    sealedBy(second, stamping(pki.tsaSigner, { hashAlgorithm: "SHA-384" })),
  "time-stamp: something behind the token": async ({ archived }) => {
    const text = latin(archived);
    const end = text.indexOf(">", text.lastIndexOf("/Contents<"));
    return latinBytes(`${text.slice(0, end - 8)}deadbeef${text.slice(end)}`);
  },
  "time-stamp: of a signer who is no authority": async ({ second, alice }) =>
    sealedBy(second, stamping(alice)),
};

const withCms =
  (options: Partial<FreeCmsOptions>, subFilter?: string): Attack =>
  ({ prepared, free }) =>
    signFreely(prepared, {
      cms: (covered) => freeCms(covered, { ...free, ...options }),
      ...(subFilter ? { subFilter } : {}),
    });
/** An attribute with this second value. */
const besides = (
  list: readonly Uint8Array[],
  index: number,
  value: Uint8Array,
): readonly Uint8Array[] => list.map((item, at) => (at === index ? doubled(item, value) : item));
function doubled(item: Uint8Array, value: Uint8Array): Uint8Array {
  const { id, own } = partsOf(item);
  return sequence(id, setOf(own, value));
}
/** The type and value of an attribute of ours. */
function partsOf(item: Uint8Array): { id: Uint8Array; own: Uint8Array } {
  const id = item.subarray(2, 4 + (item[3] as number));
  return { id, own: item.subarray(4 + (item[3] as number) + 2) };
}
const OLD_REFERENCE = attribute(
  OID.signingCertificate,
  sequence(sequence(sequence(octetString(new Uint8Array(20))))),
);

const VALUES: Attacks = {
  "CMS: a digest of two values, the right one first": withCms({
    change: (list) => besides(list, 1, octetString(new Uint8Array(33))),
  }),
  "CMS: a type of two values": withCms({ change: (list) => besides(list, 0, oid(OID.tstInfo)) }),
  "CMS: the content of a time-stamp": withCms({ contentType: OID.tstInfo }),
  "CMS: the content of a signature in a signature": withCms({ contentType: OID.signedData }),
  "CMS: an old reference to another certificate beside the new": withCms({
    change: (list) => [...list, OLD_REFERENCE],
  }),
  "CMS: two values of the certificate's reference": withCms({
    change: (list) => besides(list, 2, sequence(sequence())),
  }),
  "CMS: its attributes in another order than signed": withCms({ order: "turned" }),
  "CMS: its content attached": withCms({ attached: Uint8Array.of(1, 2, 3) }),
  "CMS: its content attached, in an old signature": withCms(
    { attached: Uint8Array.of(1, 2, 3) },
    "adbe.pkcs7.detached",
  ),
  "CMS: no signer": withCms({ signers: 0 }),
  "CMS: a time-stamp that is rubbish": rubbishStamp,
};
async function rubbishStamp({ prepared, alice }: AttackStage): Promise<Uint8Array> {
  const cms = async (covered: Uint8Array): Promise<Uint8Array> =>
    createSignedData({
      signer: alice,
      contentType: OID.data,
      contentDigestSha256: new Uint8Array(
        await crypto.subtle.digest("SHA-256", covered as BufferSource),
      ),
      certificates: alice.certificates,
      unsignedAttributes: async () => [attribute(OID.signatureTimestamp, sequence(integer(1)))],
    });
  return signFreely(prepared, { cms });
}

/** Who signed, who states the time, and what binds them to the bytes. */
export const TRUST_ATTACKS: Attacks = {
  ...CERTIFICATES,
  ...TOKENS,
  ...VALUES,
};
