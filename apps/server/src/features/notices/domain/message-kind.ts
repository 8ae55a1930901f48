import type { MailModel } from "./render-mail.ts";

/**
 * `askedBy`: who may repeat it, and is counted. `awaited`: a reader waits at a screen. `canWait`:
 * news.
 */
export type NoticeRules = {
  readonly askedBy?: "anybody" | "sender";
  readonly awaited?: true;
  readonly canWait?: true;
};

export type MailContext = { readonly publicUrl: string };

export type MailWriters<Contents> = {
  readonly [K in keyof Contents]: (content: Contents[K], context: MailContext) => MailModel;
};

/** `host`: a code's text is bound to it. */
export type TextWriters<Contents> = {
  readonly [K in keyof Contents]: (content: Contents[K], host: string) => string;
};
