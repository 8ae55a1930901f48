import { toBase64 } from "@paraphe/kernel/bytes";
import type { Clock } from "../platform.ts";
import type { Database } from "../database/database.ts";
import type {
  MailMessage,
  MailTransport,
  PushTransport,
  SmsTransport,
} from "../message-transports.ts";
import { insertMailboxMessage } from "./store.ts";
import { isOwnMachine } from "../addresses.ts";
import type { Settings } from "../settings/settings.ts";

const KEPT_HERE = "Boîte aux lettres de ce serveur d’essai.";

export type MailboxDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly newId: () => string;
};

export function createMailboxMail(deps: MailboxDeps, from: string): MailTransport {
  return {
    async deliver(message) {
      await insertMailboxMessage(deps.db, {
        id: deps.newId(),
        channel: "email",
        destination: message.to.address,
        subject: message.subject,
        content: {
          message_id: message.messageId,
          from: `${message.fromName} <${from}>`,
          to: `${message.to.name} <${message.to.address}>`,
          reply_to: message.replyTo,
          text: message.text,
          html: withPictures(message),
          attachments: message.attachments.map((file) => ({
            name: file.name,
            content_type: file.contentType,
            size: file.bytes.length,
          })),
        },
        receivedAt: deps.clock(),
      });
      return { state: "accepted", serverAnswer: KEPT_HERE };
    },
    async close() {},
  };
}

function withPictures({ html, pictures = [] }: MailMessage): string {
  return pictures.reduce(
    (text, { cid, contentType, bytes }) =>
      text.replace(`cid:${cid}`, `data:${contentType};base64,${toBase64(bytes)}`),
    html,
  );
}

export function createMailboxSms(deps: MailboxDeps): SmsTransport {
  return {
    async deliver(message) {
      await insertMailboxMessage(deps.db, {
        id: deps.newId(),
        channel: "sms",
        destination: message.to,
        subject: "SMS",
        content: {
          message_id: null,
          from: "Paraphe",
          to: message.to,
          reply_to: null,
          text: message.text,
          html: null,
          attachments: [],
        },
        receivedAt: deps.clock(),
      });
      return { state: "accepted", serverAnswer: KEPT_HERE };
    },
  };
}

/** Also delivers; failures are not retried, as a developer's machine may reach no push service. */
export function createMailboxPush(
  deps: MailboxDeps,
  real: { readonly service: PushTransport; readonly publicUrl: string },
): PushTransport {
  return {
    publicKey: () => real.service.publicKey(),
    async deliver(message) {
      const outcome = await real.service.deliver(message);
      if (outcome.state === "gone" || outcome.state === "refused") return outcome;
      const { title, body, url } = message.content;
      await insertMailboxMessage(deps.db, {
        id: deps.newId(),
        channel: "push",
        destination: message.to,
        subject: title,
        content: {
          message_id: null,
          from: "Paraphe",
          to: message.to,
          reply_to: null,
          text: `${body}\n${real.publicUrl}${url}`,
          html: null,
          attachments: [],
        },
        receivedAt: deps.clock(),
      });
      return outcome.state === "accepted"
        ? outcome
        : { state: "accepted", serverAnswer: `${KEPT_HERE} ${outcome.serverAnswer}` };
    },
  };
}

type MailboxSettings = Pick<Settings, "production" | "publicUrl" | "smtpUrl" | "sms">;

export const MAILBOX_PATH = "/boite-aux-lettres/";

export function isMailboxShown(settings: MailboxSettings): boolean {
  return isOwnMachine(settings) && (settings.smtpUrl === null || settings.sms === null);
}

/** Null where mail leaves, or nothing is shown. */
export function mailboxPath(settings: MailboxSettings): string | null {
  return settings.smtpUrl === null && isMailboxShown(settings) ? MAILBOX_PATH : null;
}
