import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { NoticeContents, NoticeKind } from "./domain/notice.ts";
import type { NoticeRhythm } from "./domain/notice-rhythm.ts";

/** What is kept of a message until it has left: links, codes and names, unreadable without the master key. */
type Kept<K extends NoticeKind> = {
  readonly fullName: string;
  readonly mailInstead?: string;
  /** Of the mail that may go instead. */
  readonly rhythm?: NoticeRhythm;
  readonly content: NoticeContents[K];
};

/** Gives the wrapped content of a message. The message's id is bound to it: moved to another row it does not open. */
export function wrapContent<K extends NoticeKind>(secrets: SecretBox, noticeId: string, kept: Kept<K>): Uint8Array {
  return secrets.wrap(new TextEncoder().encode(JSON.stringify(kept)), context(noticeId));
}

/** Gives back what `wrapContent` kept; throws when a byte or the id is wrong. */
export function unwrapContent<K extends NoticeKind>(secrets: SecretBox, noticeId: string, wrapped: Uint8Array): Kept<K> {
  return JSON.parse(new TextDecoder().decode(secrets.unwrap(wrapped, context(noticeId)))) as Kept<K>;
}

function context(noticeId: string): string {
  return `notice:${noticeId}`;
}
