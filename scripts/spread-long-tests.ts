import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take more than twenty seconds, nearly all of them waiting: for other makers' validators, a killed process, a database's start. */
export const LONG = new Set([
  "others-judge.test.ts",
  "whole-service.test.ts",
  "whole-service-others.test.ts",
  "main.test.ts",
  "kills.test.ts",
  "embedded-postgres.test.ts",
  "renew-archive.test.ts",
  "seal-act.test.ts",
  "create-queue.test.ts",
  "printed-copies.test.ts",
  "attacks.test.ts",
  "proofs-offline.test.ts",
  "forged-rows.test.ts",
  "evidence-file.test.ts",
  "checkpoints-of-two-processes.test.ts",
  "rewritten-past.test.ts",
  "verify-store.test.ts",
  "api.test.ts",
  "pdf-sandbox.test.ts",
  "known-remarks.test.ts",
]);

/** The share of the short files among which the long ones are spread: the others fill the processes while the last long one ends. */
const SPREAD = 2 / 3;

/** Spreads the long files over the run: one after the other they would leave a core idle, all at once they would end in each other's time-outs. */
export class SpreadLongTests extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLong = ({ moduleId }: TestSpecification) => LONG.has(basename(moduleId));
    const [long, short] = [sorted.filter(isLong), sorted.filter((file) => !isLong(file))];
    const step = Math.max(1, Math.floor((short.length * SPREAD) / long.length));
    return long.length === 0
      ? short
      : [...long.flatMap((file, index) => [file, ...short.slice(index * step, (index + 1) * step)]), ...short.slice(long.length * step)];
  }
}
