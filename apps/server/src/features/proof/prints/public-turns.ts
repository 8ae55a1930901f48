import { failure, problem, type Result, success } from "@paraphe/contracts";
import { serialByKey } from "../../../platform/concurrency.ts";
import type { PrintDeps } from "./read-record.ts";

/** Of one address: an office whose clerks scan at once. */
const MOST_WAITING = 10;
const RETRY_S = 5;

/** `key`: the account, or the address's network. */
type PublicCaller = { readonly key: string; readonly gone: AbortSignal };

/** Queues a public call. Errors: `too_many_requests`. */
export type InTurn = <T>(
  caller: PublicCaller,
  work: (asked: PrintDeps) => Promise<T>,
) => Promise<Result<T>>;

/**
 * One proof at a time per address, so that one caller cannot occupy the sandbox. Work stops when
 * the caller leaves.
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

/** Its sandbox starts no task once the caller has left. */
function askedUntil(deps: PrintDeps, signal: AbortSignal): PrintDeps {
  const { sandbox } = deps.platform;
  const asked = {
    ...sandbox,
    askedBy: (caller: Parameters<typeof sandbox.askedBy>[0]) =>
      sandbox.askedBy({ ...caller, signal }),
  };
  return { ...deps, platform: { ...deps.platform, sandbox: asked } };
}
