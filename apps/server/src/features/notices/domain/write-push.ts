import type { NoticeContents, NoticeKind, PushKind } from "./notice.ts";
import { writeMail } from "./write-mail.ts";

/** The service worker's payload. */
export type PushWords = { readonly title: string; readonly body: string; readonly url: string };

const TITLE_MAXIMUM = 120;
const BODY_MAXIMUM = 240;

/** Kinds that lead to the signing page. */
const REQUESTS: readonly NoticeKind[] = ["invitation", "reminder", "expiring", "extended"];

/**
 * The mail's subject and first words. The path needs the session: a guest link is never pushed
 * (security line 41).
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

/** The page of a message without an envelope. */
function ownPage(kind: PushKind, content: NoticeContents[PushKind]): string {
  if (kind === "trial") return "/settings/notifications";
  if (kind !== "batch_ended" || !("link" in content) || content.link === null) return "/dashboard";
  const { pathname, search } = new URL(content.link);
  return pathname + search;
}

function asksToSign(kind: PushKind, content: NoticeContents[PushKind]): boolean {
  if (!REQUESTS.includes(kind) || ("role" in content && content.role === "viewer")) return false;
  // The sender also gets `expiring`, with `waitingFor`, and has nothing to sign.
  return !("waitingFor" in content) || content.waitingFor === null;
}

/** Cuts between graphemes. */
function cut(text: string, maximum: number): string {
  const characters = Array.from(text);
  return characters.length <= maximum ? text : `${characters.slice(0, maximum - 1).join("")}…`;
}
