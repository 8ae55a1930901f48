import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createSmsGateway } from "./sms-gateway.ts";

let server: Server;
let url: string;
const seen: { method: string | undefined; headers: IncomingHttpHeaders; body: string }[] = [];
let answer = { status: 202, body: "file d’attente\n", headers: {} as Record<string, string> };
/** Called with the request instead of answering. */
let instead: ((response: ServerResponse, body: string) => void) | null = null;

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      seen.push({ method: request.method, headers: request.headers, body });
      if (instead !== null) return instead(response, body);
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/envoi`;
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});
afterEach(() => {
  instead = null;
});

const text = { to: "+33612345678", text: "482913 : code pour signer" };

test("posts the number and the text as JSON, with the bearer token", async () => {
  expect(await createSmsGateway({ url, token: "jeton" }).deliver(text)).toMatchObject({
    state: "accepted",
    serverAnswer: "202 file d’attente",
  });
  const [request] = seen;
  expect(request?.method).toBe("POST");
  expect(request?.headers).toMatchObject({ "content-type": "application/json", authorization: "Bearer jeton" });
  expect(JSON.parse(request?.body ?? "")).toEqual(text);
});

test("sends no authorization without a token", async () => {
  await createSmsGateway({ url, token: null }).deliver(text);
  expect(seen.at(-1)?.headers.authorization).toBeUndefined();
});

test.each([
  [200, "accepted", false],
  [204, "accepted", false],
  [400, "refused", false],
  [422, "refused", false],
  [401, "deferred", false],
  [404, "deferred", false],
  [429, "deferred", false],
  [500, "deferred", true],
  [503, "deferred", true],
])("a %i is %s; it leaves a doubt: %s", async (status, state, mayHaveLeft) => {
  answer = { status, body: "", headers: {} };
  expect(await createSmsGateway({ url, token: null }).deliver(text)).toMatchObject({ state, serverAnswer: String(status), mayHaveLeft });
});

test("follows no redirect: the code goes nowhere else", async () => {
  answer = { status: 307, body: "", headers: { location: url } };
  const before = seen.length;
  expect((await createSmsGateway({ url, token: null }).deliver(text)).state).toBe("deferred");
  expect(seen.length).toBe(before + 1);
});

test("a gateway that is away is to be tried again", async () => {
  expect(await createSmsGateway({ url: "http://127.0.0.1:65001/", token: null }).deliver(text)).toEqual({
    state: "deferred",
    serverAnswer: "La passerelle SMS ne répond pas.",
    cause: "127.0.0.1:65001 ECONNREFUSED",
    mayHaveLeft: false,
  });
});

test("a gateway that takes the request and says nothing is given up, and tried again later", async () => {
  instead = () => undefined;
  const startedAt = performance.now();
  expect(await createSmsGateway({ url, token: "jeton", timeoutMs: 100 }).deliver(text)).toMatchObject({
    state: "deferred",
    mayHaveLeft: true,
  });
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test("a gateway that stops in the middle of its answer has answered by its status; one that cuts the line has not", async () => {
  instead = (response) => {
    response.writeHead(202, { "content-length": "1000" });
    response.write("pris en", () => response.destroy());
  };
  expect((await createSmsGateway({ url, token: null }).deliver(text)).state).toBe("accepted");
  instead = (response) => response.destroy();
  expect((await createSmsGateway({ url, token: null }).deliver(text)).state).toBe("deferred");
});

test("of a long answer only the first words are kept", async () => {
  instead = (response) => response.writeHead(422).end("x ".repeat(2_500_000));
  const outcome = await createSmsGateway({ url, token: null }).deliver(text);
  expect(outcome).toMatchObject({ state: "refused", serverAnswer: `422 ${"x ".repeat(98)}` });
});

test.each([
  ["a code", "482913 : code pour signer"],
  ["a link", "Paul : document à signer. https://sign.exemple.fr/sign/e?token=secret"],
])("an answer that repeats %s, or the bearer token, is kept without", async (_, words) => {
  instead = (response, body) => response.writeHead(400).end(`Bearer jeton-tres-secret refused for ${body}`);
  const { serverAnswer } = await createSmsGateway({ url, token: "jeton-tres-secret" }).deliver({ to: text.to, text: words });
  expect(serverAnswer).toContain("400 Bearer …");
  expect(serverAnswer).not.toMatch(/482913|token=|jeton-tres-secret/);
});

test.each([
  ["escaped in another way", (token: string) => `lien https:\\u002f\\u002fsign.exemple.fr?token\\u003d${token} refusé`],
  ["where the answer is cut", (token: string) => `${"mot ".repeat(46)}${token}`],
])("a link's token %s is kept without", async (_, words) => {
  const token = "Zx9_".repeat(10);
  instead = (response) => response.writeHead(400).end(words(token));
  const outcome = await createSmsGateway({ url, token: null }).deliver({
    to: text.to,
    text: `https://sign.exemple.fr/sign/e?token=${token}`,
  });
  expect(outcome.serverAnswer).toContain("…");
  expect(outcome.serverAnswer).not.toContain("Zx9_");
});
