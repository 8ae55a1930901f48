import { ADDRESS_LINK_HOURS } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import {
  openRegistrations,
  ORIGIN,
  type Registrations,
} from "../../../testing/stages/registrations.ts";

let service: TestApp;
let person: Registrations["person"];
let browserAt: Registrations["browserAt"];
let register: Registrations["register"];
let askReset: Registrations["askReset"];
let activationLink: Registrations["activationLink"];
let resetLink: Registrations["resetLink"];

beforeAll(async () => {
  service = await createTestApp();
  ({ person, browserAt, register, askReset, activationLink, resetLink } =
    openRegistrations(service));
});
afterAll(() => service.close());

describe("activation", () => {
  describe("the activation link", () => {
    test("security line 29: an activation link opened by a mail scanner, then twice by a person, succeeds each time", async () => {
      const zoe = person();
      await register(zoe);
      const link = await activationLink(zoe.email);
      const answers = await Promise.all([1, 2, 3].map(() => browserAt().get(link)));
      expect(answers.map((answer) => answer.headers["location"])).toEqual(
        Array(3).fill("/login?activated=1"),
      );
      service.platform.clock.advance({ hours: 30 });
      expect((await browserAt().get(link)).headers["location"]).toBe("/login?activated=1");
    });

    test("security line 29: HEAD on an activation link changes nothing", async () => {
      const zoe = person();
      await register(zoe);
      const link = await activationLink(zoe.email);
      const head = await service.app.inject({ method: "HEAD", url: link });
      expect([head.statusCode, head.headers["location"]]).toEqual([302, "/login?activated=1"]);
      expect(
        (await browserAt().post("/api/token/", { username: zoe.username, password: zoe.password }))
          .body.code,
      ).toBe("not_activated");
    });

    test("a registration activated by a mail filter is taken back by the address's owner", async () => {
      const stranger = person();
      await register(stranger);
      const [mail] = await mailFor(service.platform, stranger.email);
      await browserAt().get(await activationLink(stranger.email));
      const theirs = browserAt();
      expect(
        (
          await theirs.post("/api/token/", {
            username: stranger.username,
            password: stranger.password,
          })
        ).status,
      ).toBe(200);
      expect(mail?.content.text).toContain(stranger.username);
      expect(mail?.content.text).toContain(`${ORIGIN}/password-reset`);

      await browserAt().post("/api/signature/password-reset/", { email: stranger.email });
      const link = await resetLink(stranger.email);
      expect(
        (
          await browserAt().post("/api/signature/change-password/", {
            ...link,
            password: "à moi désormais 4",
          })
        ).status,
      ).toBe(200);
      expect((await theirs.get("/api/signature/me/")).status).toBe(401);
      expect((await theirs.post("/api/token/refresh/")).status).toBe(401);
      expect(
        (
          await browserAt().post("/api/token/", {
            username: stranger.username,
            password: stranger.password,
          })
        ).status,
      ).toBe(401);
    });

    test("security line 28: an activation link expires after 24 hours", async () => {
      const zoe = person();
      await register(zoe);
      const link = await activationLink(zoe.email);
      service.platform.clock.advance({ hours: 24, seconds: 1 });
      expect((await browserAt().get(link)).headers["location"]).toBe("/login?activated=0");
    });

    test("security line 33: an activation link with another account's id or a wrong token fails", async () => {
      const [zoe, other] = [person(), await createMember(service.platform)];
      await register(zoe);
      const link = await activationLink(zoe.email);
      const token = link.split("/")[5];
      for (const wrong of [
        `${other.id}/${token}`,
        `${link.split("/")[4]}/${"A".repeat(43)}`,
        "n’importe/quoi",
        `${"9".repeat(400)}/x`,
      ]) {
        expect(
          (await browserAt().get(encodeURI(`/api/signature/activate/${wrong}/`))).headers[
            "location"
          ],
        ).toBe("/login?activated=0");
      }
    });
  });

  describe("register/resend", () => {
    test("resend gives each pending registration of an address its own link", async () => {
      const [one, other] = [person(), person()];
      await register(one);
      await register({ ...other, email: one.email });
      const before = await mailFor(service.platform, one.email);
      service.platform.clock.advance({ seconds: 61 });
      await resend(one.email);
      const after = await mailFor(service.platform, one.email);
      const mails = after.slice(0, after.length - before.length).map((mail) => mail.content.text);
      for (const { username } of [one, other])
        expect(mails.filter((text) => text?.includes(username))).toHaveLength(1);
    });

    const resend = (email: string) =>
      browserAt().post("/api/signature/register/resend/", { email });

    test("security line 32: resend sends a second link at once, then none for a minute, and three an hour", async () => {
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

    test("security line 32: resend answers the same for a pending, an active and an unknown address", async () => {
      const [pending, active] = [
        await createMember(service.platform, { activated: false }),
        await createMember(service.platform),
      ];
      const answers = await Promise.all(
        [pending.email, active.email, "personne@exemple.fr"].map(resend),
      );
      expect(answers.map((answer) => [answer.status, answer.text])).toEqual(
        Array(3).fill([200, answers[0]?.text]),
      );
      expect((await mailFor(service.platform, active.email)).map((mail) => mail.subject)).toEqual([
        "Vous avez déjà un compte Paraphe",
      ]);
      expect(await mailFor(service.platform, "personne@exemple.fr")).toEqual([]);
    });

    test("resend refuses an invalid address", async () => {
      expect((await resend("personne")).body.errors).toEqual({ email: ["Email invalide"] });
      expect((await resend("")).body.errors).toEqual({ email: ["Email requis"] });
    });
  });

  test("no address, link or password is logged, nor kept readable in a job", async () => {
    const lines = JSON.stringify(service.platform.logged);
    expect(lines).not.toMatch(/@|activate\/(?!:)|reset-password\/|cahier/);
  });
});

describe("a forgotten password", () => {
  describe("password-reset", () => {
    const change = (body: unknown) => browserAt().post("/api/signature/change-password/", body);

    test("security line 31: a reset request answers the same for any address; only an account gets a mail", async () => {
      const member = await createMember(service.platform);
      const [known, unknown] = [
        await askReset(member.email),
        await askReset("personne@exemple.fr"),
      ];
      expect(known.body).toEqual({
        detail: "Si un compte existe pour cet email, un lien de réinitialisation a été envoyé.",
      });
      expect([unknown.status, unknown.text]).toEqual([200, known.text]);
      expect((await mailFor(service.platform, member.email))[0]?.subject).toBe(
        "Réinitialisez votre mot de passe Paraphe",
      );
      expect(await mailFor(service.platform, "personne@exemple.fr")).toEqual([]);
    });

    test("security line 13: a reset link sets the password once, ends every session, notifies the owner and opens no session", async () => {
      const member = await createMember(service.platform);
      const open = await signIn(service, member, { ip: "192.0.2.77" });
      await askReset(member.email);
      const link = await resetLink(member.email);
      const done = await change({ ...link, password: "tout neuf 9" });
      expect([done.status, done.headers["set-cookie"]]).toEqual([200, undefined]);
      expect((await open.get("/api/signature/me/")).status).toBe(401);
      expect((await open.post("/api/token/refresh/")).status).toBe(401);
      expect(
        (
          await browserAt().post("/api/token/", {
            username: member.username,
            password: MEMBER_PASSWORD,
          })
        ).status,
      ).toBe(401);
      expect(
        (
          await browserAt().post("/api/token/", {
            username: member.username,
            password: "tout neuf 9",
          })
        ).status,
      ).toBe(200);
      expect((await mailFor(service.platform, member.email))[0]?.subject).toBe(
        "Votre mot de passe Paraphe a été changé",
      );

      const again = await change({ ...link, password: "encore un autre" });
      expect([again.status, again.body]).toMatchObject([
        400,
        {
          code: "link_expired",
          detail: "Impossible de changer le mot de passe. Le lien est peut-être expiré.",
        },
      ]);
    });

    test("security line 30: twenty parallel uses of a reset link set one password", async () => {
      const member = await createMember(service.platform);
      await askReset(member.email);
      const link = await resetLink(member.email);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => change({ ...link, password: `tout neuf ${n}` })),
      );
      expect(answers.map((answer) => answer.status).toSorted()).toEqual([
        200,
        ...Array.from({ length: 19 }, () => 400),
      ]);
    });

    test("security line 28: a reset link fails after 24 hours, after a newer link, and with another account's id", async () => {
      const [member, other] = [
        await createMember(service.platform),
        await createMember(service.platform),
      ];
      await askReset(member.email);
      const first = await resetLink(member.email);
      service.platform.clock.advance({ seconds: 61 });
      await askReset(member.email);
      const second = await resetLink(member.email);
      expect((await change({ ...first, password: "tout neuf 9" })).body.code).toBe("link_expired");
      expect((await change({ ...second, uid: other.id, password: "tout neuf 9" })).body.code).toBe(
        "link_expired",
      );
      expect((await change({ ...second, uid: "x", password: "tout neuf 9" })).body.code).toBe(
        "link_expired",
      );
      service.platform.clock.advance({ hours: 24 });
      expect((await change({ ...second, password: "tout neuf 9" })).body.code).toBe("link_expired");
    });

    test("a reset link still works after a refused password", async () => {
      const member = await createMember(service.platform);
      await askReset(member.email);
      const link = await resetLink(member.email);
      expect((await change({ ...link, password: "abcd" })).body.errors).toEqual({
        password: ["Minimum 5 caractères"],
      });
      expect((await change({ ...link })).body.errors).toEqual({
        password: ["Mot de passe requis"],
      });
      expect((await change({ ...link, password: member.email })).body.errors.password).toHaveLength(
        1,
      );
      expect((await change({ ...link, password: "tout neuf 9" })).status).toBe(200);
    });

    test("security line 31: an address silently gets one reset link a minute and three an hour", async () => {
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

    test("a reset request for an unactivated account sends its activation link, and says why", async () => {
      const member = await createMember(service.platform, { activated: false });
      expect((await askReset(member.email)).status).toBe(200);
      const [mail] = await mailFor(service.platform, member.email);
      expect([mail?.subject, mail?.content.text]).toEqual([
        "Activez votre compte Paraphe",
        expect.stringContaining("mais ce compte n’est pas encore activé"),
      ]);
      await browserAt().get(await activationLink(member.email));
      expect(
        (
          await browserAt().post("/api/token/", {
            username: member.username,
            password: MEMBER_PASSWORD,
          })
        ).status,
      ).toBe(200);
    });

    test("security line 31: reset requests from one network address are limited to twenty an hour", async () => {
      for (let n = 0; n < 20; n++)
        expect((await askReset(`personne-${n}@exemple.fr`, "203.0.113.20")).status).toBe(200);
      expect((await askReset("personne@exemple.fr", "203.0.113.20")).status).toBe(429);
    });

    test("reset requests for one address from one network are limited to five a day", async () => {
      for (let n = 0; n < 5; n++)
        expect((await askReset("personne@exemple.fr", "203.0.113.21")).status).toBe(200);
      expect((await askReset("Personne@exemple.fr", "203.0.113.21")).status).toBe(429);
      expect((await askReset("personne@exemple.fr", "203.0.113.22")).status).toBe(200);
    });

    test("security line 25: links carry the configured origin, whatever Host a request had", async () => {
      const member = await createMember(service.platform);
      const browser = browserAt();
      await browser.post(
        "/api/signature/password-reset/",
        { email: member.email },
        { headers: { host: "mechant.example" } },
      );
      const [mail] = await mailFor(service.platform, member.email);
      expect(mail?.content.text).not.toContain("mechant");
      expect(mail?.content.text).toContain(`${ORIGIN}/reset-password/`);
    });
  });

  test("no address, link or password is logged, nor kept readable in a job", async () => {
    const lines = JSON.stringify(service.platform.logged);
    expect(lines).not.toMatch(/@|activate\/(?!:)|reset-password\/|cahier/);
  });
});

describe("a change of address", () => {
  const ME = "/api/signature/me";
  const ASK = `${ME}/email/`;
  const CONFIRM = `${ME}/email/confirm/`;
  const password = MEMBER_PASSWORD;
  let count = 0;

  async function open() {
    const member = await createMember(service.platform);
    count += 1;
    return {
      member,
      browser: await signIn(service, member),
      wanted: `Nouvelle.${count}@exemple.fr`,
    };
  }
  async function tokenFor(address: string): Promise<string> {
    const [mail] = await mailFor(service.platform, address);
    return (
      new URL(linkIn(mail, service.platform.settings.publicUrl)).searchParams.get("email") ?? ""
    );
  }
  const subjects = async (address: string) =>
    (await mailFor(service.platform, address)).map(({ subject }) => subject);

  test.each([ASK, CONFIRM])(
    "%s answers 401 to a visitor, and 403 without the CSRF token",
    async (url) => {
      expect((await openBrowser(service.app).post(url, { nonsense: true })).status).toBe(401);
      const { browser } = await open();
      expect(
        (await browser.send("POST", url, { body: {}, headers: { "x-csrftoken": "" } })).body.code,
      ).toBe("csrf_failed");
    },
  );

  describe("another address", () => {
    test("a confirmed address replaces the former: sessions stay, both get a mail, envelopes match the new one", async () => {
      const { member, browser, wanted } = await open();
      const elsewhere = await signIn(service, member);
      const asked = await browser.post(ASK, { email: wanted, password });
      expect([asked.status, asked.body.detail]).toEqual([
        202,
        expect.stringContaining("un lien de confirmation y a été envoyé"),
      ]);
      expect((await browser.get(`${ME}/`)).body.user.email).toBe(member.email);
      expect(await subjects(member.email)).toEqual(["Changement d’adresse demandé"]);
      const token = await tokenFor(wanted);
      // A mail filter that opens the link changes nothing: the page asks for a press.
      await openBrowser(service.app).get(`/profile?email=${token}`);
      expect((await (await open()).browser.post(CONFIRM, { token })).body.code).toBe(
        "address_link_expired",
      );

      const changed = await browser.post(CONFIRM, { token });
      expect([changed.status, changed.body.user.email]).toEqual([200, wanted]);
      expect((await elsewhere.get(`${ME}/`)).body.user.email).toBe(wanted);
      expect(await subjects(member.email)).toContain(
        "L’adresse de votre compte Paraphe a été changée",
      );
      expect((await browser.post(CONFIRM, { token })).body.code).toBe("address_link_expired");
      const row = await service.platform.db
        .selectFrom("users")
        .select("email_key")
        .where("id", "=", member.id)
        .executeTakeFirstOrThrow();
      expect(row.email_key).toBe(wanted.toLowerCase());
    });

    test("a change to an address with an account is answered alike, without a link; its owner gets a mail", async () => {
      const { browser, wanted } = await open();
      const other = await createMember(service.platform);
      const free = await browser.post(ASK, { email: wanted, password });
      const taken = await browser.post(ASK, { email: other.email, password });
      expect([taken.status, taken.body]).toEqual([free.status, free.body]);
      expect(await subjects(other.email)).toEqual(["Vous avez déjà un compte Paraphe"]);
    });

    test("an address taken between the request and the link is refused", async () => {
      const { member, browser, wanted } = await open();
      await browser.post(ASK, { email: wanted, password });
      const token = await tokenFor(wanted);
      await createMember(service.platform, { email: wanted });
      expect((await browser.post(CONFIRM, { token })).body.code).toBe("address_link_expired");
      expect((await browser.get(`${ME}/`)).body.user.email).toBe(member.email);
    });

    test("a change of address needs the password and another address", async () => {
      const { member, browser, wanted } = await open();
      const wrong = await browser.post(ASK, { email: wanted, password: "pas celui-là" });
      expect([wrong.status, wrong.body.errors]).toEqual([
        400,
        { password: ["Mot de passe incorrect"] },
      ]);
      const same = await browser.post(ASK, { email: member.email.toUpperCase(), password });
      expect([same.status, same.body.errors]).toEqual([
        400,
        { email: ["C’est déjà l’adresse de votre compte"] },
      ]);
      expect(
        Object.keys((await browser.post(ASK, { email: "rien", password: "" })).body.errors),
      ).toEqual(["email", "password"]);
    });
  });

  describe("the link", () => {
    test("an address link works for 24 hours, and only the last one sent", async () => {
      const { browser, wanted } = await open();
      await browser.post(ASK, { email: wanted, password });
      const first = await tokenFor(wanted);
      await browser.post(ASK, { email: `encore.${wanted}`, password });
      expect((await browser.post(CONFIRM, { token: first })).body.code).toBe(
        "address_link_expired",
      );
      const second = await tokenFor(`encore.${wanted}`);
      await service.platform.db
        .updateTable("address_changes")
        .set({ expires_at: service.platform.clock() })
        .where("email", "=", `encore.${wanted}`)
        .execute();
      expect((await browser.post(CONFIRM, { token: second })).body.code).toBe(
        "address_link_expired",
      );
      expect(ADDRESS_LINK_HOURS).toBe(24);
    });

    test("an address link ends with a new password", async () => {
      const { browser, wanted } = await open();
      await browser.post(ASK, { email: wanted, password });
      const token = await tokenFor(wanted);
      await browser.post(`${ME}/password/`, {
        old_password: password,
        new_password: "tout neuf 9",
      });
      expect((await browser.post(CONFIRM, { token })).body.code).toBe("address_link_expired");
    });

    test("address links are limited to five an hour", async () => {
      const { browser, wanted } = await open();
      const statuses: number[] = [];
      for (let n = 0; n < 6; n++)
        statuses.push((await browser.post(ASK, { email: wanted, password })).status);
      expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
    });
  });
});
