import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Builds `dist`, which `npm run pack:sdk` packs. */
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const folder = here("dist");

rmSync(folder, { recursive: true, force: true });
const tsc = here("../../node_modules/typescript/bin/tsc");
const words = [tsc, "-p", here("tsconfig.dist.json"), "--outDir", folder];
execFileSync(process.execPath, words, { stdio: "inherit" });
const { name, version, license, type, sideEffects } = JSON.parse(
  readFileSync(here("package.json"), "utf8"),
) as Record<string, unknown>;
const published = {
  name,
  version,
  license,
  type,
  sideEffects,
  engines: { node: ">=20" },
  exports: { ".": { types: "./index.d.ts", default: "./index.js" } },
};
writeFileSync(`${folder}/package.json`, `${JSON.stringify(published, null, 2)}\n`);
copyFileSync(here("README.md"), `${folder}/README.md`);
copyFileSync(here("../../LICENSE"), `${folder}/LICENSE`);
