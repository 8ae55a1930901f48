import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { smallPdf } from "../testing/small-pdf.ts";
import { type Folder, missingTool, run, temporaryFolder } from "../interop/tool.ts";

const missing = missingTool("pdfsig") || missingTool("qpdf");
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const node = async (...words: readonly string[]): Promise<string> =>
  (await promisify(execFile)(process.execPath, words)).stdout;
const IN_TWO_YEARS = new Date(Date.now() + 2 * 365 * 86_400_000 + 3_600_000).toISOString();

/** Each test starts programs. */
const PATIENCE_MS = 30_000;

describe.skipIf(missing)(`the examples${missing ? ` (${missing})` : ""}`, () => {
  let folder: Folder;
  beforeAll(() => {
    folder = temporaryFolder();
  });
  afterAll(() => folder.remove());

  test.each([
    ["sign-elsewhere", ["Zoé Œuvrard | TOTAL_PASSED | - | B-T | none"], undefined],
    [
      "countersign",
      [
        "Zoé Œuvrard | TOTAL_PASSED | - | B-T | signing",
        "Ernest Lilas | TOTAL_PASSED | - | B-T | none",
      ],
      undefined,
    ],
    [
      "archive",
      [
        "Zoé Œuvrard | TOTAL_PASSED | - | B-LTA | signing",
        "Ernest Lilas | TOTAL_PASSED | - | B-LTA | lta",
        "document_timestamp | TOTAL_PASSED | - | - | none",
      ],
      undefined,
    ],
    [
      "renew",
      [
        "Zoé Œuvrard | TOTAL_PASSED | - | B-LTA | signing",
        "Ernest Lilas | TOTAL_PASSED | - | B-LTA | lta",
        "document_timestamp | TOTAL_PASSED | - | - | lta",
        "document_timestamp | TOTAL_PASSED | - | - | none",
      ],
      IN_TWO_YEARS,
    ],
  ])(
    "the example %s writes a file that pdfsig, qpdf and our validator pass",
    async (name, verdicts, at) => {
      const file = `${folder.path}/${name}.pdf`;
      await node(here(`${name}.ts`), file);
      expect(run("qpdf", ["--check", file]).code).toBe(0);
      const people = verdicts.filter((verdict) => !verdict.startsWith("document_timestamp")).length;
      expect(run("pdfsig", ["-nocert", file]).output.match(/Signature is Valid\./g)).toHaveLength(
        people,
      );
      const said = await node(here("validate.ts"), file, `${file}.root.der`, ...(at ? [at] : []));
      expect(said.trim().split("\n")).toEqual([...verdicts, "TOTAL_PASSED"]);
    },
    PATIENCE_MS,
  );

  test(
    "the example inspect.ts prints findings and writes the copy to sign, or refuses the file with its reason",
    async () => {
      const [upload, copy] = [`${folder.path}/upload.pdf`, `${folder.path}/copy.pdf`];
      writeFileSync(upload, smallPdf({ catalogExtra: "/OpenAction<</S/JavaScript/JS(1)>>" }));
      expect(await node(here("inspect.ts"), upload, copy)).toBe(
        "fixable, pages: 1\njavascript | 1\n",
      );
      expect(run("qpdf", ["--check", copy]).code).toBe(0);
      expect(await node(here("inspect.ts"), copy, upload)).toBe("ok, pages: 1\n");
      writeFileSync(upload, "no PDF");
      await expect(node(here("inspect.ts"), upload, copy)).rejects.toMatchObject({
        code: 1,
        stdout: "refused: not_a_pdf\n",
      });
    },
    PATIENCE_MS,
  );

  test(
    "an example without its arguments says in one line what is missing",
    async () => {
      await expect(node(here("inspect.ts"))).rejects.toThrow(
        "usage: node examples/inspect.ts upload.pdf copy.pdf",
      );
      await expect(node(here("archive.ts"))).rejects.toThrow(
        "Expected the path of the file to write",
      );
      await expect(node(here("validate.ts"))).rejects.toThrow(
        "usage: node examples/validate.ts signed.pdf root.der [date]",
      );
    },
    PATIENCE_MS,
  );
});
