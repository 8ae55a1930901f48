import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { controlPdf, type RehearsalMeans, normalisePdf } from "../src/inspect/control-pdf.ts";
import { inspectPdf } from "../src/inspect/inspect-pdf.ts";
import { validate } from "../src/validate/validate.ts";
import { TEST_FONTS } from "../testing/test-fonts.ts";
import { type TestPki, createTestPki, trusting } from "../testing/test-pki.ts";
import {
  dssComplaints,
  pdfsigComplaints,
  pyHankoComplaints,
  qpdfComplaints,
} from "./complaints.ts";
import { missingCorpus, publicFile, trialFile } from "./corpus.ts";
import {
  type DssVerdict,
  type Validator,
  unavailableValidators,
  openDss,
  openPyHanko,
  type PyHankoVerdict,
} from "./validators.ts";
import { LIFE, liveWithTwo } from "./signing-rounds.ts";
import { type Folder, missingTool, temporaryFolder } from "./tool.ts";

const missing =
  missingCorpus || missingTool("qpdf") || missingTool("pdfsig") || unavailableValidators();
/** Two signers, and the document time-stamp with its renewal. */
const EXPECTED = { signatures: 2, timestamps: 2 } as const;
/** DSS draws every page of every revision, which takes minutes here. */
const NOT_FOR_DSS = new Set(["scan-8-pages-300dpi-flate"]);
/** DSS reports fields of the file's own that overlap. */
const OVERLAP = /BBB_FC_IAOD|annotations overlap$/;

describe.skipIf(missing)(
  `files on which an outside trial found a fault of ours${missing ? ` (${missing})` : ""}`,
  () => {
    let folder: Folder;
    let pki: TestPki;
    let root: string;
    let validators: { dss: Validator<DssVerdict>; pyHanko: Validator<PyHankoVerdict> };
    beforeAll(async () => {
      folder = temporaryFolder();
      pki = await createTestPki();
      root = folder.write("root.der", pki.root.certificates[0] as Uint8Array);
      validators = { dss: openDss(), pyHanko: openPyHanko() };
    });
    afterAll(() => {
      validators.dss.close();
      validators.pyHanko.close();
      folder.remove();
    });

    test.each([
      ["dangling-reference-at-size", "ok"],
      ["direct-info-dictionary", "ok"],
      ["reportlab-overlay", "ok"],
      ["pkcs7", "ok"],
      ["catalog-without-type", "fixable"],
      ["scan-8-pages-300dpi-flate", "ok"],
      ["signature-referenced-from-multiple-fields", "ok"],
      ["info-moddate-false", "ok"],
      ["issue18030", "fixable"],
      ["number-over-2-31-in-catalog", "ok"],
      ["number-over-2-31-in-page", "ok"],
    ] as const)(
      "%s (%s) is signed twice, archived and renewed without a complaint",
      async (name, result) => {
        const original = trialFile(name);
        expect((await inspectPdf(original)).result).toBe(result);
        const source = await normalisePdf(original, { fonts: TEST_FONTS });
        const { renewed } = await liveWithTwo(pki, source);
        const { problems, signatures } = await validate(renewed, {
          evidence: trusting(pki.root.certificates),
          now: LIFE.validated,
        });
        const found = signatures.map(({ fieldName, indication }) => [fieldName, indication]);
        expect(problems).toEqual([]);
        expect(
          found.filter(([field = ""]) => /^(?:env-0198_signature|horodatage)_/.test(field)),
        ).toEqual([
          ["env-0198_signature_alice", "TOTAL_PASSED"],
          ["env-0198_signature_bob", "TOTAL_PASSED"],
          ["horodatage_1", "TOTAL_PASSED"],
          ["horodatage_2", "TOTAL_PASSED"],
        ]);
        expect(found.filter(([, indication]) => indication === "TOTAL_FAILED")).toEqual([]);
        const pdf = folder.write(`${name}.pdf`, renewed);
        const question = { pdf, anchors: [root], at: LIFE.validated };
        const dss = NOT_FOR_DSS.has(name) ? null : await validators.dss.ask(question);
        expect({
          dss: dss
            ? dssComplaints(dss, EXPECTED).filter((complaint) => !OVERLAP.test(complaint))
            : [],
          pyHanko: pyHankoComplaints(await validators.pyHanko.ask(question), EXPECTED),
          pdfsig: await pdfsigComplaints(pdf, EXPECTED),
          qpdf: await qpdfComplaints(pdf, folder.write(`${name}-source.pdf`, source)),
        }).toEqual({ dss: [], pyHanko: [], pdfsig: [], qpdf: [] });
      },
      60_000,
    );
  },
);

describe.skipIf(missingCorpus)(
  `the control of such files, rehearsal included${missingCorpus ? ` (${missingCorpus})` : ""}`,
  () => {
    /** Later than every signature in these files. */
    const now = new Date("2026-11-27T12:00:00Z");
    let means: RehearsalMeans;
    beforeAll(async () => {
      const pki = await createTestPki();
      const signer = await pki.issue({ commonName: "Répétition" });
      means = {
        fonts: TEST_FONTS,
        signer,
        tsa: pki.tsaAt(now),
        root: pki.root.certificates[0] as Uint8Array,
        now,
      };
    });

    test.each([
      ["25sigs", "ok"],
      ["catalog-without-type", "fixable"],
      ["check_custom_rotate270_10_20", "ok"],
      ["cmp_padesSignatureLevelLTATest1", "ok"],
      ["countersigned-by-pyhanko-utf16-title", "ok"],
      ["dangling-reference-at-size", "ok"],
      ["direct-info-dictionary", "ok"],
      ["info-moddate-false", "ok"],
      ["issue18030", "fixable"],
      ["number-over-2-31-in-catalog", "ok"],
      ["number-over-2-31-in-page", "ok"],
      ["pkcs7", "ok"],
      ["reportlab-overlay", "ok"],
      ["scan-8-pages-300dpi-flate", "ok"],
      ["signature-referenced-from-multiple-fields", "ok"],
    ] as const)("the rehearsal finishes %s (%s)", async (name, result) => {
      expect((await controlPdf(trialFile(name), means)).result).toBe(result);
    });

    test("the rehearsal refuses a file whose pages lead back to the catalog, and its corrected copy", async () => {
      const file = publicFile("ph_CompactedPDFSyntaxTest");
      expect((await inspectPdf(file)).result).toBe("fixable");
      await expect(controlPdf(file, means)).rejects.toMatchObject({ code: "pdf_unfinishable" });
    });
  },
);
