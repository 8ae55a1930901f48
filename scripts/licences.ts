import { writeThirdParty } from "./docs/write-parts.ts";

/** `npm run licences` writes THIRD-PARTY.md; it fails on a refused licence. */
const stale = await writeThirdParty();
console.log(`THIRD-PARTY.md: ${stale ? "written" : "up to date"}`);
