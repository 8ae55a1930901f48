import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { type Browser, chromium } from "@playwright/test";
import type * as McpClient from "@modelcontextprotocol/sdk/client/index.js";
import type * as McpTransport from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type * as McpTypes from "@modelcontextprotocol/sdk/types.js";
import { KEY_SCOPES } from "@paraphe/contracts";
import type * as Sdk from "@paraphe/sdk";
import { verifyWebhook } from "@paraphe/sdk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signaturesIn } from "../../apps/cli/src/store/check-revisions.ts";
import { missingTool } from "../../packages/pades/interop/tool.ts";
import { findBrowser } from "../../packages/pades/testing/find-browser.ts";
import { API, useApiStage } from "../support/api-stage.ts";
import { makeContract } from "../support/make-contract.ts";
import { runToolBeside } from "../support/run-tool.ts";
import { findFreePort } from "../support/start-server.ts";
import * as story from "../support/story.ts";

const stage = useApiStage();
const ROOT = join(import.meta.dirname, "../..");
const PAUL = { email: "paul.morel@exemple.fr", full_name: "Paul Morel" };
const PATIENCE_MS = 120_000;

let folder: string;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "paraphe-programs-"));
  await writeFile(join(folder, "Bail.pdf"), await makeContract("programs"));
  const asked = { name: "Gestion", scopes: Object.keys(KEY_SCOPES), days: null };
  const made = await stage.sender.post(`${API}/me/keys/`, { json: asked });
  const authority = join(stage.server.dataDir, "tls/authority.pem");
  environment = {
    PARAPHE_URL: stage.server.localUrl,
    PARAPHE_KEY: made.json.secret,
    NODE_EXTRA_CA_CERTS: authority,
    CURL_CA_BUNDLE: authority,
    SSL_CERT_FILE: authority,
    INIT_CWD: folder,
  };
});
afterAll(() => rm(folder, { recursive: true }));

type Child = {
  readonly child: ChildProcess;
  said(): string;
  readonly code: Promise<number | null>;
};

function start(words: readonly string[], more: NodeJS.ProcessEnv = {}): Child {
  const [program = "", ...rest] = words;
  const env = { ...process.env, ...environment, ...more };
  const child = spawn(program, rest, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => (text += part));
  const code = new Promise<number | null>((done) => child.once("close", done));
  return { child, said: () => text, code };
}

/** Once it is there and sent, Paul signs it. */
async function signByTitle(title: string, { said }: Child): Promise<string> {
  const search = `${API}/envelopes/?status=sent&search=${encodeURIComponent(title)}`;
  let id = "";
  const look = async () => (id = (await stage.sender.get(search)).json.results[0]?.id ?? said());
  await expect.poll(look, { timeout: 30_000, interval: 300 }).toMatch(/^[0-9a-f-]{36}$/);
  await story.signInvitation(stage.world, PAUL, id);
  return id;
}

const signaturesOf = (bytes: Uint8Array) =>
  signaturesIn(bytes).filter(({ subFilter }) => subFilter === "ETSI.CAdES.detached").length;

const example = (name: string) => join(ROOT, "docs/programs", name);
const EXAMPLES = [
  { language: "curl", tool: "curl", words: () => ["sh", example("send.sh")] },
  { language: "TypeScript", tool: null, words: () => [process.execPath, example("send.ts")] },
  { language: "Python", tool: "python3", words: () => ["python3", example("send.py")] },
  {
    language: "PHP",
    tool: "php",
    words: () => [
      "php",
      "-d",
      `openssl.cafile=${environment["SSL_CERT_FILE"]}`,
      example("send.php"),
    ],
  },
];

describe("the example", () => {
  for (const { language, tool, words } of EXAMPLES) {
    const missing = tool === null ? false : missingTool(tool);
    test.skipIf(missing)(
      `in ${language} sends, waits until Paul has signed and keeps the proof${missing ? ` (${missing})` : ""}`,
      { timeout: PATIENCE_MS },
      async () => {
        const PORT = String(await findFreePort());
        const hook = await stage.sender.post(`${API}/me/webhooks/`, {
          json: { url: `http://localhost:${PORT}/`, types: ["envelope.completed"] },
        });
        const TITLE = `Exemple en ${language}`;
        const secret = { PARAPHE_WEBHOOK_SECRET: hook.json.secret };
        const running = start([...words(), "Bail.pdf"], { PORT, TITLE, EVERY: "1", ...secret });
        const unsigned = () =>
          fetch(`http://127.0.0.1:${PORT}/`, { method: "POST", body: "{}" }).then(
            ({ status }) => status,
            () => 0,
          );
        if (language === "Python") await expect.poll(unsigned, { timeout: 20_000 }).toBe(401);
        const id = await signByTitle(TITLE, running);
        expect([await running.code, running.said()]).toEqual([
          0,
          expect.not.stringMatching(/error|warning/i),
        ]);
        expect(signaturesOf(await readFile(join(folder, `${id}.pdf`)))).toBe(1);
        const evidence = await readFile(join(folder, `${id}-preuve.pdf`));
        expect(evidence.subarray(0, 5).toString()).toBe("%PDF-");
        await stage.sender.delete(`${API}/me/webhooks/${hook.json.webhook.id}/`);
      },
    );
  }
});

test.each(EXAMPLES.filter(({ language }) => language === "curl" || language === "Python"))(
  "the example in $language shows a refusal's words, and ends",
  async ({ words }) => {
    const wrong = { PARAPHE_KEY: "pk_live_none", PARAPHE_WEBHOOK_SECRET: "whsec_AAAA" };
    const refused = start([...words(), "Bail.pdf"], {
      PORT: String(await findFreePort()),
      ...wrong,
    });
    expect([await refused.code, refused.said()]).toEqual([
      1,
      expect.stringMatching(/"key_unknown"/),
    ]);
  },
);

type Story = {
  readonly url: string;
  readonly key: string;
  readonly title: string;
  readonly pdf: string;
  readonly message: { body: string; headers: Record<string, string>; secrets: string[] };
};

/** Runs in Node and in a page: it knows nothing of this file. */
async function useSdk(sdk: typeof Sdk, { url, key, title, pdf, message }: Story) {
  const paraphe = sdk.createParaphe({ url, key });
  const content = Uint8Array.from(atob(pdf), (letter) => letter.charCodeAt(0));
  const recipients = [{ full_name: "Paul Morel", email: "paul.morel@exemple.fr" }];
  const draft = { title, recipients, files: [{ name: "Bail.pdf", content }] };
  const once = { idempotencyKey: `${title}-1`.replace(/\s/g, "-") };
  const { id } = await paraphe.createEnvelope(draft, once);
  const again = await paraphe.createEnvelope(draft, once);
  await paraphe.createEnvelope({
    ...draft,
    files: [{ name: "Bail.pdf", content: new Blob([content]) }],
  });
  const rows: string[] = [];
  for await (const one of paraphe.all.listEnvelopes({ search: title, page_size: 1 }))
    rows.push(one.id);
  const codeOf = (asked: Promise<unknown>) =>
    asked.then(
      () => "none",
      (error: unknown) => (error instanceof sdk.ParapheError ? error.code : String(error)),
    );
  const codes = [
    await codeOf(paraphe.updateEnvelope({ id, title: `${title} bis` }, { ifMatch: 999 })),
    await codeOf(paraphe.createEnvelope({ ...draft, title: "" })),
    await codeOf(paraphe.getEnvelope({ id: "01990000-0000-7000-8000-00000000abcd" })),
    await codeOf(sdk.createParaphe({ url, key: "pk_live_unknown" }).getMyAccount()),
  ];
  const upload = await paraphe.createUpload({ file: new Blob([content]), name: "Annexe.pdf" });
  const ahead = { ...draft, files: [{ upload_id: upload.id }], send: true };
  const { documents, ...ready } = await paraphe.createEnvelope(ahead);
  const sent = await paraphe.sendEnvelope({ id });
  const file = await paraphe.getEnvelopeDocumentFile({
    id,
    document_id: sent.documents[0]?.id ?? "",
  });
  const event = await sdk.verifyWebhook(message);
  const forged = await sdk
    .verifyWebhook({ ...message, body: `${message.body} ` })
    .catch((error: unknown) => (error as Error).name);
  return {
    isOne: id === again.id,
    key: (await paraphe.getMyAccount()).key,
    rows: new Set(rows).size,
    codes,
    status: sent.status,
    ahead: [documents[0]?.name, upload.size === content.length, ready.status],
    early: await codeOf(paraphe.download({ id })),
    size: (await file.arrayBuffer()).byteLength,
    isDownloaded: (await paraphe.download({ id, current: true })).bytes.length > 1_000,
    event: event.type,
    forged,
  };
}

async function storyOf(title: string): Promise<Story> {
  const hook = createServer();
  const messages: { body: string; headers: Record<string, string> }[] = [];
  hook.on("request", async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    messages.push({ body, headers: request.headers as Record<string, string> });
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  const url = `http://localhost:${(hook.address() as AddressInfo).port}/`;
  const made = await stage.sender.post(`${API}/me/webhooks/`, {
    json: { url, types: ["envelope.sent"] },
  });
  const { id, public_key: publicKey } = made.json.webhook;
  await stage.sender.post(`${API}/me/webhooks/${id}/test/`);
  await expect.poll(() => messages.length, { timeout: 15_000 }).toBe(1);
  await stage.sender.delete(`${API}/me/webhooks/${id}/`);
  hook.close();
  const [message = { body: "", headers: {} }] = messages;
  // Both keys of a message verify it.
  await verifyWebhook({ ...message, secrets: made.json.secret });
  return {
    url: environment["PARAPHE_URL"] ?? "",
    key: environment["PARAPHE_KEY"] ?? "",
    title,
    pdf: Buffer.from(await readFile(join(folder, "Bail.pdf"))).toString("base64"),
    message: { ...message, secrets: [publicKey] },
  };
}

const DONE = {
  isOne: true,
  key: {
    id: expect.any(String),
    name: "Gestion",
    holder: { kind: "person", id: expect.any(String), name: expect.any(String) },
    scopes: Object.keys(KEY_SCOPES),
  },
  rows: 2,
  codes: ["version_conflict", "validation", "not_found", "key_unknown"],
  status: "sent",
  ahead: ["Annexe.pdf", true, "sent"],
  early: "not_completed",
  size: expect.any(Number),
  isDownloaded: true,
  event: "test.ping",
  forged: "WebhookSignatureError",
};

/** An unused expectation of an error is an error itself. */
const CONSUMER = `
import { createParaphe, type Envelope, ParapheError, verifyWebhook, type WebhookEvent } from "@paraphe/sdk";
const paraphe = createParaphe({ url: "https://paraphe.example", key: "pk_live_a" });
export async function read(): Promise<Envelope> {
  const all: Envelope[] = [];
  for await (const one of paraphe.all.listEnvelopes({ status: "sent", from: "2026-01-01" })) all.push(one);
  for await (const one of paraphe.all.listEnvelopes()) all.push(one);
  // @ts-expect-error An id is asked for.
  await paraphe.getEnvelope();
  // @ts-expect-error One envelope has no rows.
  paraphe.all.getEnvelope({ id: "" });
  // @ts-expect-error A title is asked for.
  await paraphe.createEnvelope({ files: [] });
  const purged: void = await paraphe.purgeEnvelope({ id: all[0]?.id ?? "" });
  const file: Response = await paraphe.getEnvelopeEvidence({ id: "" });
  return paraphe.sendEnvelope({ id: String([purged, file]) }, { ifMatch: 2 }).catch((error: unknown) => {
    if (error instanceof ParapheError && error.code === "invalid_state") return paraphe.getEnvelope({ id: "" });
    throw error;
  });
}
export const hear = (body: string, headers: Headers): Promise<WebhookEvent> =>
  verifyWebhook({ body, headers, secrets: ["whsec_a", "whpk_b"] });
`;

/** A Node 20 beside the project's own; null without one. */
function findNode20(): string | null {
  const folders = ["/usr/bin", "/usr/local/bin", ...(process.env["PATH"] ?? "").split(delimiter)];
  for (const one of folders)
    try {
      const node = join(one, "node");
      if (execFileSync(node, ["--version"]).toString().startsWith("v20.")) return node;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    }
  return null;
}
const NODE_20 = findNode20();

describe("the packed SDK", () => {
  beforeAll(async () => {
    const readme = await readFile(join(ROOT, "packages/sdk/README.md"), "utf8");
    const command = /^```sh\n(.+)\n```$/m.exec(readme)?.[1] ?? "false";
    const run = async (path: string, line: string) => {
      const { code, output } = await runToolBeside("sh", ["-c", `cd "${path}" && ${line}`], {
        npm_config_pack_destination: folder,
      });
      if (code !== 0) throw new Error(`${line} failed: ${output}`);
    };
    await run(ROOT, command);
    const file = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
    if (file === undefined || !readme.includes(file))
      throw new Error(`The README names another file than ${file}`);
    await run(folder, `npm install --offline --no-audit ./${file}`);
  }, PATIENCE_MS);

  test("has types for a program that asks for strict ones", async () => {
    await writeFile(join(folder, "consumer.ts"), CONSUMER);
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      module: "nodenext",
      target: "es2022",
      lib: ["es2023", "dom"],
      types: [],
      noEmit: true,
    };
    const config = { compilerOptions, files: ["consumer.ts"] };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(config));
    await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    const words = [tsc, "--pretty", "false", "-p", folder];
    expect(await runToolBeside(process.execPath, words)).toEqual({ code: 0, output: "" });
  });

  const nodes = [
    { name: "Node 24", node: process.execPath },
    { name: `Node 20${NODE_20 === null ? " (no Node 20 is on this machine)" : ""}`, node: NODE_20 },
  ];
  for (const { name, node } of nodes)
    test.skipIf(node === null)(`works in ${name}`, { timeout: PATIENCE_MS }, async () => {
      const script = `import * as sdk from "@paraphe/sdk";
        console.log(JSON.stringify(await (${useSdk.toString()})(sdk, JSON.parse(process.env.STORY))));`;
      await writeFile(join(folder, "story.mjs"), script);
      const STORY = JSON.stringify(await storyOf(`SDK ${name.slice(0, 7)}`));
      const running = start([node ?? "", "story.mjs"], { STORY });
      const code = await running.code;
      // Node 20 warns that its Ed25519 is experimental.
      const line =
        running
          .said()
          .split("\n")
          .find((one) => one.startsWith("{")) ?? running.said();
      expect([code, JSON.parse(line)]).toEqual([0, DONE]);
    });

  const missingBrowser = missingTool(findBrowser());
  describe.skipIf(missingBrowser)("in Chromium", () => {
    let browser: Browser;
    beforeAll(async () => {
      const args = "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking";
      browser = await chromium.launch({
        executablePath: findBrowser(),
        args: [...args.split(" "), "disable-sync"].map((name) => `--${name}`),
      });
    });
    afterAll(() => browser.close());

    /** A page of this origin, with the built package beside it. */
    async function openTool(origin: string) {
      const page = await browser.newPage({ ignoreHTTPSErrors: true });
      await page.route(`${origin}/tool/**`, async (route) => {
        const name = new URL(route.request().url()).pathname.replace("/tool/", "");
        const isPage = name === "";
        const path = join(folder, "node_modules/@paraphe/sdk", name);
        const body = isPage ? "<!doctype html><title>Outil</title>" : await readFile(path, "utf8");
        const contentType = isPage ? "text/html" : "text/javascript";
        return route.fulfill({ body, contentType });
      });
      await page.goto(`${origin}/tool/`);
      return page;
    }
    const script = (asked: Story) =>
      `import("/tool/index.js").then((sdk) => (${useSdk.toString()})(sdk, ${JSON.stringify(asked)}))`;

    test("works in a page of the service's own origin", { timeout: PATIENCE_MS }, async () => {
      const asked = await storyOf("SDK Chromium");
      const page = await openTool(asked.url);
      expect(await page.evaluate(script(asked))).toEqual(DONE);
      await page.close();
    });

    test("is refused by the browser in a page of another origin", async () => {
      const asked = await storyOf("SDK ailleurs");
      const page = await openTool("https://outil.example");
      const call = `import("/tool/index.js").then((sdk) => sdk.createParaphe({ url: ${JSON.stringify(asked.url)}, key: ${JSON.stringify(asked.key)}, retries: 0 }).getMyAccount()).catch((error) => error.name)`;
      expect(await page.evaluate(call)).toBe("ParapheConnectionError");
      await page.close();
    });
  });
});

type McpLibrary = typeof McpClient & typeof McpTransport & typeof McpTypes;

/** Runs in a process that trusts the service's authority. */
async function useAssistant(
  { Client, StreamableHTTPClientTransport, ElicitRequestSchema }: McpLibrary,
  { url, key, pdf }: Pick<Story, "url" | "key" | "pdf">,
) {
  const capabilities = { elicitation: { form: {} } };
  const client = new Client({ name: "assistant", version: "1" }, { capabilities });
  const questions: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params.message);
    return { action: "accept", content: { confirm: true } };
  });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  const address = new URL("/api/mcp/", url);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit }) as Transport);
  const use = async (name: string, input: object) =>
    (await client.callTool({ name, arguments: { ...input } })).structuredContent as {
      id: string;
      status: string;
    };
  const files = [{ name: "Bail.pdf", content: pdf }];
  const recipients = [{ full_name: "Paul Morel", email: "paul.morel@exemple.fr" }];
  const draft = await use("create_draft", { title: "Par un assistant", recipients, files });
  const sent = await use("send_envelope", { id: draft.id });
  await client.close();
  return { questions, statuses: [draft.status, sent.status] };
}

test("an assistant sends over HTTPS once its person has said yes", async () => {
  const modules = ["client/index.js", "client/streamableHttp.js", "types.js"].map(
    (name) =>
      `...await import(${JSON.stringify(import.meta.resolve(`@modelcontextprotocol/sdk/${name}`))})`,
  );
  const script = `console.log(JSON.stringify(await (${useAssistant.toString()})({ ${modules.join(", ")} }, JSON.parse(process.env.STORY))));`;
  await writeFile(join(folder, "assistant.mjs"), script);
  const { url, key, pdf } = await storyOf("Assistant");
  const running = start([process.execPath, "assistant.mjs"], {
    STORY: JSON.stringify({ url, key, pdf }),
  });
  expect([await running.code, running.said()]).toEqual([0, expect.stringMatching(/^\{/)]);
  expect(JSON.parse(running.said())).toEqual({
    questions: [expect.stringMatching(/^Envoyer «\u00a0Par un assistant\u00a0» .*paul\.morel/)],
    statuses: ["draft", "sent"],
  });
});

const paraphe = (words: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  start([join(ROOT, "apps/cli/bin/paraphe"), ...words], more);
async function ran(words: readonly string[], more: NodeJS.ProcessEnv = {}) {
  const running = paraphe(words, more);
  return { code: await running.code, said: running.said().replaceAll(/[\u00a0\u202f]/g, " ") };
}

describe("the command paraphe", () => {
  test("sends, says where it stands, waits and downloads", { timeout: PATIENCE_MS }, async () => {
    const to = ["--to", `${PAUL.full_name} <${PAUL.email}>`];
    const sent = await ran(["send", "Bail.pdf", ...to, "--title", "Par la commande", "--json"]);
    expect(sent.code).toBe(0);
    const { id, status } = JSON.parse(sent.said);
    expect(status).toBe("sent");
    expect(await ran(["status", id])).toEqual({
      code: 0,
      said: `Par la commande : envoyée, 0 sur 1\n  Paul Morel <${PAUL.email}> a reçu le lien\nIdentifiant : ${id}\n`,
    });
    expect(await ran(["download", id])).toEqual({
      code: 1,
      said: expect.stringMatching(/^Tous n’ont pas encore signé \(not_completed\).*--current/),
    });
    expect((await ran(["download", id, "--current", "--output", "avant.pdf"])).code).toBe(0);
    expect(signaturesOf(await readFile(join(folder, "avant.pdf")))).toBe(0);
    const waiting = paraphe(["status", id, "--wait"]);
    await story.signInvitation(stage.world, PAUL, id);
    expect([await waiting.code, waiting.said()]).toEqual([
      0,
      expect.stringContaining("terminée, 1 sur 1"),
    ]);
    const kept = await ran(["download", id, "--json"]);
    const { path } = JSON.parse(kept.said);
    expect(path).toBe(join(folder, "par-la-commande_signe.pdf"));
    expect(signaturesOf(await readFile(path))).toBe(1);
    expect(await ran(["download", id])).toMatchObject({
      code: 1,
      said: expect.stringMatching(/existe déjà/),
    });
    expect((await ran(["download", id, "--evidence", "--output", "preuve.pdf"])).code).toBe(0);
    expect(await readdir(folder)).toContain("preuve.pdf");
  });

  test("says what is wrong in French, and by its exit code", { timeout: PATIENCE_MS }, async () => {
    const unknown = "01990000-0000-7000-8000-00000000abcd";
    const wrong: [readonly string[], NodeJS.ProcessEnv, number, RegExp][] = [
      [["status", unknown], {}, 1, /\(not_found\)/],
      [["status", unknown], { PARAPHE_KEY: "pk_live_x" }, 1, /\(key_unknown\)/],
      [["listen", "http://localhost:9/"], { PARAPHE_KEY: "pk_live_x" }, 1, /\(key_unknown\)/],
      [["status", unknown], { NODE_EXTRA_CA_CERTS: "" }, 75, /n’a pas répondu/],
      [["listen", "http://localhost:9/"], { NODE_EXTRA_CA_CERTS: "" }, 75, /n’a pas répondu/],
    ];
    for (const [words, more, code, sentence] of wrong)
      expect([words, await ran(words, more)]).toEqual([
        words,
        { code, said: expect.stringMatching(sentence) },
      ]);
  });

  test("posts to a local program what a webhook is told, signed alike", {
    timeout: PATIENCE_MS,
  }, async () => {
    type Message = { readonly path: string; readonly event: Sdk.WebhookEvent };
    const messages: Message[] = [];
    const secrets = new Map<string, string>();
    const receiver = createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      const { url: path = "", headers } = request;
      messages.push({
        path,
        event: await verifyWebhook({ body, headers, secrets: secrets.get(path) ?? "" }),
      });
      response.writeHead(204).end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const url = `http://localhost:${(receiver.address() as AddressInfo).port}`;
    const types = ["envelope.sent", "recipient.viewed", "recipient.signed", "envelope.completed"];
    const hook = await stage.sender.post(`${API}/me/webhooks/`, {
      json: { url: `${url}/webhook`, types },
    });
    secrets.set("/webhook", hook.json.secret);
    const listening = paraphe(["listen", `${url}/listen`, "--json"]);
    await expect.poll(() => listening.said(), { timeout: 30_000 }).toMatch(/"listening":true/);
    secrets.set("/listen", JSON.parse(listening.said().split("\n")[0] ?? "").secret);
    const id = await story.sendContract(stage.sender, "Écouté", [PAUL]);
    await story.signInvitation(stage.world, PAUL, id);
    const at = (path: string) =>
      messages.filter((one) => one.path === path).map(({ event }) => event);
    const last = (path: string) => at(path).at(-1)?.type;
    await expect.poll(() => last("/webhook"), { timeout: 30_000 }).toBe("envelope.completed");
    await expect.poll(() => last("/listen"), { timeout: 30_000 }).toBe("envelope.completed");
    const named = (events: readonly Sdk.WebhookEvent[]) =>
      events.map(({ type, data }) => [
        type,
        data.id,
        data.title,
        data.recipients,
        data.recipient?.id,
      ]);
    expect(named(at("/listen"))).toEqual(named(at("/webhook")));
    expect(at("/listen").at(-1)).toEqual(at("/webhook").at(-1));
    listening.child.kill("SIGINT");
    expect(await listening.code).toBe(0);
    receiver.close();
    await stage.sender.delete(`${API}/me/webhooks/${hook.json.webhook.id}/`);
  });
});
