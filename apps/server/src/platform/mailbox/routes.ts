import { asciiAddress, isId, problem } from "@paraphe/contracts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendProblem } from "../http/problem-reply.ts";
import { isLoopbackAddress, LOOPBACK_NAMES } from "../addresses.ts";
import type { Platform } from "../platform.ts";
import {
  MAILBOX_CHANNELS,
  mailboxListPage,
  mailboxMessagePage,
  mailboxMissingPage,
} from "./mailbox-pages.ts";
import { isMailboxShown, MAILBOX_PATH } from "./mailbox-shown.ts";
import {
  countMailboxMessages,
  listMailboxMessages,
  loadMailboxMessage,
  type MailboxMessage,
} from "./store.ts";

const LISTED = 200;
/** Inline styles, our mark, one frame. */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/** A mail's HTML: no script, form or request; links open in a new tab. */
const MAIL_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'; sandbox allow-popups allow-popups-to-escape-sandbox";

/**
 * Adds nothing where the mailbox may not be shown, and answers this machine only, under its own
 * name.
 */
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

/** False for DNS rebinding, whose page would read the messages, and for anything behind a proxy. */
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

/** Mail writes a domain in ASCII; people type its accents. */
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
