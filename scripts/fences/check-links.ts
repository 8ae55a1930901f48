import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { listFiles } from "./list-files.ts";

/** `npm run check` step: every link between the repository's documents and files leads somewhere. Addresses on the web are not followed. */
const documents = (await listFiles(process.cwd())).filter((path) => path.endsWith(".md"));
const LINK = /\]\(([^()\s]+(?:\([^()\s]*\))?)\)/g;
let links = 0;
let dead = 0;
for (const path of documents) {
  const text = (await readFile(path, "utf8")).replace(/```[\s\S]*?```/g, "");
  for (const [, target = ""] of text.matchAll(LINK)) {
    if (/^([a-z]+:|#)/.test(target)) continue;
    links++;
    if (existsSync(join(dirname(path), decodeURIComponent(target.replace(/#.*/, ""))))) continue;
    dead++;
    console.error(`${path}: leads nowhere: ${target}`);
  }
}
if (dead > 0) process.exitCode = 1;
console.log(`${documents.length} documents, ${links} links, ${dead} dead`);
