import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { createApp } from "./create-app.ts";

let platform: TestPlatform;
let folder: string;
let app: FastifyInstance;

beforeAll(async () => {
  platform = await createTestPlatform();
  folder = await mkdtemp(join(tmpdir(), "paraphe-client-"));
  await mkdir(join(folder, "assets"));
  for (const page of ["index", "sign", "verify"]) await writeFile(join(folder, `${page}.html`), `<!doctype html><title>${page}</title>`);
  await writeFile(
    join(folder, "verifier.html"),
    `<meta http-equiv="content-security-policy" content="script-src 'sha256-abc='" /><title>verifier</title>`,
  );
  await writeFile(join(folder, "assets/app-1a2b3c.js"), `console.log(${"1,".repeat(2_000)}1)`);
  await writeFile(join(folder, "favicon.svg"), "<svg/>");
  await writeFile(join(folder, "sw.js"), "self.onpush = () => {};");
  app = createApp(platform, { clientFolder: folder });
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await platform.close();
  await rm(folder, { recursive: true });
});

const titleOf = (body: string) => /<title>(.*?)<\/title>/.exec(body)?.[1];

test.each([
  ["/", "index"],
  ["/login?activated=1", "index"],
  ["/dashboard", "index"],
  ["/signature/envelopes/sent", "index"],
  ["/signature/sign/0192", "index"],
  ["/reset-password/u/t", "index"],
  ["/conditions", "index"],
  ["/confidentialite", "index"],
  ["/sign/0192?token=abc", "sign"],
  ["/signature/guest/success", "sign"],
  ["/verify/0192?sig=abc", "verify"],
  ["/journal-de-transparence", "verify"],
  ["/verifier", "verifier"],
  ["/verifier.html", "verifier"],
])("%s is the page %s, asked for again at each visit", async (url, page) => {
  const answer = await app.inject(url);
  expect([answer.statusCode, titleOf(answer.body)]).toEqual([200, page]);
  expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(answer.headers["cache-control"]).toBe("no-cache");
});

test("any other address is the client's page 404, with that status", async () => {
  for (const url of ["/nulle/part", "/loginx", "/signatures-a-moi"]) {
    const answer = await app.inject(url);
    expect([answer.statusCode, titleOf(answer.body)]).toEqual([404, "index"]);
  }
});

test("hashed files are kept for ever and compressed, others checked again; a missing one is not a page", async () => {
  const script = await app.inject({ url: "/assets/app-1a2b3c.js", headers: { "accept-encoding": "br" } });
  expect(script.headers).toMatchObject({ "cache-control": "public, max-age=31536000, immutable", "content-encoding": "br" });
  expect((await app.inject("/favicon.svg")).headers["cache-control"]).toBe("no-cache");
  expect((await app.inject("/assets/absent.js")).json().code).toBe("not_found");
});

test("the page that is one file is under the policy that it bears, and in no frame", async () => {
  for (const url of ["/verifier", "/verifier.html"])
    expect((await app.inject(url)).headers["content-security-policy"]).toBe("script-src 'sha256-abc='; frame-ancestors 'none'");
  expect((await app.inject("/verify/0192")).headers["content-security-policy"]).toContain("script-src 'self'");
});

test("the service worker is at the root, for every page, asked for again, and may fetch nothing but its icon", async () => {
  const worker = await app.inject("/sw.js");
  expect(worker.headers).toMatchObject({
    "service-worker-allowed": "/",
    "cache-control": "no-cache",
    "content-security-policy": "default-src 'none'; img-src 'self'; frame-ancestors 'none'",
  });
  expect(worker.headers["content-type"]).toMatch(/^(text|application)\/javascript/);
  expect((await app.inject("/favicon.svg")).headers["service-worker-allowed"]).toBeUndefined();
  await rm(join(folder, "sw.js"));
  expect((await app.inject("/sw.js")).json()).toMatchObject({ status: 404, code: "not_found" });
});

test("no address leads out of the client's folder", async () => {
  for (const url of ["/../package.json", "/%2e%2e/package.json", "/assets/..%2f..%2fpackage.json", "/assets/%00"]) {
    const answer = await app.inject(url);
    expect([400, 404]).toContain(answer.statusCode);
    expect(answer.body).not.toContain("workspaces");
  }
});

test("a client that was not built is said to be away", async () => {
  const bare = createApp(platform, { clientFolder: join(folder, "absent") });
  const answer = await bare.inject("/login");
  expect(answer.json()).toMatchObject({ status: 503, code: "service_unavailable" });
  await bare.close();
});
