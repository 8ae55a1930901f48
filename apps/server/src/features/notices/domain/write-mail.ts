import { accountMails } from "./account-mails.ts";
import { checkpointMail } from "./checkpoint-mail.ts";
import type { MailModel } from "./mail-model.ts";
import type { MailKind, NoticeContents } from "./notice.ts";
import { outcomeMails } from "./outcome-mails.ts";
import { requestMails } from "./request-mails.ts";

type MailContext = { readonly publicUrl: string };

const WRITERS: { readonly [K in MailKind]: (content: NoticeContents[K], context: MailContext) => MailModel } = {
  ...accountMails,
  ...requestMails,
  ...outcomeMails,
  checkpoint: checkpointMail,
};

/** Gives the words of a mail of this kind. */
export function writeMail<K extends MailKind>(kind: K, content: NoticeContents[K], context: MailContext): MailModel {
  return WRITERS[kind](content, context);
}
