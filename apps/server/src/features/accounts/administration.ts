import { INVITATION_DAYS, type MemberRole } from "@paraphe/contracts";
import { toHex } from "@paraphe/kernel/bytes";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import type { Platform } from "../../platform/platform.ts";
import { enqueueNotice } from "../notices/public.ts";
import { grantRole, knownIdentity } from "../organisations/public.ts";
import { emailKey } from "./domain/names.ts";
import { renewFirstStart } from "./first-start.ts";
import { mintToken } from "./limit-requests.ts";
import { deleteFirstStarts, insertInvitation } from "./members/invitation-store.ts";
import { findConfirmed, listAdministrators } from "./registration-store.ts";

const DAY_MS = 86_400_000;

type Invited = { readonly administrator: boolean };

/** The operator's commands. */
export const administration = {
  /** A link that lets its bearer register once, within seven days, whoever may register. */
  invite(platform: Platform, invited: Invited): Promise<string> {
    return invite(platform, { ...invited, email: null });
  },
  /** The same, by mail. */
  async mailInvitation(
    platform: Platform,
    invited: Invited & { readonly email: string },
  ): Promise<void> {
    await invite(platform, invited);
  },
  /** A new address of the first start, which ends the one before; null once there is an administrator. */
  setUp: renewFirstStart,
  /** False without an activated account of this confirmed address. */
  promote(platform: Platform, email: string, role: MemberRole = "administrator"): Promise<boolean> {
    return inTransaction(platform.db, async (trx) => {
      const userId = await findConfirmed(trx, emailKey(email));
      if (userId === null) return false;
      await grantRole(trx, platform, { userId, role, actorId: null });
      await deleteFirstStarts(trx);
      return true;
    });
  },
  async list(platform: Platform): Promise<readonly string[]> {
    return (await listAdministrators(platform.db)).map(({ email }) => email);
  },
};

async function invite(
  platform: Platform,
  { administrator, email }: Invited & { readonly email: string | null },
): Promise<string> {
  const { token, sha256 } = mintToken(platform);
  const now = platform.clock();
  const expiresAt = new Date(now.getTime() + INVITATION_DAYS * DAY_MS);
  const link = `${platform.settings.publicUrl}/register?invitation=${token}`;
  const organisation = (await knownIdentity(platform))?.name ?? null;
  await inTransaction(platform.db, async (trx) => {
    const role = administrator ? "administrator" : null;
    const id = platform.newId();
    await insertInvitation(trx, { id, sha256, role, email, now, expiresAt });
    if (email === null) return;
    await enqueueNotice(trx, platform, {
      kind: "registration_invited",
      channel: "email",
      dedupeKey: `registration_invited:${toHex(sha256)}`,
      to: { fullName: "", address: email },
      content: { organisation, link, administrator },
    });
  });
  return link;
}
