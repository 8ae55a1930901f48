import type { ReceivedMail } from "./start-mail-server.ts";

/** Gives the first address of the mail's text that passes. */
export function linkIn(mail: ReceivedMail, accepts: RegExp): URL {
  const found = [...mail.text.matchAll(/https:\/\/[^\s<>"]+/g)]
    .map(([link]) => link)
    .find((link) => accepts.test(link));
  if (!found) throw new Error(`no link like ${accepts} in « ${mail.subject} »`);
  return new URL(found);
}

const CODE = /^(\d{3})\s?(\d{3})\s/;

export function isCode(mail: ReceivedMail): boolean {
  return CODE.test(mail.subject);
}

/** Gives the six digits of a mail that brings a one-time code. */
export function codeIn(mail: ReceivedMail): string {
  const [, first, last] = CODE.exec(mail.subject) ?? [];
  if (!first || !last) throw new Error(`no code in « ${mail.subject} »`);
  return first + last;
}
