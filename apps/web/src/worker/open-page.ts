type Page = { readonly url: string; focus(): Promise<unknown> };
type Windows = { readonly pages: readonly Page[]; readonly open: (url: string) => Promise<unknown> };

/**
 * Brings forward the tab that shows this address, or opens one. No other tab is taken elsewhere: somebody may be writing in it.
 */
export async function openPage(address: string, { pages, open }: Windows): Promise<void> {
  const shown = pages.find(({ url }) => withoutFragment(url) === withoutFragment(address));
  await (shown ? shown.focus() : open(address));
}

function withoutFragment(address: string): string {
  return address.split("#", 1)[0] ?? address;
}
