import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { linkWindowStart, mayGetLink } from "./domain/link-limits.ts";
import { emailKey } from "./domain/text-key.ts";
import { type LinkPurpose, listLinkTimes } from "./link-store.ts";
import { sendLink } from "./links.ts";
import { findActivated, holdAddress, listPending } from "./pending-store.ts";
import { type Account, lockAccount } from "./store.ts";
import { tellAlreadyRegistered } from "./tell-already-registered.ts";

/** Registrations of one address that a link is sent again for. */
const RESENT_AT_ONCE = 5;

type Request = { readonly purpose: LinkPurpose; readonly email: string; readonly registrationId?: string };

/**
 * Sends the link that an address asked for, if it has an account or a registration that needs one, and has not had too many. Which of several
 * registrations is their owner's nobody here can tell: asked again, each gets its link, and the mails name them. So it is when a new password is
 * asked for: a reset link would give its reader an account that a stranger filled in.
 */
export async function sendRequestedLink(platform: Platform, request: Request): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const key = emailKey(request.email);
    // Parallel requests for one address count each other.
    await holdAddress(trx, key);
    const activated = await findActivated(trx, key);
    const known = activated === null ? null : await lockAccount(trx, activated);
    if (known !== null) {
      if (known.deactivatedAt !== null) return;
      if (request.purpose === "activation") return tellAlreadyRegistered(trx, platform, known);
      return sendIfAllowed(trx, platform, { account: known, purpose: request.purpose });
    }
    const wanted =
      request.registrationId === undefined ? await listPending(trx, { emailKey: key, limit: RESENT_AT_ONCE }) : [request.registrationId];
    const instead = request.purpose === "reset" ? ({ insteadOfReset: true } as const) : {};
    for (const id of wanted) {
      const account = await lockAccount(trx, id);
      if (account !== null && account.deactivatedAt === null)
        await sendIfAllowed(trx, platform, { account, purpose: "activation", ...instead });
    }
  });
}

async function sendIfAllowed(
  trx: Transaction,
  platform: Platform,
  link: { readonly account: Account; readonly purpose: LinkPurpose; readonly insteadOfReset?: true },
): Promise<void> {
  if (!(await mayAsk(trx, platform, link))) return;
  const { account, ...rest } = link;
  const { id, username, email } = account;
  await sendLink(trx, platform, { ...rest, owner: { id, username, email } });
}

async function mayAsk(trx: Transaction, platform: Platform, link: { account: Account; purpose: LinkPurpose }): Promise<boolean> {
  if (platform.settings.rateLimits === "off") return true;
  const now = platform.clock();
  const windowStart = linkWindowStart(now);
  const { account, purpose } = link;
  if (purpose === "reset" || account.createdAt < windowStart)
    return mayGetLink(await listLinkTimes(trx, { userId: account.id, purpose, since: windowStart }), now);
  // The oldest link since the registration is the registration's own, which nobody asked for again.
  const times = await listLinkTimes(trx, { userId: account.id, purpose, since: account.createdAt });
  return mayGetLink(times.slice(0, -1), now);
}
