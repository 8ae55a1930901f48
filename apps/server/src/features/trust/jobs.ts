import { parseCertificate } from "@paraphe/pades/parts";
import type { Platform } from "../../platform/platform.ts";
import { openAuthorities } from "./authorities.ts";
import type { MadePurpose } from "./make-authority.ts";
import { rotateAuthority } from "./rotate-authority.ts";

const EVERY_NIGHT = "20 2 * * *";
const DAY_MS = 86_400_000;
/** Before the last half year, when renewed time-stamps need one that lives longer. */
const LAST_DAYS = 365;

export function registerTrustJobs(platform: Platform): void {
  platform.queue.schedule("replace-ending-authorities", EVERY_NIGHT, () =>
    replaceEndingAuthorities(platform),
  );
}

/**
 * In their last year, issuers first; a root, which people trust, is the operator's. An offline key
 * is logged each night.
 */
export async function replaceEndingAuthorities(platform: Platform): Promise<void> {
  for (const purpose of ["ca", "tsa", "ocsp", "seal"] as const)
    if (await isEnding(platform, purpose)) await replace(platform, purpose);
  if (await isEnding(platform, "root"))
    platform.log.warn(
      {},
      "the root authority ends within the year: replace it (paraphe keys rotate root)",
    );
}

async function replace(platform: Platform, purpose: MadePurpose): Promise<void> {
  const rotated = await rotateAuthority(platform, purpose);
  if (rotated.ok)
    platform.log.info({ purpose }, "an authority that was to end within the year was replaced");
  else
    platform.log.warn(
      { purpose, reason: rotated.error },
      "an authority ends within the year and cannot be replaced without the root's key",
    );
}

async function isEnding(platform: Platform, purpose: MadePurpose): Promise<boolean> {
  const { [purpose]: authority } = await openAuthorities(platform);
  return (
    parseCertificate(authority.certificateDer).notAfter.getTime() - platform.clock().getTime() <
    LAST_DAYS * DAY_MS
  );
}
