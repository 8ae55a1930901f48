import type { IconName } from "../ui/icon/icon-paths.ts";

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
  {
    to: "/signature/self-sign",
    label: "Auto-signature",
    description: "Signer un document instantanément",
    icon: "pen",
  },
  {
    to: "/signature/bulk-same",
    label: "Signature masse",
    description: "Plusieurs documents, même position",
    icon: "layers",
  },
  {
    to: "/signature/saved-signatures",
    label: "Mes signatures",
    description: "Gérer les signatures enregistrées",
    icon: "signature",
  },
];

/** Links of the user's menu. */
export const USER_LINKS: readonly MainLink[] = [
  { to: "/profile", label: "Mon compte", icon: "user" },
  { to: "/settings", label: "Paramètres", icon: "settings" },
];

/** A link is highlighted when the current path starts with its path (specification §2). « Mon compte » is a page of the settings, at an address of its own. */
export function isCurrent(pathname: string, to: string): boolean {
  const path = pathname === "/profile" ? "/settings/profile" : pathname;
  return path === to || path.startsWith(`${to}/`);
}

/** Where what the bar offers is the page's first act: on every other page, that one is the page's own. */
export function isHome(pathname: string): boolean {
  return isCurrent(pathname, "/dashboard");
}

/** The bar is hidden on signing pages: a path starting with /sign/, or one containing /sign with a token (specification §2). */
export function hidesTopBar(pathname: string, search: string): boolean {
  return (
    pathname.startsWith("/sign/") ||
    (pathname.includes("/sign") && new URLSearchParams(search).has("token"))
  );
}
