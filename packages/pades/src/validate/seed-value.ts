import { PdfDict, type PdfObject, PdfString } from "@libpdf/core";
import { equalBytes } from "../asn1/der-reader.ts";
import { DIGEST_NAMES, OID } from "../asn1/oids.ts";
import type { FormField } from "../pdf/form-fields.ts";
import {
  arrayAt,
  dictAt,
  follow,
  nameAt,
  numberAt,
  type OpenPdf,
  textAt,
} from "../pdf/open-pdf.ts";
import type { Certificate, DistinguishedName } from "../x509/types.ts";
import type { CmsVerdict } from "./check-cms.ts";
import type { ChainVerdict, TimestampVerdict } from "./validate-certificate.ts";
import { locksOf } from "./signature-entries.ts";

type Found = {
  readonly cms: CmsVerdict | null;
  readonly chain: ChainVerdict | null;
  readonly timestamp: TimestampVerdict | null;
};
type Field = FormField & { readonly value: PdfDict };
type Asked = Found & { readonly open: OpenPdf; readonly seed: PdfDict; readonly value: PdfDict };

/** Source: ISO 32000-2 §12.7.5.5, table 237. */
const REQUIREMENTS: readonly (readonly [
  bit: number,
  entry: string,
  isMet: (asked: Asked) => boolean,
])[] = [
  [
    1,
    "Filter",
    ({ open, seed, value }) => nameAt(open, seed, "Filter") === nameAt(open, value, "Filter"),
  ],
  [
    2,
    "SubFilter",
    ({ open, seed, value }) =>
      textsOf(open, seed, "SubFilter").includes(nameAt(open, value, "SubFilter") ?? ""),
  ],
  // Source: table 237, V.
  [4, "V", ({ open, seed }) => (numberAt(open, seed, "V") ?? 0) <= 2],
  [8, "Reasons", hasReason],
  // Whether an attestation was given cannot be known.
  [16, "LegalAttestation", () => false],
  [32, "AddRevInfo", hasRevocation],
  [64, "DigestMethod", hasDigest],
  [128, "LockDocument", ({ open, seed }) => nameAt(open, seed, "LockDocument") === "auto"],
  [256, "AppearanceFilter", () => false],
];

/** Source: ISO 32000-2 §12.7.5.5, table 238. */
const CERTIFICATE_REQUIREMENTS: readonly (readonly [
  bit: number,
  entry: string,
  isMet: (asked: Asked, leaf: Certificate) => boolean,
])[] = [
  [
    1,
    "Subject",
    ({ open, seed }, leaf) =>
      bytesOf(open, seed, "Subject").some((der) => equalBytes(der, leaf.der)),
  ],
  [
    2,
    "Issuer",
    ({ open, seed, chain }) =>
      bytesOf(open, seed, "Issuer").some((der) =>
        chain?.chain?.some((item) => equalBytes(der, item.der)),
      ),
  ],
  [
    4,
    "OID",
    ({ open, seed }, leaf) =>
      textsOf(open, seed, "OID").some((policy) => leaf.policyOids.includes(policy)),
  ],
  [8, "SubjectDN", hasName],
  [
    32,
    "KeyUsage",
    ({ open, seed }, leaf) =>
      textsOf(open, seed, "KeyUsage").some((pattern) => hasUsage(pattern, leaf)),
  ],
];

/**
 * The first unmet requirement, or null. One that cannot be checked is not met; a mere preference is
 * ignored.
 * Source: ISO 32000-2 §12.7.5.5, tables 237 and 238.
 */
export function unmetSeedValue(open: OpenPdf, { dict, value }: Field, found: Found): string | null {
  const seed = follow(open, dict.get("SV"));
  if (seed === undefined) return null;
  if (!(seed instanceof PdfDict)) return "SV";
  const asked: Asked = { ...found, open, seed, value };
  const flags = numberAt(open, seed, "Ff") ?? 0;
  const unmet = REQUIREMENTS.find(([bit, , isMet]) => (flags & bit) !== 0 && !isMet(asked))?.[1];
  return unmet ?? unmetBesides(asked);
}

function unmetBesides(asked: Asked): string | null {
  const { open, seed, timestamp, cms } = asked;
  const stamp = dictAt(open, seed, "TimeStamp");
  if (stamp && numberAt(open, stamp, "Ff") === 1 && !timestamp) return "TimeStamp";
  if (!isCertifiedAsAsked(asked)) return "MDP";
  const certificate = dictAt(open, seed, "Cert");
  const flags = (certificate && numberAt(open, certificate, "Ff")) ?? 0;
  const leaf = cms?.certificate;
  if (!certificate || flags === 0) return null;
  const missing = CERTIFICATE_REQUIREMENTS.find(
    ([bit, , isMet]) =>
      (flags & bit) !== 0 && !(leaf && isMet({ ...asked, seed: certificate }, leaf)),
  );
  return missing ? `Cert ${missing[1]}` : null;
}

/**
 * 0: no certification; 1 to 3: one of that level.
 * Source: ISO 32000-2 §12.7.5.5, table 237, MDP.
 */
function isCertifiedAsAsked({ open, seed, value }: Asked): boolean {
  const asked = dictAt(open, seed, "MDP");
  const level = asked && numberAt(open, asked, "P");
  return level === undefined || (locksOf(open, value).certification ?? 0) === level;
}

/**
 * A single period, or no list, asks for no reason.
 * Source: ISO 32000-2 §12.7.5.5, table 237, Reasons.
 */
function hasReason({ open, seed, value }: Asked): boolean {
  const [reasons, given] = [textsOf(open, seed, "Reasons"), textAt(open, value, "Reason")];
  const isNone = reasons.length === 0 || (reasons.length === 1 && reasons[0] === ".");
  return isNone ? !given : given !== undefined && reasons.includes(given);
}

function hasRevocation({ open, seed, cms }: Asked): boolean {
  const asked = follow(open, seed.get("AddRevInfo"));
  return (
    asked?.type !== "bool" ||
    asked.value === (cms?.signed?.signedAttributes.has(OID.revocationInfoArchival) ?? false)
  );
}

function hasDigest({ open, seed, cms }: Asked): boolean {
  const plain = (name: string): string => name.toUpperCase().replace("-", "");
  const used = cms?.signed ? DIGEST_NAMES[cms.signed.digestOid] : undefined;
  return (
    used !== undefined &&
    textsOf(open, seed, "DigestMethod").some((name) => plain(name) === plain(used))
  );
}

const NAME_KEYS: Readonly<Record<string, keyof DistinguishedName>> = {
  CN: "commonName",
  O: "organization",
  OU: "organizationalUnit",
  C: "country",
  GN: "givenName",
  SN: "surname",
  serialNumber: "serialNumber",
};

function hasName({ open, seed }: Asked, { subject }: Certificate): boolean {
  const names =
    arrayAt(open, seed, "SubjectDN")
      ?.toArray()
      .map((item) => follow(open, item)) ?? [];
  return names.some(
    (name) =>
      name instanceof PdfDict &&
      [...name].every(([{ value: key }]) =>
        bears(subject, NAME_KEYS[key], textAt(open, name, key)),
      ),
  );
}

function bears(
  subject: DistinguishedName,
  key: keyof DistinguishedName | undefined,
  value: string | undefined,
): boolean {
  return key !== undefined && subject[key] !== undefined && subject[key] === value;
}

const USAGES =
  "digitalSignature nonRepudiation keyEncipherment dataEncipherment keyAgreement keyCertSign cRLSign encipherOnly decipherOnly".split(
    " ",
  );

/** One character a usage: `1` required, `0` forbidden, else free. */
function hasUsage(pattern: string, { keyUsage }: Certificate): boolean {
  return USAGES.every((usage, index) => {
    const asked = pattern[index];
    return (asked !== "1" && asked !== "0") || (asked === "1") === (keyUsage?.has(usage) ?? false);
  });
}

function listOf(open: OpenPdf, dict: PdfDict, key: string): readonly (PdfObject | undefined)[] {
  const single = follow(open, dict.get(key));
  return (
    arrayAt(open, dict, key)
      ?.toArray()
      .map((item) => follow(open, item)) ?? [single]
  );
}

function textsOf(open: OpenPdf, dict: PdfDict, key: string): readonly string[] {
  return listOf(open, dict, key).flatMap((item) => {
    if (item instanceof PdfString) return [item.asString()];
    return item?.type === "name" ? [item.value] : [];
  });
}

function bytesOf(open: OpenPdf, dict: PdfDict, key: string): readonly Uint8Array[] {
  return listOf(open, dict, key).flatMap((item) => (item instanceof PdfString ? [item.bytes] : []));
}
