import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createMember, signIn } from "../../../testing/member.ts";
import { createTestPlatform, type TestPlatform } from "../../../testing/platform.ts";
import { createApp } from "../../platform/http/create-app.ts";
import { createAccounts } from "./account-deps.ts";
import { accountRoutes } from "./routes.ts";
import { requireUser } from "./session-guard.ts";

let platform: TestPlatform;
let app: FastifyInstance;

beforeAll(async () => {
  platform = await createTestPlatform();
  app = createApp(platform);
  app.register(accountRoutes(createAccounts(platform)));
  app.register(async (scope) => {
    for (const path of ["/api/one/", "/api/other/"]) scope.get(path, { onRequest: requireUser(platform) }, async () => ({}));
  });
  await app.ready();
});
afterAll(async () => {
  await app.close();
  await platform.close();
});

test("an account asks 1 200 times a minute at most, whatever it asks for and from wherever; others go on", async () => {
  const [busy, calm] = [await createMember(platform), await createMember(platform)];
  const [here, there] = [await signIn({ app }, busy, { ip: "192.0.2.1" }), await signIn({ app }, busy, { ip: "192.0.2.2" })];
  for (let n = 0; n < 600; n++) await Promise.all([here.get("/api/one/"), there.get("/api/other/")]);
  const refused = await there.get("/api/one/");
  expect([refused.status, refused.body.code]).toEqual([429, "too_many_requests"]);
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
  expect((await (await signIn({ app }, calm, { ip: "192.0.2.1" })).get("/api/one/")).status).toBe(200);
  platform.clock.advance({ minutes: 1 });
  expect((await here.get("/api/one/")).status).toBe(200);
});
