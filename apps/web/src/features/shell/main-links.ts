import type { IconName } from "../../ui/icon/icon-paths.ts";

type MainLink = { readonly to: string; readonly label: string; readonly icon: IconName };
type SignLink = MainLink & { readonly description: string };

/** Links of the top bar (specification §2). */
export const MAIN_LINKS: readonly MainLink[] = [
  { to: "/dashboard", label: "Tableau de bord", icon: "home" },
  { to: "/signature", label: "Signatures", icon: "signature" },
  { to: "/settings", label: "Paramètres", icon: "settings" },
];

/** Entries of 'Signer maintenant'. */
export const SIGN_LINKS: readonly SignLink[] = [
  { to: "/signature/self-sign", label: "Auto-signature", description: "Signer un document instantanément", icon: "pen" },
  { to: "/signature/bulk-same", label: "Signature masse", description: "Plusieurs documents, même position", icon: "layers" },
  { to: "/signature/saved-signatures", label: "Mes signatures", description: "Gérer les signatures enregistrées", icon: "signature" },
];

/** Links of the user's menu. */
export const USER_LINKS: readonly MainLink[] = [
  { to: "/profile", label: "Mon compte", icon: "user" },
  { to: "/settings", label: "Paramètres", icon: "settings" },
];

/** A link is highlighted when the current path starts with its path (specification §2). */
export function isCurrent(pathname: string, to: string): boolean {
  return pathname === to || pathname.startsWith(`${to}/`);
}

/** Whether a page is there for one act of its own, whose button alone is the primary one: preparing, placing, signing. */
export function hasOwnAct(pathname: string): boolean {
  return /\/(upload|workflow|self-sign|bulk-same|sign)(\/|$)/.test(pathname);
}
