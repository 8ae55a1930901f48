import type { SignatureReport, ValidationReport } from "@paraphe/pades";
import { expect, it } from "vitest";
import type { IssuedSigner } from "../../trust/public.ts";
import {
  assertArchived,
  assertPrefix,
  assertSigned,
  renewalTime,
  UnsoundSignatureError,
} from "./archive-revision.ts";
import { createRememberedNeeds } from "./create-sealing.ts";
import { appearanceLines } from "./sign-document.ts";

const PASSED: SignatureReport = {
  fieldName: "env_signature_1",
  kind: "signature",
  subFilter: "ETSI.CAdES.detached",
  indication: "TOTAL_PASSED",
  subIndication: null,
  checks: [],
  warnings: [],
  coverage: "whole_file",
  laterChanges: "none",
  level: "B-T",
  signerName: "Paul Morel",
  claimedTime: null,
  certificate: null,
  timestamp: null,
  revocation: null,
  issuerNames: [],
  hashAlgorithm: "SHA-256",
  revisionLength: 1_000,
};
const signature = (rest: Partial<SignatureReport> = {}): SignatureReport => ({
  ...PASSED,
  ...rest,
});
const earlier = (rest: Partial<SignatureReport> = {}) =>
  signature({ coverage: "whole_revision", laterChanges: "signing", ...rest });
const report = (
  signatures: readonly SignatureReport[],
  problems: ValidationReport["problems"] = [],
): ValidationReport => ({
  indication: "TOTAL_PASSED",
  signatures,
  problems,
  pageCount: 1,
});

it("a revision begins with the one before", () => {
  const before = Uint8Array.of(1, 2, 3);
  expect(() => assertPrefix(before, Uint8Array.of(1, 2, 3, 4))).not.toThrow();
  for (const after of [
    [1, 2, 3],
    [1, 2],
    [1, 9, 3, 4],
  ])
    expect(() => assertPrefix(before, Uint8Array.from(after))).toThrow(UnsoundSignatureError);
});

it("a revision passes when the new signature covers the whole of it, earlier ones of unknown authorities included", () => {
  expect(assertSigned(report([signature()]))).toBe("B-T");
  expect(
    assertSigned(
      report([
        earlier({ indication: "INDETERMINATE", level: null }),
        signature({ level: "B-LTA" }),
      ]),
    ),
  ).toBe("B-LTA");
});

it.each<[string, ValidationReport]>([
  ["no signature covers all of it", report([earlier()])],
  ["the new signature is not passed", report([signature({ indication: "INDETERMINATE" })])],
  ["it has no time-stamp", report([signature({ level: "B-B" })])],
  ["it has no level", report([signature({ level: null })])],
  [
    "an earlier signature was broken",
    report([earlier({ indication: "TOTAL_FAILED", laterChanges: "other" }), signature()]),
  ],
  ["something is wrong with the file", report([signature()], ["trailing_bytes"])],
])("a revision is refused when %s", (_what, found) => {
  expect(() => assertSigned(found)).toThrow(UnsoundSignatureError);
});

const certificate = (serialNumber: string) => ({ serialNumber }) as SignatureReport["certificate"];
const proven = (serial: string, rest: Partial<SignatureReport> = {}) =>
  earlier({ level: "B-LTA", certificate: certificate(serial), ...rest });
const stamp = signature({ kind: "document_timestamp", level: null });

it("a long-term revision passes with our signatures at B-LTA under a document time-stamp", () => {
  expect(() =>
    assertArchived(report([proven("0a"), proven("0b"), stamp]), ["0a", "0b"]),
  ).not.toThrow();
  expect(() =>
    assertArchived(report([proven("0a"), proven("0a"), stamp]), ["0a", "0a"]),
  ).not.toThrow();
});

it.each<[string, ValidationReport, readonly string[]]>([
  ["one of our signatures is not in it", report([proven("0a"), stamp]), ["0a", "0b"]],
  [
    "the organisation's key made two, of which one is proven",
    report([proven("0a"), proven("0a", { level: "B-T" }), stamp]),
    ["0a", "0a"],
  ],
  ["one is below B-LTA", report([proven("0a", { level: "B-LT" }), stamp]), ["0a"]],
  ["one is not passed", report([proven("0a", { indication: "INDETERMINATE" }), stamp]), ["0a"]],
  ["nothing stamps it", report([proven("0a")]), ["0a"]],
  [
    "its time-stamp is not passed",
    report([proven("0a"), { ...stamp, indication: "INDETERMINATE" }]),
    ["0a"],
  ],
  [
    "its time-stamp does not cover all of it",
    report([proven("0a"), { ...stamp, coverage: "whole_revision" }]),
    ["0a"],
  ],
  [
    "something is wrong with the file",
    report([proven("0a"), stamp], ["unlisted_signature"]),
    ["0a"],
  ],
])("a long-term revision is refused when %s", (_what, found, serials) => {
  expect(() => assertArchived(found, serials)).toThrow(UnsoundSignatureError);
});

const der = (text: string) => new TextEncoder().encode(text);
const [alice, bob, ca, root, tsa] = ["alice", "bob", "ca", "root", "tsa"].map(der) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
/** The tests read only its certificates. */
const signer = (leaf: Uint8Array, issuer = ca) =>
  ({ certificateDer: leaf, signer: { certificates: [leaf, issuer] } }) as unknown as IssuedSigner;
const evidence = { trustAnchors: { signers: [root], timestamps: [] }, certificates: [ca, tsa] };
const needs = {
  certificates: [alice, ca, root, tsa],
  revocations: [
    { certificate: alice, issuer: ca },
    { certificate: ca, issuer: root },
    { certificate: tsa, issuer: root },
  ],
};

it("remembered needs serve the next signer, with their own certificate", () => {
  const memory = createRememberedNeeds();
  expect(memory.recall({ issued: signer(alice), evidence })).toBeNull();
  memory.keep({ issued: signer(alice), evidence }, needs);
  expect(
    memory.recall({
      issued: signer(bob.slice()),
      evidence: {
        trustAnchors: { signers: [root.slice()], timestamps: [] },
        certificates: [ca.slice(), tsa.slice()],
      },
    }),
  ).toEqual({
    certificates: [bob, ca, root, tsa],
    revocations: [{ certificate: bob, issuer: ca }, ...needs.revocations.slice(1)],
  });
});

it("remembered needs are dropped when an authority changes", () => {
  const memory = createRememberedNeeds();
  memory.keep({ issued: signer(alice), evidence }, needs);
  const other = der("other");
  expect(memory.recall({ issued: signer(bob, other), evidence })).toBeNull();
  expect(
    memory.recall({
      issued: signer(bob),
      evidence: { ...evidence, certificates: [ca, tsa, other] },
    }),
  ).toBeNull();
  expect(
    memory.recall({ issued: signer(bob), evidence: { ...evidence, certificates: [ca, other] } }),
  ).toBeNull();
  expect(
    memory.recall({
      issued: signer(bob),
      evidence: { ...evidence, trustAnchors: { signers: [], timestamps: [] } },
    }),
  ).toBeNull();
  expect(memory.recall({ issued: signer(bob), evidence })).not.toBeNull();
  memory.forget();
  expect(memory.recall({ issued: signer(bob), evidence })).toBeNull();
});

it("an appearance names the person and the envelope", () => {
  const lines = appearanceLines({
    fullName: "Zoë Œuvrard",
    signedAt: new Date("2026-11-21T14:16:04Z"),
    envelopeId: "0199-abc",
  });
  expect(lines).toEqual([
    "Zoë Œuvrard",
    "Signé électroniquement le 21/11/2026 à 15:16:04 (UTC+1)",
    "Enveloppe 0199-abc",
  ]);
});

const at = (day: string) => new Date(`${day}T00:00:00Z`);

it("a renewal is half a year before the authority's certificate ends", () => {
  expect(renewalTime(at("2026-11-21"), at("2036-11-21"))).toEqual(at("2036-05-25"));
});

it("a renewal leaves a quarter of a short life", () => {
  expect(renewalTime(at("2026-01-01"), at("2026-01-09"))).toEqual(at("2026-01-07"));
});

it("a renewal is due at once when the certificate has ended", () => {
  expect(renewalTime(at("2026-01-09"), at("2026-01-01"))).toEqual(at("2026-01-01"));
});
