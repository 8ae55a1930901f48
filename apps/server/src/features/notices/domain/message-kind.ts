import type { MailModel } from "./render-mail.ts";

/**
 * `askedBy`: who can ask for it repeatedly, and is counted. `awaited`: its reader waits at a
 * screen. `canWait`: news that asks for nothing within hours.
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

/** `host`: of the service, which a code's text is bound to. */
export type TextWriters<Contents> = {
  readonly [K in keyof Contents]: (content: Contents[K], host: string) => string;
};
