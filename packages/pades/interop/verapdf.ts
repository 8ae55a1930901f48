import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { missingTool, SHORT_LIVED_JVM } from "./tool.ts";

const SOURCE = fileURLToPath(new URL("./verapdf/", import.meta.url));
const CACHE = fileURLToPath(new URL("../../../.cache/verapdf/", import.meta.url));

/** Why veraPDF cannot be asked, or false when it can; Maven brings it at the first call. */
export function missingVeraPdf(): string | false {
  const missing = missingTool("java") || (existsSync(`${CACHE}lib`) ? false : missingTool("mvn"));
  if (missing) return missing;
  if (existsSync(`${CACHE}lib`)) return false;
  // Into a folder of its own first: a download that was cut short must not pass for a whole one.
  const unfinished = `${CACHE}lib-${process.pid}`;
  mkdirSync(CACHE, { recursive: true });
  const { status } = spawnSync("mvn", [
    "-q",
    "-B",
    "-f",
    `${SOURCE}pom.xml`,
    "dependency:copy-dependencies",
    `-DoutputDirectory=${unfinished}`,
  ]);
  if (status === 0 && !existsSync(`${CACHE}lib`)) renameSync(unfinished, `${CACHE}lib`);
  rmSync(unfinished, { recursive: true, force: true });
  if (existsSync(`${CACHE}lib`)) return false;
  if (process.env.CI) throw new Error("veraPDF could not be installed, and CI is set");
  return "veraPDF could not be installed";
}

export type PdfAVerdict = {
  readonly verdict: "PASS" | "FAIL" | "NONE" | "ERROR";
  readonly flavour: string;
  readonly rules: readonly string[];
};

/**
 * Asks veraPDF about each file, in order: whether it is what it claims to be; then, in the same order, of those in `asUa1` whether they are PDF/UA-1.
 * `rules` names every rule broken with its first place.
 */
export function judgePdfA(paths: readonly string[], asUa1: readonly string[] = []): readonly PdfAVerdict[] {
  const asked = [...paths, ...(asUa1.length > 0 ? ["--as=ua1", ...asUa1] : [])];
  const words = [...SHORT_LIVED_JVM, "-cp", `${CACHE}lib/*`, `${SOURCE}JudgePdfA.java`, ...asked];
  const { stdout, stderr } = spawnSync("java", words, { encoding: "utf8" });
  const verdicts: { verdict: PdfAVerdict["verdict"]; flavour: string; rules: string[] }[] = [];
  for (const line of stdout.split("\n")) {
    const [head = "", flavour = "", detail = ""] = line.split("\t");
    if (head === "RULE") verdicts.at(-1)?.rules.push(`${flavour} ${detail}`);
    else if (/^(?:PASS|FAIL|NONE|ERROR)$/.test(head)) verdicts.push({ verdict: head as PdfAVerdict["verdict"], flavour, rules: [] });
  }
  if (verdicts.length !== paths.length + asUa1.length) throw new Error(`veraPDF did not answer for each file: ${stderr}`);
  return verdicts;
}
