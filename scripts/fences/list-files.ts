import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

/** Tracked or new files, not ignored; sorted, from the root. */
export async function listFiles(root: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      cwd: root,
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return stdout.split("\0").filter((path) => path !== "" && existsSync(join(root, path)));
}
