import type { RegisterAccount, RegisterAnswer } from "@paraphe/contracts";
import { api } from "../../lib/api/api.ts";

/** A photograph of several megabytes is slow to send from a phone. */
const AVATAR_TIMEOUT_MS = 60_000;

/** Specification §5: empty fields are not sent. */
export async function register(
  fields: Readonly<Record<string, string | undefined>>,
  avatar: File | undefined,
): Promise<RegisterAnswer> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== "") body.set(name, value);
  }
  if (avatar) body.set("avatar", avatar);
  return api.post<RegisterAnswer>(
    "/api/signature/register/",
    avatar ? { body, timeoutMs: AVATAR_TIMEOUT_MS } : { body },
  );
}

export async function checkAccount(account: RegisterAccount): Promise<void> {
  await api.post("/api/signature/register/check/", { body: account });
}

export async function resendActivation(email: string): Promise<void> {
  await api.post("/api/signature/register/resend/", { body: { email } });
}

export async function requestReset(email: string): Promise<void> {
  await api.post("/api/signature/password-reset/", { body: { email } });
}

export async function resetPassword(proof: {
  readonly uid: string;
  readonly token: string;
  readonly password: string;
}): Promise<void> {
  await api.post("/api/signature/change-password/", { body: proof });
}
