import { failure, problem, type RegisterRequest, type Result, success } from "@paraphe/contracts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import type { RegistrationPolicy, Settings } from "../../platform/settings/settings.ts";
import { emailKey } from "./domain/text-key.ts";
import { isAnybodyInvited, isInvited } from "./invitation-store.ts";
import { hashToken } from "./secret-token.ts";

type RegistrationSettings = Pick<Settings, "mailDisabled" | "registration">;
type Asking = Pick<RegisterRequest, "email" | "invitation">;

/** Whether somebody may ask for an account, whoever it is: told before the form is read. */
export async function mayAnybodyRegister({ settings, db, clock }: Platform): Promise<boolean> {
  return registrationOf(settings).kind !== "closed" || isAnybodyInvited(db, clock());
}

/**
 * Lets somebody ask for an account. An address that has one gets the answer of any other: nothing here looks for it.
 * Errors: `mail_off`, `registration_closed`; neither of them for who is invited.
 */
export async function mayRegister({ settings, db, clock }: Platform, asked: Asking): Promise<Result<null>> {
  const open = checkOpen(settings, asked);
  if (open.ok || asked.invitation === undefined) return open;
  return (await isInvited(db, { sha256: hashToken(asked.invitation), now: clock() })) ? success(null) : open;
}

/**
 * Lets an address register that no invitation lets in: its link is mailed. A subdomain is another domain.
 * Errors: `mail_off`; `registration_closed`, which is also what an invitation that is used, expired or mistyped gets: the person asks for another,
 * whether mail leaves or not.
 */
export function checkOpen(settings: RegistrationSettings, asked: Asking): Result<null> {
  if (isOpenTo(registrationOf(settings), asked.email)) return success(null);
  const mailed = checkMail(settings);
  return mailed.ok || asked.invitation !== undefined ? failure(problem("registration_closed")) : mailed;
}

/** Gives who may register without an invitation: nobody where no mail leaves to confirm an address. */
export function registrationOf({ mailDisabled, registration }: RegistrationSettings): RegistrationPolicy {
  return mailDisabled ? { kind: "closed" } : registration;
}

function isOpenTo(policy: RegistrationPolicy, email: string): boolean {
  if (policy.kind !== "domains") return policy.kind === "open";
  const key = emailKey(email);
  return policy.domains.includes(key.slice(key.lastIndexOf("@") + 1));
}
