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
import { sweepAccounts } from "./jobs.ts";
import { closeAccount, administration } from "./administration.ts";
import { registerAccount } from "./register-account.ts";

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

async function loginStatus(username: string, password: string): Promise<number> {
  return (await browserAt().post("/api/token/", { username, password })).status;
}

/** Registers by a multipart form; `file` is the avatar, unless it names another field. */
function sendForm(values: object, file?: { field?: string; bytes: Uint8Array }) {
  const files = file && [{ field: "avatar", name: "moi.png", type: "image/png", ...file }];
  const form = multipart(values as Record<string, string>, files ?? []);
  return browserAt().send("POST", "/api/signature/register/", form);
}

function registerOn(app: TestApp["app"], body: unknown) {
  const browser = openBrowser(app, { ip: `203.0.113.${next() % 250}` });
  return browser.post("/api/signature/register/", body);
}

async function invite(as: { administrator: boolean }): Promise<string> {
  const address = await administration.invite(service.platform, as);
  return new URL(address).searchParams.get("invitation") ?? "";
}

describe("registration", () => {
  describe("where it is not open to everybody", () => {
    const doorOf = async (registration: RegistrationPolicy) => {
      const { app } = await openAccountsApp(service.platform, { registration });
      return (body: unknown) => registerOn(app, body);
    };

    test("a closed service refuses in French, the same for a known and an unknown address", async () => {
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

    test("without any invitation, registration is refused before the form is read", async () => {
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

    test("only addresses of the given domains may register, not their subdomains or suffixes", async () => {
      const ask = await doorOf({ kind: "domains", domains: ["mairie.fr"] });
      expect((await ask(person({ email: "zoe@Mairie.fr" }))).status).toBe(201);
      for (const email of ["zoe@x.mairie.fr", "zoe@autremairie.fr", "zoe@mairie.fr.exemple.fr"])
        expect((await ask(person({ email }))).body.code, email).toBe("registration_closed");
    });

    test("an invitation registers one person, once, and makes the first administrator", async () => {
      const ask = await doorOf({ kind: "closed" });
      const invitation = await invite({ administrator: true });
      const zoe = person({ invitation });
      expect((await ask({ ...zoe, last_name: "" })).status).toBe(400);
      expect((await ask(zoe)).status).toBe(201);
      expect((await ask(person({ invitation }))).body.code).toBe("registration_closed");
      expect(await administration.list(service.platform)).toEqual([]);
      await browserAt().get(await activationLink(zoe.email));
      expect(await administration.list(service.platform)).toEqual([`${zoe.email}, administrateur`]);
    });
  });

  describe("where no mail leaves", () => {
    test("without mail, an invited person signs in at once, unconfirmed, and nobody else registers", async () => {
      const { app } = await openAccountsApp(service.platform, {
        mailDisabled: true,
        registration: { kind: "open" },
      });
      const ask = (body: unknown) => registerOn(app, body);
      const known = await createMember(service.platform);
      const invitation = await invite({ administrator: false });
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
      expect(await loginStatus(zoe.username, zoe.password)).toBe(200);
      const row = service.platform.db
        .selectFrom("users")
        .select("address_confirmed_at")
        .where("email", "=", zoe.email);
      expect(await row.executeTakeFirst()).toEqual({ address_confirmed_at: null });
      expect(await mailFor(service.platform, zoe.email)).toEqual([]);
      expect((await ask(person({ invitation }))).body.code).toBe("registration_closed");
    });

    test("of two concurrent registrations by one invitation, one is refused as for a used one", async () => {
      const { app } = await openAccountsApp(service.platform, {
        mailDisabled: true,
        registration: { kind: "open" },
      });
      const invitation = await invite({ administrator: false });
      const ask = () => registerOn(app, person({ invitation }));
      const answers = await Promise.all([ask(), ask()]);
      expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
        [201, undefined],
        [403, "registration_closed"],
      ]);
    });
  });

  describe("of a crowd", () => {
    test("a crowd of registrations delays a login behind few of them", async () => {
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

    test("registration is refused in French when its queue is full, and writes nothing", async () => {
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
    test("the answer names the local mailbox only on a local machine without SMTP", async () => {
      const local = { production: false, publicUrl: "https://localhost:8443", smtpUrl: null };
      const told = [
        local,
        { ...local, smtpUrl: "smtp://localhost" },
        { ...local, publicUrl: "https://signature.exemple.fr" },
      ].map(async (settings) => {
        const { app } = await openAccountsApp(service.platform, settings);
        return (await registerOn(app, person())).body.mailbox;
      });
      expect(await Promise.all(told)).toEqual(["/boite-aux-lettres/", undefined, undefined]);
    });

    test("registering by multipart mails an activation link, which lets the account sign in", async () => {
      const zoe = person({
        phone_number: "06 12 34 56 78",
        gender: "Femme",
        address: "12 rue Haute\n35000 Rennes",
      });
      const answer = await sendForm(zoe, { bytes: PNG_1X1 });
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

    test("registering by JSON ignores empty fields", async () => {
      const zoe = person({ phone_number: "", gender: "", address: "" });
      expect((await register(zoe)).status).toBe(201);
      const [mail] = await mailFor(service.platform, zoe.email);
      expect(mail?.subject).toBe("Activez votre compte Paraphe");
      expect(mail?.content.text).not.toContain(zoe.first_name);
    });

    test("registration names each missing field, under errors and at the top level", async () => {
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
      [{ gender: "Autre" }, "gender", `Au choix\u00a0: Homme, Femme, ""`],
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
    ])("registration refuses %j", async (values, field, message) => {
      const answer = await register(person(values));
      expect([answer.status, answer.body.errors]).toEqual([400, { [field]: [message] }]);
      expect(answer.body[field]).toEqual([message]);
    });

    test("the first step reports all its faults, except a known address", async () => {
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

    test("a password matches in NFC and NFD, and an address may have an accented domain", async () => {
      const zoe = person({ password: "cahier ligne\u0301", email: "a@exémple.fr" });
      expect((await register(zoe)).status).toBe(201);
      await browserAt().get(await activationLink("a@xn--exmple-cva.fr"));
      for (const password of ["cahier ligne\u0301", "cahier ligné"])
        expect(await loginStatus(zoe.username, password)).toBe(200);
    });

    test("security line 2: registration accepts a password of 128 characters with spaces and accents, uncut", async () => {
      const zoe = person({ password: " é".repeat(64) });
      expect((await register(zoe)).status).toBe(201);
      await browserAt().get(await activationLink(zoe.email));
      expect(await loginStatus(zoe.username, " é".repeat(64))).toBe(200);
      expect(await loginStatus(zoe.username, " é".repeat(63))).toBe(401);
      expect(await loginStatus(zoe.username, " é".repeat(64).trim())).toBe(401);
    });

    const UNREADABLE = "Cette image ne peut pas être lue. Choisissez un fichier PNG, JPG ou WebP.";
    test.each([
      ["an SVG", SVG, UNREADABLE],
      ["a text", new TextEncoder().encode("GIF89a, perhaps, or not at all"), UNREADABLE],
      [
        "an image of too many pixels",
        makePng(1, 1, { width: 8_064, height: 6_048 }),
        "Image trop grande\u00a0: 40\u00a0mégapixels au plus. Réduisez-la, puis réessayez.",
      ],
    ])("refuses %s as an avatar, under its field", async (_what, bytes, sentence) => {
      const answer = await sendForm(person(), { bytes });
      expect([answer.status, answer.body.avatar]).toEqual([400, [sentence]]);
    });

    test("a form names the field that is much too long", async () => {
      const answer = await sendForm(person({ password: "x".repeat(10_000) }));
      expect([answer.status, answer.body.errors]).toEqual([
        400,
        { password: ["128 caractères au maximum"] },
      ]);
    });

    test("registration refuses a file in another field, and a body that is no object", async () => {
      expect((await sendForm(person(), { field: "cv", bytes: PNG_1X1 })).body.errors).toEqual({
        cv: ["Champ inconnu"],
      });
      expect((await register([1])).status).toBe(400);
    });

    test("security line 27: a taken username is reported, in any case or width", async () => {
      const taken = await createMember(service.platform, { username: "Marie" });
      for (const username of [taken.username, "MARIE", "ｍａｒｉｅ"]) {
        const answer = await register(person({ username }));
        expect([answer.status, answer.body.username]).toEqual([
          400,
          ["Ce nom d’utilisateur est déjà pris"],
        ]);
      }
    });

    test("security line 27: a known address gets the answer of a new one, and a mail to its owner", async () => {
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
      expect(await loginStatus(known.username, MEMBER_PASSWORD)).toBe(200);
    });

    test("security line 27: a repeated username does not reveal whether the address was known", async () => {
      const known = await createMember(service.platform);
      const [withKnown, withNew] = [person({ email: known.email }), person()];
      for (const first of [withKnown, withNew]) expect((await register(first)).status).toBe(201);
      for (const first of [withKnown, withNew]) {
        expect((await register(person({ username: first.username }))).body.username).toEqual([
          "Ce nom d’utilisateur est déjà pris",
        ]);
      }
    });

    test("a known address gets one mail an hour, however often it registers", async () => {
      const known = await createMember(service.platform);
      for (let n = 0; n < 4; n++)
        expect((await register(person({ email: known.email }))).status).toBe(201);
      expect(await mailFor(service.platform, known.email)).toHaveLength(1);
    });

    test("another person's registration of an address leaves the first one's link, name and password valid", async () => {
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
        expect(await loginStatus(username, stranger.password)).toBe(401);
        expect(await loginStatus(username, victim.password)).toBe(200);
      }
      expect(await loginStatus(stranger.username, stranger.password)).toBe(401);
    });

    test("two links of one address opened concurrently confirm one registration", async () => {
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

    test("security line 27: a pending username is refused alike with its own address and another", async () => {
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

    test("ten concurrent registrations of a name make one account; of an address, all wait and one activates", async () => {
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

    test("registrations from one network address are limited to a hundred an hour", async () => {
      const visitor = browserAt("203.0.113.9");
      const refused = { username: "un espace" };
      for (let n = 0; n < 100; n++)
        expect((await visitor.post("/api/signature/register/", person(refused))).status).toBe(400);
      const answer = await visitor.post("/api/signature/register/", person());
      expect([answer.status, answer.body.code]).toEqual([429, "too_many_requests"]);
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
      // Refused before the body is read: a form without an end would be 400.
      const form = await visitor.post("/api/signature/register/", Buffer.from("--x"), {
        headers: { "content-type": "multipart/form-data; boundary=x" },
      });
      expect(form.status).toBe(429);
    });

    test("a refused form is answered before its picture is decoded", async () => {
      const damaged = makePng(64, 64).slice(0, 60);
      const answer = await sendForm(person({ password: "abcd" }), { bytes: damaged });
      expect(Object.keys(answer.body.errors)).toEqual(["password"]);
    });
  });

  test("unactivated accounts are deleted after seven days, and their names are free", async () => {
    const [zoe, known] = [person(), await createMember(service.platform)];
    const held = person({ email: known.email });
    await register(zoe);
    await register(held);
    service.platform.clock.advance({ days: 7, seconds: 1 });
    await sweepAccounts(service.platform);
    for (const { username } of [zoe, held])
      expect((await register(person({ username }))).status).toBe(201);
    expect(await loginStatus(known.username, MEMBER_PASSWORD)).toBe(200);
  });

  test("registration leaves no readable address, link or password in logs or jobs", async () => {
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
  /** Gives the mail's addresses within this service. */
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
    test("the owner's registration gets its own link, though another person asked for five before", async () => {
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

    test("an address gets ten links a day from all networks, with unchanged answers", async () => {
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

    test("an address that had its ten links still gets a reset link once it has an account", async () => {
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

    test("the sixth request for an address from one network in a day is refused, and no other network's", async () => {
      const email = person().email;
      const ip = "203.0.113.51";
      for (let n = 0; n < 4; n++) expect((await register(person({ email }), ip)).status).toBe(201);
      // A request to resend is counted too.
      const again = () => browserAt(ip).post("/api/signature/register/resend/", { email });
      expect((await again()).status).toBe(200);
      const answer = await register(person({ email }), ip);
      expect([answer.status, answer.body.code]).toEqual([429, "too_many_requests"]);
      expect(answer.body.detail).toMatch(/^Trop de demandes\. Réessayez dans .+\.$/);
      expect((await again()).status).toBe(429);
      expect((await register(person(), ip)).status).toBe(201);
      expect((await register(person({ email }))).status).toBe(201);
    });

    test("the sixth request for a known address is refused alike", async () => {
      const { email } = await createMember(service.platform);
      const ip = "203.0.113.52";
      for (let n = 0; n < 5; n++) expect((await register(person({ email }), ip)).status).toBe(201);
      expect((await register(person({ email }), ip)).status).toBe(429);
    });

    test("the twenty-first pending registration of an address replaces the oldest", async () => {
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
    test("mails do not greet by a registration's name, and its username is no link", async () => {
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

    test("a username copied from a mail signs in, with its word joiners", async () => {
      const zoe = person({ username: `zoe.copie${next()}` });
      await register(zoe);
      const [mail] = await mails(zoe.email);
      await browserAt().get(linksIn(mail, ACTIVATE)[0] ?? "");
      const shown = /Nom d’utilisateur\u00a0: (\S+)/.exec(mail?.content.text ?? "")?.[1] ?? "";
      expect(shown).toContain("\u2060");
      expect(await logIn(shown, zoe.password)).toBe("in");
    });

    test("a reset request sends each pending registration its activation link instead", async () => {
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

    test("a reset link of an unactivated account sets no password", async () => {
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
    test("a login by address answers not_activated only for the password of a pending registration", async () => {
      const [owner, stranger] = [person(), person()];
      await register(owner);
      service.platform.clock.advance({ seconds: 1 });
      await register({ ...stranger, email: owner.email });
      expect(await logIn(owner.email, owner.password)).toBe("not_activated");
      expect(await logIn(owner.email, stranger.password)).toBe("not_activated");
      expect(await logIn(owner.email, "ni l’un ni l’autre")).toBe("invalid_credentials");
    });

    test("an address typed with its domain's accents signs in", async () => {
      const zoe = person({ email: `acc${next()}@exémple.fr` });
      await register(zoe);
      const [mail] = await mails(zoe.email.replace("exémple", "xn--exmple-cva"));
      await browserAt().get(linksIn(mail, ACTIVATE)[0] ?? "");
      expect(await logIn(zoe.email, zoe.password)).toBe("in");
      expect(await logIn(zoe.email.toUpperCase(), zoe.password)).toBe("in");
    });
  });

  describe("security line 27: a stranger who registers with an address", () => {
    test("a login does not reveal whether an address has an account", async () => {
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

    test("pending registrations of an address are erased with its account", async () => {
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
