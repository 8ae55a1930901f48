type Page = { readonly url: string; focus(): Promise<unknown> };
type Windows = {
  readonly pages: readonly Page[];
  readonly open: (url: string) => Promise<unknown>;
};

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

/** What a message says once the browser has decrypted it: words, and an address of ours that needs the session. */
type PushNotice = { readonly title: string; readonly body: string; readonly url: string };

/** A browser insists that every message shows something (`userVisibleOnly`): what is shown when the message cannot be read. */
const UNREADABLE = {
  title: "Paraphe",
  body: "Vous avez une nouvelle notification.",
  path: "/dashboard",
};

/**
 * Gives the notice of a decrypted message. The address is always of this origin: a message, whoever wrote it, leads nowhere else.
 * Anything missing or of another kind is replaced, never thrown: an event that fails shows a notice of the browser's own.
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

/** Gives the address when it is one of ours, the dashboard's otherwise. */
export function ownAddress(address: string | undefined, origin: string): string {
  const url =
    address !== undefined && URL.canParse(address, origin) ? new URL(address, origin) : null;
  return url?.origin === origin ? url.href : new URL(UNREADABLE.path, origin).href;
}
