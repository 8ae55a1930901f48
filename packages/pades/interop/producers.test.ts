import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { archiveWith } from "../testing/archive.ts";
import { DESCRIPTION } from "../testing/attacks-meaning.ts";
import { forgedRevision, lastObject } from "../testing/forge.ts";
import { prepareAll, signAs } from "../testing/sign-flow.ts";
import { type SmallPdfOptions, smallPdf } from "../testing/small-pdf.ts";
import { TEST_NOW, type TestPki, createTestPki, rsaKeys, trusting } from "../testing/test-pki.ts";
import { CryptoKeySigner, PDF, PdfDict, PdfStream, PdfString } from "@libpdf/core";
import { parseSignedData } from "../src/cms/signed-data.ts";
import { signedFields } from "../src/pdf/form-fields.ts";
import { latinText } from "../src/pdf/byte-reader.ts";
import { arrayAt, follow, openPdf } from "../src/pdf/open-pdf.ts";
import { inspectPdf } from "../src/inspect/inspect-pdf.ts";
import { validate } from "../src/validate/validate.ts";
import { issueCertificate } from "../src/x509/certificate.ts";
import { dssComplaints, harmedSignatures, pyHankoComplaints } from "./complaints.ts";
import { missingCorpus, trialFile } from "./corpus.ts";
import {
  type Answer,
  type DssVerdict,
  NODE_MAKERS,
  openDss,
  openPyHanko,
  PYHANKO_PYTHON,
  type PyHankoVerdict,
  signWithJava,
  unavailableValidators,
  type Validator,
} from "./validators.ts";
import { liveWithTwo } from "./signing-rounds.ts";
import { type Folder, missingTool, pem, run, runAside, temporaryFolder } from "./tool.ts";
import { createRequire } from "node:module";

const missing = unavailableValidators() || missingTool("openssl");
const SCRIPT = new URL("./pyhanko/make.py", import.meta.url).pathname;
const ARCHIVED = new Date(TEST_NOW.getTime() + 3_600_000);
const MADE = new Date(ARCHIVED.getTime() + 3_600_000);
const JUDGED = new Date(MADE.getTime() + 3_600_000);
const WORD = "makers";
const CONTINUERS = ["pyhanko", "dss", "pdfbox", "openpdf", "itext2", "libpdf", "endesive"];
/**
 * These makers harm what we sealed: pdf-lib writes it anew, node-signpdf breaks its list of fields,
 * zgapdfsigner changes when and by what the file was made.
 */
const BEGINNERS = ["pdf-lib", "signpdf", "zga"];
/** What the sealed file says about itself: some makers write that anew, in their own encoding. */
const SAYS = {
  "no title": {},
  "a title in ASCII": {
    trailerExtra: "/Info 30 0 R",
    objects: { 30: "<</Title(Bail)/Author(Alice)>>" },
  },
  "a title in PDFDocEncoding": {
    trailerExtra: "/Info 30 0 R",
    objects: { 30: "<</Title(R\\351sum\\351 \\240)/Producer(x)>>" },
  },
  "a title in UTF-16": {
    trailerExtra: "/Info 30 0 R",
    objects: { 30: "<</Title<FEFF004200610069006C201320AC>/Keywords<FEFF>>>" },
  },
  "a title in UTF-8": {
    trailerExtra: "/Info 30 0 R",
    objects: { 30: "<</Title<EFBBBF4261696CE282AC>>>" },
  },
  "metadata alone": { catalogExtra: "/Metadata 31 0 R", objects: { 31: DESCRIPTION } },
  "a title and metadata": {
    catalogExtra: "/Metadata 31 0 R",
    trailerExtra: "/Info 30 0 R",
    objects: {
      30: "<</Title(Bail & annexes)/Producer(x)/ModDate(D:20261120150000+01'00')>>",
      31: DESCRIPTION,
    },
  },
} satisfies Readonly<Record<string, SmallPdfOptions>>;
/** Collections have these files, signed by their makers. */
const COLLECTED: readonly (readonly [string, () => Uint8Array])[] = [
  ["iText 7", () => trialFile("cmp_padesSignatureLevelLTATest1")],
  ["LE_PAdES_Lib", () => trialFile("pkcs7")],
];

let folder: Folder;
let pki: TestPki;
let anchors: readonly string[];
/** DSS's answer about the sealed file before anybody signs it further; asked once. */
let sealedBefore: Promise<Answer<DssVerdict>> | undefined;
let validators: { dss: Validator<DssVerdict>; pyHanko: Validator<PyHankoVerdict> };

/**
 * Makes an RSA key with its certificate, in each form that a maker needs; node-forge, which three
 * of them sign with, reads RSA certificates alone.
 */
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
  const [key, crt] = [
    folder.write("key.pem", pem("PRIVATE KEY", pkcs8)),
    folder.write("crt.pem", pem("CERTIFICATE", certificate)),
  ];
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
  return {
    privateKey: keys.privateKey,
    certificate,
    authority,
    p12: new Uint8Array(readFileSync(p12)),
    word: WORD,
  };
}

async function signInNode(
  key: MakerKey,
  sources: Readonly<Record<string, Uint8Array>>,
): Promise<void> {
  for (const [name, source] of Object.entries(sources))
    for (const [maker, sign] of Object.entries(NODE_SIGNERS))
      if (name === "plain" || CONTINUERS.includes(maker))
        folder.write(`${name}.${maker}.pdf`, await sign(source, key, MADE));
}

const made = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(`${folder.path}/${name}.pdf`));
const validated = (bytes: Uint8Array) =>
  validate(bytes, {
    evidence: trusting([...pki.root.certificates, ...pki.ca.certificates]),
    now: JUDGED,
  });
const asked = (pdf: string) => ({ pdf, anchors, at: JUDGED });

describe.skipIf(missing)(`other makers of signatures${missing ? ` (${missing})` : ""}`, () => {
  beforeAll(async () => {
    folder = temporaryFolder();
    pki = await createTestPki("Autre Service", await rsaKeys());
    validators = { dss: openDss(), pyHanko: openPyHanko() };
    const key = await makerKey();
    anchors = [
      folder.write("root.der", pki.root.certificates[0] as Uint8Array),
      `${folder.path}/ca.crt`,
    ];
    const [alice, bob] = [
      await pki.issue({ commonName: "Alice" }),
      await pki.issue({ commonName: "Bob" }),
    ];
    const sources: Record<string, Uint8Array> = { plain: smallPdf() };
    for (const [says, options] of Object.entries(SAYS)) {
      const first = await signAs(await prepareAll(smallPdf(options)), {
        signer: alice,
        tsa: pki.tsa,
        ownerKey: "alice",
      });
      const second = await signAs(first, { signer: bob, tsa: pki.tsa, ownerKey: "bob" });
      sources[says] = await archiveWith(pki, second, ARCHIVED);
    }
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
    validators.dss.close();
    validators.pyHanko.close();
    folder.remove();
  });

  test.each([...CONTINUERS, ...BEGINNERS])(
    "a file signed by %s is accepted, and DSS's verdict on it stays after our signature and archive",
    async (maker) => {
      const theirs = made(`plain.${maker}`);
      expect(await inspectPdf(theirs)).toMatchObject({ result: "ok" });
      expect(await validated(theirs)).toMatchObject({ indication: "TOTAL_PASSED", problems: [] });
      const alice = await pki.issue({ commonName: "Alice" });
      const signed = await signAs(await prepareAll(theirs), {
        signer: alice,
        tsa: pki.tsa,
        ownerKey: "alice",
      });
      const archived = await archiveWith(pki, signed, JUDGED);
      const pdf = folder.write(`ours.${maker}.pdf`, archived);
      const [dss, pyHanko, report] = [
        await validators.dss.ask(asked(pdf)),
        await validators.pyHanko.ask(asked(pdf)),
        await validated(archived),
      ];
      const expected = { signatures: 1, timestamps: 1 };
      expect({
        dss: dssComplaints(dss, expected),
        pyHanko: pyHankoComplaints(pyHanko, expected),
        ours: report.problems,
      }).toEqual({
        dss: [],
        pyHanko: [],
        ours: [],
      });
      const [foreign] = report.signatures;
      expect(dss.signatures?.[0]).toMatchObject({
        field: foreign?.fieldName,
        indication: foreign?.indication,
      });
      expect(pyHanko.signatures?.[0]).toMatchObject({
        field: foreign?.fieldName,
        intact: true,
        valid: true,
        docmdp_ok: true,
      });
      expect(report.indication).toBe("TOTAL_PASSED");
    },
  );

  test.each(CONTINUERS.flatMap((maker) => Object.keys(SAYS).map((says) => [maker, says] as const)))(
    "our sealed file stays valid after a signature by %s, with %s",
    async (maker, says) => {
      const report = await validated(made(`${says}.${maker}`));
      expect(report, JSON.stringify(report, null, 1)).toMatchObject({
        indication: "TOTAL_PASSED",
        problems: [],
      });
      expect(report.signatures).toHaveLength(4);
    },
  );

  test("the output intent that DSS adds is accepted unchanged, no other", async () => {
    const dss = await openPdf(made("no title.dss"));
    const intent = follow(dss, arrayAt(dss, dss.catalog, "OutputIntents")?.at(0));
    const profile =
      intent instanceof PdfDict ? follow(dss, intent.get("DestOutputProfile")) : undefined;
    if (!(profile instanceof PdfStream)) throw new Error("DSS names no colours");
    const srgb = latinText(profile.getDecodedData());
    const sealed = made("no title.in");
    const { number, syntax } = lastObject(sealed, "/Type /Catalog");
    const verdict = async (intents: string, data = srgb, entries = "/N 3"): Promise<string> => {
      const stream = `<<${entries}/Length ${data.length}>>\nstream\n${data}\nendstream`;
      const objects = {
        [number]: `${syntax.slice(0, -2)}/OutputIntents[${intents}]>>`,
        981: stream,
      };
      return (await validated(forgedRevision(sealed, { objects }))).indication;
    };
    const screen = "<</S/GTS_PDFA1/OutputCondition(sRGB)/DestOutputProfile 981 0 R>>";
    expect(await verdict(screen)).toBe("TOTAL_PASSED");
    expect(await verdict(screen, `${srgb.slice(0, -1)}x`)).toBe("TOTAL_FAILED");
    expect(await verdict(screen, srgb, "/N 4")).toBe("TOTAL_FAILED");
    expect(await verdict(screen, srgb, "/N 3/Alternate/DeviceCMYK")).toBe("TOTAL_FAILED");
    expect(await verdict(screen.replace("PDFA1", "PDFX"))).toBe("TOTAL_FAILED");
    expect(await verdict(screen.replace("(sRGB)", "<</S/JavaScript>>"))).toBe("TOTAL_FAILED");
    expect(await verdict(screen.replace("/S", "/MixingHints(x)/S"))).toBe("TOTAL_FAILED");
    expect(await verdict(screen + screen)).toBe("TOTAL_FAILED");
  });

  test.each(CONTINUERS)("DSS accepts our signatures after one by %s", async (maker) => {
    sealedBefore ??= validators.dss.ask(asked(`${folder.path}/no title.in.pdf`));
    const after = await validators.dss.ask(asked(`${folder.path}/no title.${maker}.pdf`));
    expect(
      harmedSignatures(
        await sealedBefore,
        after,
        ({ indication, format }) => `${indication} ${format}`,
      ),
    ).toEqual([]);
  });

  test.skipIf(missingCorpus).each(COLLECTED)(
    "our verdict on a file signed by %s is DSS's, also after our signature and archive",
    async (_name, read) => {
      const theirs = read();
      const open = await openPdf(theirs);
      const certificates = signedFields(open).flatMap(({ value }) => {
        const contents = follow(open, value.get("Contents"));
        return contents instanceof PdfString
          ? [...parseSignedData(contents.bytes, "allowed").certificates]
          : [];
      });
      const trusted = certificates.map((certificate, index) =>
        folder.write(`theirs-${index}.der`, certificate),
      );
      const { archived } = await liveWithTwo(pki, theirs);
      const pdf = folder.write("collected.pdf", archived);
      const report = await validate(archived, {
        evidence: trusting([...pki.root.certificates, ...certificates]),
        now: JUDGED,
      });
      const dss = await validators.dss.ask({ pdf, anchors: [...anchors, ...trusted], at: JUDGED });
      const found = report.signatures.map(({ fieldName, indication }) => [fieldName, indication]);
      const asDss = (dss.signatures ?? []).map(({ field, indication }) => [
        field,
        indication === "PASSED" ? "TOTAL_PASSED" : indication,
      ]);
      expect(found.toSorted()).toEqual(asDss.toSorted());
      expect(report).toMatchObject({ problems: [] });
      expect(found.slice(-3).map(([, indication]) => indication)).toEqual([
        "TOTAL_PASSED",
        "TOTAL_PASSED",
        "TOTAL_PASSED",
      ]);
    },
  );
});

/** `p12` holds private key and certificate, protected by `word`. */
type MakerKey = {
  readonly privateKey: CryptoKey;
  readonly certificate: Uint8Array;
  readonly authority: Uint8Array;
  readonly p12: Uint8Array;
  readonly word: string;
};
type Maker = (pdf: Uint8Array, key: MakerKey, at: Date) => Promise<Uint8Array>;
type SignPdf = { sign(pdf: Uint8Array, signer: unknown, at: Date): Promise<Uint8Array> };
type P12Signer = new (p12: Uint8Array, options: { passphrase: string }) => unknown;
type Placeholder = {
  readonly reason: string;
  readonly contactInfo: string;
  readonly name: string;
  readonly location: string;
};
type LibDocument = { save(options: { useObjectStreams: boolean }): Promise<Uint8Array> };

const load = <T>(name: string): T => createRequire(NODE_MAKERS)(name) as T;
const PLACEHOLDER: Placeholder = { reason: "", contactInfo: "", name: "Tiers", location: "" };

async function signed(room: Uint8Array, { p12, word }: MakerKey, at: Date): Promise<Uint8Array> {
  const { SignPdf: Signing } = load<{ SignPdf: new () => SignPdf }>("@signpdf/signpdf");
  const { P12Signer: Signer } = load<{ P12Signer: P12Signer }>("@signpdf/signer-p12");
  return new Signing().sign(
    Buffer.from(room),
    new Signer(Buffer.from(p12), { passphrase: word }),
    at,
  );
}

const signpdf: Maker = async (pdf, key, at) => {
  const { plainAddPlaceholder } = load<{ plainAddPlaceholder(options: object): Uint8Array }>(
    "@signpdf/placeholder-plain",
  );
  return signed(
    plainAddPlaceholder({ pdfBuffer: Buffer.from(pdf), signingTime: at, ...PLACEHOLDER }),
    key,
    at,
  );
};

const pdfLib: Maker = async (pdf, key, at) => {
  const { PDFDocument } = load<{ PDFDocument: { load(pdf: Uint8Array): Promise<LibDocument> } }>(
    "pdf-lib",
  );
  const { pdflibAddPlaceholder } = load<{ pdflibAddPlaceholder(options: object): void }>(
    "@signpdf/placeholder-pdf-lib",
  );
  const pdfDoc = await PDFDocument.load(pdf);
  pdflibAddPlaceholder({ pdfDoc, signingTime: at, ...PLACEHOLDER });
  return signed(await pdfDoc.save({ useObjectStreams: false }), key, at);
};

const zga: Maker = async (pdf, { p12, word }, at) => {
  const { PdfSigner } = load<{
    PdfSigner: new (options: object) => { sign(pdf: Uint8Array): Promise<Uint8Array> };
  }>("zgapdfsigner");
  return new PdfSigner({ p12cert: p12, pwd: word, signdate: at, signame: "Tiers" }).sign(pdf);
};

const libPdf: Maker = async (pdf, { privateKey, certificate, authority }, at) => {
  const signer = new CryptoKeySigner(privateKey, certificate, "RSA", "RSASSA-PKCS1-v1_5", [
    authority,
  ]);
  const document = await PDF.load(pdf);
  return (await document.sign({ signer, signingTime: at, fieldName: "Tiers", level: "B-B" })).bytes;
};

/** `pdf-lib` rewrites the whole file and signs no signed one. */
const NODE_SIGNERS: Readonly<Record<string, Maker>> = {
  signpdf,
  "pdf-lib": pdfLib,
  zga,
  libpdf: libPdf,
};
