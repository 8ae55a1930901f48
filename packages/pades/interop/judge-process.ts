import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SHORT_LIVED_JVM } from "./tool.ts";

const INSTALLED = fileURLToPath(new URL("../../../.cache/interop/", import.meta.url));
/** The Python that pyHanko is installed in. */
export const PYHANKO_PYTHON = `${INSTALLED}pyhanko/bin/python`;
const PYTHON_JUDGE = fileURLToPath(new URL("./pyhanko/judge.py", import.meta.url));

export type Verdict = { readonly field: string; readonly kind: "signature" | "document_timestamp" };

/** What the European Commission's DSS says of one signature. */
export type DssVerdict = Verdict & {
  readonly indication: string;
  readonly sub_indication: string | null;
  /** Signatures only. */
  readonly format?: string;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly byte_range_ok: boolean;
  readonly dictionary_ok: boolean;
  readonly overlapping_pages: number;
  readonly visual_differences: number;
  readonly page_differences: number;
  readonly extension_changes: number;
  readonly form_changes: number;
  readonly annotation_changes: readonly string[];
  readonly undefined_changes: readonly string[];
};

/** What pyHanko says of one signature. */
export type PyHankoVerdict = Verdict & {
  readonly ades: string | null;
  readonly failure: string | null;
  readonly intact: boolean;
  readonly valid: boolean;
  readonly trusted: boolean;
  readonly bottom_line: boolean;
  /** A document time-stamp after it proves when it existed. */
  readonly archived: boolean;
  readonly coverage: string;
  readonly modification_level: string | null;
  readonly modification: string | null;
  readonly docmdp_ok: boolean | null;
};

export type Answer<V extends Verdict> = { readonly pdf: string; readonly error?: string; readonly signatures?: readonly V[] };
/** `anchors` are files of trusted certificates, DER. */
export type Question = { readonly pdf: string; readonly anchors: readonly string[]; readonly at: Date };
export type Judge<V extends Verdict> = { ask(question: Question): Promise<Answer<V>>; close(): void };

/** Says why the validators cannot be asked, or false when they can. Under CI a missing one is a failure, not a skip. */
export function missingJudges(): string | false {
  const found = ["dss", "pyhanko"].every((validator) => existsSync(`${INSTALLED}${validator}/installed`));
  if (found) return false;
  const why = "DSS and pyHanko are not installed: npm test -- tools";
  if (process.env.CI) throw new Error(`${why}, and CI is set`);
  return why;
}

export const startDss = (): Judge<DssVerdict> =>
  startJudge("java", [
    "-Xmx1g",
    ...SHORT_LIVED_JVM,
    "-Djava.awt.headless=true",
    "-cp",
    `${INSTALLED}dss/classes:${INSTALLED}dss/lib/*`,
    "Judge",
  ]);

export const startPyHanko = (): Judge<PyHankoVerdict> => startJudge(PYHANKO_PYTHON, [PYTHON_JUDGE]);

/** Starts a validator that lives until `close`: questions may be asked at once, it answers them one after the other. */
function startJudge<V extends Verdict>(program: string, words: readonly string[]): Judge<V> {
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
  const waiting: { resolve(answer: Answer<V>): void; reject(reason: Error): void }[] = [];
  let complaint = "";
  let ended = false;
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString("utf8")}`.slice(-4_000);
  });
  const end = (why: string): void => {
    ended = true;
    for (const { reject } of waiting.splice(0)) reject(new Error(`${program} ended: ${why}`));
  };
  child.on("error", (error) => end(error.message));
  child.on("close", (code) => end(`exit code ${code}\n${complaint}`));
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift()?.resolve(JSON.parse(line)));
  return {
    ask: ({ pdf, anchors, at }) =>
      new Promise((resolve, reject) => {
        if (ended) return reject(new Error(`${program} ended before it was asked\n${complaint}`));
        waiting.push({ resolve, reject });
        child.stdin.write(`${pdf}\t${anchors.join(",")}\t${at.toISOString()}\n`);
      }),
    close: () => void child.stdin.end(),
  };
}
