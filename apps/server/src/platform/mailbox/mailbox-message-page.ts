import { channelOf, escapeHtml, kindBadge, type MailboxChannel, mailboxPage, messageTime } from "./mailbox-html.ts";
import type { MailboxMessage } from "./store.ts";

const BACK = '<a class="crumb" href="/boite-aux-lettres/"><span aria-hidden="true">←</span>Tous les messages</a>';

/** Gives one message as a page: a mail as its reader's program shows it, in a closed frame, and its text; a text; a notification. */
export function mailboxMessagePage(message: MailboxMessage): string {
  const channel = channelOf(message);
  const title = channel === "sms" ? `SMS pour ${message.destination}` : message.subject;
  return mailboxPage(
    title,
    `${BACK}
<div class="head">${kindBadge(message)}<h1>${escapeHtml(title)}</h1></div>
${facts(message)}
${BODIES[channel](message)}`,
  );
}

/** Gives the page of an unknown message. */
export function mailboxMissingPage(): string {
  return mailboxPage("Message introuvable", `${BACK}<h1>Message introuvable</h1><p>Les messages sont gardés sept jours.</p>`);
}

function facts({ content, ...message }: MailboxMessage): string {
  const rows: readonly (readonly [label: string, html: string])[] = [
    ["De", escapeHtml(content.from)],
    ["Pour", escapeHtml(content.to)],
    ...(content.reply_to === null ? [] : ([["Répondre à", escapeHtml(content.reply_to)]] as const)),
    ["Reçu le", messageTime(message)],
    ...content.attachments.map((file) => ["Pièce jointe", escapeHtml(`${file.name} (${file.size} octets)`)] as const),
  ];
  return `<dl class="card facts">${rows.map(([label, html]) => `<dt>${label}</dt><dd>${html}</dd>`).join("")}</dl>`;
}

const BODIES: Readonly<Record<MailboxChannel, (message: MailboxMessage) => string>> = {
  email: ({ id, content }) => {
    const frame = `<div class="card"><iframe title="Message mis en forme" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/boite-aux-lettres/${id}/html/"></iframe></div>`;
    return `${content.html === null ? "" : frame}<h2>Texte</h2><div class="card text">${withLinks(content.text)}</div>`;
  },
  sms: ({ content }) => `<div class="card sheet"><div class="bubble">${withLinks(content.text)}</div></div>`,
  push: ({ subject, content }) => {
    const [body = "", address = ""] = content.text.split("\n");
    return `<div class="card sheet"><div class="toast"><span class="mark"></span><b>${escapeHtml(subject)}</b><p>${escapeHtml(body)}</p><a href="${escapeHtml(address)}">Ouvrir la page</a></div></div>
<p class="count">Le navigateur abonné montre ces mots, et ouvre cette page au clic.</p>`;
  },
};

/** Escaped text holds no quote nor bracket, so an address ends where a space does. */
function withLinks(text: string): string {
  return escapeHtml(text).replace(/https:\/\/[^\s)]+/g, (link) => `<a href="${link}">${link}</a>`);
}
