import type { Problem, Result } from "@paraphe/contracts";
import { success } from "@paraphe/contracts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Asker } from "./account-deps.ts";
import { enqueueLink } from "./link-job.ts";
import type { LinkPurpose } from "./link-store.ts";
import { emailKey } from "./domain/text-key.ts";
import { limitLinks, limitRequests } from "./limit-requests.ts";

const REQUESTS_PER_HOUR = 20;

/**
 * Asks for a link to be sent to an address, if it has an account. Who has one is looked up by the job, so the answer and its time are the same
 * for any address (security line 31).
 * Errors: `too_many_requests` for too many from one network address; `mail_off`.
 */
export async function requestLink(
  platform: Platform,
  request: { readonly purpose: LinkPurpose; readonly email: string; readonly asker: Asker },
): Promise<Result<void, Problem>> {
  const mailed = checkMail(platform.settings);
  if (!mailed.ok) return mailed;
  const limited = await limitRequests(platform, { kind: `link-${request.purpose}`, ip: request.asker.ip, perHour: REQUESTS_PER_HOUR });
  if (!limited.ok) return limited;
  const limitedOfAddress = await limitLinks(platform, { ...request, ip: request.asker.ip, emailKey: emailKey(request.email) });
  if (!limitedOfAddress.ok) return limitedOfAddress;
  await inTransaction(platform.db, (trx) => enqueueLink(trx, platform, request));
  return success(undefined);
}
