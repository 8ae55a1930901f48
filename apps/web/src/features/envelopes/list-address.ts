const addresses = new Map<string, string>();

/** Keeps where one stands in a list (page, search, order), for the way back to it from an envelope. */
export function rememberListAddress(path: string, query: string): void {
  addresses.set(path, `${path}${query}`);
}

/** Gives a list's path, with the page, search and order one left it in. */
export function listAddress(path: string): string {
  return addresses.get(path) ?? path;
}
