import { archive, extend } from "./archive.ts";
import { type Demo, runExample } from "./demo.ts";

const TWO_YEARS_MS = 2 * 365 * 86_400_000;

/** Renews the proof two years later, when the signers' certificates have expired. */
export async function renew(demo: Demo): Promise<Uint8Array> {
  return extend(demo, await archive(demo), new Date(demo.now.getTime() + TWO_YEARS_MS));
}

if (import.meta.main) await runExample(renew);
