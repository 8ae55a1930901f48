import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";

let service: TestApp;
let member: Member;
let browser: TestBrowser;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  member = await createMember(service.platform);
  browser = await signIn(service, member);
});
afterAll(() => service.close());

const ME = "/api/signature/me";

describe("me/password", () => {
  const change = (who: TestBrowser, oldPassword: unknown, newPassword: unknown) =>
    who.post(`${ME}/password/`, { old_password: oldPassword, new_password: newPassword });

  test("security line 13: changes the password, keeps this session, ends the others, kills reset links and tells the owner", async () => {
    const owner = await createMember(service.platform);
    const [here, elsewhere] = [await signIn(service, owner), await signIn(service, owner)];
    await here.post("/api/signature/password-reset/", { email: owner.email });
    const [reset] = await mailFor(service.platform, owner.email);
    const [uid, token] = /reset-password\/(\S+)\/(\S+)/.exec(reset?.content.text ?? "")?.slice(1) ?? [];
    expect((await change(here, MEMBER_PASSWORD, "tout neuf 9")).status).toBe(200);
    expect((await here.get(`${ME}/`)).status).toBe(200);
    expect((await elsewhere.get(`${ME}/`)).status).toBe(401);
    expect((await elsewhere.post("/api/token/refresh/")).status).toBe(401);
    expect((await here.post("/api/signature/change-password/", { uid, token, password: "par le lien" })).body.code).toBe("link_expired");
    expect((await mailFor(service.platform, owner.email))[0]?.subject).toBe("Votre mot de passe Paraphe a été changé");
    expect((await openBrowser(service.app).post("/api/token/", { username: owner.username, password: "tout neuf 9" })).status).toBe(200);
  });

  test("names what is wrong", async () => {
    expect((await browser.post(`${ME}/password/`, {})).body.errors).toEqual({
      old_password: ["Ancien mot de passe requis"],
      new_password: ["Nouveau mot de passe requis"],
    });
    expect((await change(browser, MEMBER_PASSWORD, "abcd")).body.errors).toEqual({ new_password: ["Minimum 5 caractères"] });
    expect((await change(browser, MEMBER_PASSWORD, "")).body.errors).toEqual({ new_password: ["Nouveau mot de passe requis"] });
    expect((await change(browser, MEMBER_PASSWORD, member.username)).body.errors.new_password).toHaveLength(1);
    const wrong = await change(browser, "pas celui-là", "tout neuf 9");
    expect([wrong.status, wrong.body.errors]).toEqual([400, { old_password: ["Ancien mot de passe incorrect"] }]);
  });

  test("security line 14: ends the session at the fifth wrong old password", async () => {
    const owner = await createMember(service.platform);
    const [here, elsewhere] = [await signIn(service, owner), await signIn(service, owner)];
    for (let n = 0; n < 4; n++) expect((await change(here, "pas celui-là", "tout neuf 9")).status).toBe(400);
    const fifth = await change(here, "pas celui-là", "tout neuf 9");
    expect([fifth.status, fifth.body.code, here.cookies.has("access_token")]).toEqual([401, "wrong_passwords", false]);
    expect(fifth.body.detail).toContain("Trop de mots de passe incorrects");
    expect((await here.get(`${ME}/`)).status).toBe(401);
    expect((await elsewhere.get(`${ME}/`)).status).toBe(200);
  });
});

describe("old passwords tried all at once", () => {
  test("security line 14: are looked at no further than five: the right one behind them changes nothing", async () => {
    const owner = await createMember(service.platform);
    const here = await signIn(service, owner);
    const tries = Array.from({ length: 25 }, (_, n) =>
      here.post(`${ME}/password/`, { old_password: n === 24 ? MEMBER_PASSWORD : `faux ${n}`, new_password: "tout neuf 9" }),
    );
    const statuses = (await Promise.all(tries)).map((answer) => answer.status);
    expect(statuses.filter((status) => status === 200)).toEqual([]);
    expect(statuses.filter((status) => status === 400).length).toBeLessThan(5);
    expect((await here.get(`${ME}/`)).status).toBe(401);
    expect((await openBrowser(service.app).post("/api/token/", { username: owner.username, password: MEMBER_PASSWORD })).status).toBe(200);
  });

  test("that are right count for nothing", async () => {
    const owner = await createMember(service.platform);
    const here = await signIn(service, owner);
    for (let n = 0; n < 7; n++)
      expect((await here.post(`${ME}/password/`, { old_password: MEMBER_PASSWORD, new_password: "abcd" })).status).toBe(400);
  });

  test("that are right forget the wrong ones before them", async () => {
    const here = await signIn(service, await createMember(service.platform));
    for (const old_password of ["un", "deux", "trois", "quatre", MEMBER_PASSWORD, "cinq", "six", "sept", "huit"])
      expect((await here.post(`${ME}/password/`, { old_password, new_password: "abcdé" })).status).toBe(
        old_password === MEMBER_PASSWORD ? 200 : 400,
      );
  });
});
