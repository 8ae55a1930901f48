type Page = { readonly url: string; focus(): Promise<unknown> };
type Windows = {
  readonly pages: readonly Page[];
  readonly open: (url: string) => Promise<unknown>;
};

/** Focuses the tab at this address, or opens one. Other tabs stay: they may have unsaved text. */
export async function openPage(address: string, { pages, open }: Windows): Promise<void> {
  const shown = pages.find(({ url }) => withoutFragment(url) === withoutFragment(address));
  await (shown ? shown.focus() : open(address));
}

function withoutFragment(address: string): string {
  return address.split("#", 1)[0] ?? address;
}

/** A decrypted message; its address needs the session. */
type PushNotice = { readonly title: string; readonly body: string; readonly url: string };

/** `userVisibleOnly` demands a notice for each message, even an unreadable one. */
const UNREADABLE = {
  title: "Paraphe",
  body: "Vous avez une nouvelle notification.",
  path: "/dashboard",
};

/**
 * The address is always of this origin.
 * Invalid parts are replaced, never thrown: a failed event shows the browser's own notice.
 */
export function readPush(data: { json(): unknown } | null, origin: string): PushNotice {
  const { title, body, url } = asRecord(parse(data));
  return {
    title: textOf(title) ?? UNREADABLE.title,
    body: textOf(body) ?? (textOf(title) === undefined ? UNREADABLE.body : ""),
    url: ownAddress(textOf(url), origin),
  };
}

function parse(data: { json(): unknown } | null): unknown {
  try {
    return data?.json();
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

export function ownAddress(address: string | undefined, origin: string): string {
  const url =
    address !== undefined && URL.canParse(address, origin) ? new URL(address, origin) : null;
  return url?.origin === origin ? url.href : new URL(UNREADABLE.path, origin).href;
}
