import { createHash } from "node:crypto";
import type { SignatureReport } from "@paraphe/pades";
import { describe, expect, test } from "vitest";
import type { JournalSignature } from "./journal.ts";
import { isFileNamed, matchFile, serialNumber } from "./match-file.ts";

const AT = "2026-11-21T10:00:00.000Z";
const OF = { envelope: "env", document: "d1" } as const;
const MADE: JournalSignature = {
  recipient: "r1",
  serial: "0a:0B",
  name: "Paul",
  since: AT,
  at: AT,
  documents: ["d1"],
  reach: null,
  delegator: null,
};

/** Paul's signature in his own field, under the service's root. */
const found = (
  part: Partial<SignatureReport> = {},
  certificate: Partial<NonNullable<SignatureReport["certificate"]>> = {},
): SignatureReport => ({
  fieldName: "env_signature_r1",
  kind: "signature",
  subFilter: "ETSI.CAdES.detached",
  indication: "TOTAL_PASSED",
  subIndication: null,
  checks: [],
  warnings: [],
  coverage: "whole_file",
  laterChanges: "none",
  level: "B-T",
  signerName: "Paul",
  claimedTime: null,
  certificate: {
    der: new Uint8Array(),
    sha256: "ab",
    subject: { commonName: "Paul" },
    issuer: { commonName: "Paraphe" },
    emails: ["paul@exemple.fr"],
    serialNumber: "000A0b",
    notBefore: new Date(AT),
    notAfter: new Date(AT),
    policyOids: ["2.25.1"],
    ...certificate,
  },
  issuerNames: ["Paraphe"],
  hashAlgorithm: "SHA-256",
  timestamp: { time: new Date(AT), authorityName: "Horodatage", policyOid: "1.2", trusted: true },
  revocation: null,
  revisionLength: 100,
  ...part,
});

const match = (
  signatures: readonly SignatureReport[],
  made: readonly JournalSignature[] = [MADE],
) => matchFile({ signatures: made }, OF, { signatures });
const isNamed = (report: SignatureReport, made: Partial<JournalSignature> = {}) =>
  match([report], [{ ...MADE, ...made }]).named[0]?.report === report;

describe("a signature that the journal names", () => {
  test("is found by its field and certificate number, in any notation", () => {
    expect(isNamed(found())).toBe(true);
    expect(isNamed(found({}, { serialNumber: "0c" }))).toBe(false);
    expect([serialNumber("00:0A:ff"), serialNumber("0aFF"), serialNumber("00")]).toEqual([
      "aff",
      "aff",
      "",
    ]);
  });

  test.each([
    ["of another person", found({ fieldName: "env_signature_r2" })],
    ["of another envelope", found({ fieldName: "other_signature_r1" })],
    ["whose field only ends like it", found({ fieldName: "x_env_signature_r1" })],
    ["without a certificate", found({ certificate: null })],
    ["that is a time-stamp's", found({ kind: "document_timestamp" })],
  ])("does not count %s", (_what, report) => {
    expect(match([report]).named).toEqual([{ made: MADE, report: undefined }]);
  });

  test("is only searched in its own documents", () => {
    expect(match([], [{ ...MADE, documents: ["d2"] }])).toEqual({
      named: [],
      unnamed: [],
      faults: [],
    });
  });

  test("has the time of its time-stamp, within the clock margin", () => {
    const stampedAt = (time: string) =>
      match([found({ timestamp: { ...found().timestamp, time: new Date(time) } as never })]).faults;
    expect(stampedAt("2026-11-21T09:51:00.000Z")).toEqual([]);
    expect(stampedAt("2026-11-20T10:00:00.000Z")).toEqual([
      `L’historique dit la signature de «\u00a0Paul\u00a0» du ${AT}, et son horodatage du 2026-11-20T10:00:00.000Z.`,
    ]);
    expect(match([found({ timestamp: null })]).faults).toEqual([]);
  });

  test("has the name in a person's certificate, with or without address; the organisation's names nobody", () => {
    const [other] = match([found({}, { subject: { commonName: "Marcel" } })]).faults;
    expect(other).toBe(
      "L’historique dit que «\u00a0Paul\u00a0» a signé, et le certificat de la signature est celui de «\u00a0Marcel\u00a0».",
    );
    expect(
      match([found({}, { subject: { commonName: "Société" }, policyOids: [] })]).faults,
    ).toEqual([]);
    expect(match([found({}, { subject: { commonName: "Marcel" }, emails: [] })]).faults).toEqual([
      other,
    ]);
    const long = "P".repeat(80);
    expect(
      match([found({}, { subject: { commonName: "P".repeat(64) } })], [{ ...MADE, name: long }])
        .faults,
    ).toEqual([]);
    expect(
      match([found({}, { subject: { commonName: "Marcel" } })], [{ ...MADE, name: null }]).faults,
    ).toEqual([]);
  });
});

describe("a signature that the journal does not name", () => {
  const stray = found({ fieldName: "env_signature_r9", revisionLength: 200 });

  test("is reported when it is under the service's root, after the first one named", () => {
    expect(match([found(), stray]).unnamed).toEqual([stray]);
  });

  test.each([
    [
      "which came with the file that was sent",
      found({ fieldName: "old_signature_r9", revisionLength: 50 }),
    ],
    [
      "under somebody else's root",
      found({ fieldName: "Signature1", revisionLength: 200, issuerNames: [] }),
    ],
    [
      "that is a time-stamp of the archive",
      found({ kind: "document_timestamp", revisionLength: 200 }),
    ],
  ])("does not count %s", (_what, other) => {
    expect(match([other, found()]).unnamed).toEqual([]);
  });

  test("is not reported where no named signature was found, a fault by itself", () => {
    expect(match([stray]).unnamed).toEqual([]);
  });
});

describe("the file that the journal names", () => {
  const bytes = new TextEncoder().encode("first|second|third");
  const shaOf = (length: number): string =>
    createHash("sha256").update(bytes.subarray(0, length)).digest("hex");
  const [first, second, whole] = [shaOf(6), shaOf(13), shaOf(bytes.length)];
  const named = (
    files: readonly string[],
    { sha256 = whole, ends = [6, 13, bytes.length] } = {},
  ) => {
    const hash = createHash("sha256");
    const running = {
      update: (part: Uint8Array) => hash.update(part),
      digestSoFar: () => hash.copy().digest("hex"),
    };
    return isFileNamed(
      { files: new Map([["d1", files]]) },
      { document: "d1", sha256, bytes, ends },
      running,
    );
  };

  test("is the last one and begins with each earlier one", () => {
    expect(named([first, second, whole])).toBe(true);
    expect(named([whole])).toBe(true);
    expect(named([second, whole, whole])).toBe(true);
    // In any order, and twice.
    expect(named([first, second, whole], { ends: [bytes.length, 6, 13, 13] })).toBe(true);
  });

  test.each<[string, boolean]>([
    ["named last is another", named([first, shaOf(3)])],
    ["is named for nothing", named([])],
    ["does not begin with one that was named before", named(["ab".repeat(32), whole])],
    ["has no signature where an earlier one ended", named([first, whole], { ends: [13] })],
    ["ends before where a signature says", named([first, whole], { ends: [1_000] })],
  ])("is refused when it %s", (_what, is) => {
    expect(is).toBe(false);
  });
});
