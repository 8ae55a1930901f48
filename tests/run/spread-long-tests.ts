import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Files of more than twenty seconds, mostly waiting, the longest first. */
export const LONG = new Set([
  "kills.test.ts",
  "others-validate.test.ts",
  "main.test.ts",
  "backup.test.ts",
  "embedded-postgres.test.ts",
  "heals-by-itself.test.ts",
  "own-server.test.ts",
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
  "api-document.test.ts",
]);

/** Long files start within this share of the short ones; the rest fills in while the last ends. */
const SPREAD = 2 / 3;
const STORIES = "stories";

/**
 * Spreads long files: in sequence they leave a core idle, together they time out.
 * Files of one project are grouped, for a process is reused within it; stories go among all.
 */
export class SpreadLongTests extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isLongStory = (file: TestSpecification) =>
      file.project.name === STORIES && rankOf(file) >= 0;
    const projects = Map.groupBy(
      sorted.filter((file) => !isLongStory(file)),
      ({ project }) => project.name,
    );
    const others = [...projects.values()].flatMap((all) =>
      spread(
        inRank(all),
        all.filter((file) => rankOf(file) < 0),
      ),
    );
    return spread(inRank(sorted.filter(isLongStory)), others);
  }
}

const RANK = [...LONG];
const rankOf = ({ moduleId }: TestSpecification) => RANK.indexOf(basename(moduleId));
const inRank = (files: readonly TestSpecification[]) =>
  files.filter((file) => rankOf(file) >= 0).toSorted((one, other) => rankOf(one) - rankOf(other));

function spread(
  long: readonly TestSpecification[],
  short: readonly TestSpecification[],
): TestSpecification[] {
  if (long.length === 0) return [...short];
  const step = Math.max(1, Math.floor((short.length * SPREAD) / long.length));
  return [
    ...long.flatMap((file, index) => [file, ...short.slice(index * step, (index + 1) * step)]),
    ...short.slice(long.length * step),
  ];
}
