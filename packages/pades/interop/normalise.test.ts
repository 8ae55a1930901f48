import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { normalisePdf } from "../src/inspect/control-pdf.ts";
import { inspectPdf } from "../src/inspect/inspect-pdf.ts";
import { activePdf, annotatedPdf, layeredPdf } from "../testing/covered-pdfs.ts";
import { NEW_TEXT, packedPdf, reworded } from "../testing/packed-pdf.ts";
import { ODD_NAMES, packedPageNamed, pageNamed } from "../testing/odd-names.ts";
import { prepareAll, signAs } from "../testing/sign-flow.ts";
import { smallPdf } from "../testing/small-pdf.ts";
import { createTestPki, type TestPki } from "../testing/test-pki.ts";
import { corpusFile, missingCorpus, publicFile } from "./corpus.ts";
import { type Folder, missingTool, run, temporaryFolder } from "./tool.ts";

const missing =
  missingCorpus || missingTool("qpdf") || missingTool("pdfsig") || missingTool("pdftoppm");
const FIXABLE = [
  "enc_owner_aes128",
  "enc_owner_aes256",
  "enc_owner_objstm",
  "enc_owner_rc4",
  "badstartxref",
  "badoffsets",
  "junkhead",
] as const;

describe.skipIf(missing)(
  `files that must be rewritten first${missing ? ` (${missing})` : ""}`,
  () => {
    let folder: Folder;
    let pki: TestPki;
    beforeAll(async () => {
      folder = temporaryFolder();
      pki = await createTestPki();
    });
    afterAll(() => folder.remove());

    test.each(FIXABLE)(
      "the corrected copy of %s looks the same and can be signed",
      async (name) => {
        const original = corpusFile(name);
        expect(await inspectPdf(original)).toMatchObject({
          result: "fixable",
          canUpdateIncrementally: false,
        });
        await expect(prepareAll(original)).rejects.toMatchObject({ name: "PadesError" });
        const normalised = await normalisePdf(original);
        expect(await inspectPdf(normalised)).toMatchObject({ result: "ok" });
        const checked = run("qpdf", ["--check", folder.write(`${name}.pdf`, normalised)]);
        expect(checked.code, checked.output).toBe(0);
        for (const [which, bytes] of Object.entries({ before: original, after: normalised })) {
          run("pdftoppm", [
            "-r",
            "50",
            "-f",
            "1",
            "-l",
            "1",
            folder.write(`${name}-${which}.pdf`, bytes),
            `${folder.path}/${name}-${which}`,
          ]);
        }
        expect(
          run("cmp", [`${folder.path}/${name}-before-1.ppm`, `${folder.path}/${name}-after-1.ppm`]),
        ).toMatchObject({ code: 0 });
        const signed = await signAs(await prepareAll(normalised), {
          signer: await pki.issue({ commonName: "Alice" }),
          ownerKey: "alice",
        });
        expect(
          run("pdfsig", ["-nocert", folder.write(`${name}-signed.pdf`, signed)]).output,
        ).toContain("Signature is Valid");
      },
    );

    test.each([
      ["RC4 of 40 bits", ["40", "--modify=n"]],
      ["RC4 of 128 bits", ["128", "--use-aes=n", "--modify=none"]],
      ["AES of 128 bits", ["128", "--use-aes=y", "--modify=form"]],
      ["AES of 256 bits", ["256", "--modify=none"]],
      ["AES of 256 bits, assembly alone", ["256", "--modify=assembly"]],
      ["AES of 256 bits, annotations alone", ["256", "--modify=annotate"]],
    ])("a file whose permissions forbid changes is rewritten: %s", async (_what, words) => {
      const [plain, sealed] = [folder.write("plain.pdf", smallPdf()), `${folder.path}/sealed.pdf`];
      const made = run("qpdf", [
        "--allow-weak-crypto",
        "--encrypt",
        "",
        "owner",
        ...words,
        "--",
        plain,
        sealed,
      ]);
      expect(made.code, made.output).toBe(0);
      const original = new Uint8Array(readFileSync(sealed));
      expect(await inspectPdf(original)).toMatchObject({
        result: "fixable",
        findings: [{ code: "encryption_removed" }],
      });
      const normalised = await normalisePdf(original);
      expect(run("qpdf", ["--check", folder.write("unsealed.pdf", normalised)])).toMatchObject({
        code: 0,
      });
      expectSameLook("unsealed", original, normalised);
    });

    test.each([2, 8])(
      "the copy of a file whose last revision has offsets of %i bytes shows that revision",
      async (offsetBytes) => {
        const original = reworded(packedPdf(), "plain", { offsetBytes });
        const prepared = await prepareAll(original);
        const signed = await signAs(prepared, {
          signer: await pki.issue({ commonName: "Alice" }),
          ownerKey: "alice",
        });
        for (const [name, bytes] of Object.entries({ original, prepared, signed })) {
          const path = folder.write(`wide-${name}.pdf`, bytes);
          expect(run("qpdf", ["--check", path]), name).toMatchObject({ code: 0 });
          expect(run("pdftotext", [path, "-"]).output, name).toContain(NEW_TEXT);
        }
        expect(run("pdfsig", ["-nocert", `${folder.path}/wide-signed.pdf`]).output).toContain(
          "Signature is Valid",
        );
        const lost = reworded(packedPdf(), "plain", { offsetBytes, startXref: 7 });
        expect(
          run("pdftotext", [folder.write("lost.pdf", await normalisePdf(lost)), "-"]).output,
        ).toContain(NEW_TEXT);
      },
    );

    /** Compares each page of both files, pixel by pixel, as a screen shows it. */
    test.each(Object.entries(ODD_NAMES))(
      "a page whose font and form have the name %s still shows them",
      async (_kind, name) => {
        const [original, scripted] = [
          pageNamed(name),
          pageNamed(name, { catalogExtra: "/OpenAction<</S/JavaScript/JS(1)>>" }),
        ];
        const prepared = await prepareAll(original);
        expectSameLook("named", original, prepared);
        expectSameLook("rewritten", original, await normalisePdf(scripted));
        expect(run("pdftotext", [folder.write("named.pdf", prepared), "-"]).output).toMatch(
          /Contrat\s+Article 1\s+Article 2/,
        );
      },
    );

    test("an encrypted file is refused when a copy would lose names in its object streams", async () => {
      const [plain, sealed] = [
        folder.write("plain-named.pdf", packedPageNamed("/Caract#E8res")),
        `${folder.path}/sealed-named.pdf`,
      ];
      const words = [
        "--object-streams=generate",
        "--encrypt",
        "",
        "owner",
        "256",
        "--modify=none",
        "--",
      ];
      expect(run("qpdf", [...words, plain, sealed])).toMatchObject({ code: 0 });
      await expect(inspectPdf(new Uint8Array(readFileSync(sealed)))).rejects.toMatchObject({
        code: "pdf_encrypted",
      });
    });

    function expectSameLook(name: string, before: Uint8Array, after: Uint8Array): void {
      const pages = ["before", "after"].map((which, index) => {
        const prefix = `${folder.path}/${name}-${which}`;
        run("pdftoppm", [
          "-r",
          "60",
          folder.write(`${name}-${which}.pdf`, [before, after][index] ?? before),
          prefix,
        ]);
        return readdirSync(folder.path).filter(
          (file) => file.startsWith(`${name}-${which}-`) && file.endsWith(".ppm"),
        );
      });
      expect(pages[0]?.length).toBeGreaterThan(0);
      expect(pages[1]?.length).toBe(pages[0]?.length);
      for (const page of pages[0] ?? [])
        expect(
          run("cmp", [
            `${folder.path}/${page}`,
            `${folder.path}/${page.replace("-before-", "-after-")}`,
          ]),
          page,
        ).toMatchObject({
          code: 0,
        });
    }

    test.each([
      ["layers", layeredPdf],
      ["annotations", annotatedPdf],
      ["actions", activePdf],
      ["lp_layers_multiple-layers", () => publicFile("lp_layers_multiple-layers")],
      ["lp_layers_pdfbox-header-footer", () => publicFile("lp_layers_pdfbox-header-footer")],
      [
        "lp_layers_pdfjs-visibility-expressions",
        () => publicFile("lp_layers_pdfjs-visibility-expressions"),
      ],
      ["lp_layers_single-layer-on", () => publicFile("lp_layers_single-layer-on")],
    ])("the corrected copy of %s looks the same and has no finding left", async (name, make) => {
      const original = make();
      expect(await inspectPdf(original)).toMatchObject({ result: "fixable" });
      const normalised = await normalisePdf(original);
      expect(
        run("qpdf", ["--check", folder.write(`${name}-normalised.pdf`, normalised)]),
      ).toMatchObject({ code: 0 });
      expectSameLook(name, original, normalised);
    });

    test("a sound file comes back unchanged", async () => {
      const original = corpusFile("base50k");
      expect(await normalisePdf(original)).toBe(original);
    });

    test.each(["truncated", "enc_user_aes256"])("the file %s is refused", async (name) => {
      await expect(inspectPdf(corpusFile(name))).rejects.toMatchObject({
        code: name === "enc_user_aes256" ? "pdf_encrypted" : "pdf_damaged",
      });
    });
  },
);
