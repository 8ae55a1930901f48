import { createTrust, strangeAuthorities } from "../../apps/server/src/features/trust/index.ts";
import type { Platform } from "../../apps/server/src/platform/platform.ts";
import { type AuditOutcome, auditOutcome } from "./audit-fault.ts";
import { createStatedFault, type StatedFault } from "./stated-fault.ts";

/** Every authority's row, living or retired, bears the service's own MAC. */
export function checkAuthorities(platform: Pick<Platform, "db" | "secrets">): Promise<AuditOutcome> {
  return auditOutcome("Autorités enregistrées", async ({ checked, fault }) => {
    const { count, strange } = await strangeAuthorities(platform);
    checked(count);
    for (const id of strange) fault(`autorité ${id}`, "sa ligne n’est pas celle que ce service a écrite\u202f: elle n’est pas crue");
  });
}

/** Gives what checks checkpoints by the service's own authorities; where these cannot be read, no checkpoint holds, and the rest of the audit goes on. */
export async function openStatedFault(platform: Platform): Promise<StatedFault> {
  try {
    return createStatedFault(await (await createTrust(platform)).evidence());
  } catch (error) {
    if ((await strangeAuthorities(platform)).strange.length === 0) throw error;
    return async () => "les autorités du service ne peuvent pas être lues";
  }
}
