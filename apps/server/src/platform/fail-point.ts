import { readFileSync, rmSync } from "node:fs";

/** The moments between two writes at which a signature, a batch or the log must survive the loss of the process. */
export type FailPoint =
  | "act_committed"
  | "file_stored"
  | "signature_written"
  | "signature_committed"
  | "own_file_stored"
  | "group_written"
  | "group_committed"
  | "leaves_appended"
  | "checkpoint_written"
  | "checkpoint_committed";

const path =
  process.env["NODE_ENV"] === "production" ? undefined : process.env["PARAPHE_FAIL_FILE"];
const passed = new Map<FailPoint, number>();

/**
 * Ends the process as a power cut does, where a test asks for it; without `PARAPHE_FAIL_FILE`, and in production, it does nothing. The file names a point, `own_file_stored`
 * or, for the fifth time that it is passed, `own_file_stored:5`; it is removed first, so that the next process goes on.
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
    // Nothing is asked for.
    return "";
  }
}
