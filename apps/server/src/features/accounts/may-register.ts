import { failure, problem, type Result, success } from "@paraphe/contracts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import type { RegistrationPolicy, Settings } from "../../platform/settings/settings.ts";
import { emailKey } from "./domain/text-key.ts";
import { isAnybodyInvited, isInvited } from "./invitation-store.ts";
import { hashToken } from "./secret-token.ts";

/** Whether somebody may ask for an account, whoever it is: told before the form is read. */
export async function mayAnybodyRegister({ settings, db, clock }: Platform): Promise<boolean> {
  return settings.registration.kind !== "closed" || isAnybodyInvited(db, clock());
}

/**
 * Lets somebody ask for an account. An address that has one gets the answer of any other: nothing here looks for it.
 * Errors: `mail_off`, `registration_closed`; neither of them for who is invited.
 */
export async function mayRegister(
  { settings, db, clock }: Platform,
  asked: { readonly email: string; readonly invitation?: string | undefined },
): Promise<Result<null>> {
  const open = checkOpen(settings, asked.email);
  if (open.ok || asked.invitation === undefined) return open;
  const isInvitation = await isInvited(db, { sha256: hashToken(asked.invitation), now: clock() });
  // An invitation that is used, expired or mistyped: the person asks for another, whether mail leaves or not.
  return isInvitation ? success(null) : failure(problem("registration_closed"));
}

/** Lets an address register without an invitation: its link is mailed. A subdomain is another domain. Errors: `mail_off`, `registration_closed`. */
export function checkOpen(settings: Pick<Settings, "mailDisabled" | "registration">, email: string): Result<null> {
  const mailed = checkMail(settings);
  if (!mailed.ok) return mailed;
  return isOpenTo(settings.registration, email) ? success(null) : failure(problem("registration_closed"));
}

function isOpenTo(policy: RegistrationPolicy, email: string): boolean {
  if (policy.kind !== "domains") return policy.kind === "open";
  const key = emailKey(email);
  return policy.domains.includes(key.slice(key.lastIndexOf("@") + 1));
}
