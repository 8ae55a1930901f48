import type { RegisterAccount, RegisterAnswer } from "@paraphe/contracts";
import { api } from "../../lib/api.ts";

/** A picture of several megabytes on a phone's network. */
const AVATAR_TIMEOUT_MS = 60_000;

/** Creates an account; the fields left empty are not sent (specification §5). */
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

/** Has the first step of a registration checked by the service, all of it at once. */
export async function checkAccount(account: RegisterAccount): Promise<void> {
  await api.post("/api/signature/register/check/", { body: account });
}

/** Asks for the activation email again. */
export async function resendActivation(email: string): Promise<void> {
  await api.post("/api/signature/register/resend/", { body: { email } });
}

/** Asks for a reset link. */
export async function requestReset(email: string): Promise<void> {
  await api.post("/api/signature/password-reset/", { body: { email } });
}

/** Sets a new password with the link's own proof. */
export async function resetPassword(proof: {
  readonly uid: string;
  readonly token: string;
  readonly password: string;
}): Promise<void> {
  await api.post("/api/signature/change-password/", { body: proof });
}
