import type { GuestEnvelope } from "@paraphe/contracts";
import type { Reader } from "../../platform/database/database.ts";
import { selectMailedInstead } from "../notices/public.ts";
import { codeKey } from "./send-code.ts";
import { loadLatestCode } from "./store.ts";

export type CodeWay = Pick<GuestEnvelope["otp"], "channel" | "failed">;

/** Tells how the last code went to a person: a text that could not go went by mail. */
export async function readCodeWay(reader: Reader, recipientId: string, now: Date): Promise<CodeWay> {
  const latest = await loadLatestCode(reader, { recipientId });
  if (latest?.channel !== "sms") return { channel: "email", failed: null };
  if (!(await selectMailedInstead(reader, codeKey(latest.id)))) return { channel: "sms", failed: null };
  const isLive = latest.usedAt === null && latest.killedAt === null && latest.expiresAt > now;
  return { channel: "email", failed: isLive ? "sms" : null };
}
