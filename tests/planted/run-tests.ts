import { spawn } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { delimiter, join, relative } from "node:path";
import {
  type NamedTest,
  readPlaywrightReport,
  readVitestReport,
} from "../run/read-test-reports.ts";

/** A fault may make a test wait for ever. */
const LONGEST_RUN_MS = 40 * 60_000;
/**
 * `read-test-reports` on a file without results: the code does not load, no test found the fault.
 */
const NO_TEST = /^\(the whole file\)$|^no report was written$/;

export const isStory = (path: string): boolean => path.endsWith(".spec.ts");

/** `most`: failures that end the run. */
export type RunOptions = {
  readonly root: string;
  readonly files: readonly string[];
  readonly most: number;
};

/** Runs Vitest files or Playwright stories at `root`; gives failed tests. */
export async function runTests(options: RunOptions): Promise<readonly NamedTest[]> {
  const stories = options.files.filter(isStory);
  const tests = options.files.filter((path) => !isStory(path));
  const failed = tests.length > 0 ? await runVitest({ ...options, files: tests }) : [];
  if (stories.length === 0 || (options.most > 0 && failed.length >= options.most)) return failed;
  return [...failed, ...(await runStories({ ...options, files: stories }))];
}

async function runVitest({ root, files, most }: RunOptions): Promise<readonly NamedTest[]> {
  const report = await freshReport(root);
  const asked = [
    "run",
    "--maxWorkers=2",
    `--bail=${most}`,
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  await runIn(root, "vitest", [...asked, ...files]);
  const inProject = `${relative(process.cwd(), root)}/`;
  return namedTests((await readVitestReport(report)).failed).map((test) => ({
    ...test,
    file: test.file.replace(inProject, ""),
  }));
}

async function runStories({ root, files, most }: RunOptions): Promise<readonly NamedTest[]> {
  await buildClient(root);
  const report = await freshReport(root);
  const asked = ["test", "--workers=1", "--retries=0", `--max-failures=${most}`];
  await runIn(root, "playwright", [...asked, ...files], { PLAYWRIGHT_JSON_OUTPUT_FILE: report });
  return namedTests((await readPlaywrightReport(report)).failed);
}

export async function buildClient(root: string): Promise<void> {
  await runIn(root, "node", ["scripts/setup.mjs", "tools", "client"]);
}

const namedTests = (failed: readonly NamedTest[]) =>
  failed.filter(({ name }) => !NO_TEST.test(name));

async function freshReport(root: string): Promise<string> {
  const path = join(root, "test-results/planted.json");
  await mkdir(join(root, "test-results"), { recursive: true });
  await rm(path, { force: true });
  return path;
}

/** Process groups to end with this program. */
const running = new Set<number>();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    for (const leader of running) endGroup(leader);
    process.exit(1);
  });

/** Runs in a process group, so that what it leaves behind is ended too. */
function runIn(
  root: string,
  command: string,
  words: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<void> {
  const env = {
    ...process.env,
    ...more,
    PATH: [join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
  };
  const child = spawn(command, words, {
    cwd: root,
    env,
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  const leader = child.pid;
  if (leader !== undefined) running.add(leader);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => leader !== undefined && endGroup(leader), LONGEST_RUN_MS);
    child.on("error", reject);
    child.on("close", () => {
      clearTimeout(timer);
      if (leader !== undefined) {
        endGroup(leader);
        running.delete(leader);
      }
      resolve();
    });
  });
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
