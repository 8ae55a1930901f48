import { children, ecdsaRawToDer, parseDer } from "../src/asn1/der-reader.ts";
import {
  concatBytes,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  tlv,
  unsignedInteger,
} from "../src/asn1/der-writer.ts";
import { OID } from "../src/asn1/oids.ts";
import { attribute } from "../src/cms/signed-data.ts";
import { parseCertificate } from "../src/x509/parse-certificate.ts";

/** What our own writer never makes: a weak digest, no signed attributes, an old or missing certificate reference. */
export type FreeCmsOptions = {
  readonly certificates: readonly Uint8Array[];
  readonly privateKey: CryptoKey;
  readonly digest?: "SHA-1" | "SHA-256";
  /** What the value carries; `certificates` when absent. */
  readonly carried?: readonly Uint8Array[];
  readonly attributes?:
    | "other_type"
    | "none"
    | "without_reference"
    | "old_reference"
    | "doubled_digest";
  readonly signers?: number;
  /** Names the certificate by its key's identifier. */
  readonly keyIdentifier?: Uint8Array;
  /** The content's type, in the attribute and beside the content. */
  readonly contentType?: string;
  /** Changes the signed attributes before they are signed. */
  readonly change?: (attributes: readonly Uint8Array[]) => readonly Uint8Array[];
  /** Carries the signed attributes in another order than they were signed in. */
  readonly order?: "turned";
  /** The content itself, where a detached signature has none. */
  readonly attached?: Uint8Array;
};

const ECDSA_WITH_SHA1 = "1.2.840.10045.4.1";

/** Makes a detached CMS over these bytes. Source: RFC 5652 §5; RFC 2634 §5.4 (the old reference). */
export async function freeCms(content: Uint8Array, options: FreeCmsOptions): Promise<Uint8Array> {
  const {
    certificates,
    privateKey,
    digest = "SHA-256",
    attributes,
    signers = 1,
    contentType = OID.data,
  } = options;
  const certificate = certificates[0] as Uint8Array;
  const parsed = parseCertificate(certificate);
  const hash = async (name: string, bytes: Uint8Array): Promise<Uint8Array> =>
    new Uint8Array(await crypto.subtle.digest(name, bytes as BufferSource));
  const algorithm = sequence(oid(digest === "SHA-1" ? OID.sha1 : OID.sha256));
  const digestAttribute = attribute(OID.messageDigest, octetString(await hash(digest, content)));
  const list = [
    attribute(OID.contentType, oid(attributes === "other_type" ? OID.tstInfo : contentType)),
    digestAttribute,
  ];
  if (attributes === "doubled_digest")
    list.push(attribute(OID.messageDigest, octetString(await hash(digest, new Uint8Array()))));
  if (attributes === "old_reference")
    list.push(
      attribute(
        OID.signingCertificate,
        sequence(sequence(sequence(octetString(await hash("SHA-1", certificate))))),
      ),
    );
  if (attributes === undefined || attributes === "doubled_digest" || attributes === "other_type")
    list.push(
      attribute(
        OID.signingCertificateV2,
        sequence(sequence(sequence(octetString(await hash("SHA-256", certificate))))),
      ),
    );
  const signed = attributes === "none" ? null : setOf(...(options.change?.(list) ?? list));
  const raw = await crypto.subtle.sign(
    { name: "ECDSA", hash: digest },
    privateKey,
    (signed ?? content) as BufferSource,
  );
  const signerInfo = sequence(
    integer(options.keyIdentifier ? 3 : 1),
    options.keyIdentifier
      ? implicit(0, options.keyIdentifier)
      : sequence(parsed.issuerDer, unsignedInteger(parsed.serialNumber)),
    algorithm,
    ...(signed
      ? [
          options.order
            ? tlv(0xa0, turned(signed))
            : concatBytes([Uint8Array.of(0xa0), signed.subarray(1)]),
        ]
      : []),
    sequence(oid(digest === "SHA-1" ? ECDSA_WITH_SHA1 : OID.ecdsaWithSha256)),
    octetString(ecdsaRawToDer(new Uint8Array(raw))),
  );
  return sequence(
    oid(OID.signedData),
    explicit(
      0,
      sequence(
        integer(1),
        setOf(algorithm),
        sequence(
          oid(contentType),
          ...(options.attached ? [explicit(0, octetString(options.attached))] : []),
        ),
        concatBytes([Uint8Array.of(0xa0), setOf(...(options.carried ?? certificates)).subarray(1)]),
        setOf(...Array.from({ length: signers }, () => signerInfo)),
      ),
    ),
  );
}

const turned = (set: Uint8Array): Uint8Array =>
  concatBytes(
    children(parseDer(set))
      .map(({ bytes }) => bytes)
      .toReversed(),
  );
