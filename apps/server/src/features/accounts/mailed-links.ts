import {
  ACTIVATION_LINK_HOURS,
  type Problem,
  RESET_LINK_HOURS,
  type Result,
  success,
} from "@paraphe/contracts";
import { toBase64, toHex } from "@paraphe/kernel/bytes";
import * as z from "zod/mini";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { checkMail } from "../../platform/mail/create-mail-transport.ts";
import type { Platform } from "../../platform/platform.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import { enqueueNotice } from "../notices/public.ts";
import type { Asker } from "./account-deps.ts";
import { linkWindowStart, mayGetLink } from "./domain/limits.ts";
import { emailKey } from "./domain/names.ts";
import { limitLinks, limitRequests, mintToken } from "./limit-requests.ts";
import {
  expireUnusedLinks,
  insertLink,
  type LinkPurpose,
  listLinkTimes,
  findActivated,
  lockAddress,
  listPending,
} from "./registration-store.ts";
import { type Account, lockAccount } from "./store.ts";

const HOUR_MS = 3_600_000;

/** Mails once an hour at most, whoever asks. */
export async function notifyAlreadyRegistered(
  trx: Transaction,
  platform: Platform,
  account: Account,
): Promise<void> {
  const { publicUrl } = platform.settings;
  const hour = Math.floor(platform.clock().getTime() / HOUR_MS);
  await enqueueNotice(trx, platform, {
    kind: "already_registered",
    channel: "email",
    dedupeKey: `already_registered:${account.id}:${hour}`,
    to: { fullName: "", address: account.email },
    userId: account.id,
    content: { loginLink: `${publicUrl}/login`, resetLink: `${publicUrl}/password-reset` },
  });
}

const HOURS = {
  activation: ACTIVATION_LINK_HOURS,
  reset: RESET_LINK_HOURS,
} as const satisfies Record<LinkPurpose, number>;

type LinkOwner = { readonly id: string; readonly username: string; readonly email: string };

/** Only the newest reset link works. */
async function sendLink(
  trx: Transaction,
  platform: Platform,
  link: {
    readonly purpose: LinkPurpose;
    readonly owner: LinkOwner;
    readonly insteadOfReset?: true;
  },
): Promise<void> {
  const { purpose, owner } = link;
  const now = platform.clock();
  const { token, sha256 } = mintToken(platform);
  if (purpose === "reset") await expireUnusedLinks(trx, { userId: owner.id, purpose, now });
  await insertLink(trx, {
    sha256,
    userId: owner.id,
    purpose,
    now,
    expiresAt: new Date(now.getTime() + HOURS[purpose] * 3_600_000),
  });
  await enqueueNotice(trx, platform, {
    kind: purpose,
    channel: "email",
    dedupeKey: `${purpose}:${toHex(sha256)}`,
    // No name: whoever registered may not own the address.
    to: { fullName: "", address: owner.email },
    userId: owner.id,
    content: {
      username: owner.username,
      link: linkAddress(platform, { purpose, userId: owner.id, token }),
      ...(link.insteadOfReset ? { insteadOfReset: true } : {}),
    },
  });
}

/** Uses the configured origin, never the request's `Host` (security line 25). */
function linkAddress(
  platform: Platform,
  link: { purpose: LinkPurpose; userId: string; token: string },
): string {
  const path =
    link.purpose === "activation"
      ? `api/signature/activate/${link.userId}/${link.token}/`
      : `reset-password/${link.userId}/${link.token}`;
  return `${platform.settings.publicUrl}/${path}`;
}

const RESENT_AT_ONCE = 5;

type Request = {
  readonly purpose: LinkPurpose;
  readonly email: string;
  readonly registrationId?: string;
};

/**
 * Mails within the address's limits. A pending registration gets its activation link in place of a
 * reset, which would hand over what somebody else filled in. Several registrations each get a named
 * link.
 */
export async function sendRequestedLink(platform: Platform, request: Request): Promise<void> {
  await inTransaction(platform.db, async (trx) => {
    const key = emailKey(request.email);
    await lockAddress(trx, key);
    const activated = await findActivated(trx, key);
    const known = activated === null ? null : await lockAccount(trx, activated);
    if (known !== null) {
      if (known.deactivatedAt !== null) return;
      if (request.purpose === "activation") return notifyAlreadyRegistered(trx, platform, known);
      return sendIfAllowed(trx, platform, { account: known, purpose: request.purpose });
    }
    const wanted =
      request.registrationId === undefined
        ? await listPending(trx, { emailKey: key, limit: RESENT_AT_ONCE })
        : [request.registrationId];
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
  link: {
    readonly account: Account;
    readonly purpose: LinkPurpose;
    readonly insteadOfReset?: true;
  },
): Promise<void> {
  if (!(await mayAsk(trx, platform, link))) return;
  const { account, ...rest } = link;
  const { id, username, email } = account;
  await sendLink(trx, platform, { ...rest, owner: { id, username, email } });
}

async function mayAsk(
  trx: Transaction,
  platform: Platform,
  link: { account: Account; purpose: LinkPurpose },
): Promise<boolean> {
  if (platform.settings.rateLimits === "off") return true;
  const now = platform.clock();
  const windowStart = linkWindowStart(now);
  const { account, purpose } = link;
  if (purpose === "reset" || account.createdAt < windowStart)
    return mayGetLink(
      await listLinkTimes(trx, { userId: account.id, purpose, since: windowStart }),
      now,
    );
  // The oldest link came with the registration.
  const times = await listLinkTimes(trx, { userId: account.id, purpose, since: account.createdAt });
  return mayGetLink(times.slice(0, -1), now);
}

export const SEND_LINK_JOB = "accounts.send-link";

export const sendLinkPayload = z.strictObject({
  purpose: z.enum(["activation", "reset"]),
  address_wrapped: z.string(),
  registration_id: z.optional(z.uuid()),
});

const CONTEXT = "accounts.send-link";

/**
 * Encrypts the job in the caller's transaction. Only `registrationId` gets a link, unless the
 * address has an account.
 */
export async function enqueueLink(
  trx: Transaction,
  platform: Platform,
  link: { readonly purpose: LinkPurpose; readonly email: string; readonly registrationId?: string },
): Promise<void> {
  const wrapped = platform.secrets.wrap(new TextEncoder().encode(link.email), CONTEXT);
  await platform.queue.enqueue(trx, SEND_LINK_JOB, {
    purpose: link.purpose,
    address_wrapped: toBase64(wrapped),
    ...(link.registrationId === undefined ? {} : { registration_id: link.registrationId }),
  });
}

export function unwrapAddress(secrets: SecretBox, wrapped: string): string {
  return new TextDecoder().decode(secrets.unwrap(Buffer.from(wrapped, "base64"), CONTEXT));
}

const REQUESTS_PER_HOUR = 20;

/**
 * A job looks the account up, so that answer and time are the same for any address (security line
 * 31).
 * Errors: `too_many_requests` from one network address; `mail_off`.
 */
export async function requestLink(
  platform: Platform,
  request: { readonly purpose: LinkPurpose; readonly email: string; readonly asker: Asker },
): Promise<Result<void, Problem>> {
  const mailed = checkMail(platform.settings);
  if (!mailed.ok) return mailed;
  const limited = await limitRequests(platform, {
    kind: `link-${request.purpose}`,
    ip: request.asker.ip,
    perHour: REQUESTS_PER_HOUR,
  });
  if (!limited.ok) return limited;
  const limitedOfAddress = await limitLinks(platform, {
    ...request,
    ip: request.asker.ip,
    emailKey: emailKey(request.email),
  });
  if (!limitedOfAddress.ok) return limitedOfAddress;
  await inTransaction(platform.db, (trx) => enqueueLink(trx, platform, request));
  return success(undefined);
}
