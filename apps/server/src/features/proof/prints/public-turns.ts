import { failure, problem, type Result, success } from "@paraphe/contracts";
import { serialByKey } from "../../../platform/concurrency.ts";
import type { PrintDeps } from "./print-deps.ts";

/** Of one address, behind the one that is answered: an office whose clerks all scan at once. */
const MOST_WAITING = 10;
const RETRY_S = 5;

/** Who asks, and whether they still wait. `key`: the account, or the network of an address. */
export type PublicCaller = { readonly key: string; readonly gone: AbortSignal };

/**
 * Does the work of a public call in its turn, with what the caller is given of the service. Errors:
 * `too_many_requests`.
 */
export type InTurn = <T>(
  caller: PublicCaller,
  work: (asked: PrintDeps) => Promise<T>,
) => Promise<Result<T>>;

/**
 * Gives the turns of public calls: one proof at a time is computed for an address, so that nobody's
 * many calls, of documents however large, hold the
 * sandbox before somebody's one. Who has gone waits no more, and nothing more is validated for
 * them.
 */
export function createPublicTurns(deps: PrintDeps): InTurn {
  const turns = serialByKey({ longest: MOST_WAITING });
  return async ({ key, gone }, work) => {
    const asked = askedUntil(deps, gone);
    if (deps.platform.settings.rateLimits === "off") return success(await work(asked));
    const end = await turns.take(key, gone);
    if (end === null) return failure(problem("too_many_requests", { retryAfterS: RETRY_S }));
    try {
      return success(await work(asked));
    } finally {
      end();
    }
  };
}

/** The same service, whose sandbox begins no task once this caller has gone. */
function askedUntil(deps: PrintDeps, signal: AbortSignal): PrintDeps {
  const { sandbox } = deps.platform;
  const asked = {
    ...sandbox,
    askedBy: (caller: Parameters<typeof sandbox.askedBy>[0]) =>
      sandbox.askedBy({ ...caller, signal }),
  };
  return { ...deps, platform: { ...deps.platform, sandbox: asked } };
}
