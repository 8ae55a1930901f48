import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take more than twenty seconds, nearly all of them waiting: for other makers' validators, a killed process, a database's start.
 * In the order they begin: the longest first, while the stories use what they leave of the cores.
 */
export const LONG = new Set([
  "kills.test.ts",
  "others-judge.test.ts",
  "main.test.ts",
  "embedded-postgres.test.ts",
  "heals-by-itself.test.ts",
  "whole-service.test.ts",
  "whole-service-others.test.ts",
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
    const rank = [...LONG];
    const rankOf = ({ moduleId }: TestSpecification) => rank.indexOf(basename(moduleId));
    const long = sorted.filter((file) => rankOf(file) >= 0).toSorted((one, other) => rankOf(one) - rankOf(other));
    const short = sorted.filter((file) => rankOf(file) < 0);
    const step = Math.max(1, Math.floor((short.length * SPREAD) / long.length));
    return long.length === 0
      ? short
      : [...long.flatMap((file, index) => [file, ...short.slice(index * step, (index + 1) * step)]), ...short.slice(long.length * step)];
  }
}
