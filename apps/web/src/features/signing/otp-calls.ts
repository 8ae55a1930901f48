import type { z } from "zod/mini";
import type { sendOtpAnswer, verifyOtpAnswer } from "@paraphe/contracts";
import { api } from "../../lib/api.ts";

export type SentCode = z.infer<typeof sendOtpAnswer>;
type VerifiedCode = z.infer<typeof verifyOtpAnswer>;
const path = (envelopeId: string, action: string) => `/api/signature/envelopes/${envelopeId}/${action}/`;

/** Asks for a one-time code: only ever at a press of the button. */
export function sendOtp(envelopeId: string, signatureToken: string, channel?: "email" | "sms"): Promise<SentCode> {
  return api.post<SentCode>(path(envelopeId, "send_otp"), { body: channel ? { channel } : {}, signatureToken });
}

/** Checks a code; the service then sets the cookie that opens the document in this browser. */
export function verifyOtp(envelopeId: string, signatureToken: string, otp: string): Promise<VerifiedCode> {
  return api.post<VerifiedCode>(path(envelopeId, "verify_otp"), { body: { otp }, signatureToken });
}
