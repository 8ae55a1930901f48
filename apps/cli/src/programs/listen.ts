import { createHash, createHmac, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { EVENTS, LIVE_PATH } from "@paraphe/contracts";
import { WEBHOOK_TYPES } from "@paraphe/contracts/webhooks";
import {
  type AuditEvent,
  type Envelope,
  ParapheConnectionError,
  ParapheError,
  type WebhookEvent,
} from "@paraphe/sdk";
import { CommandFault, done, misused, type Outcome, terminalLine } from "../outcome.ts";
import { answering, openService, type ProgramRun, type Service, wordsOf } from "./envelopes.ts";

export const LISTEN_USAGE = [
  "Usage\u00a0: paraphe listen <http://localhost:port/chemin> [--types <type>,…] [--json]",
  "",
  "Poste à un programme de cette machine ce qu’un webhook lui enverrait, signé de même\u00a0: rien n’est enregistré sur le service (droit envelopes:read).",
  "Le secret est tiré à chaque appel et affiché\u202f; PARAPHE_WEBHOOK_SECRET (whsec_…) le fixe. Les messages non remis ne sont pas suivis.",
  "",
  "PARAPHE_URL\u00a0: l’adresse du service. PARAPHE_KEY\u00a0: une clé de Paramètres → Programmes.",
];

type Listening = Service & {
  readonly forwardTo: URL;
  readonly types: ReadonlySet<string>;
  readonly secret: string;
  readonly isJson: boolean;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  readonly posted: Set<string>;
};

export async function runListen(
  words: readonly string[],
  run: ProgramRun & { readonly signal: AbortSignal; readonly print: (line: string) => void },
): Promise<Outcome> {
  const { found, fault } = wordsOf(words, { types: { type: "string" }, json: { type: "boolean" } });
  const [address = "", ...more] = found?.positionals ?? [];
  const known = Object.keys(WEBHOOK_TYPES);
  const types = found?.values.types?.split(",") ?? known;
  if (fault !== undefined) return misused(LISTEN_USAGE, fault);
  if (!/^https?:\/\//.test(address) || !URL.canParse(address) || more.length > 0)
    return misused(LISTEN_USAGE, "Une adresse est attendue, qui commence par http:// ou https://.");
  const unknown = types.filter((type) => !known.includes(type));
  if (unknown.length > 0)
    return misused(LISTEN_USAGE, `--types ${unknown.join(",")}\u00a0: inconnu.`);
  const { PARAPHE_WEBHOOK_SECRET: given } = run.environment;
  if (given !== undefined && !/^whsec_[\w+/]{16,}=*$/.test(given))
    throw new CommandFault("PARAPHE_WEBHOOK_SECRET commence par whsec_, suivi de base64.");
  const secret = given ?? `whsec_${randomBytes(24).toString("base64")}`;
  const isJson = found?.values.json === true;
  const { signal, print } = run;
  return answering(async () => {
    const service = openService(run.environment);
    const rest = {
      types: new Set(types),
      secret,
      isJson,
      signal,
      print,
      posted: new Set<string>(),
    };
    print(isJson ? JSON.stringify({ secret }) : `Secret\u00a0: ${secret}`);
    await follow({ ...service, ...rest, forwardTo: new URL(address) });
    return done();
  });
}

const AGAIN_MS = 2_000;
const LATEST = 20;

/** Until the signal. The live stream names what changed; what a cut hid is read again. */
async function follow(listening: Listening): Promise<void> {
  const { url, key, signal, paraphe, print, isJson } = listening;
  let since: Date | null = null;
  while (!signal.aborted) {
    const answer = await fetch(new URL(LIVE_PATH, url), {
      headers: { authorization: `Bearer ${key}`, accept: "text/event-stream" },
      signal,
    }).catch(() => null);
    if (signal.aborted) return;
    // Throws the refusal with its sentence; at first also that nobody answers.
    const isRefused = answer !== null && [401, 403].includes(answer.status);
    if (isRefused || (answer === null && since === null)) await paraphe.listEnvelopes();
    if (answer?.ok === true && answer.body !== null) {
      if (since === null) print(isJson ? JSON.stringify({ listening: true }) : "À l’écoute.");
      // By the service's clock, which may differ from this one.
      else await catchUp(listening, since);
      since ??= new Date(answer.headers.get("date") ?? Date.now());
      const onEvent = (event: StreamEvent) => hear(listening, event, since ?? new Date());
      await readStream(answer.body, onEvent).catch((error: unknown) => {
        if (!signal.aborted && !isCut(error)) throw error;
      });
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => {});
  }
}

/** Node's fetch says so of a connection that was lost. */
const isCut = (error: unknown): boolean =>
  error instanceof ParapheConnectionError ||
  (error instanceof TypeError && error.message === "terminated");

async function catchUp(listening: Listening, since: Date): Promise<void> {
  const { results } = await listening.paraphe.listEnvelopes({ page_size: LATEST });
  for (const { id } of results.toReversed()) await postNew(listening, id, since);
}

type StreamEvent = { readonly name: string; readonly data: Readonly<Record<string, unknown>> };

/** Source: HTML Living Standard §9.2.6; the service writes one line of data. */
async function readStream(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => Promise<void>,
): Promise<void> {
  let text = "";
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + part).split("\n\n");
    text = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
      if (name !== undefined && data !== undefined)
        await onEvent({ name, data: JSON.parse(data) as StreamEvent["data"] });
    }
  }
}

async function hear(listening: Listening, { name, data }: StreamEvent, since: Date): Promise<void> {
  if (name === "refresh") return catchUp(listening, since);
  if (name !== "envelope" || typeof data["id"] !== "string") return;
  const { id, status } = data;
  if (status !== "purged") return postNew(listening, id, since);
  if (listening.posted.has(`purged ${id}`)) return;
  listening.posted.add(`purged ${id}`);
  const timestamp = new Date().toISOString();
  await post(listening, `purged ${id}`, {
    type: "envelope.purged",
    timestamp,
    data: { id, status: "purged" },
  });
}

/** What a webhook would have been told since then, oldest first. */
async function postNew(listening: Listening, id: string, since: Date): Promise<void> {
  const { paraphe, posted } = listening;
  const found = await readBoth(paraphe, id).catch((error: unknown) => {
    // Purged or given to somebody else meanwhile.
    if (error instanceof ParapheError && error.code === "not_found") return null;
    throw error;
  });
  if (found === null) return;
  const { envelope, results } = found;
  for (const event of results.toReversed()) {
    const type = EVENTS[event.action as keyof typeof EVENTS]?.webhook;
    // The header's date has whole seconds.
    const isNew = Date.parse(event.at) >= Math.floor(since.getTime() / 1_000) * 1_000;
    if (type === undefined || !isNew || posted.has(event.hash)) continue;
    posted.add(event.hash);
    await post(listening, event.hash, eventOf(envelope, event, type));
  }
}

/** The envelope comes second, so that it shows what each event changed. */
async function readBoth(paraphe: Service["paraphe"], id: string) {
  const { results } = await paraphe.listEnvelopeEvents({ id, page_size: 100 });
  return { results, envelope: await paraphe.getEnvelope({ id }) };
}

function eventOf(envelope: Envelope, event: AuditEvent, type: WebhookEvent["type"]): WebhookEvent {
  const { id, title, status, recipients } = envelope;
  const named = event.detail["recipient"];
  const person = recipients.find((one) =>
    typeof named === "string" ? one.id === named : one.full_name === event.actor,
  );
  return {
    type,
    timestamp: event.at,
    data: {
      id,
      title,
      status: status === "action_required" ? "pending" : status,
      recipients: recipients.length,
      ...(person === undefined || !type.startsWith("recipient.")
        ? {}
        : {
            recipient: {
              id: person.id,
              full_name: person.full_name,
              email: person.email,
              role: person.role,
              status: person.status,
            },
          }),
    },
  };
}

const PATIENCE_MS = 5_000;

/** Signed as a webhook (Standard Webhooks 1.0.0); the same event has the same id in another run. */
async function post(
  { forwardTo, types, secret, print, isJson }: Listening,
  source: string,
  event: WebhookEvent,
): Promise<void> {
  if (!types.has(event.type)) return;
  const body = JSON.stringify(event);
  const id = `msg_${createHash("sha256").update(source).digest("base64url").slice(0, 27)}`;
  const at = String(Math.floor(Date.now() / 1_000));
  const hmac = createHmac("sha256", Buffer.from(secret.slice("whsec_".length), "base64"));
  const signature = `v1,${hmac.update(`${id}.${at}.${body}`).digest("base64")}`;
  const answer = await fetch(forwardTo, {
    method: "POST",
    redirect: "manual",
    body,
    headers: {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": at,
      "webhook-signature": signature,
    },
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch(() => null);
  const status = answer?.status ?? null;
  await answer?.body?.cancel();
  const said = status === null ? "sans réponse" : String(status);
  const line = `${event.type}  ${event.data.title ?? event.data.id}  → ${said}`;
  print(isJson ? JSON.stringify({ id, status, event }) : terminalLine(line));
}
