import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { link, mkdir, readdir, readlink, realpath, rm, symlink } from "node:fs/promises";
import { join } from "node:path";

/** A work tree of one revision. */
export type ScratchTree = { readonly root: string; readonly revision: string };

/** Written by tools in `node_modules`. */
const CACHES = /^\.(cache|vite.*)$/;
/** Installed tools that a scratch tree shares. */
const SHARED_TOOLS = ["interop", "verapdf"];

/**
 * Makes or cleans `.cache/planted/<revision>/main`. Errors: throws when the revision needs other
 * packages.
 */
export async function makeScratchTree(project: string, revision: string): Promise<ScratchTree> {
  const git = (folder: string, ...words: string[]) =>
    execFileSync("git", words, { cwd: folder, encoding: "utf8" });
  const commit = git(project, "rev-parse", "--verify", `${revision}^{commit}`).trim();
  const place = join(project, ".cache/planted", commit.slice(0, 7));
  const root = join(place, "main");
  await mkdir(place, { recursive: true });
  git(project, "worktree", "prune");
  if (!existsSync(join(root, ".git")))
    git(project, "worktree", "add", "--detach", "--force", root, commit);
  git(root, "checkout", "--force", "--detach", "--quiet", commit);
  if (git(project, "diff", "--name-only", commit, "HEAD", "--", "package-lock.json") !== "")
    throw new Error(
      `${revision} needs other packages than those that are installed: its package-lock.json is another`,
    );
  await rm(join(root, "node_modules"), { recursive: true, force: true });
  await linkFiles(join(project, "node_modules"), join(root, "node_modules"));
  await mkdir(join(root, ".cache"), { recursive: true });
  for (const name of SHARED_TOOLS)
    await linkFolder(join(project, ".cache", name), join(root, ".cache", name));
  await linkFolder(join(project, "../shared"), join(place, "shared"));
  return { root, revision: commit.slice(0, 7) };
}

/**
 * Hard links: the sandbox reads its tree alone and follows no symbolic link. The workspaces' links
 * are relative, so that a fault in a package is seen.
 */
async function linkFiles(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (CACHES.test(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkFiles(source, target);
    else if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else await link(source, target);
  }
}

async function linkFolder(from: string, to: string): Promise<void> {
  if (existsSync(from) && !existsSync(to)) await symlink(await realpath(from), to);
}
