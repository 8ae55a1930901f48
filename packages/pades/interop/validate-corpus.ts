import { once } from "node:events";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { validate } from "../src/validate/validate.ts";
import { PREFIX } from "../testing/sign-flow.ts";
import { trusting } from "../testing/test-pki.ts";
import {
  dssComplaints,
  harmedSignatures,
  pdfsigComplaints,
  pyHankoComplaints,
  qpdfComplaints,
} from "./complaints.ts";
import type { CoreOutcome } from "./corpus-worker.ts";
import type { DssVerdict, Validator, PyHankoVerdict } from "./validators.ts";
import { LIFE } from "./signing-rounds.ts";

export const CORPUS = fileURLToPath(new URL("../../../../shared/corpus/", import.meta.url));
const EXPECTED = { signatures: 2, timestamps: 2 } as const;

/** DSS warns of overlaps, whoever added them. */
const OVERLAP = /BBB_FC_IAOD|annotations overlap$/;

/**
 * `over`: `ours` with fields over the page's content. `pixels`: a corrected copy beside its
 * original.
 */
export const VALIDATORS = ["DSS", "pyHanko", "pdfsig", "qpdf", "ours", "over", "pixels"] as const;
type Complaints = Readonly<Record<(typeof VALIDATORS)[number], readonly string[]>>;
export type CorpusRow = {
  readonly file: string;
  readonly outcome: "accepted" | "normalised" | "refused" | "crash";
  readonly reason: string;
  readonly seconds: number;
  readonly complaints: Complaints | null;
};

/** Includes subfolders: `made/base50k`. */
export function corpusNames(folder: string, parts: readonly string[] = [""]): string[] {
  return parts.flatMap((part) =>
    readdirSync(join(folder, part), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.pdf$/i.test(entry.name))
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
      .toSorted()
      .map((path) => path.slice(0, -4)),
  );
}

type CompareLooks = (original: Uint8Array, copy: Uint8Array) => Promise<readonly string[]>;
export type Validators = {
  readonly dss: Validator<DssVerdict>;
  readonly pyHanko: Validator<PyHankoVerdict>;
  readonly compareLooks: CompareLooks;
};
type CorpusToValidate = {
  readonly corpus: string;
  readonly files: readonly string[];
  readonly folder: string;
};

/** Every validator answers about each file's life; rows in the files' order. */
export async function validateCorpus(
  validators: Validators,
  { corpus, files, folder }: CorpusToValidate,
): Promise<CorpusRow[]> {
  const thread = createSigningThread(folder);
  const rows: Promise<CorpusRow>[] = [];
  for (const file of files) {
    const path = join(corpus, `${file}.pdf`);
    rows.push(
      validateSigned(
        { file, path },
        await thread.sign(file.replaceAll("/", "_"), path),
        validators,
      ),
    );
  }
  await thread.close();
  return Promise.all(rows);
}

export async function validateSigned(
  { file, path }: { readonly file: string; readonly path: string },
  { core, anchor, seconds }: Signed,
  validators: Validators,
): Promise<CorpusRow> {
  if (!("signed" in core)) return { file, ...core, seconds, complaints: null };
  const { outcome, findings, source, signed, covering } = core;
  const question = (pdf: string) => ({ pdf, anchors: [anchor], at: LIFE.validated });
  const isSigned = findings.some((code) =>
    /^(existing|unverified)_(signatures|timestamps)$/.test(code),
  );
  const before = isSigned
    ? await Promise.all([
        validators.dss.ask(question(source)),
        validators.pyHanko.ask(question(source)),
      ])
    : null;
  const expected = { ...EXPECTED, came: before?.[1].signatures?.map(({ field }) => field) ?? [] };
  const [dss, pyHanko, pdfsig, qpdf] = await Promise.all([
    validators.dss.ask(question(signed)),
    validators.pyHanko.ask(question(signed)),
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
      outcome === "normalised" ? await validators.compareLooks(bytesOf(path), bytesOf(source)) : [],
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

async function ownComplaints(
  path: string,
  anchor: string,
  came: readonly string[],
): Promise<readonly string[]> {
  const { problems, signatures } = await validate(bytesOf(path), {
    evidence: trusting([bytesOf(anchor)]),
    now: LIFE.validated,
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

export type Signed = {
  readonly core: CoreOutcome;
  readonly anchor: string;
  readonly seconds: number;
};

/** The CPU seconds measure the work. */
const LIMIT_MS = 60_000;

/** A file that hangs or ends the thread costs a new one. */
function createSigningThread(folder: string): {
  sign(name: string, path: string): Promise<Signed>;
  close(): Promise<void>;
} {
  let made = 0;
  let running: { worker: Worker; anchor: string } | null = null;
  async function start(): Promise<{ worker: Worker; anchor: string }> {
    made += 1;
    const worker = new Worker(new URL("./corpus-worker.ts", import.meta.url), {
      workerData: { folder, id: made },
    });
    const [{ ready }] = (await once(worker, "message")) as [{ ready: string }];
    return { worker, anchor: ready };
  }
  async function close(): Promise<void> {
    await running?.worker.terminate();
    running = null;
  }
  return {
    close,
    async sign(name, path) {
      running ??= await start();
      const { worker, anchor } = running;
      const before = await worker.cpuUsage();
      const core = await answerOf(worker, { name, path });
      const { user, system } = await worker.cpuUsage(before).catch(() => ({ user: 0, system: 0 }));
      if (core.outcome === "crash") await close();
      return { core, anchor, seconds: (user + system) / 1_000_000 };
    },
  };
}

function answerOf(worker: Worker, question: { name: string; path: string }): Promise<CoreOutcome> {
  return new Promise((resolve) => {
    const limit = setTimeout(
      () => end({ outcome: "crash", reason: "no answer after 60 s" }),
      LIMIT_MS,
    );
    const crash = (error: unknown): void => end({ outcome: "crash", reason: String(error) });
    const end = (outcome: CoreOutcome): void => {
      clearTimeout(limit);
      worker.off("message", end);
      worker.off("error", crash);
      resolve(outcome);
    };
    worker.on("message", end);
    worker.on("error", crash);
    worker.postMessage(question);
  });
}

type Remark = {
  readonly validator: (typeof VALIDATORS)[number];
  readonly says: RegExp;
  readonly why: string;
  /**
   * pyHanko's remark on the file as pyHanko signed it; null when `known-remarks.test.ts` shows it
   * otherwise.
   */
  readonly ofItself: RegExp | null;
};

/** A test asserts each remark, so that one which ends is noticed. */
export const KNOWN_REMARKS: Readonly<Record<string, Remark>> = {
  "public/lp_text_variety_us_constitution": {
    validator: "pyHanko",
    says: /Metadata does not look like XMP/,
    why: "the file's own metadata have no x:xmpmeta element, which XMP (ISO 16684-1) makes optional; pyHanko asks for it",
    ofItself: /Metadata does not look like XMP/,
  },
  "public/lp_layers_pdfjs-visibility-expressions": {
    validator: "pixels",
    says: /^page 1 looks otherwise$/,
    why: "PDFium does not read visibility expressions of layers (ISO 32000-2 §8.11.2.2) and shows all; the copy shows what they say, as pdf.js and poppler do",
    ofItself: null,
  },
  "public/lp_forms_pdfjs_bug1669099": {
    validator: "pyHanko",
    says: /no answer after 10 s/,
    why: "pyHanko lists every path to every object, and this form's objects refer to one another without end; it does not answer about its own signature either",
    ofItself: /no answer after 3 s/,
  },
  "public/ph_pades-lta-dss-indirect-arrs-test": {
    validator: "pyHanko",
    says: /NO_POE|no proof of existence/,
    why: "pyHanko takes all document time-stamps for one chain of proof, and those that came with the file are not our authority's; when their authority is trusted too, it says nothing",
    ofItself: null,
  },
  "trials/25sigs": {
    validator: "pyHanko",
    says: /no proof of existence$/,
    why: "as of ph_pades-lta-dss-indirect-arrs-test: its time-stamps are of another authority",
    ofItself: null,
  },
  "trials/cmp_padesSignatureLevelLTATest1": {
    validator: "pyHanko",
    says: /no proof of existence$/,
    why: "as of ph_pades-lta-dss-indirect-arrs-test: its time-stamps are of another authority",
    ofItself: null,
  },
  "trials/countersigned-by-pyhanko-utf16-title": {
    validator: "pyHanko",
    says: /no proof of existence$/,
    why: "as of ph_pades-lta-dss-indirect-arrs-test: its time-stamp is of another authority",
    ofItself: null,
  },
  "trials/check_custom_rotate270_10_20": {
    validator: "pyHanko",
    says: /^Signature1: was true true true, is true true false$/,
    why: "the trailer's /AdditionalStreams, left by LibreOffice, names an object that is not there; pyHanko gives no answer at all while it is not, and calls it a change once it is written as null",
    ofItself: null,
  },
  "trials/signature-referenced-from-multiple-fields": {
    validator: "pyHanko",
    says: /^signature-test2?: was true true true, is true true false$/,
    why: "as of check_custom_rotate270_10_20",
    ofItself: null,
  },
};

const LONGEST_SECONDS = 10;

/** Leaves out the known remarks; one line each. */
export function faultsOf({
  file,
  outcome,
  reason,
  seconds,
  complaints,
}: CorpusRow): readonly string[] {
  const known = KNOWN_REMARKS[file];
  const unexplained = VALIDATORS.flatMap((validator) =>
    (complaints?.[validator] ?? [])
      .filter((complaint) => known?.validator !== validator || !known.says.test(complaint))
      .map((complaint) => `${validator}: ${complaint}`),
  );
  const slow = seconds > LONGEST_SECONDS ? [`seconds: ${seconds.toFixed(1)}`] : [];
  return [...(outcome === "crash" ? [`outcome: ${reason}`] : []), ...slow, ...unexplained];
}

export function renderCorpus(rows: readonly CorpusRow[]): string {
  const count = (outcome: CorpusRow["outcome"]): number =>
    rows.filter((row) => row.outcome === outcome).length;
  const lines = rows.map(
    (row) =>
      `| ${[row.file, row.outcome, row.reason || "–", ...VALIDATORS.map((one) => verdict(row, one))].join(" | ")} |`,
  );
  const files = new Set(rows.map(({ file }) => file));
  const known = Object.entries(KNOWN_REMARKS).filter(([file]) => files.has(file));
  const remarks = known.map(([file, { validator, why }]) => `- \`${file}\`, ${validator}: ${why}.`);
  return `# What becomes of each file of the corpus

Recorded and compared by \`corpus.test.ts\`. Each file is looked at, normalised when it must be, prepared, signed by two people who fill every kind
of field, archived at PAdES-B-LTA, renewed two years later, and judged then. \`ok\`: the validator says that each of our signatures is valid (DSS:
PAdES-BASELINE-LTA and TOTAL_PASSED, without error or warning; ours: \`validate\`; over: the same of fields laid over what the page has; pyHanko: AdES-LTA passed, revocation required, no change beyond form filling and archiving)
and judges the signatures that came with the file as it did before. \`–\`: not signed.
pixels: each page of a corrected copy looks as the original's, drawn by PDFium at 100 dpi, annotations included.

${rows.length} files: ${count("accepted")} accepted as they are, ${count("normalised")} normalised with the sender's consent, ${count("refused")} refused.

| file | outcome | findings, or why refused | ${VALIDATORS.join(" | ")} |
| --- | --- | --- | ${VALIDATORS.map(() => "---").join(" | ")} |
${lines.join("\n")}

Remarks that are about the file, whoever signs it:

${remarks.join("\n")}
`;
}

function verdict({ file, complaints }: CorpusRow, validator: (typeof VALIDATORS)[number]): string {
  if (!complaints) return "–";
  if (complaints[validator].length === 0) return "ok";
  return KNOWN_REMARKS[file]?.validator === validator ? "remark" : "**complaint**";
}
