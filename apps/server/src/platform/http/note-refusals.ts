import { type ProblemCode, PROBLEMS } from "@paraphe/contracts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { refusals } from "../metrics/counts.ts";
import type { Platform } from "../platform.ts";
import { createMinuteCounter } from "../throttle/minute-counter.ts";
import { networkOf } from "../throttle/network-of.ts";

/** Lines a minute, of one network and of all: some 400 MB a day at the very most. Whoever is refused without end must not fill the disk that signatures need. */
const LINES = { ofOneNetwork: 60, ofAll: 1_200 };

declare module "fastify" {
  interface FastifyInstance {
    /** Leaves the line of a refusal in the log. */
    noteRefusal?: (request: FastifyRequest, reason: ProblemCode) => void;
  }
}

/**
 * Gives every refusal its line in the log: who was refused what, where and when, under the route's pattern, for an address may hold a token
 * (security line 62; OWASP ASVS 5.0 §16.3). Those beyond the bound are counted, by reason, in one line of the next minute or of the stop.
 */
export function noteRefusals(app: FastifyInstance, { log, clock }: Pick<Platform, "log" | "clock">): void {
  const ofOneNetwork = createMinuteCounter(LINES.ofOneNetwork);
  const ofAll = createMinuteCounter(LINES.ofAll);
  let leftOut: { readonly minute: number; readonly reasons: Map<string, number> } = { minute: 0, reasons: new Map() };
  const tellLeftOut = (minute: number) => {
    if (minute === leftOut.minute) return;
    if (leftOut.reasons.size > 0) log.warn({ reasons: Object.fromEntries(leftOut.reasons) }, "refusals without a line of their own");
    leftOut = { minute, reasons: new Map() };
  };
  app.decorate("noteRefusal", (request: FastifyRequest, reason: ProblemCode) => {
    refusals.inc({ reason });
    const now = clock();
    tellLeftOut(Math.floor(now.getTime() / 60_000));
    if (!ofOneNetwork.hit(networkOf(request.ip), now).allowed || !ofAll.hit("all", now).allowed) {
      leftOut.reasons.set(reason, (leftOut.reasons.get(reason) ?? 0) + 1);
      return;
    }
    const { method, routeOptions, id, ip } = request;
    log.info({ reason, status: PROBLEMS[reason].status, method, route: routeOptions.url ?? null, request_id: id, ip }, "refused");
  });
  app.addHook("onClose", async () => tellLeftOut(-1));
}
