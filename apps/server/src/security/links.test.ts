import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../testing/app.ts";
import { openBrowser } from "../../testing/browser.ts";
import { linkIn, mailFor } from "../../testing/mailbox.ts";
import { createMember, MEMBER_PASSWORD, signIn } from "../../testing/member.ts";

const CHANGE = "/api/signature/change-password/";
let service: TestApp;
beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});
afterAll(() => service.close());

async function resetLink(email: string) {
  await openBrowser(service.app).post("/api/signature/password-reset/", { email });
  const url = new URL(linkIn((await mailFor(service.platform, email))[0], "https://localhost:8443/reset-password/"));
  const [, , uid = "", token = ""] = url.pathname.split("/");
  return { url, uid, token };
}
const change = (uid: string, token: string, password = "encre violette 9") =>
  openBrowser(service.app).post(CHANGE, { uid, token, password });
const expired = { status: 400, code: "link_expired", detail: "Impossible de changer le mot de passe. Le lien est peut-être expiré." };

test("security line 28: link tokens are 256 random bits, stored hashed; the newest reset wins, and a password change kills it", async () => {
  const member = await createMember(service.platform);
  const first = await resetLink(member.email);
  service.platform.clock.advance({ minutes: 2 });
  const second = await resetLink(member.email);
  for (const { token } of [first, second]) expect(Buffer.from(token, "base64url")).toHaveLength(32);
  const stored = JSON.stringify(
    (await service.platform.db.selectFrom("account_tokens").selectAll().execute()).map(({ token_sha256: hash, ...row }) => [
      row,
      Buffer.from(hash).toString("base64url"),
    ]),
  );
  for (const { token } of [first, second]) expect(stored.includes(token)).toBe(false);
  expect((await change(first.uid, first.token)).body).toMatchObject(expired);
  const browser = await signIn(service, member);
  await browser.post("/api/signature/me/password/", { old_password: MEMBER_PASSWORD, new_password: "encre rouge 12" });
  expect((await change(second.uid, second.token)).body).toMatchObject(expired);
});

test("security line 30: opening the reset page uses nothing up; the first POST does, the second is told the link is dead", async () => {
  const member = await createMember(service.platform);
  const { url, uid, token } = await resetLink(member.email);
  for (const method of ["GET", "HEAD", "GET"] as const) await service.app.inject({ method, url: url.pathname });
  expect((await change(uid, token)).status).toBe(200);
  expect((await change(uid, token)).body).toMatchObject(expired);
});

test("security line 33: a wrong uid and a wrong token get one and the same answer; the uid tells no name, address or order", async () => {
  const [member, other] = [await createMember(service.platform), await createMember(service.platform)];
  const { uid, token } = await resetLink(member.email);
  expect(uid).not.toContain(member.username);
  expect(uid).not.toContain("@");
  expect(uid).not.toMatch(/^\d+$/);
  const wrongToken = Buffer.alloc(32, 7).toString("base64url");
  const answers = [
    await change(other.id, token),
    await change(service.platform.newId(), token),
    await change("moi", token),
    await change("1' or '1'='1", token),
    await change(uid, wrongToken),
    await change(uid, "x"),
    await change(uid, `${token}x`),
  ];
  for (const { body } of answers) expect(body).toMatchObject(expired);
  const shapes = answers.map(({ body: { request_id: _own, ...rest } }) => JSON.stringify(rest));
  expect(new Set(shapes).size).toBe(1);
  expect((await change(uid, token)).status).toBe(200);
});
