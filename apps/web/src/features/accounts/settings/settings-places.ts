import { plural } from "../../../lib/format-numbers.ts";
import type { IconName } from "../../../ui/icon/icon-paths.ts";

type Place = { readonly to: string; readonly label: string; readonly icon: IconName };

/** The pages of one's own account, in the order of the menu. */
export const PLACES = {
  account: { to: "/profile", label: "Mon compte", icon: "user" },
  signature: { to: "/settings/signature", label: "Ma signature", icon: "signature" },
  security: { to: "/settings/security", label: "Sécurité", icon: "lock" },
  notifications: { to: "/settings/notifications", label: "Notifications", icon: "bell" },
} as const satisfies Readonly<Record<string, Place>>;

/** Says how many signatures an account keeps. */
export function signaturesWords(count: number): string {
  return count === 0
    ? "Aucune signature enregistrée"
    : plural(count, "signature enregistrée", "signatures enregistrées");
}
