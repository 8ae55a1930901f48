import { readCertificates } from "./check-facts.ts";
import { type OfflineReport, type OfflineInput, verifyOffline } from "./verify-offline.ts";

/** Who vouches for a result; `unknown`: none of the authorities at hand. */
export type Trust = "reader" | "service" | "nobody" | "unknown";

/** `authorities`: PEM published by a service; null where there is none. */
export type ReceivedInput = OfflineInput & { readonly authorities: Uint8Array | null };

/**
 * Verifies received things by the reader's roots and keys or, without any, by a service's published
 * authorities. These can only add trust: what they do not recognise is reported as without them.
 */
export async function verifyReceived({
  authorities,
  ...things
}: ReceivedInput): Promise<{ readonly report: OfflineReport; readonly trust: Trust }> {
  const own = await verifyOffline(things);
  if (things.roots.length + (things.sealKeys?.length ?? 0) > 0)
    return { report: own, trust: "reader" };
  if (authorities === null || own.verdict !== "indeterminate")
    return { report: own, trust: "nobody" };
  const report = await verifyOffline({ ...things, roots: readCertificates(authorities) });
  const isRecognised =
    report.verdict !== "invalid" &&
    report.checks.some(({ name, state }) => name === "root" && state === "ok");
  return isRecognised ? { report, trust: "service" } : { report: own, trust: "unknown" };
}
