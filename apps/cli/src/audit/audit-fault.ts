import type { Platform } from "../../../server/src/platform/platform.ts";

/** What a check finds: of which thing, by an id, a number or a hash, never a name; and what, in French. */
export type AuditFault = { readonly subject: string; readonly what: string };

/** One line of the table. `checked`: how many things were looked at; `faultCount`: all of them, of which `faults` keeps the first. */
export type AuditOutcome = {
  readonly check: string;
  readonly checked: number;
  readonly faultCount: number;
  readonly faults: readonly AuditFault[];
  readonly seconds: number;
};

export type AuditPlatform = Pick<Platform, "db" | "files" | "settings">;

/** Faults kept for the report: a journal rewritten whole has as many as it has rows. */
const KEPT = 20;

export type AuditNotes = {
  readonly checked: (count?: number) => void;
  readonly fault: (subject: string, what: string) => void;
};

/** Runs one check and gives its line. */
export async function auditOutcome(check: string, run: (notes: AuditNotes) => Promise<void>): Promise<AuditOutcome> {
  const started = performance.now();
  const faults: AuditFault[] = [];
  let [checked, faultCount] = [0, 0];
  await run({
    checked: (count = 1) => {
      checked += count;
    },
    fault: (subject, what) => {
      faultCount += 1;
      if (faults.length < KEPT) faults.push({ subject, what });
    },
  });
  return { check, checked, faultCount, faults, seconds: (performance.now() - started) / 1_000 };
}
