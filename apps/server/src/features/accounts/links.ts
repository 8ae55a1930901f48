import { ACTIVATION_LINK_HOURS, RESET_LINK_HOURS } from "@paraphe/contracts";
import type { Transaction } from "../../platform/database/database.ts";
import type { Platform } from "../../platform/platform.ts";
import { enqueueNotice } from "../notices/public.ts";
import { expireUnusedLinks, insertLink, type LinkPurpose } from "./link-store.ts";
import { mintToken } from "./secret-token.ts";

const HOURS = { activation: ACTIVATION_LINK_HOURS, reset: RESET_LINK_HOURS } as const satisfies Record<LinkPurpose, number>;

/** To whom a link goes. The address is the stored one: never another spelling of its key that somebody typed. */
export type LinkOwner = { readonly id: string; readonly username: string; readonly email: string };

/** Makes an activation or reset link and asks for its mail, in the caller's transaction. The newest reset link is the only one that works. */
export async function sendLink(
  trx: Transaction,
  platform: Platform,
  link: { readonly purpose: LinkPurpose; readonly owner: LinkOwner; readonly insteadOfReset?: true },
): Promise<void> {
  const { purpose, owner } = link;
  const now = platform.clock();
  const { token, sha256 } = mintToken(platform);
  if (purpose === "reset") await expireUnusedLinks(trx, { userId: owner.id, purpose, now });
  await insertLink(trx, { sha256, userId: owner.id, purpose, now, expiresAt: new Date(now.getTime() + HOURS[purpose] * 3_600_000) });
  await enqueueNotice(trx, platform, {
    kind: purpose,
    channel: "email",
    dedupeKey: `${purpose}:${Buffer.from(sha256).toString("hex")}`,
    // Whoever asked for the account wrote the name, and may be a stranger to the address: the mail greets nobody.
    to: { fullName: "", address: owner.email },
    userId: owner.id,
    content: {
      username: owner.username,
      link: linkAddress(platform, { purpose, userId: owner.id, token }),
      ...(link.insteadOfReset ? { insteadOfReset: true } : {}),
    },
  });
}

/** Links are made from the configured origin, whatever `Host` a request carried (security line 25). */
function linkAddress(platform: Platform, link: { purpose: LinkPurpose; userId: string; token: string }): string {
  const path =
    link.purpose === "activation" ? `api/signature/activate/${link.userId}/${link.token}/` : `reset-password/${link.userId}/${link.token}`;
  return `${platform.settings.publicUrl}/${path}`;
}
