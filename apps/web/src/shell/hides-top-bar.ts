/** The bar is hidden on signing pages: a path starting with /sign/, or one containing /sign with a token (specification §2). */
export function hidesTopBar(pathname: string, search: string): boolean {
  return pathname.startsWith("/sign/") || (pathname.includes("/sign") && new URLSearchParams(search).has("token"));
}
