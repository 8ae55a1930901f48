import { CSRF_COOKIE, type sendOtpAnswer, type verifyOtpAnswer } from "@paraphe/contracts";
import type { z } from "zod/mini";
import { readCookie } from "../../lib/api-client.ts";
import { api } from "../../lib/api.ts";

export type SentCode = z.infer<typeof sendOtpAnswer>;
type VerifiedCode = z.infer<typeof verifyOtpAnswer>;
const path = (envelopeId: string, action: string) =>
  `/api/signature/envelopes/${envelopeId}/${action}/`;

/** What a call by the session or by the link's token carries. */
const by = (signatureToken: string | null) => (signatureToken === null ? {} : { signatureToken });

/** Asks for a one-time code, by a link's token or, without one, by the session: only ever at a press of the button. */
export function sendOtp(
  envelopeId: string,
  signatureToken: string | null,
  channel?: "email" | "sms",
): Promise<SentCode> {
  return api.post<SentCode>(path(envelopeId, "send_otp"), {
    body: channel ? { channel } : {},
    ...by(signatureToken),
  });
}

/** Checks a code; the service then sets the cookie that opens the document in this browser, or notes that the account's address is confirmed. */
export function verifyOtp(
  envelopeId: string,
  signatureToken: string | null,
  otp: string,
): Promise<VerifiedCode> {
  return api.post<VerifiedCode>(path(envelopeId, "verify_otp"), {
    body: { otp },
    ...by(signatureToken),
  });
}

/** Confirms the address of the account that is signed in here, if any, by the link that was mailed to it. Whoever is not signed in goes on as a guest. */
export async function confirmByLink(envelopeId: string, token: string): Promise<void> {
  if (readCookie(CSRF_COOKIE) === undefined) return;
  await api.post(path(envelopeId, "confirm-address"), { body: { token } }).catch(() => {});
}
