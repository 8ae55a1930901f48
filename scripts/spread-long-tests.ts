import { basename } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { LONG } from "./long-tests.ts";

/** The share of the short files among which the long ones are spread: the others fill the processes while the last long one ends. */
const SPREAD = 2 / 3;
/** The project whose files are nearly all long. */
const STORIES = "stories";

/**
 * Spreads the long files over the run: one after the other they would leave a core idle, all at once they would slow each other down until some ran out of time.
 * A process is kept for the next file when it is of the same project, and starts anew otherwise: each goes among the short ones of its own, the stories among all.
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
