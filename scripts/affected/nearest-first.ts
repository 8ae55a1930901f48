import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { NEAREST_FIRST } from "./choose-tests.ts";

/** Runs the nearest files first; those of a project follow each other, for a process is kept for the next file of the same one. */
export class NearestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = (process.env[NEAREST_FIRST] ?? "").split("\n");
    const rank = ({ moduleId }: TestSpecification) =>
      order.indexOf(relative(process.cwd(), moduleId));
    const sorted = files.toSorted((one, other) => rank(one) - rank(other));
    return Promise.resolve([...Map.groupBy(sorted, ({ project }) => project.name).values()].flat());
  }
}
