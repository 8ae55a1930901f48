import { createTrust, strangeAuthorities } from "../../../server/src/features/trust/public.ts";
import type { Platform } from "../../../server/src/platform/platform.ts";
import { type AuditOutcome, auditOutcome } from "./audit-fault.ts";
import { createStatedFault, type StatedFault } from "./stated-fault.ts";

/** Every authority's row, living or retired, bears the service's own MAC, and there is a living one for each purpose. */
export function checkAuthorities(platform: Pick<Platform, "db" | "secrets">): Promise<AuditOutcome> {
  return auditOutcome("Autorités enregistrées", async ({ checked, fault }) => {
    const { count, strange, missing } = await strangeAuthorities(platform);
    checked(count);
    // Before its very first start a service has none.
    for (const purpose of count === 0 ? [] : missing)
      fault(`autorité ${purpose}`, "aucune n’est en vie\u202f: sa ligne a été retirée ou changée");
    for (const id of strange) fault(`autorité ${id}`, "sa ligne n’est pas celle que ce service a écrite\u202f: elle n’est pas crue");
  });
}

/** Gives what checks checkpoints by the service's own authorities; where these cannot be read, no checkpoint holds, and the rest of the audit goes on. */
export async function openStatedFault(platform: Platform): Promise<StatedFault> {
  const unread = async () => "les autorités du service ne peuvent pas être lues";
  // To open them where there are none would make them: the audit changes nothing.
  if ((await strangeAuthorities(platform)).count === 0) return unread;
  try {
    return createStatedFault(await (await createTrust(platform)).evidence());
  } catch (error) {
    const { strange, missing } = await strangeAuthorities(platform);
    if (strange.length + missing.length === 0) throw error;
    return unread;
  }
}
