import { readFileSync, rmSync } from "node:fs";

/** Places between two writes, where losing the process does no harm. */
export type FailPoint =
  | "act_committed"
  | "file_stored"
  | "signature_written"
  | "signature_committed"
  | "own_file_stored"
  | "group_written"
  | "group_committed"
  | "mailing_drafted"
  | "mailing_sent"
  | "leaves_appended"
  | "checkpoint_written"
  | "checkpoint_committed";

const path =
  process.env["NODE_ENV"] === "production" ? undefined : process.env["PARAPHE_FAIL_FILE"];
const passed = new Map<FailPoint, number>();

/**
 * Serves tests; does nothing without `PARAPHE_FAIL_FILE` and in production. The file names a point,
 * or `own_file_stored:5` for its fifth passage; it is removed first, so that the next process goes
 * on.
 */
export function failPoint(name: FailPoint): void {
  if (path === undefined) return;
  const [wanted, time = "1"] = readWanted(path).split(":");
  if (wanted !== name) return;
  passed.set(name, (passed.get(name) ?? 0) + 1);
  if (passed.get(name) !== Number(time)) return;
  rmSync(path);
  process.kill(process.pid, "SIGKILL");
}

function readWanted(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch {
    return "";
  }
}
