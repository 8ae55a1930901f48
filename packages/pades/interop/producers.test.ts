import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { archiveWith } from "../testing/archive.ts";
import { prepareAll, signAs } from "../testing/sign-flow.ts";
import { smallPdf } from "../testing/small-pdf.ts";
import { createTestPki, rsaKeys, TEST_NOW, type TestPki } from "../testing/test-pki.ts";
import { trusting } from "../testing/trusting.ts";
import { PdfString } from "@libpdf/core";
import { parseSignedData } from "../src/cms/signed-data.ts";
import { signedFields } from "../src/pdf/form-fields.ts";
import { follow, openPdf } from "../src/pdf/open-pdf.ts";
import { inspectPdf } from "../src/inspect/inspect-pdf.ts";
import { validate } from "../src/validate/validate.ts";
import { issueCertificate } from "../src/x509/issue-certificate.ts";
import { dssComplaints, harmedSignatures, pyHankoComplaints } from "./complaints.ts";
import { missingCorpus, trialFile } from "./corpus.ts";
import {
  type DssVerdict,
  type Judge,
  missingJudges,
  openDss,
  openPyHanko,
  PYHANKO_PYTHON,
  type PyHankoVerdict,
  signWithJava,
} from "./judge-process.ts";
import { liveWithTwo } from "./signing-rounds.ts";
import { type MakerKey, NODE_SIGNERS } from "./sign-in-node.ts";
import { type Folder, missingTool, pem, run, runAside, temporaryFolder } from "./tool.ts";

const missing = missingJudges() || missingTool("openssl");
const SCRIPT = new URL("./pyhanko/make.py", import.meta.url).pathname;
const ARCHIVED = new Date(TEST_NOW.getTime() + 3_600_000);
const MADE = new Date(ARCHIVED.getTime() + 3_600_000);
const JUDGED = new Date(MADE.getTime() + 3_600_000);
const WORD = "makers";
const CONTINUERS = ["pyhanko", "dss", "pdfbox", "openpdf", "libpdf"];
/**
 * They harm what we sealed: pdf-lib writes it anew, node-signpdf breaks its list of fields, zgapdfsigner names a description that it does not write
 * (pyHanko reads neither), and iText 2 notes itself in the page tree (pyHanko calls it a change as well). Of endesive's, see docs/known-limits.md.
 */
const BEGINNERS = ["pdf-lib", "signpdf", "zga", "itext2", "endesive"];
/** Signed by their makers, in collections of files. */
const COLLECTED: readonly (readonly [string, () => Uint8Array])[] = [
  ["iText 7", () => trialFile("cmp_padesSignatureLevelLTATest1")],
  ["LE_PAdES_Lib", () => trialFile("pkcs7")],
];

let folder: Folder;
let pki: TestPki;
let anchors: readonly string[];
let judges: { dss: Judge<DssVerdict>; pyHanko: Judge<PyHankoVerdict> };

/** An RSA key with its certificate, in each form that a maker asks for; node-forge, which three of them sign with, reads certificates of RSA alone. */
async function makerKey(): Promise<MakerKey> {
  const keys = await rsaKeys();
  const certificate = await issueCertificate(pki.ca, {
    profile: "signer",
    subject: { commonName: "Tiers" },
    subjectPublicKey: keys.spki,
    serialNumber: crypto.getRandomValues(new Uint8Array(16)),
    notBefore: new Date(TEST_NOW.getTime() - 60_000),
    notAfter: new Date(TEST_NOW.getTime() + 365 * 86_400_000),
  });
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey("pkcs8", keys.privateKey));
  const authority = pki.ca.certificates[0] as Uint8Array;
  folder.write("signer.key", pkcs8);
  folder.write("signer.crt", certificate);
  folder.write("ca.crt", authority);
  const [key, crt] = [folder.write("key.pem", pem("PRIVATE KEY", pkcs8)), folder.write("crt.pem", pem("CERTIFICATE", certificate))];
  const p12 = `${folder.path}/signer.p12`;
  const old = ["-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1"];
  const { code, output } = run("openssl", [
    "pkcs12",
    "-export",
    ...old,
    "-inkey",
    key,
    "-in",
    crt,
    "-passout",
    `pass:${WORD}`,
    "-out",
    p12,
  ]);
  if (code !== 0) throw new Error(output);
  return { privateKey: keys.privateKey, certificate, authority, p12: new Uint8Array(readFileSync(p12)), word: WORD };
}

async function signInNode(key: MakerKey, sources: Readonly<Record<string, Uint8Array>>): Promise<void> {
  for (const [name, source] of Object.entries(sources))
    for (const [maker, sign] of Object.entries(NODE_SIGNERS))
      if (name === "plain" || CONTINUERS.includes(maker)) folder.write(`${name}.${maker}.pdf`, await sign(source, key, MADE));
}

const made = (name: string): Uint8Array => new Uint8Array(readFileSync(`${folder.path}/${name}.pdf`));
const judge = (bytes: Uint8Array) =>
  validate(bytes, { evidence: trusting([...pki.root.certificates, ...pki.ca.certificates]), now: JUDGED });
const asked = (pdf: string) => ({ pdf, anchors, at: JUDGED });

describe.skipIf(missing)(`other makers of signatures${missing ? ` (${missing})` : ""}`, () => {
  beforeAll(async () => {
    folder = temporaryFolder();
    pki = await createTestPki("Autre Service", await rsaKeys());
    judges = { dss: openDss(), pyHanko: openPyHanko() };
    const key = await makerKey();
    anchors = [folder.write("root.der", pki.root.certificates[0] as Uint8Array), `${folder.path}/ca.crt`];
    const [alice, bob] = [await pki.issue({ commonName: "Alice" }), await pki.issue({ commonName: "Bob" })];
    const first = await signAs(await prepareAll(smallPdf()), { signer: alice, tsa: pki.tsa, ownerKey: "alice" });
    const second = await signAs(first, { signer: bob, tsa: pki.tsa, ownerKey: "bob" });
    const sources = { plain: smallPdf(), sealed: await archiveWith(pki, second, ARCHIVED) };
    for (const [name, bytes] of Object.entries(sources)) folder.write(`${name}.in.pdf`, bytes);
    const [python] = await Promise.all([
      runAside(PYHANKO_PYTHON, [SCRIPT, folder.path, MADE.toISOString()]),
      signWithJava(folder.path, MADE),
      signInNode(key, sources),
    ]);
    if (python.code !== 0) throw new Error(python.output);
  }, 120_000);
  afterAll(() => {
    if (missing) return;
    judges.dss.close();
    judges.pyHanko.close();
    folder.remove();
  });

  test.each([...CONTINUERS, ...BEGINNERS])(
    "%s: its file is accepted, and stays as DSS judges it once we have signed and archived it",
    async (maker) => {
      const theirs = made(`plain.${maker}`);
      expect(await inspectPdf(theirs)).toMatchObject({ result: "ok" });
      expect(await judge(theirs)).toMatchObject({ indication: "TOTAL_PASSED", problems: [] });
      const alice = await pki.issue({ commonName: "Alice" });
      const signed = await signAs(await prepareAll(theirs), { signer: alice, tsa: pki.tsa, ownerKey: "alice" });
      const archived = await archiveWith(pki, signed, JUDGED);
      const pdf = folder.write(`ours.${maker}.pdf`, archived);
      const [dss, pyHanko, report] = [await judges.dss.ask(asked(pdf)), await judges.pyHanko.ask(asked(pdf)), await judge(archived)];
      const expected = { signatures: 1, timestamps: 1 };
      expect({ dss: dssComplaints(dss, expected), pyHanko: pyHankoComplaints(pyHanko, expected), ours: report.problems }).toEqual({
        dss: [],
        pyHanko: [],
        ours: [],
      });
      const [foreign] = report.signatures;
      expect(dss.signatures?.[0]).toMatchObject({ field: foreign?.fieldName, indication: foreign?.indication });
      expect(pyHanko.signatures?.[0]).toMatchObject({ field: foreign?.fieldName, intact: true, valid: true, docmdp_ok: true });
      expect(report.indication).toBe("TOTAL_PASSED");
    },
  );

  test.each(CONTINUERS)("%s: what we sealed stays valid after its signature", async (maker) => {
    const report = await judge(made(`sealed.${maker}`));
    expect(report, JSON.stringify(report, null, 1)).toMatchObject({ indication: "TOTAL_PASSED", problems: [] });
    expect(report.signatures).toHaveLength(4);
    const [before, after] = await Promise.all(
      ["sealed.in", `sealed.${maker}`].map((name) => judges.dss.ask(asked(`${folder.path}/${name}.pdf`))),
    );
    if (!before || !after) throw new Error("DSS says nothing");
    expect(harmedSignatures(before, after, ({ indication, format }) => `${indication} ${format}`)).toEqual([]);
  });

  test.skipIf(missingCorpus).each(COLLECTED)(
    "%s: its file is judged as DSS judges it, once we have signed and archived it as well",
    async (_name, read) => {
      const theirs = read();
      const open = await openPdf(theirs);
      const certificates = signedFields(open).flatMap(({ value }) => {
        const contents = follow(open, value.get("Contents"));
        return contents instanceof PdfString ? [...parseSignedData(contents.bytes, "allowed").certificates] : [];
      });
      const trusted = certificates.map((certificate, index) => folder.write(`theirs-${index}.der`, certificate));
      const { archived } = await liveWithTwo(pki, theirs);
      const pdf = folder.write("collected.pdf", archived);
      const report = await validate(archived, { evidence: trusting([...pki.root.certificates, ...certificates]), now: JUDGED });
      const dss = await judges.dss.ask({ pdf, anchors: [...anchors, ...trusted], at: JUDGED });
      const found = report.signatures.map(({ fieldName, indication }) => [fieldName, indication]);
      const asDss = (dss.signatures ?? []).map(({ field, indication }) => [field, indication === "PASSED" ? "TOTAL_PASSED" : indication]);
      expect(found.toSorted()).toEqual(asDss.toSorted());
      expect(report).toMatchObject({ problems: [] });
      expect(found.slice(-3).map(([, indication]) => indication)).toEqual(["TOTAL_PASSED", "TOTAL_PASSED", "TOTAL_PASSED"]);
    },
  );
});
