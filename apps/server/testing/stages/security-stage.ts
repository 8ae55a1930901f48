import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { InjectOptions } from "fastify";
import { sql } from "kysely";
import { composeFeatures } from "../../src/compose.ts";
import { openCheapHasher, type TestApp } from "../app.ts";
import { wholeTables } from "../database.ts";
import { PAUL, createDraft, createSent } from "../envelope.ts";
import { createMember, signIn } from "../member.ts";
import { type TestPlatform, createTestPlatform } from "../platform.ts";

type Call = {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly route: string;
};
export type SecurityStage = Awaited<ReturnType<typeof openSecurityStage>>;

export const PAGES = ["index", "sign", "verify"] as const;
export const pageSource = (page: string) =>
  readFile(new URL(`../../../web/${page}.html`, import.meta.url), "utf8");

/** The service with its client, a sender's envelope and draft, and every described call. */
export async function openSecurityStage() {
  const platform = await createTestPlatform({ settings: { rateLimits: "off" } });
  const folder = await writeClient();
  const app = await composeFeatures(platform, { clientFolder: folder, hasher: openCheapHasher() });
  await platform.queue.start("enqueue");
  await app.ready();
  const service: TestApp = { app, platform, settle: platform.settle, close: async () => {} };
  const browser = await signIn(service, await createMember(platform));
  const sent = await createSent(browser, { recipients: [PAUL] });
  const documentId = sent.documents[0]?.id ?? "";
  const draftId = (await createDraft(browser)).id;
  const { paths } = (await app.inject("/api/openapi.json")).json() as {
    paths: Record<string, Record<string, unknown>>;
  };
  const calls = Object.entries(paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method): Call => {
      const url = filled(route, { envelopeId: sent.id, documentId });
      return { method: method.toUpperCase() as Call["method"], url, route };
    }),
  );

  const signedIn = (
    headers: Record<string, string> = {},
  ): Pick<InjectOptions, "cookies" | "headers"> => ({
    cookies: Object.fromEntries([...browser.cookies].map(([name, { value }]) => [name, value])),
    headers,
  });
  const csrf = () => ({ "x-csrftoken": browser.cookies.get("csrftoken")?.value ?? "" });
  /** An endless stream: left after its headers. */
  const askStream = async (options: InjectOptions) => {
    const answer = await app.inject({ ...options, payloadAsStream: true });
    if (answer.statusCode !== 200)
      return {
        status: answer.statusCode,
        headers: answer.headers,
        text: await text(answer.stream()),
      };
    answer.stream().destroy();
    return { status: 200, headers: answer.headers, text: "" };
  };
  const inject = async (options: InjectOptions & { readonly url: string }) => {
    if (options.method !== "HEAD" && options.url.includes("/events/stream/")) {
      const answer = await askStream(options);
      return {
        ...answer,
        code: /problem\+json/.test(String(answer.headers["content-type"]))
          ? JSON.parse(answer.text).code
          : null,
      };
    }
    const answer = await app.inject(options);
    return {
      status: answer.statusCode,
      headers: answer.headers,
      text: answer.body,
      // A HEAD has no body.
      code:
        answer.body !== "" && /problem\+json/.test(String(answer.headers["content-type"]))
          ? answer.json().code
          : null,
    };
  };
  const close = async () => {
    await app.close();
    await platform.close();
    await rm(folder, { recursive: true });
  };
  return {
    platform,
    app,
    service,
    browser,
    envelopeId: sent.id,
    draftId,
    documentId,
    unsafeCalls: calls.filter(({ method }) => method !== "GET" && method !== "HEAD"),
    safeCalls: calls.filter(({ method }) => method === "GET" || method === "HEAD"),
    signedIn,
    csrf,
    inject,
    state: () => fingerprints(platform),
    close,
  };
}

/** Three pages and a script. */
async function writeClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "paraphe-security-"));
  await mkdir(join(folder, "assets"));
  for (const page of PAGES) await writeFile(join(folder, `${page}.html`), await pageSource(page));
  await writeFile(join(folder, "assets/app-1a2b3c.js"), "console.log(1)");
  await writeFile(join(folder, "sw.js"), "self.onpush = () => {};");
  return folder;
}

function filled(
  route: string,
  { envelopeId, documentId }: { readonly envelopeId: string; readonly documentId: string },
): string {
  return route
    .replace("/envelopes/{id}/", `/envelopes/${envelopeId}/`)
    .replace("{document_id}", documentId)
    .replace(/\{[^}]+\}/g, envelopeId);
}

/** Leaves out the counts of requests, and the connections that listen. */
async function fingerprints({ db }: TestPlatform): Promise<Record<string, string>> {
  const tables = (await wholeTables(db)).filter(
    (name) => name !== "throttles" && name !== "listeners",
  );
  const prints: Record<string, string> = {};
  for (const name of tables) {
    const { rows } = await sql<{
      print: string;
    }>`select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as print from ${sql.table(name)} t`.execute(
      db,
    );
    prints[name] = rows[0]?.print ?? "";
  }
  return prints;
}
