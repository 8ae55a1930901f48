import { ENDED_LINK_DAYS, ENDED_SESSION_DAYS } from "@paraphe/contracts";
import type { Platform } from "../../platform/platform.ts";
import { deleteEvents } from "../organisations/public.ts";
import { deleteEndedAddressChanges, deleteEndedPhoneCodes } from "./contact-store.ts";
import { ABANDONED_AFTER_MS, LOGIN_WINDOW_MS } from "./domain/limits.ts";
import { deleteEndedSteps } from "./factors/factor-store.ts";
import { deleteEndedLinks } from "./registration-store.ts";
import { deleteEndedProviderLogins } from "./providers/provider-store.ts";
import { deleteEndedSessions, deleteOldFailures } from "./session-store.ts";
import {
  SEND_LINK_JOB,
  sendLinkPayload,
  sendRequestedLink,
  unwrapAddress,
} from "./mailed-links.ts";
import { deleteEndedInvitations } from "./members/invitation-store.ts";
import { deleteAbandoned } from "./store.ts";

const RETRIES = {
  concurrency: 2,
  retryLimit: 10,
  retryDelayS: 5,
  retryDelayMaxS: 600,
  expireInS: 60,
} as const;
const DAY_MS = 24 * 3_600_000;
/** Until then its link says why it ended. */
const ENDED_INVITATION_DAYS = 30;

export function registerAccountJobs(platform: Platform): void {
  platform.queue.handle(SEND_LINK_JOB, RETRIES, async (payload) => {
    const { purpose, address_wrapped, registration_id } = sendLinkPayload.parse(payload);
    const email = unwrapAddress(platform.secrets, address_wrapped);
    await sendRequestedLink(platform, {
      purpose,
      email,
      ...(registration_id === undefined ? {} : { registrationId: registration_id }),
    });
  });
  platform.queue.schedule("accounts.sweep", "17 * * * *", () => sweepAccounts(platform));
}

/** Used links stay a week: an old activation link still answers yes. */
export async function sweepAccounts(platform: Platform): Promise<void> {
  const now = platform.clock();
  const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
  await deleteEndedSessions(platform.db, daysAgo(ENDED_SESSION_DAYS));
  await deleteEndedLinks(platform.db, daysAgo(ENDED_LINK_DAYS));
  await deleteEndedInvitations(platform.db, daysAgo(ENDED_INVITATION_DAYS));
  await deleteEvents(platform.db, daysAgo(platform.settings.organisationJournalDays));
  await deleteEndedAddressChanges(platform.db, now);
  await deleteEndedPhoneCodes(platform.db, now);
  await deleteEndedSteps(platform.db, now);
  await deleteEndedProviderLogins(platform.db, now);
  await deleteOldFailures(platform.db, new Date(now.getTime() - 2 * LOGIN_WINDOW_MS));
  await deleteAbandoned(platform.db, new Date(now.getTime() - ABANDONED_AFTER_MS));
}
