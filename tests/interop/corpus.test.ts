import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { looksComplaints } from "../../apps/server/testing/render-pdf.ts";
import { missingCorpus } from "../../packages/pades/interop/corpus.ts";
import {
  CORPUS,
  corpusNames,
  type CorpusRow,
  faultsOf,
  KNOWN_REMARKS,
  renderCorpus,
  type Signed,
  validateCorpus,
  validateSigned,
  type Validators,
} from "../../packages/pades/interop/validate-corpus.ts";
import {
  openDss,
  openPyHanko,
  unavailableValidators,
} from "../../packages/pades/interop/validators.ts";
import { liveWithTwo } from "../../packages/pades/interop/signing-rounds.ts";
import { type Folder, missingTool, temporaryFolder } from "../../packages/pades/interop/tool.ts";
import { smallPdf } from "../../packages/pades/testing/small-pdf.ts";
import { createTestPki } from "../../packages/pades/testing/test-pki.ts";

const missing = missingTool("qpdf") || missingTool("pdfsig") || unavailableValidators();
const noCorpus = missing || missingCorpus;
const MINUTES = 60_000;
const FILES = noCorpus ? [] : corpusNames(CORPUS, ["made", "public"]);

let folder: Folder;
let validators: Validators;
beforeAll(() => {
  if (missing) return;
  folder = temporaryFolder();
  validators = { dss: openDss(), pyHanko: openPyHanko(), compareLooks: looksComplaints };
});
afterAll(() => {
  if (missing) return;
  validators.dss.close();
  validators.pyHanko.close();
  folder.remove();
});

describe.skipIf(noCorpus)(`the corpus${noCorpus ? ` (${noCorpus})` : ""}`, () => {
  let rows: ReadonlyMap<string, CorpusRow>;
  beforeAll(async () => {
    const judged = await validateCorpus(validators, {
      corpus: CORPUS,
      files: FILES,
      folder: folder.path,
    });
    rows = new Map(judged.map((row) => [row.file, row]));
  }, 10 * MINUTES);

  test.each(FILES)("has %s refused, or signed without a complaint", (file) => {
    const row = rows.get(file) as CorpusRow;
    expect(faultsOf(row)).toEqual([]);
    const known = KNOWN_REMARKS[file];
    if (known)
      expect(
        row.complaints?.[known.validator].length,
        "a known remark that is no longer made",
      ).toBeGreaterThan(0);
  });

  test("has the recorded outcomes", async () => {
    await expect(renderCorpus([...rows.values()])).toMatchFileSnapshot("corpus.md");
  });
});

describe.skipIf(missing)(`the report on the corpus${missing ? ` (${missing})` : ""}`, () => {
  let sound: Extract<Signed["core"], { signed: string }>;
  let anchor: string;
  let harmed: string;
  beforeAll(async () => {
    const pki = await createTestPki();
    const source = smallPdf();
    const { renewed } = await liveWithTwo(pki, source);
    const altered = renewed.slice();
    altered.set(
      new TextEncoder().encode("Contrad"),
      new TextDecoder("latin1").decode(altered).indexOf("Contrat"),
    );
    anchor = folder.write("root.der", pki.root.certificates[0] as Uint8Array);
    harmed = folder.write("harmed.pdf", altered);
    const signed = folder.write("sound.pdf", renewed);
    sound = {
      outcome: "normalised",
      findings: [],
      source: folder.write("source.pdf", source),
      signed,
      covering: { signed },
      overlapsItself: false,
    };
  });

  const faults = async (planted: Partial<typeof sound>, path = sound.source): Promise<string> => {
    const core = { ...sound, ...planted };
    return faultsOf(
      await validateSigned({ file: "planted", path }, { core, anchor, seconds: 1 }, validators),
    ).join("\n");
  };

  test("finds no fault in a sound file", async () => {
    expect(await faults({})).toBe("");
  });

  test.each(["DSS", "pyHanko", "pdfsig", "ours"])(
    "counts an altered revision as a fault of %s",
    async (validator) => {
      expect(await faults({ signed: harmed })).toContain(`${validator}: `);
    },
  );

  test("counts an altered revision under covering fields as a fault", async () => {
    expect(await faults({ covering: { signed: harmed } })).toMatch(/^over: /);
  });

  test("counts a file without its end as a fault of qpdf", async () => {
    const cut = new Uint8Array(readFileSync(sound.signed)).subarray(0, -40);
    expect(await faults({ signed: folder.write("cut.pdf", cut) })).toContain("qpdf: ");
  });

  test("counts a copy that lost a word as a fault of its pixels", async () => {
    const other = smallPdf({ objects: { 4: "<</Length 0>>\nstream\n\nendstream" } });
    expect(await faults({}, folder.write("other.pdf", other))).toBe(
      "pixels: page 1 looks otherwise",
    );
  });

  test("counts a crash and a long run as faults", () => {
    const row = {
      file: "planted",
      outcome: "crash",
      reason: "RangeError",
      seconds: 11,
      complaints: null,
    } as const;
    expect(faultsOf(row)).toEqual(["outcome: RangeError", "seconds: 11.0"]);
    expect(faultsOf({ ...row, outcome: "refused", seconds: 1 })).toEqual([]);
  });

  test("counts an unknown remark as a fault, even beside a known one", () => {
    const [[file, { validator }]] = Object.entries(KNOWN_REMARKS) as [
      [string, (typeof KNOWN_REMARKS)[string]],
    ];
    const none = { DSS: [], pyHanko: [], pdfsig: [], qpdf: [], ours: [], over: [], pixels: [] };
    const row = {
      file,
      outcome: "accepted",
      reason: "",
      seconds: 1,
      complaints: { ...none, [validator]: ["something new"] },
    } as const;
    expect(faultsOf(row)).toEqual([`${validator}: something new`]);
  });
});
