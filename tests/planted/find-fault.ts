import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { listFiles } from "../../scripts/fences/list-files.ts";
import type { NamedTest } from "../run/read-test-reports.ts";
import type { Fault } from "./faults.ts";
import { type AffectedTests, findAffectedTests, isSlow } from "./find-affected-tests.ts";
import { type Imports, readImports } from "./read-imports.ts";
import { buildClient, isStory, runTests } from "./run-tests.ts";
import type { ScratchTree } from "./scratch-tree.ts";

/** `unsteady`: test files that failed with the fault and also passed with it or failed without. */
export type Finding = {
  readonly test: NamedTest | null;
  readonly seconds: number;
  readonly unsteady: readonly string[];
};

/** Nearest tests first, in small batches. */
const BATCHES = [10, 30];
const REST = 80;
/** More failures are awaited, because a file may have tests that fail anyway. */
const MOST_AGAIN = 5;

export class FaultFinder {
  private readonly root: string;
  private readonly imports: Imports;
  /** Tests that fail without any fault, by file. */
  private readonly failingAnyway = new Map<string, ReadonlySet<string>>();

  private constructor(root: string, imports: Imports) {
    this.root = root;
    this.imports = imports;
  }

  static async open({ root }: ScratchTree): Promise<FaultFinder> {
    const finder = new FaultFinder(root, readImports(root, await listFiles(root)));
    await buildClient(root);
    return finder;
  }

  /** Why a fault cannot be planted, or null. */
  async whyNot({ file, find, replace }: Fault): Promise<string | null> {
    const text = await readFile(join(this.root, file), "utf8").catch(() => null);
    if (text === null) return `${file} is not there`;
    const count = text.split(find).length - 1;
    if (count !== 1) return `its snippet stands ${count} times in ${file}`;
    return find === replace ? "it changes nothing" : null;
  }

  /** Plants a fault, runs tests until one finds it, and removes it. */
  async find(fault: Fault): Promise<Finding> {
    const started = performance.now();
    const path = join(this.root, fault.file);
    const sound = await readFile(path, "utf8");
    const plant = () =>
      writeFile(
        path,
        sound.replace(fault.find, () => fault.replace),
      );
    const remove = () => writeFile(path, sound);
    const unsteady: string[] = [];
    let test: NamedTest | null = null;
    try {
      await plant();
      const batches = this.batchesOf(fault);
      for (const [index, batch] of batches.entries()) {
        const files = `${batch.length} file${batch.length === 1 ? "" : "s"}`;
        console.log(
          `  ${fault.name}: batch ${index + 1} of ${batches.length}, ${files} from ${batch[0]}`,
        );
        test = await this.findIn(batch, { plant, remove, unsteady });
        if (test !== null) break;
      }
    } finally {
      await remove();
    }
    return { test, seconds: Math.round((performance.now() - started) / 1_000), unsteady };
  }

  private async findIn(
    batch: readonly string[],
    {
      plant,
      remove,
      unsteady,
    }: { plant(): Promise<void>; remove(): Promise<void>; unsteady: string[] },
  ): Promise<NamedTest | null> {
    for (let files = batch; files.length > 0; ) {
      const [failed] = await runTests({ root: this.root, files, most: 1 });
      if (failed === undefined) return null;
      const again = await runTests({ root: this.root, files: [failed.file], most: MOST_AGAIN });
      await remove();
      const anyway = await this.failuresWithout(failed.file);
      await plant();
      const test = again.find(({ name }) => !anyway.has(name));
      if (test !== undefined) return test;
      unsteady.push(failed.file);
      files = files.filter((file) => file !== failed.file);
    }
    return null;
  }

  private async failuresWithout(file: string): Promise<ReadonlySet<string>> {
    const known = this.failingAnyway.get(file);
    if (known !== undefined) return known;
    const failed = await runTests({ root: this.root, files: [file], most: 0 });
    const names = new Set(failed.map(({ name }) => name));
    this.failingAnyway.set(file, names);
    return names;
  }

  /** Order: named tests, nearest ones, named stories, the rest, slow ones last. */
  private batchesOf({ file, tries = [] }: Fault): readonly (readonly string[])[] {
    const { near, far }: AffectedTests = findAffectedTests(this.imports, [file]);
    const all = [...near, ...far];
    const named = all.filter((path) => tries.some((start) => path.startsWith(start)));
    const others = all.filter((path) => !isStory(path) && !named.includes(path));
    const tests = [...others.filter((path) => !isSlow(path)), ...others.filter(isSlow)];
    const [first = 0, second = 0] = BATCHES;
    const rest = tests.slice(first + second);
    return [
      named.filter((path) => !isStory(path)),
      tests.slice(0, first),
      named.filter(isStory),
      tests.slice(first, first + second),
      ...Array.from({ length: Math.ceil(rest.length / REST) }, (_, index) =>
        rest.slice(index * REST, (index + 1) * REST),
      ),
      all.filter((path) => isStory(path) && !named.includes(path)),
    ].filter((batch) => batch.length > 0);
  }
}
