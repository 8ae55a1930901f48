import { beforeAll, expect, test } from "vitest";
import {
  type AttackStage,
  createAttackStage,
  sealed,
  STAGE_LATER,
} from "../../testing/attack-stage.ts";
import { forgedRevision, lastObject, latin, previousOf } from "../../testing/forge.ts";
import { freeCms, signFreely } from "../../testing/sign-freely.ts";
import { prepareAll, signAs } from "../../testing/sign-flow.ts";
import { smallPdf, streamXrefPdf } from "../../testing/small-pdf.ts";
import { TEST_NOW, TEST_POLICY, trusting } from "../../testing/test-pki.ts";
import { inspectPdf } from "../inspect/inspect-pdf.ts";
import { PadesError, unlessBug } from "../pades-error.ts";
import { latinBytes } from "../pdf/incremental-update.ts";
import { createTimestampToken } from "../tsp/timestamp.ts";
import { createOcspCertId, createOcspResponse } from "../x509/ocsp.ts";
import type { Evidence, ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

let stage: AttackStage;
beforeAll(async () => {
  stage = await createAttackStage();
});
const validated = (
  bytes: Uint8Array,
  evidence: Partial<Evidence> = {},
  now = STAGE_LATER,
): Promise<ValidationReport> =>
  validate(bytes, { evidence: { ...trusting(stage.pki.root.certificates), ...evidence }, now });
const subs = ({ signatures }: ValidationReport): unknown[] =>
  signatures.map(({ subIndication }) => subIndication);

test("unlessBug rethrows a bug and gives its value for a refusal", () => {
  expect(unlessBug(new PadesError("pdf_damaged", "x"), 1)).toBe(1);
  expect(() => unlessBug(new TypeError("bug"), 1)).toThrow("bug");
});

const tooComplex = {
  indication: "TOTAL_FAILED",
  signatures: [],
  problems: ["pdf_too_complex"],
  pageCount: expect.any(Number),
};

test("a file with too many updates fails validation, and is refused at upload", async () => {
  const parts = [latin(stage.first)];
  let length = stage.first.length;
  let previous = previousOf(stage.first);
  for (let update = 0; update < 1_800; update += 1) {
    const text = `xref\n0 1\n0000000000 65535 f\r\ntrailer\n<</Size 100/Root 1 0 R/Prev ${previous}>>\nstartxref\n${length}\n%%EOF\n`;
    previous = String(length);
    length += text.length;
    parts.push(text);
  }
  const file = latinBytes(parts.join(""));
  expect(await validated(file)).toEqual(tooComplex);
  await expect(inspectPdf(file)).rejects.toMatchObject({ code: "pdf_too_complex" });
});

test("a file with too many signatures fails validation", async () => {
  const fields = Array.from(
    { length: 1_001 },
    (_, index) => `<</FT/Sig/T(s${index})/V 6 0 R>>`,
  ).join("");
  const value = "<</Type/Sig/ByteRange[0 1 2 3]/Contents<00>>>";
  expect(
    await validated(
      smallPdf({ catalogExtra: `/AcroForm<</Fields[${fields}]>>`, objects: { 6: value } }),
    ),
  ).toEqual(tooComplex);
});

test("a file with a cross-reference stream passes with two signers", async () => {
  const first = await signAs(await prepareAll(streamXrefPdf()), {
    signer: stage.alice,
    tsa: stage.pki.tsa,
    ownerKey: "alice",
  });
  const second = await signAs(first, { signer: stage.bob, tsa: stage.pki.tsa, ownerKey: "bob" });
  expect(await validated(second)).toMatchObject({ indication: "TOTAL_PASSED" });
});

const free = (cms: (covered: Uint8Array) => Promise<Uint8Array>): Promise<Uint8Array> =>
  signFreely(stage.prepared, { cms });
test("a value that is no CMS, or lacks its certificate, does not pass", async () => {
  expect(subs(await validated(await free(async () => Uint8Array.of(4, 2, 1, 1))))).toEqual([
    "FORMAT_FAILURE",
  ]);
  expect(subs(await validated(await free(async () => Uint8Array.of(0x30, 0x81))))).toEqual([
    "FORMAT_FAILURE",
  ]);
  const anonymous = await signAs(stage.prepared, {
    signer: { ...stage.alice, certificates: stage.alice.certificates },
    ownerKey: "alice",
  });
  expect(subs(await validated(anonymous))).toEqual([null]);
  const missing = await free(async (covered) => freeCms(covered, { ...stage.free, carried: [] }));
  expect(subs(await validated(missing))).toEqual(["NO_SIGNING_CERTIFICATE_FOUND"]);
});
test("a CMS over another content type, or with an unreadable certificate, does not pass", async () => {
  expect(
    subs(
      await validated(
        await free((covered) => freeCms(covered, { ...stage.free, attributes: "other_type" })),
      ),
    ),
  ).toEqual(["HASH_FAILURE"]);
  const garbage = await free((covered) =>
    freeCms(covered, { ...stage.free, carried: [Uint8Array.of(0x30, 0)] }),
  );
  expect(subs(await validated(garbage))).toEqual(["FORMAT_FAILURE"]);
});
test("unreadable evidence is ignored", async () => {
  const broken = Uint8Array.of(0x30, 0x80);
  expect(
    await validated(stage.first, { certificates: [broken], crls: [broken], ocsps: [broken] }),
  ).toMatchObject({
    indication: "TOTAL_PASSED",
  });
});

const stamped = (now: Date): Promise<Uint8Array> =>
  signAs(stage.prepared, {
    signer: stage.alice,
    ownerKey: "alice",
    tsa: {
      timestamp: (imprint) =>
        createTimestampToken(
          { hashAlgorithm: "SHA-256", imprint, nonce: null, certificateRequested: true },
          {
            signer: stage.pki.tsaSigner,
            policyOid: TEST_POLICY,
            serialNumber: Uint8Array.of(9),
            now,
          },
        ),
    },
  });
test("a time-stamp from the future, or from before its authority, proves no time", async () => {
  const day = 86_400_000;
  expect(subs(await validated(await stamped(new Date(STAGE_LATER.getTime() + day))))).toEqual([
    "TIMESTAMP_ORDER_FAILURE",
  ]);
  expect(subs(await validated(await stamped(new Date(TEST_NOW.getTime() - 500 * day))))).toEqual([
    "SIG_CONSTRAINTS_FAILURE",
  ]);
});

test("a document time-stamp ahead of our clock fails nothing and proves no time", async () => {
  const report = await validate(stage.archived, {
    evidence: trusting(stage.pki.root.certificates),
    now: new Date(TEST_NOW.getTime() - 5_000),
  });
  expect(report.indication).toBe("INDETERMINATE");
  expect(subs(report).at(-1)).toBe("TIMESTAMP_ORDER_FAILURE");
});

test("revocation data about something else is ignored", async () => {
  const { pki, stranger, alice } = stage;
  const [leaf, ca] = alice.certificates as [Uint8Array, Uint8Array];
  const own = await createOcspCertId(leaf, ca);
  const foreign = await createOcspCertId(leaf, pki.root.certificates[0] as Uint8Array);
  const revoked = {
    status: "revoked" as const,
    revokedAt: new Date(0),
    thisUpdate: STAGE_LATER,
    nextUpdate: STAGE_LATER,
  };
  const answer = (signer: typeof pki.ocsp, certId: typeof own): Promise<Uint8Array> =>
    createOcspResponse(signer, { producedAt: STAGE_LATER, answers: [{ certId, ...revoked }] });
  const ocsps = [await answer(pki.ocsp, foreign), await answer(stranger.ocsp, own)];
  expect(await validated(stage.first, { ocsps })).toMatchObject({ indication: "TOTAL_PASSED" });
  expect(subs(await validated(stage.first, { ocsps: [await answer(pki.ocsp, own)] }))).toEqual([
    "REVOKED",
  ]);
});

test("an undecodable security store, or value in it, is ignored", async () => {
  const { number, syntax } = lastObject(stage.archived, "/Type/DSS");
  const broken = forgedRevision(stage.archived, {
    objects: {
      [number]: syntax.replace(/\/Certs ?\[/, "/Certs[980 0 R "),
      980: "<</Filter/Nonsense/Length 1>>\nstream\nx\nendstream",
    },
  });
  expect((await validated(broken)).indication).not.toBe("TOTAL_PASSED");
});

test("FieldMDP locks all fields, all but some, or the named ones; anything else locks nothing", async () => {
  const locked = (action: string): Promise<Uint8Array> =>
    signFreely(stage.prepared, {
      cms: (covered) => sealed({ signer: stage.alice, tsa: stage.pki.tsa }, covered),
      reference: `/Reference[null<</TransformMethod/FieldMDP/TransformParams<</Action/${action}/Fields[(env-0198_b-txt)4]>>>>]`,
    });
  for (const [action, expected] of [
    ["All", "other"],
    ["Exclude", "unsigned_filling"],
    ["Include", "other"],
  ] as const) {
    const signed = await locked(action);
    const { number, syntax } = lastObject(signed, "/T(env-0198_b-txt)");
    const filled = forgedRevision(signed, {
      objects: { [number]: `${syntax.slice(0, -2)}/V(Bon)>>` },
    });
    expect((await validated(filled)).signatures[0]?.laterChanges, action).toBe(expected);
  }
});

test("a removed form, moved or repeated fields, and an endless value are changes", async () => {
  const form = lastObject(stage.first, "/SigFlags");
  const grow = (change: (fields: string) => string): Uint8Array =>
    forgedRevision(stage.first, {
      objects: {
        [form.number]: form.syntax.replace(
          /(\/Fields ?\[)([^\]]*)\]/,
          (_all, head, list) => `${head}${change(list)}]`,
        ),
      },
    });
  const attacks = [
    grow((list) =>
      list
        .split(/(?<=R) /)
        .toReversed()
        .join(" "),
    ),
    forgedRevision(
      grow((list) => `${list} 991 0 R`),
      { objects: { 991: lastObject(stage.first, "/T (env-0198_a-date)").syntax } },
    ),
  ];
  for (const [index, bytes] of attacks.entries())
    expect((await validated(bytes)).indication, String(index)).not.toBe("TOTAL_PASSED");
});

test("a revision that cannot be opened alone fails the signature", async () => {
  const end = "startxref 5 %%EOF";
  let cut = 0;
  const base = smallPdf({ catalogExtra: "/PieceInfo<</Encrypt 1>>" });
  const signed = await signFreely(base, {
    cms: (covered) => sealed({ signer: stage.alice }, covered),
    formExtra: `/Note(${end})`,
    range: ({ from, to, end: length }) => [0, from, to, cut > 0 ? cut - to : length - to],
  });
  cut = latin(signed).lastIndexOf(end) + end.length;
  const early = await signFreely(base, {
    cms: (covered) => sealed({ signer: stage.alice }, covered),
    formExtra: `/Note(${end})`,
    range: ({ from, to }) => [0, from, to, cut - to],
  });
  expect((await validated(early)).signatures).toMatchObject([
    { coverage: "whole_revision", laterChanges: "other", indication: "TOTAL_FAILED" },
  ]);
});

test("a signed revision without the catalog that a later one brings fails", async () => {
  const table = (objects: readonly (readonly [number, number])[]) =>
    objects
      .map(([number, offset]) => `${number} 1\n${String(offset).padStart(10, "0")} 00000 n \n`)
      .join("");
  const head =
    "%PDF-1.7\n9 0 obj\n<</Type/Sig/Filter/Adobe.PPKLite/SubFilter/ETSI.CAdES.detached/Contents <00ff>/ByteRange [0 ";
  const from = head.indexOf("<00ff>");
  const to = from + "<00ff>".length;
  const firstOf = (rest: number) => {
    const object = `${head}${from} ${to} ${String(rest).padStart(4)}]>>\nendobj\n`;
    const trailer = `trailer\n<</Size 10/Root 1 0 R>>\nstartxref\n${object.length}\n%%EOF\n`;
    return {
      text: `${object}xref\n0 1\n0000000000 65535 f \n${table([[9, 9]])}${trailer}`,
      xref: object.length,
    };
  };
  const first = firstOf(firstOf(0).text.length - to);
  const objects = [
    "1 0 obj\n<</Type/Catalog/Pages 2 0 R/AcroForm<</SigFlags 3/Fields[4 0 R]>>>>\nendobj\n",
    "2 0 obj\n<</Type/Pages/Count 1/Kids[3 0 R]>>\nendobj\n",
    "3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Annots[4 0 R]>>\nendobj\n",
    "4 0 obj\n<</Type/Annot/Subtype/Widget/FT/Sig/T(sceau)/Rect[0 0 0 0]/P 3 0 R/V 9 0 R>>\nendobj\n",
  ];
  let bytes = first.text;
  const places = objects.map((object, index) => {
    const place = [index + 1, bytes.length] as const;
    bytes += object;
    return place;
  });
  const xref = bytes.length;
  bytes += `xref\n${table(places)}trailer\n<</Size 10/Root 1 0 R/Prev ${first.xref}>>\nstartxref\n${xref}\n%%EOF\n`;
  expect((await validated(latinBytes(bytes))).signatures).toMatchObject([
    { coverage: "whole_revision", laterChanges: "other" },
  ]);
});

test("a VRI entry for a value that is no signature is a change", async () => {
  const { number, syntax } = lastObject(stage.first, "/T(env-0198_signature_bob)");
  const catalog = lastObject(stage.first, "/Type /Catalog");
  const attacked = forgedRevision(stage.first, {
    objects: {
      [number]: `${syntax.slice(0, -2)}/V<</Type/Sig/SubFilter/ETSI.CAdES.detached/ByteRange[0 1 2 3]/Contents<00>>>>>`,
      [catalog.number]: `${catalog.syntax.slice(0, -2)}/DSS<</VRI<</${"CD".repeat(20)}<<>>>>>>>>`,
    },
  });
  expect((await validated(attacked)).signatures).toMatchObject([
    { laterChanges: "other" },
    { laterChanges: "other" },
  ]);
});
