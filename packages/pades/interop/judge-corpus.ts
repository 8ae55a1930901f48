import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { validate } from "../src/validate/validate.ts";
import { PREFIX } from "../testing/sign-flow.ts";
import { trusting } from "../testing/trusting.ts";
import {
  dssComplaints,
  harmedSignatures,
  pdfsigComplaints,
  pyHankoComplaints,
  qpdfComplaints,
} from "./complaints.ts";
import type { DssVerdict, Judge, PyHankoVerdict } from "./judge-process.ts";
import { createSigningThread, type Signed } from "./sign-in-thread.ts";
import { LIFE } from "./signing-rounds.ts";

export const CORPUS = fileURLToPath(new URL("../../../../shared/corpus/", import.meta.url));
/** Two signers; the document time-stamp and its renewal. */
const EXPECTED = { signatures: 2, timestamps: 2 } as const;

/** DSS warns of overlapping annotations, whoever added them. */
const OVERLAP = /BBB_FC_IAOD|annotations overlap$/;

/**
 * `ours`: `validate`. `over`: the same with fields over the page's content. `pixels`: a corrected
 * copy beside its original.
 */
export const VALIDATORS = ["DSS", "pyHanko", "pdfsig", "qpdf", "ours", "over", "pixels"] as const;
export type Complaints = Readonly<Record<(typeof VALIDATORS)[number], readonly string[]>>;
export type CorpusRow = {
  /** `made/base50k`. */
  readonly file: string;
  readonly outcome: "accepted" | "normalised" | "refused" | "crash";
  /** The refusal's code; for an accepted file, its findings. */
  readonly reason: string;
  readonly seconds: number;
  readonly complaints: Complaints | null;
};

/** The PDFs of a folder, then those of its subfolders: `made/base50k`. */
export function corpusNames(folder: string, parts: readonly string[] = [""]): string[] {
  return parts.flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.pdf$/i.test(entry.name))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .toSorted()
      .map((path) => path.slice(0, -4)),
  );
}

export type CompareLooks = (original: Uint8Array, copy: Uint8Array) => Promise<readonly string[]>;
export type Judges = {
  readonly dss: Judge<DssVerdict>;
  readonly pyHanko: Judge<PyHankoVerdict>;
  readonly compareLooks: CompareLooks;
};
export type CorpusToJudge = {
  readonly corpus: string;
  readonly files: readonly string[];
  readonly folder: string;
};

/**
 * Takes the files of a corpus through their life and asks every validator; rows in the files'
 * order. `folder`: where files are written.
 */
export async function judgeCorpus(
  judges: Judges,
  { corpus, files, folder }: CorpusToJudge,
): Promise<CorpusRow[]> {
  const thread = createSigningThread(folder);
  const rows: Promise<CorpusRow>[] = [];
  for (const file of files) {
    const path = join(corpus, `${file}.pdf`);
    rows.push(
      judgeSigned({ file, path }, await thread.sign(file.replaceAll("/", "_"), path), judges),
    );
  }
  await thread.close();
  return Promise.all(rows);
}

/** Asks every validator about a file at the end of its life. `path`: where it came from. */
export async function judgeSigned(
  { file, path }: { readonly file: string; readonly path: string },
  { core, anchor, seconds }: Signed,
  judges: Judges,
): Promise<CorpusRow> {
  if (!("signed" in core)) return { file, ...core, seconds, complaints: null };
  const { outcome, findings, source, signed, covering } = core;
  const question = (pdf: string) => ({ pdf, anchors: [anchor], at: LIFE.judged });
  const isSigned = findings.some((code) =>
    /^(existing|unverified)_(signatures|timestamps)$/.test(code),
  );
  const before = isSigned
    ? await Promise.all([judges.dss.ask(question(source)), judges.pyHanko.ask(question(source))])
    : null;
  const expected = { ...EXPECTED, came: before?.[1].signatures?.map(({ field }) => field) ?? [] };
  const [dss, pyHanko, pdfsig, qpdf] = await Promise.all([
    judges.dss.ask(question(signed)),
    judges.pyHanko.ask(question(signed)),
    pdfsigComplaints(signed, EXPECTED),
    qpdfComplaints(signed, source),
  ]);
  const ofDss = dssComplaints(dss, expected).filter(
    (complaint) => !(core.overlapsItself && OVERLAP.test(complaint)),
  );
  const complaints = {
    DSS: ofDss,
    pyHanko: pyHankoComplaints(pyHanko, expected),
    pdfsig,
    qpdf,
    ours: await ownComplaints(signed, anchor, expected.came),
    over: "signed" in covering ? await ownComplaints(covering.signed, anchor, expected.came) : [],
    pixels:
      outcome === "normalised" ? await judges.compareLooks(bytesOf(path), bytesOf(source)) : [],
  };
  if (before !== null) {
    const [dssBefore, pyHankoBefore] = before;
    complaints.DSS.push(
      ...harmedSignatures(dssBefore, dss, (one) => `${one.indication} ${one.sub_indication}`),
    );
    complaints.pyHanko.push(
      ...harmedSignatures(
        pyHankoBefore,
        pyHanko,
        (one) => `${one.intact} ${one.valid} ${one.docmdp_ok}`,
      ),
    );
  }
  return { file, outcome, reason: findings.join(", "), seconds, complaints };
}

const bytesOf = (path: string): Uint8Array => new Uint8Array(readFileSync(path));

/** Our validation's complaints: our signature not passed, or an earlier one failed. */
async function ownComplaints(
  path: string,
  anchor: string,
  came: readonly string[],
): Promise<readonly string[]> {
  const { problems, signatures } = await validate(bytesOf(path), {
    evidence: trusting([bytesOf(anchor)]),
    now: LIFE.judged,
  });
  const ours = signatures.filter(
    ({ fieldName }) =>
      (fieldName.startsWith(PREFIX) || fieldName.startsWith("horodatage_")) &&
      !came.includes(fieldName),
  );
  const passed = ours.filter(({ indication }) => indication === "TOTAL_PASSED").length;
  const expected = EXPECTED.signatures + EXPECTED.timestamps;
  return [
    ...problems,
    ...(passed < expected ? [`${passed} of ${expected} passed`] : []),
    ...signatures
      .filter(({ indication }) => indication === "TOTAL_FAILED")
      .map(({ fieldName, subIndication }) => `${fieldName}: TOTAL_FAILED ${subIndication ?? ""}`),
  ];
}
