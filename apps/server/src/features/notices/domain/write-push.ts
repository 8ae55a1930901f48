import type { NoticeContents, NoticeKind, PushKind } from "./notice.ts";
import { writeMail } from "./write-mail.ts";

/** What the service worker is given. */
export type PushWords = { readonly title: string; readonly body: string; readonly url: string };

const TITLE_MAXIMUM = 120;
const BODY_MAXIMUM = 240;

/** Asks its reader to sign: leads to the signing page; any other, to the page of the envelope. */
const REQUESTS: readonly NoticeKind[] = ["invitation", "reminder", "expiring", "extended"];

/**
 * Gives the words of a push message: the mail's subject and its first words. Its address is a path that needs the session: a guest link,
 * token and all, is never pushed (security line 41).
 */
export function writePush<K extends PushKind>(
  kind: K,
  content: NoticeContents[K],
  context: { readonly publicUrl: string; readonly envelopeId: string | null },
): PushWords {
  const model = writeMail(kind, content, context);
  return {
    title: cut(model.subject, TITLE_MAXIMUM),
    body: cut(model.preview, BODY_MAXIMUM),
    url:
      context.envelopeId === null
        ? ownPage(kind, content)
        : `/signature/${asksToSign(kind, content) ? "sign" : "detail"}/${context.envelopeId}`,
  };
}

/** Where a message about no envelope leads: a path of ours, whatever its mail links to. */
function ownPage(kind: PushKind, content: NoticeContents[PushKind]): string {
  if (kind === "trial") return "/settings/notifications";
  if (kind !== "batch_ended" || !("link" in content) || content.link === null) return "/dashboard";
  const { pathname, search } = new URL(content.link);
  return pathname + search;
}

function asksToSign(kind: PushKind, content: NoticeContents[PushKind]): boolean {
  if (!REQUESTS.includes(kind) || ("role" in content && content.role === "viewer")) return false;
  // The sender is told of the deadline too, with whom it waits for: they have nothing to sign.
  return !("waitingFor" in content) || content.waitingFor === null;
}

/** Cut between characters, never within one. */
function cut(text: string, maximum: number): string {
  const characters = Array.from(text);
  return characters.length <= maximum ? text : `${characters.slice(0, maximum - 1).join("")}…`;
}
