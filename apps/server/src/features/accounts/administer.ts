import type { Platform } from "../../platform/platform.ts";
import { emailKey } from "./domain/text-key.ts";
import { insertInvitation, listAdministrators, promoteAccount } from "./invitation-store.ts";
import { mintToken } from "./secret-token.ts";

const INVITATION_DAYS = 7;

/** What whoever operates the service may do about who has an account, by a command on its machine. */
export const administration = {
  /** Gives an address that lets whoever opens it register once, within seven days, whatever `REGISTRATION` says. */
  async invite(platform: Platform, { administrator }: { readonly administrator: boolean }): Promise<string> {
    const { token, sha256 } = mintToken(platform);
    const now = platform.clock();
    const expiresAt = new Date(now.getTime() + INVITATION_DAYS * 86_400_000);
    await insertInvitation(platform.db, { sha256, administrator, now, expiresAt });
    return `${platform.settings.publicUrl}/register?invitation=${token}`;
  },
  promote: (platform: Platform, email: string): Promise<boolean> => promoteAccount(platform.db, emailKey(email)),
  list: (platform: Platform): Promise<readonly string[]> => listAdministrators(platform.db),
};
