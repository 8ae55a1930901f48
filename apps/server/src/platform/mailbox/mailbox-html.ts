import { MAILBOX_STYLE } from "./mailbox-style.ts";
import type { MailboxMessage } from "./store.ts";

const DAY = new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", dateStyle: "medium" });
const TIME = new Intl.DateTimeFormat("fr-FR", { timeZone: "Europe/Paris", timeStyle: "short" });

/** The three kinds of message, in the order they are offered. */
export const MAILBOX_CHANNELS = ["email", "sms", "push"] as const;
export type MailboxChannel = (typeof MAILBOX_CHANNELS)[number];

const KINDS: Readonly<Record<MailboxChannel, { readonly one: string; readonly icon: string }>> = {
  email: { one: "Email", icon: '<rect x="2" y="3.5" width="12" height="9" rx="1.5"/><path d="m2.5 5 5.5 4 5.5-4"/>' },
  sms: { one: "SMS", icon: '<path d="M3 3h10a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H7l-3.5 2.5V11H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1z"/>' },
  push: { one: "Notification", icon: '<path d="M4 11V7a4 4 0 0 1 8 0v4l1.2 1.5H2.8zM6.7 14a1.5 1.5 0 0 0 2.6 0"/>' },
};

/** Gives a whole page of the local mailbox. */
export function mailboxPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} – Paraphe</title><link rel="icon" href="/favicon.svg"><style>${MAILBOX_STYLE}</style></head>
<body><header class="top"><a class="brand" href="/" aria-label="Paraphe, accueil"><span class="mark"></span><span>Paraphe</span></a><span class="tag">Serveur d’essai</span></header>
<main>${body}</main></body></html>`;
}

/** Gives the badge of a message's kind. */
export function kindBadge(message: MailboxMessage): string {
  const channel = channelOf(message);
  const { one, icon } = KINDS[channel];
  return `<span class="kind ${channel}"><svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${icon}</svg>${one}</span>`;
}

/** Gives the kind of a stored message; what is neither a text nor a push came by mail. */
export function channelOf(message: Pick<MailboxMessage, "channel">): MailboxChannel {
  return MAILBOX_CHANNELS.find((channel) => channel === message.channel) ?? "email";
}

export function messageTime(message: Pick<MailboxMessage, "receivedAt">): string {
  return `<time datetime="${message.receivedAt.toISOString()}">${DAY.format(message.receivedAt)} à\u00a0${TIME.format(message.receivedAt).replace(":", "\u00a0h\u00a0")}</time>`;
}

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
