import { setTimeout as sleep } from "node:timers/promises";

/** Asks a public call of the log of the service at this origin; gives its JSON, null where the service has no answer to it. */
export type AskLog = (origin: string, call: string) => Promise<unknown>;

const LOG = "/api/signature/transparency/";
const MOST_TRIES = 10;

/** Errors: throws what `fetch` throws, and when the service answers neither 200 nor 404. */
export const askService: AskLog = async (origin, call) => {
  for (let tries = 1; ; tries += 1) {
    const answer = await fetch(new URL(`${LOG}${call}`, origin));
    if (answer.ok) return answer.json();
    if (answer.status === 404) return null;
    if (answer.status !== 429 || tries === MOST_TRIES) throw new Error(`The service answered ${answer.status} to ${call}`);
    // A large log is read leaf by leaf: whoever asks too often is told when to come back.
    await sleep(1_000 * Number(answer.headers.get("retry-after") ?? 60));
  }
};
