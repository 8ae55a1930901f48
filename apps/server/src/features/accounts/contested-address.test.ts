import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, MEMBER_PASSWORD } from "../../../testing/member.ts";
import { openRegistrations, ORIGIN, type Registrations } from "../../../testing/registrations.ts";
import { closeAccount } from "./close-account.ts";

const ACTIVATE = "/api/signature/activate/";
const STRANGER_IP = "203.0.113.50";
let service: TestApp;
let next: Registrations["next"];
let person: Registrations["person"];
let browserAt: Registrations["browserAt"];
let register: Registrations["register"];
let askReset: Registrations["askReset"];

beforeAll(async () => {
  service = await createTestApp();
  ({ next, person, browserAt, register, askReset } = openRegistrations(service));
});
afterAll(() => service.close());

const logIn = async (username: string, password: string) => {
  const { status, body } = await browserAt().post("/api/token/", { username, password });
  return status === 200 ? "in" : body.code;
};
const mails = (email: string) => mailFor(service.platform, email);
/** The paths of ours that a mail leads to. */
const linksIn = (mail: { readonly content: { readonly text: string } } | undefined, path: string) =>
  (mail?.content.text.split(/\s/) ?? []).filter((word) => word.startsWith(`${ORIGIN}${path}`)).map((word) => word.slice(ORIGIN.length));
const namedIn = (text: string | undefined, username: string) => text?.replaceAll("\u2060", "").includes(username) === true;

/** Nine more than the one asked for here. */
async function askedTenTimes(email: string, ip: string): Promise<void> {
  const counts = () => service.platform.db.selectFrom("throttles").select("key").where("key", "like", "register-address %").execute();
  const before = new Set((await counts()).map(({ key }) => key));
  expect((await register(person({ email }), ip)).status).toBe(201);
  const [own] = (await counts()).filter(({ key }) => !before.has(key));
  await service.platform.db
    .updateTable("throttles")
    .set({ hits: 10 })
    .where("key", "=", own?.key ?? "")
    .execute();
}

describe("the newest registration of an address", () => {
  test("gets its mail, and waits for its own link, however many a stranger asked for before", async () => {
    const owner = person();
    for (let n = 0; n < 6; n++) expect((await register(person({ email: owner.email }), STRANGER_IP)).status).toBe(201);
    await service.settle();
    service.platform.clock.advance({ seconds: 61 });
    expect((await register(owner)).status).toBe(201);
    const [mail] = await mails(owner.email);
    expect(namedIn(mail?.content.text, owner.username)).toBe(true);

    await browserAt().post("/api/signature/register/resend/", { email: owner.email });
    const resent = (await mails(owner.email)).slice(0, 5);
    expect(resent.some(({ content }) => namedIn(content.text, owner.username))).toBe(true);
    const [link = ""] = linksIn(mail, ACTIVATE);
    expect((await browserAt().get(link)).headers["location"]).toBe("/login?activated=1");
    expect(await logIn(owner.email, owner.password)).toBe("in");
  });

  test("is refused to a network that asked for that address ten times in an hour, in so many words; no other is held back", async () => {
    const email = person().email;
    const ip = "203.0.113.51";
    await askedTenTimes(email, ip);
    const answer = await register(person({ email }), ip);
    expect([answer.status, answer.body.code]).toEqual([429, "too_many_requests"]);
    expect(answer.body.detail).toMatch(/^Trop de demandes\. Réessayez dans .+\.$/);
    expect((await register(person(), ip)).status).toBe(201);
    expect((await register(person({ email }))).status).toBe(201);
  });

  test("the eleventh of a known address is refused alike: the count is the asker's", async () => {
    const { email } = await createMember(service.platform);
    const ip = "203.0.113.52";
    await askedTenTimes(email, ip);
    expect((await register(person({ email }), ip)).status).toBe(429);
  });

  test("takes the place of the oldest, beyond twenty that wait", async () => {
    const { email } = person();
    const first = person({ email });
    await register(first);
    service.platform.clock.advance({ seconds: 1 });
    await Promise.all(Array.from({ length: 19 }, () => createMember(service.platform, { email, activated: false })));
    expect(await logIn(first.username, first.password)).toBe("not_activated");
    service.platform.clock.advance({ seconds: 1 });
    const last = person({ email });
    await register(last);
    expect(await logIn(first.username, first.password)).toBe("invalid_credentials");
    expect(await logIn(last.username, last.password)).toBe("not_activated");
  });
});

describe("a stranger's registration", () => {
  test("is not greeted by its name in any mail to the address, nor is its username a link", async () => {
    const stranger = person({ username: "www-evil.gains.example", first_name: "Gagnez", last_name: "500 euros" });
    await register(stranger);
    await askReset(stranger.email);
    const [, activation] = await mails(stranger.email);
    await browserAt().get(linksIn(activation, ACTIVATE)[0] ?? "");
    service.platform.clock.advance({ seconds: 61 });
    await askReset(stranger.email);
    const all = await mails(stranger.email);
    expect(all.map(({ subject }) => subject)).toEqual([
      "Réinitialisez votre mot de passe Paraphe",
      "Activez votre compte Paraphe",
      "Activez votre compte Paraphe",
    ]);
    for (const { content } of all) {
      expect(content.to).not.toContain("Gagnez");
      expect(`${content.text}${content.html}`).not.toMatch(/Gagnez|gains\.example/);
      expect(content.text).toContain("Bonjour,");
      expect(namedIn(content.text, stranger.username)).toBe(true);
    }
  });

  test("a username copied from a mail, with what keeps it from being a link, signs in", async () => {
    const zoe = person({ username: `zoe.copie${next()}` });
    await register(zoe);
    const [mail] = await mails(zoe.email);
    await browserAt().get(linksIn(mail, ACTIVATE)[0] ?? "");
    const shown = /Nom d’utilisateur\u00a0: (\S+)/.exec(mail?.content.text ?? "")?.[1] ?? "";
    expect(shown).toContain("\u2060");
    expect(await logIn(shown, zoe.password)).toBe("in");
  });

  test("a new password asked for gives nobody its profile: each registration gets its own link instead", async () => {
    const owner = person();
    const stranger = person({ email: owner.email, first_name: "Faux", phone_number: "+33699999999" });
    await register(owner);
    service.platform.clock.advance({ seconds: 1 });
    await register(stranger);
    const before = await mails(owner.email);
    await askReset(owner.email);
    const after = await mails(owner.email);
    const asked = after.slice(0, after.length - before.length);
    expect(asked.map((mail) => [linksIn(mail, ACTIVATE).length, linksIn(mail, "/reset-password/").length])).toEqual([
      [1, 0],
      [1, 0],
    ]);
    const own = asked.find(({ content }) => namedIn(content.text, owner.username));
    await browserAt().get(linksIn(own, ACTIVATE)[0] ?? "");
    const browser = browserAt();
    const login = await browser.post("/api/token/", { username: owner.email, password: owner.password });
    expect(login.body.user).toMatchObject({ username: owner.username, first_name: "Zoë", phone_number: null });
  });

  test("a reset link of an account that nobody confirmed sets no password", async () => {
    const member = await createMember(service.platform);
    await askReset(member.email);
    const link = linksIn((await mails(member.email))[0], "/reset-password/")[0] ?? "";
    const [uid, token] = link.split("/").slice(-2);
    await service.platform.db.updateTable("users").set({ activated_at: null }).where("id", "=", member.id).execute();
    const answer = await browserAt().post("/api/signature/change-password/", { uid, token, password: "tout neuf 9" });
    expect([answer.status, answer.body.code]).toEqual([400, "link_expired"]);
  });
});

describe("a login by e-mail", () => {
  test("with the right password of any registration that waits says that it is not activated; with none of theirs, nothing", async () => {
    const [owner, stranger] = [person(), person()];
    await register(owner);
    service.platform.clock.advance({ seconds: 1 });
    await register({ ...stranger, email: owner.email });
    expect(await logIn(owner.email, owner.password)).toBe("not_activated");
    expect(await logIn(owner.email, stranger.password)).toBe("not_activated");
    expect(await logIn(owner.email, "ni l’un ni l’autre")).toBe("invalid_credentials");
  });

  test("typed with the accents of its domain, as at registration, signs in", async () => {
    const zoe = person({ email: `acc${next()}@exémple.fr` });
    await register(zoe);
    const [mail] = await mails(zoe.email.replace("exémple", "xn--exmple-cva"));
    await browserAt().get(linksIn(mail, ACTIVATE)[0] ?? "");
    expect(await logIn(zoe.email, zoe.password)).toBe("in");
    expect(await logIn(zoe.email.toUpperCase(), zoe.password)).toBe("in");
  });
});

describe("security line 27: a stranger who registers with an address", () => {
  test("learns from no login whether it has an account: their own name and password wait either way", async () => {
    const known = await createMember(service.platform);
    for (const email of [known.email, person().email]) {
      const theirs = person({ email });
      expect((await register(theirs)).status).toBe(201);
      expect(await logIn(theirs.username, theirs.password)).toBe("not_activated");
      expect(await logIn(email, theirs.password)).toBe("not_activated");
    }
    expect(await logIn(known.email, MEMBER_PASSWORD)).toBe("in");
    expect((await mails(known.email)).map(({ subject }) => subject)).toEqual(["Vous avez déjà un compte Paraphe"]);
  });

  test("leaves nothing behind once that account is erased", async () => {
    const known = await createMember(service.platform);
    const theirs = person({ email: known.email });
    await register(theirs);
    await service.platform.db
      .transaction()
      .execute((trx) => closeAccount(trx, service.platform, { userId: known.id, keepsEvidence: false }));
    expect(await logIn(theirs.username, theirs.password)).toBe("invalid_credentials");
  });
});
