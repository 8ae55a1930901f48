import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createParaphe,
  ParapheConnectionError,
  ParapheError,
  verifyWebhook,
  WebhookSignatureError,
} from "./index.ts";

type Received = { method: string; url: string; headers: IncomingMessage["headers"]; body: string };
type Answer = (response: ServerResponse) => unknown;

let server: Server;
let url: string;
let received: Received[];
/** One for each request; then 200. */
let answers: Answer[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { method = "", url: path = "", headers } = request;
    received.push({ method, url: path, headers, body });
    const answer = answers.shift() ?? ok({ id: "e1", results: [], count: 0 });
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  received = [];
  answers = [];
});
afterAll(() => server.close());

const ok =
  (json: object): Answer =>
  (response) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(json));
const refuse =
  (status: number, code: string, headers: Record<string, string> = {}): Answer =>
  (response) => {
    const problem = { type: "", title: "", status, code, detail: "Non.", request_id: "r1" };
    response
      .writeHead(status, { "content-type": "application/problem+json", ...headers })
      .end(JSON.stringify({ ...problem, errors: { title: ["Titre requis"] } }));
  };
const hangUp: Answer = (response) => response.destroy();
const AT_ONCE = { "retry-after": "0" };

const client = (more: object = {}) => createParaphe({ url, key: "pk_live_a", ...more });

describe("a call", () => {
  test("puts members in the path, the query and the body, and files in base64", async () => {
    await client().listEnvelopes({ status: "sent", page: 2 });
    await client().correctRecipient({ id: "e/1", recipientId: "r1", email: "a@exemple.fr" });
    const file = { name: "a.pdf", content: new Blob(["%PDF"]) };
    const bytes = { name: "b.pdf", content: new Uint8Array(20_000).fill(65) };
    await client().createEnvelope({ title: "Bail", files: [file, bytes] });
    expect(received.map(({ method, url: path }) => `${method} ${path}`)).toEqual([
      "GET /api/signature/envelopes/?page=2&status=sent",
      "PATCH /api/signature/envelopes/e%2F1/recipients/r1/",
      "POST /api/signature/envelopes/",
    ]);
    expect(JSON.parse(received[1]?.body ?? "")).toEqual({ email: "a@exemple.fr" });
    const { files } = JSON.parse(received[2]?.body ?? "");
    expect(files.map(({ content }: { content: string }) => content)).toEqual([
      btoa("%PDF"),
      btoa("A".repeat(20_000)),
    ]);
    expect(received[0]?.headers.authorization).toBe("Bearer pk_live_a");
  });

  test("sends a file ahead as it is, under the given name", async () => {
    for (const file of [new Blob(["%PDF"]), new TextEncoder().encode("%PDF"), btoa("%PDF")])
      await client().createUpload({ file, name: "Bail 1.pdf" });
    const sent = received.map(({ url: path, headers, body }) => [
      path,
      headers["content-type"],
      body,
    ]);
    const upload = ["/api/signature/uploads/?name=Bail+1.pdf", "application/pdf", "%PDF"];
    expect(sent).toEqual([upload, upload, upload]);
    const nothing = {} as { file: Blob };
    await expect(client().createUpload(nothing)).rejects.toThrow("file is missing");
  });

  test("names a missing id and a member that the call lacks, and asks nothing", async () => {
    await expect(client().getEnvelope({ id: "" })).rejects.toThrow("id is missing");
    await expect(
      client().cancelEnvelope({ id: "e1", reason: "non" } as { id: string }),
    ).rejects.toThrow("This call takes no reason");
    expect(received).toEqual([]);
  });

  test("sends the version that was read and a key of its own for each POST", async () => {
    await client().sendEnvelope({ id: "e1" }, { ifMatch: 3 });
    await client().sendEnvelope({ id: "e1" }, { idempotencyKey: "k1" });
    expect(received[0]?.headers["if-match"]).toBe('"3"');
    expect(received[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/);
    expect(received[1]?.headers["idempotency-key"]).toBe("k1");
  });

  test("gives every row, page after page", async () => {
    answers = [
      ok({ count: 3, results: [{ id: "1" }, { id: "2" }] }),
      ok({ count: 3, results: [{ id: "3" }] }),
    ];
    const ids: string[] = [];
    for await (const { id } of client().all.listEnvelopes({ search: "bail" })) ids.push(id);
    expect(ids).toEqual(["1", "2", "3"]);
    expect(received.map(({ url: path }) => /[?&]page=(\d)/.exec(path)?.[1])).toEqual(["1", "2"]);
  });
});

describe("a refusal", () => {
  test("is an error with its code, its fields and its request", async () => {
    answers = [refuse(400, "validation")];
    const error = await client()
      .getMyAccount()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ParapheError);
    expect(error).toMatchObject({
      status: 400,
      code: "validation",
      errors: { title: ["Titre requis"] },
      requestId: "r1",
      message: "Non. title: Titre requis",
    });
    expect(received).toHaveLength(1);
  });

  test("of a proxy says what was met", async () => {
    answers = [(response) => response.writeHead(413).end("<h1>Too large</h1>")];
    await expect(client().getMyAccount()).rejects.toMatchObject({
      status: 413,
      code: "no_problem",
      message: expect.stringContaining("Too large"),
    });
  });
});

describe("a try", () => {
  test("follows a lost answer, 429 and 503 under the same Idempotency-Key", async () => {
    answers = [
      hangUp,
      refuse(503, "service_unavailable", AT_ONCE),
      refuse(429, "too_many_requests", AT_ONCE),
    ];
    expect(await client().sendEnvelope({ id: "e1" })).toMatchObject({ id: "e1" });
    const keys = received.map(({ headers }) => headers["idempotency-key"]);
    expect([keys.length, new Set(keys).size]).toEqual([4, 1]);
  });

  test("ends after so many, and at once for a long wait or another refusal", async () => {
    answers = Array.from({ length: 9 }, () => refuse(503, "service_unavailable", AT_ONCE));
    await expect(client({ retries: 1 }).getMyAccount()).rejects.toMatchObject({ status: 503 });
    expect(received).toHaveLength(2);
    answers = [refuse(429, "too_many_requests", { "retry-after": "600" })];
    await expect(client().getMyAccount()).rejects.toMatchObject({ retryAfterS: 600 });
    answers = [refuse(409, "invalid_state")];
    await expect(client().sendEnvelope({ id: "e1" })).rejects.toMatchObject({ status: 409 });
    expect(received).toHaveLength(4);
  });

  test("says that somebody else answered, where JSON is expected", async () => {
    answers = [
      (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Wi-Fi</p>"),
    ];
    await expect(client().getMyAccount()).rejects.toThrow(
      new ParapheConnectionError("Expected JSON of the service, got text/html"),
    );
  });

  test("is not made again for a PATCH whose answer was lost", async () => {
    answers = [hangUp];
    const change = client().updateEnvelope({ id: "e1", title: "Bail" });
    await expect(change).rejects.toBeInstanceOf(ParapheConnectionError);
    expect(received).toHaveLength(1);
  });

  test("ends with its caller's signal, and after its time", async () => {
    answers = [() => {}, () => {}];
    await expect(
      client().getMyAccount({}, { signal: AbortSignal.timeout(50) }),
    ).rejects.toMatchObject({ name: "TimeoutError" });
    const late = client({ retries: 0, timeoutMs: 50 }).getMyAccount();
    await expect(late).rejects.toBeInstanceOf(ParapheConnectionError);
    server.closeAllConnections();
  });
});

describe("verifyWebhook", () => {
  const secret = `whsec_${Buffer.from("s".repeat(24)).toString("base64")}`;
  const body = JSON.stringify({
    type: "test.ping",
    timestamp: "2026-11-28T10:00:00.000Z",
    data: {},
  });
  const now = new Date("2026-11-28T10:00:00Z");
  const at = String(now.getTime() / 1_000);
  const headersOf = (signature: string) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": at,
    "webhook-signature": signature,
  });
  const outside = new Webhook(secret).sign("msg_1", now, body);
  const verify = (more: object) =>
    verifyWebhook({ body, headers: headersOf(outside), secrets: secret, now, ...more });

  test("accepts what the standard's library signs, in any shape of headers and body", async () => {
    const given = [
      {},
      { headers: new Headers(headersOf(outside)) },
      { body: new TextEncoder().encode(body) },
      { secrets: [`whsec_${btoa("another secret, 24 bytes")}`, secret] },
      { headers: headersOf(`v1,AAAA ${outside} v2,x`) },
      {
        headers: { "Webhook-Id": "msg_1", "Webhook-Timestamp": at, "Webhook-Signature": outside },
      },
    ];
    for (const one of given) expect(await verify(one)).toMatchObject({ type: "test.ping" });
  });

  test("accepts the service's Ed25519 key", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("ed25519");
    const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32).toString("base64");
    const signed = sign(null, Buffer.from(`msg_1.${at}.${body}`), privateKey).toString("base64");
    const headers = headersOf(`${outside} v1a,${signed}`);
    expect(await verify({ headers, secrets: `whpk_${raw}` })).toMatchObject({ type: "test.ping" });
    const swapped = { headers: headersOf(`v1,${signed}`), secrets: `whpk_${raw}` };
    await expect(verify(swapped)).rejects.toThrow(WebhookSignatureError);
  });

  test("refuses another body, id, secret, an old message and missing headers", async () => {
    const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000);
    const wrong = [
      { body: body.replace("ping", "pong") },
      { headers: { ...headersOf(outside), "webhook-id": "msg_2" } },
      { secrets: `whsec_${btoa("another secret, 24 bytes")}` },
      { now: later(301) },
      { now: later(-301) },
      { now: later(61), toleranceS: 60 },
      { headers: { ...headersOf(outside), "webhook-timestamp": "1e9" } },
      { headers: {} },
      { headers: headersOf(createHmac("sha256", "x").update(body).digest("base64")) },
    ];
    for (const one of wrong) await expect(verify(one)).rejects.toThrow(WebhookSignatureError);
    await expect(verify({ secrets: "secret" })).rejects.toThrow(TypeError);
  });
});
