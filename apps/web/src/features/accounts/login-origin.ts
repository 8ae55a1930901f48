/** Gives the address the person came from before the login page, if it is one of ours; the dashboard otherwise. */
export function loginOrigin(state: unknown): string {
  if (typeof state !== "object" || state === null || !("from" in state)) return "/dashboard";
  const { from } = state;
  if (typeof from !== "object" || from === null || !("pathname" in from) || typeof from.pathname !== "string") return "/dashboard";
  const search = "search" in from && typeof from.search === "string" ? from.search : "";
  const hash = "hash" in from && typeof from.hash === "string" ? from.hash : "";
  return from.pathname.startsWith("/") && !from.pathname.startsWith("//") ? `${from.pathname}${search}${hash}` : "/dashboard";
}
