import type { FastifyReply, FastifyRequest } from "fastify";
import { networkOf } from "../addresses.ts";
import type { Platform } from "../platform.ts";
import { limitRate, throttleKey } from "../throttle/throttle.ts";
import { sendProblem } from "./problem-reply.ts";

export function limitCalls(
  platform: Pick<Platform, "db" | "settings" | "clock">,
  { kind, perMinute }: { readonly kind: string; readonly perMinute: number },
) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    const key = throttleKey(kind, networkOf(request.ip));
    const limited = await limitRate(platform, { key, limit: perMinute, windowS: 60 });
    return limited.ok ? undefined : sendProblem(reply, limited.error);
  };
}
