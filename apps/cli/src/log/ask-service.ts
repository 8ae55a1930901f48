import { setTimeout as sleep } from "node:timers/promises";
import { errorCode } from "../../../server/src/platform/error-code.ts";

/** Asks a public call of the log of the service at this origin; gives its JSON, null where the service has no answer to it. */
export type AskLog = (origin: string, call: string) => Promise<unknown>;

/** The service could not be asked, or did not answer as one: that says nothing of its past. `why`: a system or TLS error's code, or a status. */
export class ServiceAwayError extends Error {
  override readonly name = "ServiceAwayError";
  readonly host: string;
  readonly why: string;
  constructor(host: string, why: string, options?: ErrorOptions) {
    super(`${host}: ${why}`, options);
    this.host = host;
    this.why = why;
  }
}

const LOG = "/api/signature/transparency/";
const MOST_TRIES = 10;

/** Errors: throws `ServiceAwayError` when the service cannot be reached, and when it answers neither 200 with JSON nor 404. */
export const askService: AskLog = async (origin, call) => {
  const { host } = new URL(origin);
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(new URL(`${LOG}${call}`, origin)).catch((cause: unknown) => {
      throw new ServiceAwayError(host, errorCode(cause) ?? "fetch", { cause });
    });
    if (answer.ok)
      return answer.json().catch((cause: unknown) => {
        throw new ServiceAwayError(host, "JSON", { cause });
      });
    if (answer.status === 404) return null;
    if (answer.status !== 429 || tries === MOST_TRIES) throw new ServiceAwayError(host, String(answer.status));
    // A large log is read leaf by leaf: whoever asks too often is told when to come back.
    await sleep(1_000 * Number(answer.headers.get("retry-after") ?? 60));
  }
};
