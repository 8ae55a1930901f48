import { setTimeout as sleep } from "node:timers/promises";
import { failure, problem, type Result, SEALING_ANSWER_MS, success } from "@paraphe/contracts";
import { isStorageFull } from "../../platform/error-code.ts";
import type { SealingDeps } from "./seal/deps.ts";
import { sealWaitingAct, type WaitingAct } from "./seal/seal-act.ts";
import { TimestampUnavailableError } from "../trust/public.ts";

/** `sealed`: the signature stands; `sealing`: the consent is recorded and the signature will follow; `void`: the envelope closed first. */
export type SealingProgress = "sealed" | "sealing" | "void";

/**
 * Seals an act just recorded, and gives up waiting, not sealing, after 3 s.
 * Errors: the consent being recorded, `timestamp_unavailable` (the signature follows when the authority is back) and `signature_without_room` (when
 * there is room).
 */
export async function sealWithin(deps: SealingDeps, act: WaitingAct): Promise<Result<SealingProgress>> {
  const patience = new AbortController();
  const sealing = sealWaitingAct(deps, act);
  const timeout = sleep(SEALING_ANSWER_MS, "late" as const, { signal: patience.signal, ref: false }).catch(() => "late" as const);
  try {
    const outcome = await Promise.race([sealing, timeout]);
    if (outcome === "late") {
      // The job will take it up if this try fails.
      sealing.catch((error: unknown) => deps.platform.log.warn({ act_id: act.id, error }, "an act was not sealed at the first try"));
      return success("sealing");
    }
    return success(outcome === "sealed" ? "sealed" : "void");
  } catch (error) {
    deps.platform.log.warn({ act_id: act.id, error }, "an act was not sealed at the first try");
    if (error instanceof TimestampUnavailableError) return failure(problem("timestamp_unavailable", { retryAfterS: 30 }));
    if (isStorageFull(error)) return failure(problem("signature_without_room", { retryAfterS: 300 }));
    return success("sealing");
  } finally {
    patience.abort();
  }
}
