import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { dssComplaints, harmedSignatures, pdfsigComplaints, pyHankoComplaints, qpdfComplaints } from "./complaints.ts";
import type { DssVerdict, Judge, PyHankoVerdict } from "./judge-process.ts";
import { createSigningThread, type Signed } from "./sign-in-thread.ts";
import { LIFE } from "./signing-rounds.ts";

const CORPUS = fileURLToPath(new URL("../../../../shared/corpus/", import.meta.url));
/** Two signers, and the document time-stamp with its renewal. */
const EXPECTED = { signatures: 2, timestamps: 2 } as const;

/** DSS warns of annotations that overlap, whoever put them there. */
const OVERLAP = /BBB_FC_IAOD|annotations overlap$/;

export const VALIDATORS = ["DSS", "pyHanko", "pdfsig", "qpdf"] as const;
export type CorpusRow = {
  /** `made/base50k`. */
  readonly file: string;
  readonly outcome: "accepted" | "normalised" | "refused" | "crash";
  /** The refusal's code; for a file that was taken, what people are told of it. */
  readonly reason: string;
  readonly seconds: number;
  /** Null for a file that was not signed. */
  readonly complaints: Readonly<Record<(typeof VALIDATORS)[number], readonly string[]>> | null;
};

export const corpusNames = (): string[] =>
  ["made", "public"].flatMap((part) =>
    readdirSync(`${CORPUS}${part}`)
      .filter((name) => name.endsWith(".pdf"))
      .toSorted()
      .map((name) => `${part}/${name.slice(0, -4)}`),
  );

type Judges = { readonly dss: Judge<DssVerdict>; readonly pyHanko: Judge<PyHankoVerdict> };

/** Takes every corpus file through its life and asks every validator about it; the rows come in the corpus's order. */
export async function judgeCorpus(judges: Judges, folder: string): Promise<CorpusRow[]> {
  const thread = createSigningThread(folder);
  const rows: Promise<CorpusRow>[] = [];
  for (const file of corpusNames()) {
    const signed = await thread.sign(file.replace("/", "_"), `${CORPUS}${file}.pdf`);
    rows.push(rowOf(file, signed, judges));
  }
  await thread.close();
  return Promise.all(rows);
}

async function rowOf(file: string, { core, anchor, seconds }: Signed, judges: Judges): Promise<CorpusRow> {
  if (!("signed" in core)) return { file, ...core, seconds, complaints: null };
  const { outcome, findings, source, signed } = core;
  const question = (pdf: string) => ({ pdf, anchors: [anchor], at: LIFE.judged });
  const [dss, pyHanko, pdfsig, qpdf] = await Promise.all([
    judges.dss.ask(question(signed)),
    judges.pyHanko.ask(question(signed)),
    pdfsigComplaints(signed, EXPECTED),
    qpdfComplaints(signed, source),
  ]);
  const ofDss = dssComplaints(dss, EXPECTED).filter((complaint) => !(core.overlapsItself && OVERLAP.test(complaint)));
  const complaints = { DSS: ofDss, pyHanko: pyHankoComplaints(pyHanko, EXPECTED), pdfsig, qpdf };
  if (findings.some((code) => /^(existing|unverified)_(signatures|timestamps)$/.test(code))) {
    const [dssBefore, pyHankoBefore] = await Promise.all([judges.dss.ask(question(source)), judges.pyHanko.ask(question(source))]);
    complaints.DSS.push(...harmedSignatures(dssBefore, dss, (one) => `${one.indication} ${one.sub_indication}`));
    complaints.pyHanko.push(...harmedSignatures(pyHankoBefore, pyHanko, (one) => `${one.intact} ${one.valid} ${one.docmdp_ok}`));
  }
  return { file, outcome, reason: findings.join(", "), seconds, complaints };
}
