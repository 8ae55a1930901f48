import { problemSentence } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccountsApp } from "../../../testing/accounts-app.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, openBrowser } from "../../../testing/browser.ts";
import { makePng, PNG_1X1, SVG } from "../../../testing/images.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, MEMBER_PASSWORD } from "../../../testing/member.ts";
import {
  openRegistrations,
  ORIGIN,
  type Registrations,
} from "../../../testing/stages/registrations.ts";
import { createBoundedQueue } from "../../platform/concurrency.ts";
import type { RegistrationPolicy } from "../../platform/settings/settings.ts";
import { createAccounts } from "./account-deps.ts";
import { closeAccount } from "./close-account.ts";
import { sweepAccounts } from "./jobs.ts";
import { administration, registerAccount } from "./register-account.ts";

let service: TestApp;
let next: Registrations["next"];
let person: Registrations["person"];
let browserAt: Registrations["browserAt"];
let register: Registrations["register"];
let askReset: Registrations["askReset"];
let activationLink: Registrations["activationLink"];

beforeAll(async () => {
  service = await createTestApp();
  ({ next, person, browserAt, register, askReset, activationLink } = openRegistrations(service));
});
afterAll(() => service.close());

describe("registration", () => {
  describe("where it is not open to everybody", () => {
    const doorOf = async (registration: RegistrationPolicy) => {
      const { app } = await openAccountsApp(service.platform, { registration });
      return (body: unknown) =>
        openBrowser(app, { ip: `203.0.113.${next() % 250}` }).post(
          "/api/signature/register/",
          body,
        );
    };

    test("is refused in French, the same for an address that has an account and for one that has none", async () => {
      const ask = await doorOf({ kind: "closed" });
      const known = await createMember(service.platform);
      const refused = await ask(person());
      expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
        403,
        "registration_closed",
        "Les inscriptions sont fermées sur ce service. Demandez une invitation à son administrateur.",
      ]);
      const same = await ask(person({ email: known.email }));
      expect({ ...same.body, request_id: refused.body.request_id }).toEqual(refused.body);
      expect((await ask(person({ invitation: "devinée" }))).status).toBe(403);
    });

    test("is refused before the form is read, where nobody is invited", async () => {
      await service.platform.db.deleteFrom("registration_invitations").execute();
      const { app } = await openAccountsApp(service.platform, { registration: { kind: "closed" } });
      const faulty = multipart({}, [
        { field: "cv", name: "cv.png", type: "image/png", bytes: PNG_1X1 },
      ]);
      const ask = () =>
        openBrowser(app, { ip: `203.0.113.${next() % 250}` }).send(
          "POST",
          "/api/signature/register/",
          faulty,
        );
      expect((await ask()).body.code).toBe("registration_closed");
      await administration.invite(service.platform, { administrator: false });
      expect((await ask()).body.code).toBe("validation");
    });

    test("lets the addresses of the given domains in, and neither their subdomains nor those that end alike", async () => {
      const ask = await doorOf({ kind: "domains", domains: ["mairie.fr"] });
      expect((await ask(person({ email: "zoe@Mairie.fr" }))).status).toBe(201);
      for (const email of ["zoe@x.mairie.fr", "zoe@autremairie.fr", "zoe@mairie.fr.exemple.fr"])
        expect((await ask(person({ email }))).body.code, email).toBe("registration_closed");
    });

    test("an invitation lets one person in, once, and makes the first administrator", async () => {
      const ask = await doorOf({ kind: "closed" });
      const address = await administration.invite(service.platform, { administrator: true });
      const invitation = new URL(address).searchParams.get("invitation") ?? "";
      const zoe = person({ invitation });
      expect((await ask({ ...zoe, birth_date: "" })).status).toBe(400);
      expect((await ask(zoe)).status).toBe(201);
      expect((await ask(person({ invitation }))).body.code).toBe("registration_closed");
      expect(await administration.list(service.platform)).toEqual([]);
      await browserAt().get(await activationLink(zoe.email));
      expect(await administration.list(service.platform)).toEqual([zoe.email]);
    });
  });

  describe("where no mail leaves", () => {
    test("whoever is invited signs in at once, their address unconfirmed; nobody else registers", async () => {
      const { app } = await openAccountsApp(service.platform, {
        mailDisabled: true,
        registration: { kind: "open" },
      });
      const ask = (body: unknown) =>
        openBrowser(app, { ip: `203.0.113.${next() % 250}` }).post(
          "/api/signature/register/",
          body,
        );
      const known = await createMember(service.platform);
      const invitation =
        new URL(
          await administration.invite(service.platform, { administrator: false }),
        ).searchParams.get("invitation") ?? "";
      expect((await ask(person())).body.code).toBe("mail_off");
      expect((await ask(person({ invitation: "devinée" }))).body.code).toBe("registration_closed");
      expect((await ask(person({ invitation, email: known.email }))).body.errors).toEqual({
        email: ["Cette adresse a déjà un compte. Connectez-vous, ou choisissez une autre adresse."],
      });
      const zoe = person({ invitation });
      const answer = await ask(zoe);
      expect([answer.status, answer.body]).toEqual([
        201,
        {
          detail: "Votre compte est créé. Vous pouvez maintenant vous connecter.",
          activated: true,
        },
      ]);
      expect(
        (await browserAt().post("/api/token/", { username: zoe.username, password: zoe.password }))
          .status,
      ).toBe(200);
      const row = service.platform.db
        .selectFrom("users")
        .select("address_confirmed_at")
        .where("email", "=", zoe.email);
      expect(await row.executeTakeFirst()).toEqual({ address_confirmed_at: null });
      expect(await mailFor(service.platform, zoe.email)).toEqual([]);
      expect((await ask(person({ invitation }))).body.code).toBe("registration_closed");
    });

    test("of two who register at once by one invitation, one has the account and the other is told what a used one gets", async () => {
      const { app } = await openAccountsApp(service.platform, {
        mailDisabled: true,
        registration: { kind: "open" },
      });
      const address = await administration.invite(service.platform, { administrator: false });
      const invitation = new URL(address).searchParams.get("invitation") ?? "";
      const ask = () =>
        openBrowser(app, { ip: `203.0.113.${next() % 250}` }).post(
          "/api/signature/register/",
          person({ invitation }),
        );
      const answers = await Promise.all([ask(), ask()]);
      expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
        [201, undefined],
        [403, "registration_closed"],
      ]);
    });
  });

  describe("of a crowd", () => {
    test("leaves a login alone: of twelve who register at once, few are served before it", async () => {
      const ended: string[] = [];
      const crowd = Array.from({ length: 12 }, () =>
        register(person()).then(({ status }) => ended.push(`registered ${status}`)),
      );
      const login = browserAt().post("/api/token/", {
        username: "personne",
        password: "encre bleue 47",
        remember_me: false,
      });
      await Promise.all([...crowd, login.then(({ status }) => ended.push(`login ${status}`))]);
      expect(ended.filter((what) => what === "registered 201")).toHaveLength(12);
      expect(ended.indexOf("login 401")).toBeGreaterThanOrEqual(0);
      expect(ended.indexOf("login 401")).toBeLessThan(6);
    });

    test("is refused in French beyond those who may wait, and has written nothing", async () => {
      const { platform } = service;
      const newcomers = createBoundedQueue({ concurrency: 1, longest: 0 });
      const deps = { ...createAccounts(platform), newcomers };
      let end = () => {};
      const first = newcomers(() => new Promise<void>((resolve) => (end = resolve)));
      const asked = { ...person(), avatarFile: null, asker: { ip: "203.0.113.9", userAgent: "" } };
      const refused = await registerAccount(deps, asked);
      if (refused.ok) throw new Error("registered");
      expect([refused.error.retryAfterS, problemSentence(refused.error)]).toEqual([
        2,
        "Le service est momentanément indisponible. Rien n’a été perdu\u00a0: réessayez dans un instant.",
      ]);
      end();
      await first;
      expect((await registerAccount(deps, asked)).ok).toBe(true);
      await deps.hasher.close();
    });
  });

  describe("register", () => {
    test("names the local mailbox on a machine of one's own alone, where no mail leaves", async () => {
      const local = { production: false, publicUrl: "https://localhost:8443", smtpUrl: null };
      const told = [
        local,
        { ...local, smtpUrl: "smtp://localhost" },
        { ...local, publicUrl: "https://signature.exemple.fr" },
      ].map(async (settings) => {
        const { app } = await openAccountsApp(service.platform, settings);
        return (
          await openBrowser(app, { ip: `203.0.113.${next() % 250}` }).post(
            "/api/signature/register/",
            person(),
          )
        ).body.mailbox;
      });
      expect(await Promise.all(told)).toEqual(["/boite-aux-lettres/", undefined, undefined]);
    });

    test("by multipart sends an activation link; the account then signs in, and not before", async () => {
      const zoe = person({
        phone_number: "06 12 34 56 78",
        gender: "Femme",
        address: "12 rue Haute\n35000 Rennes",
      });
      const form = multipart(zoe as Record<string, string>, [
        { field: "avatar", name: "moi.png", type: "image/png", bytes: PNG_1X1 },
      ]);
      const answer = await browserAt().send("POST", "/api/signature/register/", form);
      expect(answer.status).toBe(201);
      expect(answer.body).toEqual({
        detail:
          "Un email de confirmation a été envoyé à votre adresse. Vérifiez votre boîte mail pour activer votre compte.",
        mailbox: "/boite-aux-lettres/",
      });
      expect(
        (await browserAt().post("/api/token/", { username: zoe.username, password: zoe.password }))
          .body.code,
      ).toBe("not_activated");

      const activation = await browserAt().get(await activationLink(zoe.email));
      expect([activation.status, activation.headers["location"]]).toEqual([
        302,
        "/login?activated=1",
      ]);
      expect(activation.headers["set-cookie"]).toBeUndefined();
      expect(activation.headers["referrer-policy"]).toBe("no-referrer");

      const browser = browserAt();
      const login = await browser.post("/api/token/", {
        username: zoe.username,
        password: zoe.password,
      });
      expect(login.body.user).toMatchObject({
        first_name: "Zoë",
        last_name: "Œuvrard",
        birth_date: "1988-02-29",
        phone_number: "+33612345678",
        gender: "Femme",
        address: "12 rue Haute\n35000 Rennes",
      });
      const avatar = await browser.get(login.body.user.avatar);
      expect([
        avatar.status,
        avatar.headers["content-type"],
        avatar.bytes.subarray(8, 12).toString(),
      ]).toEqual([200, "image/webp", "WEBP"]);
    });

    test("by JSON works too, and ignores empty fields", async () => {
      const zoe = person({ phone_number: "", gender: "", address: "" });
      expect((await register(zoe)).status).toBe(201);
      const [mail] = await mailFor(service.platform, zoe.email);
      expect(mail?.subject).toBe("Activez votre compte Paraphe");
      expect(mail?.content.text).not.toContain(zoe.first_name);
    });

    test("names each missing field, under errors and at the top level", async () => {
      const answer = await register({});
      const errors = {
        username: ["Nom d'utilisateur requis"],
        email: ["Email requis"],
        password: ["Mot de passe requis"],
        first_name: ["Prénom requis"],
        last_name: ["Nom requis"],
        birth_date: ["Date de naissance requise"],
      };
      expect([answer.status, answer.headers["content-type"]]).toEqual([
        400,
        "application/problem+json; charset=utf-8",
      ]);
      expect(answer.body).toMatchObject({ ...errors, errors, code: "validation", status: 400 });
    });

    test.each([
      [{ password: "abcd" }, "password", "Minimum 5 caractères"],
      [{ password: "x".repeat(129) }, "password", "128 caractères au maximum"],
      [
        { password: "azerty123" },
        "password",
        "Ce mot de passe est trop courant. Choisissez-en un autre",
      ],
      [
        { username: "rachel", password: "Rachel" },
        "password",
        "Choisissez un mot de passe différent de votre nom d’utilisateur, de votre email et de «\u00a0paraphe\u00a0»",
      ],
      [{ email: "zoe" }, "email", "Email invalide"],
      [{ email: `${"x".repeat(65)}@exemple.fr` }, "email", "Email invalide"],
      [{ password: "e\u0301a\u0301i" }, "password", "Minimum 5 caractères"],
      [{ password: "😀".repeat(129) }, "password", "128 caractères au maximum"],
      [
        { username: "www.evil-gains.be" },
        "username",
        "Le nom d’utilisateur ne peut pas être une adresse de site",
      ],
      [
        { username: "gagnez-500-euros.evil.com" },
        "username",
        "Le nom d’utilisateur ne peut pas être une adresse de site",
      ],
      [
        { first_name: "Gagnez 500 € sur evil.example/gain" },
        "first_name",
        "Un nom ne peut pas contenir d’adresse de site. Laissez une espace après chaque point.",
      ],
      [
        { username: "раyраl" },
        "username",
        "Lettres latines, chiffres, point, tiret et «\u00a0_\u00a0» seulement",
      ],
      [
        { username: "zoe martin" },
        "username",
        "Le nom d’utilisateur ne peut pas contenir d’espace",
      ],
      [
        { username: "zoe@exemple.fr" },
        "username",
        "Lettres latines, chiffres, point, tiret et «\u00a0_\u00a0» seulement",
      ],
      [{ birth_date: "29/02/1988" }, "birth_date", "Date invalide"],
      [{ birth_date: "2030-01-01" }, "birth_date", "La date de naissance doit être dans le passé"],
      [{ phone_number: "bonjour" }, "phone_number", "Téléphone invalide"],
      [{ gender: "Autre" }, "gender", "Genre invalide"],
      [{ is_admin: true }, "is_admin", "Champ inconnu"],
      [
        { first_name: "Gagnez 500€ : https://evil.example/x" },
        "first_name",
        "Un nom ne peut pas contenir de lien.",
      ],
      [{ last_name: "WWW.evil.example" }, "last_name", "Un nom ne peut pas contenir de lien."],
      [{ last_name: "Roux\u202eevil" }, "last_name", "Caractères non autorisés dans un nom"],
      [{ first_name: "<b>Zoë</b>" }, "first_name", "Caractères non autorisés dans un nom"],
      [{ password: "x".repeat(10_000) }, "password", "128 caractères au maximum"],
    ])("refuses %j", async (values, field, message) => {
      const answer = await register(person(values));
      expect([answer.status, answer.body.errors]).toEqual([400, { [field]: [message] }]);
      expect(answer.body[field]).toEqual([message]);
    });

    test("the first step is checked by itself, all of it at once; nothing is told of an address", async () => {
      const check = (account: object) =>
        browserAt().post("/api/signature/register/check/", account);
      const zoe = person({});
      await register(zoe);
      await browserAt().get(await activationLink(zoe.email));
      const { username, email } = zoe;
      const taken = await check({ username, email, password: "azerty123" });
      expect([taken.status, taken.body.errors]).toEqual([
        400,
        {
          username: ["Ce nom d’utilisateur est déjà pris"],
          password: ["Ce mot de passe est trop courant. Choisissez-en un autre"],
        },
      ]);
      expect(
        (await check({ username: person({}).username, email, password: "Plume-et-encrier-1852" }))
          .status,
      ).toBe(204);
    });

    test("takes a password typed in either form of its accents, and an address in a domain with accents", async () => {
      const zoe = person({ password: "cahier ligne\u0301", email: "a@exémple.fr" });
      expect((await register(zoe)).status).toBe(201);
      await browserAt().get(await activationLink("a@xn--exmple-cva.fr"));
      for (const password of ["cahier ligne\u0301", "cahier ligné"])
        expect(
          (await browserAt().post("/api/token/", { username: zoe.username, password })).status,
        ).toBe(200);
    });

    test("security line 2: accepts a password of 128 characters with spaces and accents, whole", async () => {
      const zoe = person({ password: " é".repeat(64) });
      expect((await register(zoe)).status).toBe(201);
      await browserAt().get(await activationLink(zoe.email));
      expect(
        (
          await browserAt().post("/api/token/", {
            username: zoe.username,
            password: " é".repeat(64),
          })
        ).status,
      ).toBe(200);
      expect(
        (
          await browserAt().post("/api/token/", {
            username: zoe.username,
            password: " é".repeat(63),
          })
        ).status,
      ).toBe(401);
      expect(
        (
          await browserAt().post("/api/token/", {
            username: zoe.username,
            password: " é".repeat(64).trim(),
          })
        ).status,
      ).toBe(401);
    });

    test("refuses an avatar that is not an image by its content", async () => {
      for (const bytes of [SVG, new TextEncoder().encode("GIF89a, perhaps, or not at all")]) {
        const form = multipart(person() as Record<string, string>, [
          { field: "avatar", name: "moi.png", type: "image/png", bytes },
        ]);
        const answer = await browserAt().send("POST", "/api/signature/register/", form);
        expect([answer.status, answer.body.avatar]).toEqual([
          400,
          ["Cette image ne peut pas être lue. Choisissez un fichier PNG, JPG ou WebP."],
        ]);
      }
    });

    test("refuses an avatar of too many pixels for that reason", async () => {
      const bytes = makePng(1, 1, { width: 8_064, height: 6_048 });
      const form = multipart(person() as Record<string, string>, [
        { field: "avatar", name: "moi.png", type: "image/png", bytes },
      ]);
      const answer = await browserAt().send("POST", "/api/signature/register/", form);
      expect([answer.status, answer.body.avatar]).toEqual([
        400,
        ["Image trop grande\u00a0: 40\u00a0mégapixels au plus. Réduisez-la, puis réessayez."],
      ]);
    });

    test("names the field that is much too long, in a form too", async () => {
      const form = multipart(
        person({ password: "x".repeat(10_000) }) as Record<string, string>,
        [],
      );
      const answer = await browserAt().send("POST", "/api/signature/register/", form);
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        { password: ["128 caractères au maximum"] },
      ]);
    });

    test("refuses a file under another name, and a body that is no object", async () => {
      const form = multipart(person() as Record<string, string>, [
        { field: "cv", name: "cv.png", type: "image/png", bytes: PNG_1X1 },
      ]);
      expect(
        (await browserAt().send("POST", "/api/signature/register/", form)).body.errors,
      ).toEqual({ cv: ["Champ inconnu"] });
      expect((await register([1])).status).toBe(400);
    });

    test("security line 27: tells that a username is taken, whatever its case or width", async () => {
      const taken = await createMember(service.platform, { username: "Marie" });
      for (const username of [taken.username, "MARIE", "ｍａｒｉｅ"]) {
        const answer = await register(person({ username }));
        expect([answer.status, answer.body.username]).toEqual([
          400,
          ["Ce nom d’utilisateur est déjà pris"],
        ]);
      }
    });

    test("security line 27: of a known e-mail answers as for a new one; its owner is told by mail", async () => {
      const known = await createMember(service.platform);
      const body = person({ email: known.email.toUpperCase() });
      const answer = await register(body);
      expect([answer.status, answer.body.detail]).toEqual([
        201,
        expect.stringContaining("Un email de confirmation a été envoyé"),
      ]);
      const [mail, ...others] = await mailFor(service.platform, known.email);
      expect([mail?.subject, others]).toEqual(["Vous avez déjà un compte Paraphe", []]);
      expect(mail?.content.text).toContain(`${ORIGIN}/login`);
      expect(
        (
          await browserAt().post("/api/token/", {
            username: known.username,
            password: MEMBER_PASSWORD,
          })
        ).status,
      ).toBe(200);
    });

    test("security line 27: asked again with the same name does not tell whether the e-mail was known", async () => {
      const known = await createMember(service.platform);
      const [withKnown, withNew] = [person({ email: known.email }), person()];
      for (const first of [withKnown, withNew]) expect((await register(first)).status).toBe(201);
      for (const first of [withKnown, withNew]) {
        expect((await register(person({ username: first.username }))).body.username).toEqual([
          "Ce nom d’utilisateur est déjà pris",
        ]);
      }
    });

    test("tells a known address once an hour, however often it is asked", async () => {
      const known = await createMember(service.platform);
      for (let n = 0; n < 4; n++)
        expect((await register(person({ email: known.email }))).status).toBe(201);
      expect(await mailFor(service.platform, known.email)).toHaveLength(1);
    });

    test("asked again by a stranger takes nothing from the first: each link confirms its own name and password", async () => {
      const [victim, stranger] = [person(), person({ password: "celui de l’intrus" })];
      await register(victim);
      const first = await activationLink(victim.email);
      service.platform.clock.advance({ seconds: 1 });
      expect((await register({ ...stranger, email: victim.email })).status).toBe(201);
      const [latest] = await mailFor(service.platform, victim.email);
      expect(latest?.content.text).toContain(stranger.username);
      const second = await activationLink(victim.email);
      expect(second).not.toBe(first);

      expect((await browserAt().get(first)).headers["location"]).toBe("/login?activated=1");
      expect((await browserAt().get(second)).headers["location"]).toBe("/login?activated=0");
      for (const username of [victim.username, victim.email]) {
        expect(
          (await browserAt().post("/api/token/", { username, password: stranger.password })).status,
        ).toBe(401);
        expect(
          (await browserAt().post("/api/token/", { username, password: victim.password })).status,
        ).toBe(200);
      }
      expect(
        (
          await browserAt().post("/api/token/", {
            username: stranger.username,
            password: stranger.password,
          })
        ).status,
      ).toBe(401);
    });

    test("two links of one address opened at once confirm one of them", async () => {
      const [one, other] = [person(), person()];
      await register(one);
      const first = await activationLink(one.email);
      service.platform.clock.advance({ seconds: 1 });
      await register({ ...other, email: one.email });
      const links = [first, await activationLink(one.email)];
      const answers = await Promise.all(links.map((link) => browserAt().get(link)));
      expect(answers.map((answer) => answer.headers["location"]).toSorted()).toEqual([
        "/login?activated=0",
        "/login?activated=1",
      ]);
    });

    test("security line 27: a pending username is refused alike with its own e-mail and with another", async () => {
      const first = person();
      await register(first);
      const answers = [
        await register({ ...first, password: "autre chose 5" }),
        await register(person({ username: first.username })),
      ];
      expect(answers.map((answer) => [answer.status, answer.body.errors])).toEqual(
        Array(2).fill([400, { username: ["Ce nom d’utilisateur est déjà pris"] }]),
      );
    });

    test("of the same name ten at once makes one account; of the same address, all wait and one gets it", async () => {
      const zoe = person();
      const sameName = await Promise.all(
        Array.from({ length: 10 }, () => register(person({ username: zoe.username }))),
      );
      expect(sameName.map((answer) => answer.status).toSorted()).toEqual([
        201,
        ...Array.from({ length: 9 }, () => 400),
      ]);
      const sameAddress = await Promise.all(
        Array.from({ length: 10 }, () => register(person({ email: zoe.email }))),
      );
      expect(sameAddress.every((answer) => answer.status === 201)).toBe(true);
      const accounts = () =>
        service.platform.db
          .selectFrom("users")
          .select("id")
          .where("email", "=", zoe.email)
          .execute();
      expect(await accounts()).toHaveLength(10);
      await browserAt().get(await activationLink(zoe.email));
      expect(await accounts()).toHaveLength(1);
    });

    test("from one network address is limited to a hundred an hour", async () => {
      const visitor = browserAt("203.0.113.9");
      const refused = { username: "un espace" };
      for (let n = 0; n < 100; n++)
        expect((await visitor.post("/api/signature/register/", person(refused))).status).toBe(400);
      const answer = await visitor.post("/api/signature/register/", person());
      expect([answer.status, answer.body.code]).toEqual([429, "too_many_requests"]);
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      // Its body is not read first: a form without an end would be 400.
      const form = await visitor.post("/api/signature/register/", Buffer.from("--x"), {
        headers: { "content-type": "multipart/form-data; boundary=x" },
      });
      expect(form.status).toBe(429);
    });

    test("with a picture is refused for its words before the picture is decoded", async () => {
      const damaged = makePng(64, 64).slice(0, 60);
      const form = multipart({ ...person({ password: "abcd" }) } as Record<string, string>, [
        { field: "avatar", name: "moi.png", type: "image/png", bytes: damaged },
      ]);
      const answer = await browserAt().send("POST", "/api/signature/register/", form);
      expect(Object.keys(answer.body.errors)).toEqual(["password"]);
    });
  });

  test("accounts that nobody activated, and held names, are forgotten after seven days", async () => {
    const [zoe, known] = [person(), await createMember(service.platform)];
    const held = person({ email: known.email });
    await register(zoe);
    await register(held);
    service.platform.clock.advance({ days: 7, seconds: 1 });
    await sweepAccounts(service.platform);
    for (const { username } of [zoe, held])
      expect((await register(person({ username }))).status).toBe(201);
    expect(
      (
        await browserAt().post("/api/token/", {
          username: known.username,
          password: MEMBER_PASSWORD,
        })
      ).status,
    ).toBe(200);
  });

  test("no address, link or password is logged, nor kept readable in a job", async () => {
    const lines = JSON.stringify(service.platform.logged);
    expect(lines).not.toMatch(/@|activate\/(?!:)|reset-password\/|cahier/);
  });
});

describe("an address that several people register", () => {
  const ACTIVATE = "/api/signature/activate/";
  const STRANGER_IP = "203.0.113.50";
  const logIn = async (username: string, password: string) => {
    const { status, body } = await browserAt().post("/api/token/", { username, password });
    return status === 200 ? "in" : body.code;
  };
  const mails = (email: string) => mailFor(service.platform, email);
  /** The paths of ours that a mail leads to. */
  const linksIn = (
    mail: { readonly content: { readonly text: string } } | undefined,
    path: string,
  ) =>
    (mail?.content.text.split(/\s/) ?? [])
      .filter((word) => word.startsWith(`${ORIGIN}${path}`))
      .map((word) => word.slice(ORIGIN.length));
  const namedIn = (text: string | undefined, username: string) =>
    text?.replaceAll("\u2060", "").includes(username) === true;

  describe("the newest registration of an address", () => {
    test("gets its mail, and waits for its own link, however many a stranger asked for before", async () => {
      const owner = person();
      for (let n = 0; n < 5; n++)
        expect((await register(person({ email: owner.email }), STRANGER_IP)).status).toBe(201);
      expect((await register(person({ email: owner.email }), STRANGER_IP)).status).toBe(429);
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

    test("gets ten links a day, whoever asks from wherever: the answers are the same, the next day has ten more", async () => {
      const { email } = person();
      for (const ip of ["203.0.113.61", "203.0.113.62", "203.0.113.65"])
        for (let n = 0; n < 4; n++)
          expect((await register(person({ email }), ip)).status).toBe(201);
      expect(await mails(email)).toHaveLength(10);
      expect((await browserAt().post("/api/signature/register/resend/", { email })).status).toBe(
        200,
      );
      expect(await mails(email)).toHaveLength(10);
      service.platform.clock.advance({ hours: 14 });
      expect((await register(person({ email }))).status).toBe(201);
      expect(await mails(email)).toHaveLength(11);
    });

    test("that had its ten links is sent a new password all the same, once it has an account", async () => {
      const owner = person();
      await register(owner);
      const [first] = await mails(owner.email);
      for (const ip of ["203.0.113.63", "203.0.113.64", "203.0.113.66"])
        for (let n = 0; n < 4; n++)
          expect((await register(person({ email: owner.email }), ip)).status).toBe(201);
      expect(await mails(owner.email)).toHaveLength(10);
      await browserAt().get(linksIn(first, ACTIVATE)[0] ?? "");
      await askReset(owner.email);
      expect((await mails(owner.email))[0]?.subject).toBe(
        "Réinitialisez votre mot de passe Paraphe",
      );
    });

    test("is refused to a network that asked for that address five times in a day, in so many words; no other is held back", async () => {
      const email = person().email;
      const ip = "203.0.113.51";
      for (let n = 0; n < 4; n++) expect((await register(person({ email }), ip)).status).toBe(201);
      // A link sent again is one of them.
      const again = () => browserAt(ip).post("/api/signature/register/resend/", { email });
      expect((await again()).status).toBe(200);
      const answer = await register(person({ email }), ip);
      expect([answer.status, answer.body.code]).toEqual([429, "too_many_requests"]);
      expect(answer.body.detail).toMatch(/^Trop de demandes\. Réessayez dans .+\.$/);
      expect((await again()).status).toBe(429);
      expect((await register(person(), ip)).status).toBe(201);
      expect((await register(person({ email }))).status).toBe(201);
    });

    test("the sixth of a known address is refused alike: the count is the asker's", async () => {
      const { email } = await createMember(service.platform);
      const ip = "203.0.113.52";
      for (let n = 0; n < 5; n++) expect((await register(person({ email }), ip)).status).toBe(201);
      expect((await register(person({ email }), ip)).status).toBe(429);
    });

    test("takes the place of the oldest, beyond twenty that wait", async () => {
      const { email } = person();
      const first = person({ email });
      await register(first);
      service.platform.clock.advance({ seconds: 1 });
      await Promise.all(
        Array.from({ length: 19 }, () =>
          createMember(service.platform, { email, activated: false }),
        ),
      );
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
      const stranger = person({
        username: "www-evil.gains.example",
        first_name: "Gagnez",
        last_name: "500 euros",
      });
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
      const stranger = person({
        email: owner.email,
        first_name: "Faux",
        phone_number: "+33699999999",
      });
      await register(owner);
      service.platform.clock.advance({ seconds: 1 });
      await register(stranger);
      const before = await mails(owner.email);
      await askReset(owner.email);
      const after = await mails(owner.email);
      const asked = after.slice(0, after.length - before.length);
      expect(
        asked.map((mail) => [
          linksIn(mail, ACTIVATE).length,
          linksIn(mail, "/reset-password/").length,
        ]),
      ).toEqual([
        [1, 0],
        [1, 0],
      ]);
      const own = asked.find(({ content }) => namedIn(content.text, owner.username));
      await browserAt().get(linksIn(own, ACTIVATE)[0] ?? "");
      const browser = browserAt();
      const login = await browser.post("/api/token/", {
        username: owner.email,
        password: owner.password,
      });
      expect(login.body.user).toMatchObject({
        username: owner.username,
        first_name: "Zoë",
        phone_number: null,
      });
    });

    test("a reset link of an account that nobody confirmed sets no password", async () => {
      const member = await createMember(service.platform);
      await askReset(member.email);
      const link = linksIn((await mails(member.email))[0], "/reset-password/")[0] ?? "";
      const [uid, token] = link.split("/").slice(-2);
      await service.platform.db
        .updateTable("users")
        .set({ activated_at: null })
        .where("id", "=", member.id)
        .execute();
      const answer = await browserAt().post("/api/signature/change-password/", {
        uid,
        token,
        password: "tout neuf 9",
      });
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
      expect((await mails(known.email)).map(({ subject }) => subject)).toEqual([
        "Vous avez déjà un compte Paraphe",
      ]);
    });

    test("leaves nothing behind once that account is erased", async () => {
      const known = await createMember(service.platform);
      const theirs = person({ email: known.email });
      await register(theirs);
      await service.platform.db
        .transaction()
        .execute((trx) =>
          closeAccount(trx, service.platform, { userId: known.id, keepsEvidence: false }),
        );
      expect(await logIn(theirs.username, theirs.password)).toBe("invalid_credentials");
    });
  });
});
