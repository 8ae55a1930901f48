import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember } from "../../../testing/member.ts";
import { openRegistrations, ORIGIN, type Registrations } from "../../../testing/registrations.ts";

let service: TestApp;
let person: Registrations["person"];
let browserAt: Registrations["browserAt"];
let register: Registrations["register"];
let activationLink: Registrations["activationLink"];
let resetLink: Registrations["resetLink"];

beforeAll(async () => {
  service = await createTestApp();
  ({ person, browserAt, register, activationLink, resetLink } = openRegistrations(service));
});
afterAll(() => service.close());

describe("the activation link", () => {
  test("security line 29: opened by a mail scanner, then twice by a person, says yes each time", async () => {
    const zoe = person();
    await register(zoe);
    const link = await activationLink(zoe.email);
    const answers = await Promise.all([1, 2, 3].map(() => browserAt().get(link)));
    expect(answers.map((answer) => answer.headers["location"])).toEqual(Array(3).fill("/login?activated=1"));
    service.platform.clock.advance({ hours: 30 });
    expect((await browserAt().get(link)).headers["location"]).toBe("/login?activated=1");
  });

  test("security line 29: asked with HEAD changes nothing", async () => {
    const zoe = person();
    await register(zoe);
    const link = await activationLink(zoe.email);
    const head = await service.app.inject({ method: "HEAD", url: link });
    expect([head.statusCode, head.headers["location"]]).toEqual([302, "/login?activated=1"]);
    expect((await browserAt().post("/api/token/", { username: zoe.username, password: zoe.password })).body.code).toBe("not_activated");
  });

  test("opened by a mail filter for somebody else's registration, is undone by the owner of the address", async () => {
    const stranger = person();
    await register(stranger);
    const [mail] = await mailFor(service.platform, stranger.email);
    await browserAt().get(await activationLink(stranger.email));
    const theirs = browserAt();
    expect((await theirs.post("/api/token/", { username: stranger.username, password: stranger.password })).status).toBe(200);
    expect(mail?.content.text).toContain(stranger.username);
    expect(mail?.content.text).toContain(`${ORIGIN}/password-reset`);

    await browserAt().post("/api/signature/password-reset/", { email: stranger.email });
    const link = await resetLink(stranger.email);
    expect((await browserAt().post("/api/signature/change-password/", { ...link, password: "à moi désormais 4" })).status).toBe(200);
    expect((await theirs.get("/api/signature/me/")).status).toBe(401);
    expect((await theirs.post("/api/token/refresh/")).status).toBe(401);
    expect((await browserAt().post("/api/token/", { username: stranger.username, password: stranger.password })).status).toBe(401);
  });

  test("security line 28: is dead after 24 hours", async () => {
    const zoe = person();
    await register(zoe);
    const link = await activationLink(zoe.email);
    service.platform.clock.advance({ hours: 24, seconds: 1 });
    expect((await browserAt().get(link)).headers["location"]).toBe("/login?activated=0");
  });

  test("security line 33: with another's id, or a wrong token, says no", async () => {
    const [zoe, other] = [person(), await createMember(service.platform)];
    await register(zoe);
    const link = await activationLink(zoe.email);
    const token = link.split("/")[5];
    for (const wrong of [`${other.id}/${token}`, `${link.split("/")[4]}/${"A".repeat(43)}`, "n’importe/quoi", `${"9".repeat(400)}/x`]) {
      expect((await browserAt().get(encodeURI(`/api/signature/activate/${wrong}/`))).headers["location"]).toBe("/login?activated=0");
    }
  });
});

describe("register/resend", () => {
  test("sends each registration of an address its own link again", async () => {
    const [one, other] = [person(), person()];
    await register(one);
    await register({ ...other, email: one.email });
    const before = await mailFor(service.platform, one.email);
    service.platform.clock.advance({ seconds: 61 });
    await resend(one.email);
    const after = await mailFor(service.platform, one.email);
    const mails = after.slice(0, after.length - before.length).map((mail) => mail.content.text);
    for (const { username } of [one, other]) expect(mails.filter((text) => text?.includes(username))).toHaveLength(1);
  });

  const resend = (email: string) => browserAt().post("/api/signature/register/resend/", { email });

  test("security line 32: sends a second link at once, then none for a minute, and three an hour", async () => {
    const zoe = person();
    await register(zoe);
    const count = async () => (await mailFor(service.platform, zoe.email)).length;
    const first = await activationLink(zoe.email);
    service.platform.clock.advance({ seconds: 1 });
    await resend(zoe.email);
    expect(await count()).toBe(2);
    await resend(zoe.email);
    expect(await count()).toBe(2);
    for (const expected of [3, 4, 4]) {
      service.platform.clock.advance({ seconds: 61 });
      await resend(zoe.email);
      expect(await count()).toBe(expected);
    }
    expect((await browserAt().get(first)).headers["location"]).toBe("/login?activated=1");
  });

  test("security line 32: answers the same for a pending, an active and an unknown address", async () => {
    const [pending, active] = [await createMember(service.platform, { activated: false }), await createMember(service.platform)];
    const answers = await Promise.all([pending.email, active.email, "personne@exemple.fr"].map(resend));
    expect(answers.map((answer) => [answer.status, answer.text])).toEqual(Array(3).fill([200, answers[0]?.text]));
    expect((await mailFor(service.platform, active.email)).map((mail) => mail.subject)).toEqual(["Vous avez déjà un compte Paraphe"]);
    expect(await mailFor(service.platform, "personne@exemple.fr")).toEqual([]);
  });

  test("refuses what is no address", async () => {
    expect((await resend("personne")).body.errors).toEqual({ email: ["Email invalide"] });
    expect((await resend("")).body.errors).toEqual({ email: ["Email requis"] });
  });
});

test("no address, link or password is logged, nor kept readable in a job", async () => {
  const lines = JSON.stringify(service.platform.logged);
  expect(lines).not.toMatch(/@|activate\/|reset-password\/|cahier/);
});
