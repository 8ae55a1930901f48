import { readdirSync, readFileSync } from "node:fs";
import type {
  CheckName,
  DocumentTimestampOptions,
  Evidence,
  FileProblem,
  FindingCode,
  Indication,
  LaterChanges,
  PadesErrorCode,
  PadesLevel,
  PrepareFieldsOptions,
  PrepareSignatureOptions,
  SignatureReport,
  SignatureWarning,
  TrustAnchors,
  ValidationPolicy,
} from "@paraphe/pades";
import { expect, test } from "vitest";

const README = readFileSync(new URL("../README.md", import.meta.url), "utf8");
/** All the members of a union of names: one left out, or one too many, is a type error. */
const all = <Name extends string>(names: Readonly<Record<Name, true>>): readonly string[] =>
  Object.keys(names);

const FINDINGS = all<FindingCode>({
  encryption_removed: true,
  structure_rebuilt: true,
  leading_bytes: true,
  javascript: true,
  launch_action: true,
  external_action: true,
  alternate_images: true,
  attachments: true,
  portfolio: true,
  hidden_layers: true,
  existing_signatures: true,
  existing_timestamps: true,
  unverified_signatures: true,
  unverified_timestamps: true,
  certified: true,
  existing_form: true,
  static_xfa: true,
  multimedia: true,
  reader_dependent: true,
  form_values: true,
});
const REFUSALS = all<PadesErrorCode>({
  not_a_pdf: true,
  pdf_encrypted: true,
  pdf_encrypted_for_recipients: true,
  pdf_damaged: true,
  pdf_signed_and_damaged: true,
  pdf_signed_and_encrypted: true,
  pdf_dynamic_xfa: true,
  pdf_signing_forbidden: true,
  pdf_invalid_signatures: true,
  pdf_unverifiable_signatures: true,
  pdf_too_many_pages: true,
  pdf_too_complex: true,
  pdf_dangerous_attachment: true,
  pdf_undrawn_annotations: true,
  pdf_unfinishable: true,
  unsupported_character: true,
  invalid_image: true,
  field_not_found: true,
  signature_too_large: true,
  asn1_malformed: true,
  timestamp_invalid: true,
  timestamp_weak: true,
  timestamp_uncertified: true,
});
const REPORT = [
  ...all<Indication>({ TOTAL_PASSED: true, INDETERMINATE: true, TOTAL_FAILED: true }),
  ...all<Exclude<FileProblem, PadesErrorCode>>({
    trailing_bytes: true,
    unlisted_signature: true,
    broken_xref: true,
    encrypted: true,
  }),
  ...all<CheckName>({
    byte_range: true,
    format: true,
    message_digest: true,
    signature_value: true,
    signing_certificate: true,
    chain: true,
    validity: true,
    revocation: true,
    timestamp: true,
    algorithms: true,
    modifications: true,
  }),
  ...all<SignatureWarning>({ issuer_serial_differs: true, signing_time_attribute: true }),
  ...all<SignatureReport["coverage"]>({ whole_file: true, whole_revision: true, partial: true }),
  ...all<LaterChanges>({
    none: true,
    lta: true,
    signing: true,
    form_filling: true,
    unsigned_filling: true,
    other: true,
  }),
  ...all<PadesLevel>({ "B-B": true, "B-T": true, "B-LT": true, "B-LTA": true }),
];
const OPTIONS = [
  ...all<keyof PrepareFieldsOptions>({
    namePrefix: true,
    fonts: true,
    fields: true,
    ownerKeys: true,
  }),
  ...all<keyof PrepareSignatureOptions>({
    namePrefix: true,
    ownerKey: true,
    ownFields: true,
    mark: true,
    initials: true,
    lines: true,
    fonts: true,
    signingTime: true,
    signerName: true,
    reason: true,
    location: true,
    reserveBytes: true,
    sha256: true,
    deflate: true,
  }),
  ...all<keyof DocumentTimestampOptions>({ longTermData: true, reserveBytes: true, sha256: true }),
  ...all<keyof TrustAnchors>({ signers: true, timestamps: true }),
  ...all<keyof Evidence>({ trustAnchors: true, certificates: true, crls: true, ocsps: true }),
  ...all<keyof ValidationPolicy>({ revocation: true }),
  ...all<NonNullable<ValidationPolicy["revocation"]>>({ required: true, if_present: true }),
];

test.each([
  ["finding", FINDINGS],
  ["refusal", REFUSALS],
  ["word of a report", REPORT],
  ["option", OPTIONS],
])("the README names every %s", (_kind, names) => {
  expect(names.filter((name) => !README.includes(`\`${name}\``))).toEqual([]);
});

test("the README names exactly the examples that exist", () => {
  const examples = readdirSync(new URL(".", import.meta.url)).filter(
    (name) => name.endsWith(".ts") && !/^demo|\.test\.ts$/.test(name),
  );
  const named = [
    ...(/## Examples[\s\S]*?(?=\n## )/.exec(README)?.[0] ?? "").matchAll(/`([a-z-]+\.ts)`/g),
  ].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(examples));
});
