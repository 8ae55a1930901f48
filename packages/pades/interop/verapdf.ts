import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { missingTool, TEST_JVM } from "./tool.ts";

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

/** An interrupted run leaves no folder. */
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

export type PdfAVerdict = {
  readonly verdict: "PASS" | "FAIL" | "NONE" | "ERROR";
  readonly flavour: string;
  readonly rules: readonly string[];
};

/**
 * Does each file conform to the flavour it claims, and those in `asUa1` to PDF/UA-1? `rules`: every
 * broken rule with its first place.
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
