import { readCertificates } from "./check-facts.ts";
import { type BroughtReport, type BroughtThings, verifyBrought } from "./verify-brought.ts";

/** Whose word a result stands on; `unknown`: the authorities at hand do not recognise it. */
export type Trust = "reader" | "service" | "nobody" | "unknown";

/** `authorities`: certificates (PEM) that a service publishes of itself; null where there is none. */
export type ReceivedThings = BroughtThings & { readonly authorities: Uint8Array | null };

/**
 * Verifies what somebody received, by the reader's own roots and keys; where they gave none, by the
 * authorities that a service publishes. These may add trust, and never make invalid what comes from
 * elsewhere: what they do not recognise is reported as without them.
 */
export async function verifyReceived({
  authorities,
  ...things
}: ReceivedThings): Promise<{ readonly report: BroughtReport; readonly trust: Trust }> {
  const own = await verifyBrought(things);
  if (things.roots.length + (things.sealKeys?.length ?? 0) > 0)
    return { report: own, trust: "reader" };
  if (authorities === null || own.verdict !== "indeterminate")
    return { report: own, trust: "nobody" };
  const report = await verifyBrought({ ...things, roots: readCertificates(authorities) });
  const isRecognised =
    report.verdict !== "invalid" &&
    report.checks.some(({ name, state }) => name === "root" && state === "ok");
  return isRecognised ? { report, trust: "service" } : { report: own, trust: "unknown" };
}
