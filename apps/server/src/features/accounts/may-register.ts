import type { Platform } from "../../platform/platform.ts";
import type { RegistrationPolicy } from "../../platform/settings/settings.ts";
import { emailKey } from "./domain/text-key.ts";
import { isAnybodyInvited, isInvited } from "./invitation-store.ts";
import { hashToken } from "./secret-token.ts";

/** Whether somebody may ask for an account, whoever it is: told before the form is read. */
export async function mayAnybodyRegister({ settings, db, clock }: Platform): Promise<boolean> {
  return settings.registration.kind !== "closed" || isAnybodyInvited(db, clock());
}

/** Whether this person may ask for an account. An address that has one gets the answer of any other: nothing here looks for it. */
export async function mayRegister(
  { settings, db, clock }: Platform,
  asked: { readonly email: string; readonly invitation?: string | undefined },
): Promise<boolean> {
  if (isOpenTo(settings.registration, asked.email)) return true;
  return asked.invitation !== undefined && isInvited(db, { sha256: hashToken(asked.invitation), now: clock() });
}

/** Whether an address may register without an invitation. A subdomain is another domain. */
export function isOpenTo(policy: RegistrationPolicy, email: string): boolean {
  if (policy.kind !== "domains") return policy.kind === "open";
  const key = emailKey(email);
  return policy.domains.includes(key.slice(key.lastIndexOf("@") + 1));
}
