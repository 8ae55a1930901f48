import { accountMails } from "./account-messages.ts";
import type { MailKind, NoticeContents, NoticeKind, PushKind, SmsKind } from "./notice.ts";
import { outcomeMails, outcomeTexts } from "./outcome-messages.ts";
import type { MailModel, MailContext, MailWriters, TextWriters } from "./render-mail.ts";
import { requestMails, requestTexts } from "./request-messages.ts";

const MAILS: MailWriters<Pick<NoticeContents, MailKind>> = {
  ...accountMails,
  ...requestMails,
  ...outcomeMails,
};
const TEXTS: TextWriters<Pick<NoticeContents, SmsKind>> = { ...requestTexts, ...outcomeTexts };

export function writeMail<K extends MailKind>(
  kind: K,
  content: NoticeContents[K],
  context: MailContext,
): MailModel {
  return MAILS[kind](content, context);
}

/**
 * Gives 160 GSM characters; the title is shortened first.
 * Tolerance: a longer link stays whole.
 */
export function writeSms<K extends SmsKind>(
  kind: K,
  content: NoticeContents[K],
  host: string,
): string {
  return TEXTS[kind](content, host);
}

export type PushPayload = { readonly title: string; readonly body: string; readonly url: string };

const TITLE_MAXIMUM = 120;
const BODY_MAXIMUM = 240;

const REQUESTS: readonly NoticeKind[] = ["invitation", "reminder", "expiring", "extended"];

/**
 * Shows the mail's subject and first words. The path needs the session, never a guest link
 * (security line 41).
 */
export function writePush<K extends PushKind>(
  kind: K,
  content: NoticeContents[K],
  context: { readonly publicUrl: string; readonly envelopeId: string | null },
): PushPayload {
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

function ownPage(kind: PushKind, content: NoticeContents[PushKind]): string {
  if (kind === "trial") return "/settings/notifications";
  const isWork = kind === "batch_ended" || kind === "mailing_ended";
  if (!isWork || !("link" in content) || content.link === null) return "/dashboard";
  const { pathname, search } = new URL(content.link);
  return pathname + search;
}

function asksToSign(kind: PushKind, content: NoticeContents[PushKind]): boolean {
  if (!REQUESTS.includes(kind) || ("role" in content && content.role === "viewer")) return false;
  // A sender's `expiring` has `waitingFor` and nothing to sign.
  return !("waitingFor" in content) || content.waitingFor === null;
}

/** Cuts between graphemes, never inside one. */
function cut(text: string, maximum: number): string {
  const characters = Array.from(text);
  return characters.length <= maximum ? text : `${characters.slice(0, maximum - 1).join("")}…`;
}
