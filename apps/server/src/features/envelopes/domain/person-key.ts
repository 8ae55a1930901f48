/** What tells one recipient from another: the same address may stand for two people, the same address and name may not. */
export function personKey({ emailKey, fullName }: { readonly emailKey: string; readonly fullName: string }): string {
  return `${emailKey}\n${fullName.normalize("NFKC").toLowerCase()}`;
}
