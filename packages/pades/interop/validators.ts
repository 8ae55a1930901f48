import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { createHash } from "node:crypto";
import { TEST_JVM, missingTool } from "./tool.ts";

const INSTALLED = fileURLToPath(new URL("../../../.cache/interop/", import.meta.url));
export const PYHANKO_PYTHON = `${INSTALLED}pyhanko/bin/python`;
export const NODE_MAKERS = `${INSTALLED}node-makers/package.json`;
const PYTHON_JUDGE = fileURLToPath(new URL("./pyhanko/judge.py", import.meta.url));

export type Verdict = { readonly field: string; readonly kind: "signature" | "document_timestamp" };

export type DssVerdict = Verdict & {
  readonly indication: string;
  readonly sub_indication: string | null;
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

export type PyHankoVerdict = Verdict & {
  readonly ades: string | null;
  readonly failure: string | null;
  readonly intact: boolean;
  readonly valid: boolean;
  readonly trusted: boolean;
  readonly bottom_line: boolean;
  /** A later document time-stamp proves its existence. */
  readonly archived: boolean;
  readonly coverage: string;
  readonly modification_level: string | null;
  readonly modification: string | null;
  readonly docmdp_ok: boolean | null;
};

export type Answer<V extends Verdict> = {
  readonly pdf: string;
  readonly error?: string;
  readonly signatures?: readonly V[];
};
/** `anchors`: files, DER. `revocation`: whether pyHanko may lack it. */
type Question = {
  readonly pdf: string;
  readonly anchors: readonly string[];
  readonly at: Date;
  readonly revocation?: "soft-fail";
};
export type Validator<V extends Verdict> = {
  ask(question: Question): Promise<Answer<V>>;
  close(): void;
};

/** Under CI a missing one is a failure. */
export function unavailableValidators(): string | false {
  const found = ["dss", "pyhanko", "node-makers"].every((tool) =>
    existsSync(`${INSTALLED}${tool}/installed`),
  );
  if (found) return false;
  const why = "DSS, pyHanko and the other makers are not installed: npm test -- tools";
  if (process.env.CI) throw new Error(`${why}, and CI is set`);
  return why;
}

const PROGRAMS = {
  dss: [
    "java",
    "-Xmx1g",
    ...TEST_JVM,
    "-Djava.awt.headless=true",
    "-cp",
    `${INSTALLED}dss/classes:${INSTALLED}dss/lib/*`,
    "Judge",
  ],
  pyHanko: [PYHANKO_PYTHON, PYTHON_JUDGE],
} as const;
export type ValidatorName = keyof typeof PROGRAMS;

export type Lines = { ask(line: string): Promise<string>; close(): void };

/**
 * They listen at `<folder>/<name>` (`share-validators.ts`); without it each caller starts its own.
 */
export const SHARED_VALIDATORS = "PARAPHE_VALIDATORS";

export const openDss = (): Validator<DssVerdict> => openValidator("dss");
export const openPyHanko = (): Validator<PyHankoVerdict> => openValidator("pyHanko");

/** Signs the `*.in.pdf` of a folder (`Makers.java`). */
export async function signWithJava(folder: string, at: Date): Promise<readonly string[]> {
  const lines = openLines("dss");
  const answer = JSON.parse(await lines.ask(`sign\t${folder}\t${at.toISOString()}`)) as {
    error?: string;
    written?: readonly string[];
  };
  lines.close();
  if (answer.written === undefined)
    throw new Error(`The Java libraries sign nothing: ${answer.error}`);
  return answer.written;
}

function openLines(name: ValidatorName): Lines {
  const shared = process.env[SHARED_VALIDATORS];
  return shared === undefined ? startValidator(name) : connectTo(join(shared, name));
}

function openValidator<V extends Verdict>(name: ValidatorName): Validator<V> {
  const lines = openLines(name);
  return {
    ask: async (question) => JSON.parse(await lines.ask(lineOf(question))) as Answer<V>,
    close: () => lines.close(),
  };
}

const lineOf = ({ pdf, anchors, at, revocation }: Question): string =>
  [pdf, anchors.join(","), at.toISOString(), ...(revocation ? [revocation] : [])].join("\t");

export function startValidator(name: ValidatorName): Lines {
  const [program, ...words] = PROGRAMS[name];
  const child = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
  let complaint = "";
  child.stderr.on("data", (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString("utf8")}`.slice(-4_000);
  });
  const { lines, end } = askOver(child.stdin, child.stdout);
  child.on("error", (error) => end(`${program}: ${error.message}`));
  child.on("close", (code) => end(`${program} ended: exit code ${code}\n${complaint}`));
  return lines;
}

function connectTo(path: string): Lines {
  const socket = connect(path);
  const { lines, end } = askOver(socket, socket);
  socket.on("error", (error) => end(`${path}: ${error.message}`));
  socket.on("close", () => end(`${path} was closed`));
  return lines;
}

function askOver(
  input: Writable,
  output: Readable,
): { readonly lines: Lines; end(why: string): void } {
  const waiting: { resolve(answer: string): void; reject(reason: Error): void }[] = [];
  let ended: string | null = null;
  createInterface({ input: output }).on("line", (line) => waiting.shift()?.resolve(line));
  return {
    lines: {
      ask: (line) =>
        new Promise((resolve, reject) => {
          if (ended !== null) return reject(new Error(ended));
          waiting.push({ resolve, reject });
          input.write(`${line}\n`);
        }),
      close: () => void input.end(),
    },
    end(why) {
      ended ??= why;
      for (const { reject } of waiting.splice(0)) reject(new Error(ended));
    },
  };
}

const SOURCE = fileURLToPath(new URL("./verapdf/", import.meta.url));
const CACHE = fileURLToPath(new URL("../../../.cache/verapdf/", import.meta.url));

const PROGRAM = `${SOURCE}JudgePdfA.java`;
const LIBRARIES = `${CACHE}lib`;
const CLASSES = `${CACHE}classes-${createHash("sha256").update(readFileSync(PROGRAM)).digest("hex").slice(0, 16)}`;

/** Maven brings veraPDF at the first call. */
export function missingVeraPdf(): string | false {
  const missing = missingTool("javac") || (existsSync(LIBRARIES) ? false : missingTool("mvn"));
  if (missing) return missing;
  const copy = (folder: string) => [
    "-q",
    "-B",
    "-f",
    `${SOURCE}pom.xml`,
    "dependency:copy-dependencies",
    `-DoutputDirectory=${folder}`,
  ];
  const compile = (folder: string) => ["-cp", `${LIBRARIES}/*`, "-d", folder, PROGRAM];
  if (makeFolder(LIBRARIES, "mvn", copy) && makeFolder(CLASSES, "javac", compile)) return false;
  if (process.env.CI) throw new Error("veraPDF could not be installed, and CI is set");
  return "veraPDF could not be installed";
}

function makeFolder(
  folder: string,
  program: string,
  words: (folder: string) => readonly string[],
): boolean {
  if (existsSync(folder)) return true;
  const unfinished = `${folder}-${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  const env = { ...process.env, MAVEN_OPTS: TEST_JVM.join(" ") };
  const { status } = spawnSync(program, words(unfinished), { env });
  if (status === 0 && !existsSync(folder)) renameSync(unfinished, folder);
  rmSync(unfinished, { recursive: true, force: true });
  return existsSync(folder);
}

type PdfAVerdict = {
  readonly verdict: "PASS" | "FAIL" | "NONE" | "ERROR";
  readonly flavour: string;
  readonly rules: readonly string[];
};

/**
 * Validates the flavour claimed, and PDF/UA-1 for those in `asUa1`. `rules`: every broken rule with
 * its first place.
 */
export function validatePdfA(
  paths: readonly string[],
  asUa1: readonly string[] = [],
): readonly PdfAVerdict[] {
  const asked = [...paths, ...(asUa1.length > 0 ? ["--as=ua1", ...asUa1] : [])];
  const words = [...TEST_JVM, "-cp", `${CLASSES}:${LIBRARIES}/*`, "JudgePdfA", ...asked];
  const { stdout, stderr } = spawnSync("java", words, { encoding: "utf8" });
  const verdicts: { verdict: PdfAVerdict["verdict"]; flavour: string; rules: string[] }[] = [];
  for (const line of stdout.split("\n")) {
    const [head = "", flavour = "", detail = ""] = line.split("\t");
    if (head === "RULE") verdicts.at(-1)?.rules.push(`${flavour} ${detail}`);
    else if (/^(?:PASS|FAIL|NONE|ERROR)$/.test(head))
      verdicts.push({ verdict: head as PdfAVerdict["verdict"], flavour, rules: [] });
  }
  if (verdicts.length !== paths.length + asUa1.length)
    throw new Error(`veraPDF did not answer for each file: ${stderr}`);
  return verdicts;
}
