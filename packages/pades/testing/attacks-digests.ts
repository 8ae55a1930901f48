import {
  concatBytes,
  explicit,
  generalizedTime,
  integer,
  nullValue,
  octetString,
  oid,
  sequence,
  setOf,
} from "../src/asn1/der-writer.ts";
import { OID } from "../src/asn1/oids.ts";
import { attribute, createSignedData } from "../src/cms/signed-data.ts";
import { latinBytes } from "../src/pdf/incremental-update.ts";
import { completeSignature } from "../src/sign/create-signature.ts";
import { prepareDocumentTimestamp } from "../src/sign/long-term.ts";
import { type Attack, type AttackStage, STAGE_LATER, type Attacks } from "./attack-stage.ts";
import { latin } from "./forge.ts";
import { extension, freeCertificate, freeCms, signFreely } from "./sign-freely.ts";
import { generateKeys, TEST_POLICY } from "./test-pki.ts";

type Digest = "SHA-1" | "SHA-256";
/** Where a token uses SHA-1: over what it stamps, or over its own content. */
type Tokens = { readonly imprint?: Digest; readonly signature?: Digest };

/**
 * A token over these bytes by an authority of the trusted PKI, with the digests asked for.
 * Source: RFC 3161 §2.4.2.
 */
async function tokenOver(
  bytes: Uint8Array,
  { pki }: AttackStage,
  { imprint = "SHA-256", signature = "SHA-256" }: Tokens,
): Promise<Uint8Array> {
  const hash = new Uint8Array(await crypto.subtle.digest(imprint, bytes as BufferSource));
  const info = sequence(
    integer(1),
    oid(TEST_POLICY),
    sequence(
      sequence(oid(imprint === "SHA-1" ? OID.sha1 : OID.sha256), nullValue()),
      octetString(hash),
    ),
    integer(7),
    generalizedTime(STAGE_LATER),
  );
  const { privateKey, spki } = await generateKeys();
  const purpose = extension(OID.extendedKeyUsage, sequence(oid(OID.ekuTimeStamping)), "critical");
  const authority = {
    commonName: "Horodateur",
    subjectPublicKey: spki,
    keyUsage: 0x80,
    extensions: [purpose],
  };
  const certificates = [await freeCertificate(pki.ca, authority), ...pki.ca.certificates];
  return freeCms(info, {
    certificates,
    privateKey,
    digest: signature,
    contentType: OID.tstInfo,
    attached: info,
  });
}

const onDocument =
  (tokens: Tokens, change: (covered: Uint8Array) => Uint8Array = (covered) => covered): Attack =>
  async (stage) => {
    const prepared = await prepareDocumentTimestamp(stage.second, {});
    const text = latin(prepared.bytes);
    const [, length, from, rest] = prepared.byteRange;
    const covered = latinBytes(text.slice(0, length) + text.slice(from, from + rest));
    return completeSignature(prepared, await tokenOver(change(covered), stage, tokens));
  };
const onSignature =
  (tokens: Tokens): Attack =>
  (stage) =>
    signFreely(stage.prepared, {
      cms: async (covered) =>
        createSignedData({
          signer: stage.alice,
          contentType: OID.data,
          contentDigestSha256: new Uint8Array(
            await crypto.subtle.digest("SHA-256", covered as BufferSource),
          ),
          certificates: stage.alice.certificates,
          unsignedAttributes: async (value) => [
            attribute(OID.signatureTimestamp, await tokenOver(value, stage, tokens)),
          ],
        }),
    });

/** An octet string whose pieces have pieces, so many levels deep. Source: X.690 §8.7.3. */
const nested = (levels: number): Uint8Array => {
  const heads = Array.from({ length: levels }, (_, index) => {
    const length = 2 + 5 * index;
    return Uint8Array.of(0x24, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff);
  });
  return concatBytes([...heads.toReversed(), Uint8Array.of(0x04, 0)]);
};
/** What a reader follows piece by piece gets a verdict, and never stops it. */
const withContent =
  (content: Uint8Array): Attack =>
  ({ prepared }) => {
    const algorithm = sequence(oid(OID.sha256));
    const signer = sequence(
      integer(1),
      sequence(sequence(), integer(1)),
      algorithm,
      sequence(oid(OID.ecPublicKey)),
      octetString(new Uint8Array()),
    );
    const data = sequence(oid(OID.data), explicit(0, content));
    const value = sequence(
      oid(OID.signedData),
      explicit(0, sequence(integer(1), setOf(algorithm), data, setOf(signer))),
    );
    return signFreely(prepared, { cms: async () => value });
  };
/**
 * A time-stamp whose digest may be forged proves no time.
 * Source: EN 319 102-1 §5.2.8; ETSI TS 119 312 §5.2.
 */
export const DIGEST_ATTACKS: Attacks = {
  "digest: a document time-stamp over SHA-1": onDocument({ imprint: "SHA-1" }),
  "digest: a document time-stamp signed with SHA-1": onDocument({ signature: "SHA-1" }),
  "digest: a document time-stamp over SHA-1 of other bytes": onDocument(
    { imprint: "SHA-1" },
    (covered) => covered.subarray(1),
  ),
  "digest: a signature time-stamp over SHA-1": onSignature({ imprint: "SHA-1" }),
  "digest: a signature time-stamp signed with SHA-1": onSignature({ signature: "SHA-1" }),
};
export const CMS_ATTACKS: Attacks = {
  "CMS: content of pieces of pieces, three thousand levels": withContent(nested(3_000)),
};
export const HONEST_DIGESTS: Attacks = {
  "a document time-stamp of another maker": onDocument({}),
  "a signature time-stamp of another maker": onSignature({}),
};

/**
 * A reference to the signer's certificate with its digest, and beside it an issuer and a number.
 * Source: RFC 5035 §4.
 */
export const withIssuerSerial =
  (beside: (own: Uint8Array) => Uint8Array): Attack =>
  ({ prepared, free }) =>
    signFreely(prepared, {
      cms: async (covered) => {
        const own = free.certificates[0] as Uint8Array;
        const hash = octetString(
          new Uint8Array(await crypto.subtle.digest("SHA-256", own as BufferSource)),
        );
        const reference = attribute(
          OID.signingCertificateV2,
          sequence(sequence(sequence(hash, beside(own)))),
        );
        return freeCms(covered, {
          ...free,
          attributes: "without_reference",
          change: (list) => [...list, reference],
        });
      },
    });
/** A signature with these attributes besides its own. */
export const withAttributes =
  (more: readonly Uint8Array[]): Attack =>
  ({ prepared, free }) =>
    signFreely(prepared, {
      cms: (covered) => freeCms(covered, { ...free, change: (list) => [...list, ...more] }),
    });
