import { asciiAddress, isId, problem } from "@paraphe/contracts";
import { formatShortInstant } from "@paraphe/kernel/french-dates";
import { plural } from "@paraphe/kernel/french-numbers";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { LOOPBACK_NAMES, isLoopbackAddress } from "../addresses.ts";
import { escapeHtml } from "../http/api-docs-page.ts";
import { sendProblem } from "../http/problem-reply.ts";
import type { Platform } from "../platform.ts";
import { MAILBOX_PATH, isMailboxShown } from "./mailbox-transports.ts";
import {
  type MailboxMessage,
  countMailboxMessages,
  listMailboxMessages,
  loadMailboxMessage,
} from "./store.ts";

const LISTED = 200;
/** Allows inline styles, our mark, one frame. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/** Allows no script, form or request; links open a tab. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox allow-popups allow-popups-to-escape-sandbox";

/** Serves where it may be shown, to this machine under its own name. */
export function mailboxRoutes(platform: Platform) {
  return async (app: FastifyInstance): Promise<void> => {
    if (!isMailboxShown(platform.settings)) return;
    app.addHook("onRequest", async (request, reply) => {
      if (!isLoopbackAddress(request.ip) || !isAskedHere(request))
        return sendProblem(reply, problem("not_found"));
    });

    app.get<{ Querystring: { destination?: string; canal?: string } }>(
      MAILBOX_PATH,
      { schema: { hide: true } },
      async (request, reply) => {
        const destination = askedDestination(request.query.destination);
        const channel = MAILBOX_CHANNELS.find((name) => name === request.query.canal) ?? null;
        const counts = await countMailboxMessages(platform.db, destination);
        const messages = await listMailboxMessages(platform.db, {
          destination,
          channel,
          limit: LISTED,
        });
        return sendPage(reply, 200, mailboxListPage({ messages, counts, destination, channel }));
      },
    );

    app.get<{ Querystring: { destination?: string } }>(
      `${MAILBOX_PATH}messages.json`,
      { schema: { hide: true } },
      async (request, reply) => {
        const messages = await listMailboxMessages(platform.db, {
          destination: askedDestination(request.query.destination),
          limit: LISTED,
        });
        return reply
          .header("cache-control", "no-store")
          .send({ results: messages.map(presentMessage) });
      },
    );

    app.get<{ Params: { id: string } }>(
      `${MAILBOX_PATH}:id/`,
      { schema: { hide: true } },
      async (request, reply) => {
        const message = await find(platform, request.params.id);
        return message
          ? sendPage(reply, 200, mailboxMessagePage(message))
          : sendPage(reply, 404, mailboxMissingPage());
      },
    );

    app.get<{ Params: { id: string } }>(
      `${MAILBOX_PATH}:id/html/`,
      { schema: { hide: true } },
      async (request, reply) => {
        const message = await find(platform, request.params.id);
        if (!message?.content.html) return sendPage(reply, 404, mailboxMissingPage());
        const html = message.content.html.replace("<head>", '<head><base target="_blank">');
        return sendHtml(reply, MAIL_POLICY).header("x-frame-options", "SAMEORIGIN").send(html);
      },
    );
  };
}

/** Refuses DNS rebinding, whose page would read messages, and calls behind a proxy. */
function isAskedHere(request: FastifyRequest): boolean {
  const { headers } = request;
  if (Object.keys(headers).some((name) => name === "forwarded" || name.startsWith("x-forwarded-")))
    return false;
  const url = URL.parse(`https://${headers.host ?? headers[":authority"] ?? ""}`);
  return url !== null && LOOPBACK_NAMES.includes(url.hostname);
}

function find(platform: Platform, id: string): Promise<MailboxMessage | null> {
  return isId(id) ? loadMailboxMessage(platform.db, id) : Promise.resolve(null);
}

function askedDestination(value: unknown): string | null {
  const text = oneText(value);
  return text === null ? null : asciiAddress(text);
}

function oneText(value: unknown): string | null {
  const text = typeof value === "string" ? value.replaceAll("\0", "").trim() : "";
  return text === "" ? null : text;
}

function sendPage(reply: FastifyReply, status: number, html: string) {
  return sendHtml(reply.code(status), PAGE_POLICY).send(html);
}

function sendHtml(reply: FastifyReply, policy: string): FastifyReply {
  return reply
    .type("text/html; charset=utf-8")
    .header("content-security-policy", policy)
    .header("cache-control", "no-store")
    .header("referrer-policy", "no-referrer");
}

function presentMessage(message: MailboxMessage) {
  return {
    id: message.id,
    channel: message.channel,
    destination: message.destination,
    subject: message.subject,
    received_at: message.receivedAt.toISOString(),
    ...message.content,
  };
}

const MAILBOX_STYLE = `
:root{color-scheme:light dark;--canvas:#f3f4f8;--surface:#fff;--sunken:#e9ebf2;--hover:#f0f2f8;--ink:#151b2e;--ink-2:#434c66;--ink-3:#5c657f;--line:#dfe3ec;--line-2:#cbd1de;--control:#8089a1;--accent:#2a3f9d;--accent-hover:#203181;--accent-soft:#e8ecfa;--on-accent:#fff;--halo:rgb(42 63 157/.28);--margin:#e08a94;--rule:#dfe3f5;--email-fg:#2a3f9d;--email-bg:#e8ecfa;--email-line:#b9c4ec;--sms-fg:#12613a;--sms-bg:#e0f3e7;--sms-line:#a6d6b8;--push-fg:#755000;--push-bg:#fff2cc;--push-line:#ecd189;--shadow:0 1px 2px rgb(21 27 46/.06);--ui:"Instrument Sans Variable","Instrument Sans",system-ui,-apple-system,"Segoe UI",sans-serif;--display:"Spectral",Georgia,"Times New Roman",serif;--gutter:clamp(1rem,3vw,2rem)}
@media(prefers-color-scheme:dark){:root{--canvas:#0e1220;--surface:#161b2c;--sunken:#0a0d18;--hover:#1e2439;--ink:#eceff8;--ink-2:#b7bfd4;--ink-3:#949db6;--line:#283048;--line-2:#374060;--control:#6b7592;--accent:#a9b8ff;--accent-hover:#c0cbff;--accent-soft:#232c4d;--on-accent:#10163a;--halo:rgb(169 184 255/.32);--margin:#8a4a55;--rule:#20273e;--email-fg:#a9b8ff;--email-bg:#232c4d;--email-line:#44518a;--sms-fg:#86d9a8;--sms-bg:#112f20;--sms-line:#24573c;--push-fg:#f2cc67;--push-bg:#37290a;--push-line:#5f4a17;--shadow:0 1px 2px rgb(0 0 0/.4)}}
*,*::before{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--ink);font:0.875rem/1.5 var(--ui);-webkit-text-size-adjust:100%}
h1,h2,p,dl,dd,ol,ul{margin:0;padding:0}ol,ul{list-style:none}
a{color:var(--accent);text-underline-offset:3px}a:hover{color:var(--accent-hover)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.top{display:flex;align-items:center;gap:12px;min-height:60px;padding:0 var(--gutter);background:var(--surface);border-bottom:1px solid var(--line)}
.brand{display:inline-flex;align-items:center;gap:8px;min-height:44px;color:var(--ink);text-decoration:none;font:500 1.375rem/1 var(--display);letter-spacing:-.012em}.brand:hover{color:var(--ink)}
.mark{width:30px;height:30px;flex:none;background:var(--accent);-webkit-mask:url(/favicon.svg) center/contain no-repeat;mask:url(/favicon.svg) center/contain no-repeat}
@media(forced-colors:active){.mark{background:LinkText}}
.tag{padding:2px 9px;border:1px solid var(--line-2);border-radius:999px;color:var(--ink-2);font-size:.75rem;font-weight:600;white-space:nowrap}
main{max-width:60rem;margin:0 auto;padding:2rem var(--gutter) 4rem;display:grid;gap:1.25rem;grid-template-columns:minmax(0,1fr)}
h1{font:500 1.75rem/1.2 var(--display);letter-spacing:-.012em;text-wrap:balance;overflow-wrap:anywhere}h2{font:600 1.125rem/1.35 var(--ui)}
.lede{margin-top:4px;color:var(--ink-2);max-width:68ch}
.crumb{display:inline-flex;align-items:center;gap:6px;min-height:44px;color:var(--ink-2);text-decoration:none;font-weight:500}
.bar{display:flex;flex-wrap:wrap;gap:12px 24px;align-items:end;justify-content:space-between}
.kinds{display:flex;gap:4px;flex-wrap:wrap;padding:4px;border-radius:10px;background:var(--sunken)}
.kinds a{display:inline-flex;align-items:center;gap:6px;min-height:44px;padding:0 12px;border-radius:7px;color:var(--ink-2);text-decoration:none;font-weight:500}
.kinds a:hover{color:var(--ink)}.kinds a[aria-current]{background:var(--surface);color:var(--accent);font-weight:600;box-shadow:var(--shadow)}
.kinds span{font-variant-numeric:tabular-nums;font-size:.75rem;color:var(--ink-3)}
form{display:grid;grid-template-columns:minmax(0,16rem) auto;gap:6px 8px}form label{grid-column:1/-1;font-weight:600;font-size:.8125rem}
input,button{height:44px;font:inherit;border-radius:7px}input{width:100%;padding:0 12px;font-size:1rem;border:1px solid var(--control);background:var(--surface);color:var(--ink)}
button{padding:0 16px;border:1px solid var(--line-2);background:var(--surface);color:var(--ink);font-weight:600;cursor:pointer}button:hover{background:var(--hover)}
.card{background:var(--surface);border:1px solid var(--line);border-radius:10px;min-width:0;overflow:hidden;box-shadow:var(--shadow)}
.count{color:var(--ink-3)}
.list li{position:relative;display:grid;grid-template-columns:8.25rem minmax(0,1fr) minmax(0,14rem) auto;gap:2px 16px;align-items:center;padding:12px 20px;border-top:1px solid var(--line)}
.list li:first-child{border-top:0}.list li:hover{background:var(--hover)}
.list a{color:var(--ink);font-weight:600;text-decoration:none;overflow-wrap:anywhere}.list a::after{content:"";position:absolute;inset:0}.list a:hover{color:var(--accent)}
.list p{color:var(--ink-3);font-size:.8125rem;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.to{color:var(--ink-2);overflow-wrap:anywhere}time{color:var(--ink-3);font-size:.8125rem;white-space:nowrap;font-variant-numeric:tabular-nums}
.kind{display:inline-flex;align-items:center;gap:6px;height:24px;padding:0 9px 0 7px;border:1px solid;border-radius:999px;font-size:.75rem;font-weight:600;white-space:nowrap;justify-self:start}
.kind svg{width:13px;height:13px;flex:none}
.email{color:var(--email-fg);background:var(--email-bg);border-color:var(--email-line)}.sms{color:var(--sms-fg);background:var(--sms-bg);border-color:var(--sms-line)}.push{color:var(--push-fg);background:var(--push-bg);border-color:var(--push-line)}
.head{display:grid;gap:8px;justify-items:start}
.facts{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:6px 20px;padding:16px 20px}dt{color:var(--ink-3)}dd{overflow-wrap:anywhere}
iframe{display:block;width:100%;height:40rem;border:0;background:#fff}
.text{padding:16px 20px;white-space:pre-wrap;overflow-wrap:anywhere;font:0.875rem/1.65 "IBM Plex Mono",ui-monospace,"SFMono-Regular",Menlo,monospace}
.sheet{padding:2rem 20px;background:linear-gradient(90deg,transparent 39px,var(--margin) 39px 40px,transparent 40px),repeating-linear-gradient(var(--surface) 0 31px,var(--rule) 31px 32px)}
.bubble{width:fit-content;max-width:26rem;margin-left:36px;padding:12px 16px;border-radius:14px 14px 14px 3px;background:var(--sms-bg);border:1px solid var(--sms-line);font-size:1rem;white-space:pre-wrap;overflow-wrap:anywhere}
.toast{display:grid;grid-template-columns:36px minmax(0,1fr);gap:4px 14px;max-width:26rem;margin-left:36px;padding:16px;border-radius:14px;background:var(--surface);border:1px solid var(--line-2);box-shadow:0 2px 6px rgb(21 27 46/.08),0 16px 40px rgb(21 27 46/.16)}
.toast .mark{width:36px;height:36px;grid-row:span 3}.toast b{overflow-wrap:anywhere}.toast p{color:var(--ink-2);overflow-wrap:anywhere}.toast a{display:inline-flex;align-items:center;min-height:44px;font-weight:600}
.empty{padding:3rem 20px;text-align:center;color:var(--ink-2)}.empty b{display:block;color:var(--ink);font-size:1rem}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(max-width:767.98px){h1{font-size:1.375rem}main{padding-top:1.25rem}.bar{display:grid;grid-template-columns:minmax(0,1fr)}form{grid-template-columns:minmax(0,1fr) auto}.kinds{display:grid;grid-template-columns:1fr 1fr}.kinds a{justify-content:center}
.list li{grid-template-columns:minmax(0,1fr) auto;padding:12px 16px}.list li>div{grid-column:1/-1;grid-row:2}.to{grid-column:1/-1}.list time{grid-column:2;grid-row:1}.list p{white-space:normal;display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical}
.facts{grid-template-columns:minmax(0,1fr);gap:0;padding:12px 16px}dd{margin-bottom:8px}.text,.sheet{padding:16px}.sheet{background:repeating-linear-gradient(var(--surface) 0 31px,var(--rule) 31px 32px)}.bubble,.toast{margin-left:0}iframe{height:32rem}}
`;

const MAILBOX_CHANNELS = ["email", "sms", "push"] as const;
type MailboxChannel = (typeof MAILBOX_CHANNELS)[number];

const KINDS: Readonly<Record<MailboxChannel, { readonly one: string; readonly icon: string }>> = {
  email: {
    one: "Email",
    icon: '<rect x="2" y="3.5" width="12" height="9" rx="1.5"/><path d="m2.5 5 5.5 4 5.5-4"/>',
  },
  sms: {
    one: "SMS",
    icon: '<path d="M3 3h10a1 1 0 0 1 1 1v6a1 1 0 0 1-1 1H7l-3.5 2.5V11H3a1 1 0 0 1-1-1V4a1 1 0 0 1 1-1z"/>',
  },
  push: {
    one: "Notification",
    icon: '<path d="M4 11V7a4 4 0 0 1 8 0v4l1.2 1.5H2.8zM6.7 14a1.5 1.5 0 0 0 2.6 0"/>',
  },
};

function mailboxPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} – Paraphe</title><link rel="icon" href="/favicon.svg"><style>${MAILBOX_STYLE}</style></head>
<body><header class="top"><a class="brand" href="/" aria-label="Paraphe, accueil"><span class="mark"></span><span>Paraphe</span></a><span class="tag">Serveur d’essai</span></header>
<main>${body}</main></body></html>`;
}

function kindBadge(message: MailboxMessage): string {
  const channel = channelOf(message);
  const { one, icon } = KINDS[channel];
  return `<span class="kind ${channel}"><svg viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">${icon}</svg>${one}</span>`;
}

function channelOf(message: Pick<MailboxMessage, "channel">): MailboxChannel {
  return MAILBOX_CHANNELS.find((channel) => channel === message.channel) ?? "email";
}

function messageTime(message: Pick<MailboxMessage, "receivedAt">): string {
  return `<time datetime="${message.receivedAt.toISOString()}">${formatShortInstant(message.receivedAt)}</time>`;
}

type MailboxList = {
  readonly messages: readonly MailboxMessage[];
  readonly counts: Readonly<Record<MailboxChannel, number>>;
  readonly destination: string | null;
  readonly channel: MailboxChannel | null;
};

const NAMES: Readonly<Record<MailboxChannel, string>> = {
  email: "Emails",
  sms: "SMS",
  push: "Notifications",
};
const PREVIEW = 160;

function mailboxListPage(list: MailboxList): string {
  const { messages, destination, channel } = list;
  const total =
    channel === null
      ? MAILBOX_CHANNELS.reduce((sum, name) => sum + list.counts[name], 0)
      : list.counts[channel];
  const count = total === 0 ? "Aucun message" : plural(total, "message");
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
    const query = new URLSearchParams({
      ...(name === null ? {} : { canal: name }),
      ...(destination === null ? {} : { destination }),
    });
    const address = `/boite-aux-lettres/${query.size === 0 ? "" : `?${query}`}`;
    return `<a href="${escapeHtml(address)}"${name === channel ? ' aria-current="page"' : ""}>${label} <span>${count}</span></a>`;
  };
  const all = MAILBOX_CHANNELS.reduce((sum, name) => sum + counts[name], 0);
  const links = [
    link(null, "Tout", all),
    ...MAILBOX_CHANNELS.map((name) => link(name, NAMES[name], counts[name])),
  ];
  return `<nav class="kinds" aria-label="Genre de message">${links.join("")}</nav>`;
}

function row(message: MailboxMessage): string {
  const [first = "", ...rest] = message.content.text
    .split("\n")
    .filter((line) => line.trim() !== "");
  const title = message.channel === "sms" ? first : message.subject;
  const preview = { email: `${first} ${rest.join(" ")}`, sms: rest.join(" "), push: first }[
    channelOf(message)
  ].slice(0, PREVIEW);
  return `<li>${kindBadge(message)}<div><a href="/boite-aux-lettres/${message.id}/">${escapeHtml(title)}</a><p>${escapeHtml(preview)}</p></div><span class="to"><span class="hidden">Pour </span>${escapeHtml(message.destination)}</span>${messageTime(message)}</li>`;
}

function empty(destination: string | null): string {
  const hint =
    destination === null
      ? "Créez un compte ou envoyez une enveloppe\u00a0: les messages arrivent ici."
      : "Rien n’est arrivé pour ce destinataire. Vérifiez son adresse ou son numéro.";
  return `<div class="card empty"><b>Aucun message</b>${hint}</div>`;
}

const BACK =
  '<a class="crumb" href="/boite-aux-lettres/"><span aria-hidden="true">←</span>Tous les messages</a>';

/** Shows it in a sandboxed frame, as a mail program does, and as text. */
function mailboxMessagePage(message: MailboxMessage): string {
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

function mailboxMissingPage(): string {
  return mailboxPage(
    "Message introuvable",
    `${BACK}<h1>Message introuvable</h1><p>Les messages sont gardés sept jours.</p>`,
  );
}

function facts({ content, ...message }: MailboxMessage): string {
  const rows: readonly (readonly [label: string, html: string])[] = [
    ["De", escapeHtml(content.from)],
    ["Pour", escapeHtml(content.to)],
    ...(content.reply_to === null ? [] : ([["Répondre à", escapeHtml(content.reply_to)]] as const)),
    ["Reçu le", messageTime(message)],
    ...content.attachments.map(
      (file) => ["Pièce jointe", escapeHtml(`${file.name} (${file.size} octets)`)] as const,
    ),
  ];
  return `<dl class="card facts">${rows.map(([label, html]) => `<dt>${label}</dt><dd>${html}</dd>`).join("")}</dl>`;
}

const BODIES: Readonly<Record<MailboxChannel, (message: MailboxMessage) => string>> = {
  email: ({ id, content }) => {
    const frame = `<div class="card"><iframe title="Message mis en forme" sandbox="allow-popups allow-popups-to-escape-sandbox" src="/boite-aux-lettres/${id}/html/"></iframe></div>`;
    return `${content.html === null ? "" : frame}<h2>Texte</h2><div class="card text">${withLinks(content.text)}</div>`;
  },
  sms: ({ content }) =>
    `<div class="card sheet"><div class="bubble">${withLinks(content.text)}</div></div>`,
  push: ({ subject, content }) => {
    const [body = "", address = ""] = content.text.split("\n");
    return `<div class="card sheet"><div class="toast"><span class="mark"></span><b>${escapeHtml(subject)}</b><p>${escapeHtml(body)}</p><a href="${escapeHtml(address)}">Ouvrir la page</a></div></div>
<p class="count">Le navigateur abonné montre ces mots, et ouvre cette page au clic.</p>`;
  },
};

/** Escaped text has no brackets: a space ends an address. */
function withLinks(text: string): string {
  return escapeHtml(text).replace(/https:\/\/[^\s)]+/g, (link) => `<a href="${link}">${link}</a>`);
}
