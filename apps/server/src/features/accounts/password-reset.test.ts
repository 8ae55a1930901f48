import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import { openRegistrations, ORIGIN, type Registrations } from "../../../testing/registrations.ts";

let service: TestApp;
let browserAt: Registrations["browserAt"];
let askReset: Registrations["askReset"];
let activationLink: Registrations["activationLink"];
let resetLink: Registrations["resetLink"];

beforeAll(async () => {
  service = await createTestApp();
  ({ browserAt, askReset, activationLink, resetLink } = openRegistrations(service));
});
afterAll(() => service.close());

describe("password-reset", () => {
  const change = (body: unknown) => browserAt().post("/api/signature/change-password/", body);

  test("security line 31: answers the same sentence for any address; only an account's gets a mail", async () => {
    const member = await createMember(service.platform);
    const [known, unknown] = [await askReset(member.email), await askReset("personne@exemple.fr")];
    expect(known.body).toEqual({ detail: "Si un compte existe pour cet email, un lien de réinitialisation a été envoyé." });
    expect([unknown.status, unknown.text]).toEqual([200, known.text]);
    expect((await mailFor(service.platform, member.email))[0]?.subject).toBe("Réinitialisez votre mot de passe Paraphe");
    expect(await mailFor(service.platform, "personne@exemple.fr")).toEqual([]);
  });

  test("security line 13: sets the new password once, ends every session, tells the owner and opens no session", async () => {
    const member = await createMember(service.platform);
    const open = await signIn(service, member, { ip: "192.0.2.77" });
    await askReset(member.email);
    const link = await resetLink(member.email);
    const done = await change({ ...link, password: "tout neuf 9" });
    expect([done.status, done.headers["set-cookie"]]).toEqual([200, undefined]);
    expect((await open.get("/api/signature/me/")).status).toBe(401);
    expect((await open.post("/api/token/refresh/")).status).toBe(401);
    expect((await browserAt().post("/api/token/", { username: member.username, password: MEMBER_PASSWORD })).status).toBe(401);
    expect((await browserAt().post("/api/token/", { username: member.username, password: "tout neuf 9" })).status).toBe(200);
    expect((await mailFor(service.platform, member.email))[0]?.subject).toBe("Votre mot de passe Paraphe a été changé");

    const again = await change({ ...link, password: "encore un autre" });
    expect([again.status, again.body]).toMatchObject([
      400,
      { code: "link_expired", detail: "Impossible de changer le mot de passe. Le lien est peut-être expiré." },
    ]);
  });

  test("security line 30: by twenty uses of one link at once sets one password", async () => {
    const member = await createMember(service.platform);
    await askReset(member.email);
    const link = await resetLink(member.email);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => change({ ...link, password: `tout neuf ${n}` })));
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([200, ...Array.from({ length: 19 }, () => 400)]);
  });

  test("security line 28: link is dead after 24 hours, after a newer one, with another's id", async () => {
    const [member, other] = [await createMember(service.platform), await createMember(service.platform)];
    await askReset(member.email);
    const first = await resetLink(member.email);
    service.platform.clock.advance({ seconds: 61 });
    await askReset(member.email);
    const second = await resetLink(member.email);
    expect((await change({ ...first, password: "tout neuf 9" })).body.code).toBe("link_expired");
    expect((await change({ ...second, uid: other.id, password: "tout neuf 9" })).body.code).toBe("link_expired");
    expect((await change({ ...second, uid: "x", password: "tout neuf 9" })).body.code).toBe("link_expired");
    service.platform.clock.advance({ hours: 24 });
    expect((await change({ ...second, password: "tout neuf 9" })).body.code).toBe("link_expired");
  });

  test("refuses a bad password, and the link still serves", async () => {
    const member = await createMember(service.platform);
    await askReset(member.email);
    const link = await resetLink(member.email);
    expect((await change({ ...link, password: "abcd" })).body.errors).toEqual({ password: ["Minimum 5 caractères"] });
    expect((await change({ ...link })).body.errors).toEqual({ password: ["Mot de passe requis"] });
    expect((await change({ ...link, password: member.email })).body.errors.password).toHaveLength(1);
    expect((await change({ ...link, password: "tout neuf 9" })).status).toBe(200);
  });

  test("security line 31: sends one link a minute and three an hour to an address, in silence", async () => {
    const member = await createMember(service.platform);
    for (const expected of [1, 1]) {
      expect((await askReset(member.email)).status).toBe(200);
      expect(await mailFor(service.platform, member.email)).toHaveLength(expected);
    }
    for (const expected of [2, 3, 3]) {
      service.platform.clock.advance({ seconds: 60 });
      expect((await askReset(member.email)).status).toBe(200);
      expect(await mailFor(service.platform, member.email)).toHaveLength(expected);
    }
  });

  test("of an account whose activation mail was lost sends its activation link again, and says why", async () => {
    const member = await createMember(service.platform, { activated: false });
    expect((await askReset(member.email)).status).toBe(200);
    const [mail] = await mailFor(service.platform, member.email);
    expect([mail?.subject, mail?.content.text]).toEqual([
      "Activez votre compte Paraphe",
      expect.stringContaining("mais ce compte n’est pas encore activé"),
    ]);
    await browserAt().get(await activationLink(member.email));
    expect((await browserAt().post("/api/token/", { username: member.username, password: MEMBER_PASSWORD })).status).toBe(200);
  });

  test("security line 31: from one network address is limited to twenty an hour", async () => {
    for (let n = 0; n < 20; n++) expect((await askReset("personne@exemple.fr", "203.0.113.20")).status).toBe(200);
    expect((await askReset("personne@exemple.fr", "203.0.113.20")).status).toBe(429);
  });

  test("security line 25: links carry the configured origin, whatever Host a request had", async () => {
    const member = await createMember(service.platform);
    const browser = browserAt();
    await browser.post("/api/signature/password-reset/", { email: member.email }, { headers: { host: "mechant.example" } });
    const [mail] = await mailFor(service.platform, member.email);
    expect(mail?.content.text).not.toContain("mechant");
    expect(mail?.content.text).toContain(`${ORIGIN}/reset-password/`);
  });
});

test("no address, link or password is logged, nor kept readable in a job", async () => {
  const lines = JSON.stringify(service.platform.logged);
  expect(lines).not.toMatch(/@|activate\/|reset-password\/|cahier/);
});
