import { channelOf, escapeHtml, kindBadge, MAILBOX_CHANNELS, type MailboxChannel, mailboxPage, messageTime } from "./mailbox-html.ts";
import type { MailboxMessage } from "./store.ts";

export type MailboxList = {
  readonly messages: readonly MailboxMessage[];
  /** How many there are of each kind for this destination. */
  readonly counts: Readonly<Record<MailboxChannel, number>>;
  readonly destination: string | null;
  readonly channel: MailboxChannel | null;
};

const NAMES: Readonly<Record<MailboxChannel, string>> = { email: "Emails", sms: "SMS", push: "Notifications" };
const PREVIEW = 160;

/** Gives the list of messages as a page. */
export function mailboxListPage(list: MailboxList): string {
  const { messages, destination, channel } = list;
  const total = channel === null ? MAILBOX_CHANNELS.reduce((sum, name) => sum + list.counts[name], 0) : list.counts[channel];
  const count = total === 0 ? "Aucun message" : `${total} message${total > 1 ? "s" : ""}`;
  const shown = messages.length < total ? `, les ${messages.length} derniers sont affichés` : "";
  return mailboxPage(
    "Boîte aux lettres",
    `<div><h1>Boîte aux lettres</h1>
<p class="lede">Les emails, les SMS et les notifications de ce serveur d’essai arrivent ici, parce qu’il manque un service d’envoi à ses réglages. En production, cette page n’existe pas.</p></div>
<div class="bar">${kinds(list)}
<form method="get" role="search"><label for="destination">Destinataire</label><input id="destination" name="destination" value="${escapeHtml(destination ?? "")}" autocomplete="off" autocapitalize="none" spellcheck="false">${channel === null ? "" : `<input type="hidden" name="canal" value="${channel}">`}<button>Filtrer</button></form></div>
<p class="count" role="status">${count}${shown}</p>
${messages.length === 0 ? empty(destination) : `<ol class="card list" aria-label="Messages, du plus récent au plus ancien">${messages.map(row).join("\n")}</ol>`}`,
  );
}

function kinds({ counts, destination, channel }: MailboxList): string {
  const link = (name: MailboxChannel | null, label: string, count: number) => {
    const query = new URLSearchParams({ ...(name === null ? {} : { canal: name }), ...(destination === null ? {} : { destination }) });
    const address = `/boite-aux-lettres/${query.size === 0 ? "" : `?${query}`}`;
    return `<a href="${escapeHtml(address)}"${name === channel ? ' aria-current="page"' : ""}>${label} <span>${count}</span></a>`;
  };
  const all = MAILBOX_CHANNELS.reduce((sum, name) => sum + counts[name], 0);
  const links = [link(null, "Tout", all), ...MAILBOX_CHANNELS.map((name) => link(name, NAMES[name], counts[name]))];
  return `<nav class="kinds" aria-label="Genre de message">${links.join("")}</nav>`;
}

function row(message: MailboxMessage): string {
  const [first = "", ...rest] = message.content.text.split("\n").filter((line) => line.trim() !== "");
  // A text has no subject: its first words stand for it.
  const title = message.channel === "sms" ? first : message.subject;
  const preview = { email: `${first} ${rest.join(" ")}`, sms: rest.join(" "), push: first }[channelOf(message)].slice(0, PREVIEW);
  return `<li>${kindBadge(message)}<div><a href="/boite-aux-lettres/${message.id}/">${escapeHtml(title)}</a><p>${escapeHtml(preview)}</p></div><span class="to"><span class="hidden">Pour </span>${escapeHtml(message.destination)}</span>${messageTime(message)}</li>`;
}

function empty(destination: string | null): string {
  const hint =
    destination === null
      ? "Créez un compte ou envoyez une enveloppe\u00a0: les messages arrivent ici."
      : "Rien n’est arrivé pour ce destinataire. Vérifiez son adresse ou son numéro.";
  return `<div class="card empty"><b>Aucun message</b>${hint}</div>`;
}
