import { readFileSync, writeFileSync } from "node:fs";
import { loadFonts } from "../apps/server/src/platform/fonts/load-fonts.ts";
import { prepareFields } from "../packages/pades/src/index.ts";
import { benchSigner, FIELDS, fillerPdf, KB, PREFIX, signOnce } from "./core-stage.ts";

/** Own process: signs a small file, then the one named; prints the peak's growth in bytes. */
const path = process.argv[2] ?? "";
const [fonts, signer] = await Promise.all([loadFonts(), benchSigner()]);
const small = await prepareFields(fillerPdf(50 * KB), {
  namePrefix: PREFIX,
  fonts,
  fields: FIELDS,
});
for (let round = 0; round < 3; round += 1) await signOnce(small, { fonts, signer });

const status = (key: string): number =>
  Number(
    new RegExp(`${key}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? 0,
  ) * KB;
// Resets the peak. Source: proc(5), clear_refs.
writeFileSync("/proc/self/clear_refs", "5");
const before = status("VmRSS");
await signOnce(new Uint8Array(readFileSync(path)), { fonts, signer });
process.stdout.write(String(status("VmHWM") - before));
