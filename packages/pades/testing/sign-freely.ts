import { PdfDict } from "@libpdf/core";
import { children, ecdsaRawToDer, parseDer, toHex } from "../src/asn1/der-reader.ts";
import {
  bitString,
  booleanValue,
  concatBytes,
  explicit,
  implicit,
  integer,
  octetString,
  oid,
  sequence,
  setOf,
  time,
  tlv,
  unsignedInteger,
} from "../src/asn1/der-writer.ts";
import { OID } from "../src/asn1/oids.ts";
import { attribute } from "../src/cms/signed-data.ts";
import { latinText } from "../src/pdf/byte-reader.ts";
import { beginUpdate, latinBytes } from "../src/pdf/incremental-update.ts";
import { arrayAt, dictAt, openPdf } from "../src/pdf/open-pdf.ts";
import { pageAt } from "../src/pdf/page-geometry.ts";
import { writeDate, writeObject } from "../src/pdf/write-object.ts";
import type { Signer } from "../src/ports.ts";
import { withEntries } from "../src/sign/prepare-fields.ts";
import { encodeName, parseCertificate } from "../src/x509/certificate.ts";
import { signatureAlgorithmOf } from "../src/x509/types.ts";
import { TEST_NOW } from "./test-pki.ts";

const RESERVE = 16_384;
const RANGE_ROOM = "0000000000 0000000000 0000000000 0000000000";

export type FreeSignature = {
  readonly cms: (covered: Uint8Array) => Promise<Uint8Array>;
  readonly fieldName?: string;
  readonly rect?: string;
  readonly subFilter?: string;
  readonly certification?: number;
  /** Levels in its references, where different. */
  readonly levels?: readonly number[];
  /** The range written and signed; by default the right one. `gap`: the Contents string. */
  readonly range?: (gap: { from: number; to: number; end: number }) => readonly number[];
  readonly type?: string;
  /** `/Reference`. */
  readonly reference?: string;
  /** Further entries of the field and its value. */
  readonly fieldExtra?: string;
  readonly valueExtra?: string;
  /** Further entries of the form. */
  readonly formExtra?: string;
  /** Writes this entry as an object. */
  readonly indirect?: "ByteRange" | "Contents";
  /** Changes the file's text before signing, length kept. */
  readonly change?: (text: string) => string;
};

/** Signs in one revision as any maker could, right or wrong. */
export async function signFreely(bytes: Uint8Array, options: FreeSignature): Promise<Uint8Array> {
  const open = await openPdf(bytes);
  const update = beginUpdate(open);
  const [field, value, form] = [update.allocate(), update.allocate(), update.allocate()];
  const page = pageAt(open, 1);
  const { certification, subFilter = "ETSI.CAdES.detached", type = "Sig" } = options;
  const levels = (options.levels ?? [certification]).map(
    (level) =>
      `<</Type/SigRef/TransformMethod/DocMDP/TransformParams<</Type/TransformParams/V/1.2/P ${level}>>>>`,
  );
  const reference = certification ? `/Reference[${levels.join("")}]` : (options.reference ?? "");
  const entries = { ByteRange: `[${RANGE_ROOM}]`, Contents: `<${"0".repeat(RESERVE * 2)}>` };
  const apart = options.indirect && update.allocate();
  const written = (key: keyof typeof entries): string =>
    key === options.indirect ? ` ${apart} 0 R` : entries[key];
  if (options.indirect === "ByteRange") update.put(apart ?? 0, entries.ByteRange);
  update.put(
    value,
    `<</ByteRange${written("ByteRange")}/Contents${written("Contents")}/Type/${type}/Filter/Adobe.PPKLite/SubFilter/${subFilter}/M${writeDate(TEST_NOW)}${reference}${options.valueExtra ?? ""}>>`,
  );
  if (options.indirect === "Contents") update.put(apart ?? 0, entries.Contents);
  update.put(
    field,
    `<</Type/Annot/Subtype/Widget/FT/Sig/T(${options.fieldName ?? "libre"})/Rect[${options.rect ?? "0 0 0 0"}]/P ${writeObject(page.ref)}/F 132/V ${value} 0 R${options.fieldExtra ?? ""}>>`,
  );
  const old = dictAt(open, open.catalog, "AcroForm");
  const fields = (old ? arrayAt(open, old, "Fields") : undefined)?.toArray().map(writeObject) ?? [];
  const listed = withEntries(old ?? new PdfDict(), {
    Fields: `[${[...fields, `${field} 0 R`].join(" ")}]`,
    SigFlags: "3",
  });
  update.put(form, `${listed.slice(0, -2)}${options.formExtra ?? ""}>>`);
  const annotations = arrayAt(open, page.dict, "Annots")?.toArray().map(writeObject) ?? [];
  update.put(
    page.ref.objectNumber,
    withEntries(page.dict, { Annots: `[${[...annotations, `${field} 0 R`].join(" ")}]` }),
  );
  const permissions = certification ? { Perms: `<</DocMDP ${value} 0 R>>` } : {};
  update.put(
    open.catalogRef.objectNumber,
    withEntries(open.catalog, { AcroForm: `${form} 0 R`, ...permissions }),
  );
  const { bytes: finished, offsets } = update.finish();
  const whole = options.change ? latinBytes(options.change(latinText(finished))) : finished;
  if (whole.length !== finished.length) throw new Error("a change that moves the bytes behind it");
  return fill(
    whole,
    offsets.get(options.indirect === "ByteRange" ? (apart ?? 0) : value) ?? 0,
    options,
  );
}

async function fill(
  whole: Uint8Array,
  objectOffset: number,
  { cms, range }: FreeSignature,
): Promise<Uint8Array> {
  const rangeAt = whole.indexOf(0x5b, objectOffset) + 1;
  const from = latinText(whole).indexOf("<00", rangeAt);
  const gap = { from, to: from + RESERVE * 2 + 2, end: whole.length };
  const numbers = range?.(gap) ?? [0, gap.from, gap.to, gap.end - gap.to];
  whole.set(latinBytes(numbers.join(" ").padEnd(RANGE_ROOM.length)), rangeAt);
  const pieces: Uint8Array[] = [];
  for (let index = 0; index + 1 < numbers.length; index += 2) {
    const start = Math.max(0, numbers[index] ?? 0);
    pieces.push(whole.subarray(start, start + Math.max(0, numbers[index + 1] ?? 0)));
  }
  whole.set(latinBytes(toHex(await cms(concatBytes(pieces)))), gap.from + 1);
  return whole;
}

/** What our writer never makes: weak digests, no signed attributes, old or missing references. */
export type FreeCmsOptions = {
  readonly certificates: readonly Uint8Array[];
  readonly privateKey: CryptoKey;
  readonly digest?: "SHA-1" | "SHA-256";
  /** The certificates carried; `certificates` by default. */
  readonly carried?: readonly Uint8Array[];
  readonly attributes?:
    | "other_type"
    | "none"
    | "without_reference"
    | "old_reference"
    | "doubled_digest";
  readonly signers?: number;
  /** Names the certificate by its key identifier. */
  readonly keyIdentifier?: Uint8Array;
  /** The content type, in attribute and content. */
  readonly contentType?: string;
  /** Changes the signed attributes before signing. */
  readonly change?: (attributes: readonly Uint8Array[]) => readonly Uint8Array[];
  /** Carries the signed attributes in another order. */
  readonly order?: "turned";
  /** The attached content. */
  readonly attached?: Uint8Array;
};

const ECDSA_WITH_SHA1 = "1.2.840.10045.4.1";

/** A detached CMS over these bytes. Source: RFC 5652 §5; RFC 2634 §5.4 (the old reference). */
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

/** What our profiles never make. `keyUsage`: first byte; `extensions`: further DER. */
export type FreeCertificate = {
  readonly commonName: string;
  readonly subjectPublicKey: Uint8Array;
  readonly keyUsage?: number;
  readonly purposes?: readonly string[];
  readonly extensions?: readonly Uint8Array[];
};

/** One extension. Source: RFC 5280 §4.1.2.9. */
export const extension = (
  id: string,
  value: Uint8Array,
  weight: "critical" | "plain" = "plain",
): Uint8Array =>
  sequence(oid(id), ...(weight === "critical" ? [booleanValue(true)] : []), octetString(value));

/** An authority's basicConstraints. */
export const AUTHORITY = extension(OID.basicConstraints, sequence(booleanValue(true)), "critical");

/** Issues any certificate, valid for the year of the tests. */
export async function freeCertificate(
  issuer: Signer,
  { keyUsage, purposes = [], ...rest }: FreeCertificate,
): Promise<Uint8Array> {
  const algorithm = signatureAlgorithmOf(issuer.algorithm);
  const year = 365 * 86_400_000;
  const extensions = [
    ...(keyUsage === undefined
      ? []
      : [extension(OID.keyUsage, bitString(Uint8Array.of(keyUsage)), "critical")]),
    ...(purposes.length > 0
      ? [extension(OID.extendedKeyUsage, sequence(...purposes.map(oid)))]
      : []),
    ...(rest.extensions ?? []),
  ];
  const tbs = sequence(
    explicit(0, integer(2)),
    unsignedInteger(crypto.getRandomValues(new Uint8Array(8))),
    algorithm,
    parseCertificate(issuer.certificates[0] as Uint8Array).subjectDer,
    sequence(time(new Date(TEST_NOW.getTime() - year)), time(new Date(TEST_NOW.getTime() + year))),
    encodeName({ commonName: rest.commonName }),
    rest.subjectPublicKey,
    ...(extensions.length > 0 ? [explicit(3, sequence(...extensions))] : []),
  );
  return sequence(tbs, algorithm, bitString(await issuer.sign(tbs)));
}
