import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccountsApp } from "../../../testing/accounts-app.ts";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { multipart, openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { makePng, PNG_1X1, SVG } from "../../../testing/images.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";
import { readImageSize } from "../../platform/images/check-image.ts";

const ME = "/api/signature/me";

let service: TestApp;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
});

afterAll(() => service.close());

describe("the profile", () => {
  let member: Member;
  let browser: TestBrowser;
  beforeAll(async () => {
    member = await createMember(service.platform);
    browser = await signIn(service, member);
  });
  const patch = (body: unknown) => browser.send("PATCH", `${ME}/`, { body });
  test.each([
    ["GET", `${ME}/`],
    ["PATCH", `${ME}/`],
    ["GET", `${ME}/avatar/`],
    ["POST", `${ME}/password/`],
    ["GET", `${ME}/notifications/`],
    ["PUT", `${ME}/notifications/`],
  ] as const)("%s %s answers 401 to a visitor before its body is read", async (method, url) => {
    const stranger = openBrowser(service.app);
    const answer =
      method === "GET"
        ? await stranger.get(url)
        : await stranger.send(method, url, { body: { nonsense: true } });
    expect([answer.status, answer.body.code]).toEqual([401, "session_expired"]);
  });

  describe("me", () => {
    test("the profile has the user and nothing secret", async () => {
      const answer = await browser.get(`${ME}/`);
      expect([answer.status, answer.body.user.email]).toEqual([200, member.email]);
      expect(answer.text).not.toMatch(/argon2|password|_key|sha256/);
      expect(answer.headers["cache-control"]).toBe("private, no-store");
    });

    test("the profile counts the envelopes that await this address, once each", async () => {
      const { db, newId, clock } = service.platform;
      const envelope = newId();
      const base = {
        owner_id: member.id,
        created_by_name: "Camille Roux",
        title: "Bail",
        search_text: "bail",
        status: "sent",
        flow: "parallel",
      };
      await db
        .insertInto("envelopes")
        .values({ id: envelope, ...base, created_at: clock(), updated_at: clock() })
        .execute();
      const recipient = {
        envelope_id: envelope,
        routing_order: 1,
        role: "signer",
        email: member.email,
        email_key: member.email,
        status: "notified",
      };
      const rows = [true, true, false].map((awaited, position) => ({
        ...recipient,
        id: newId(),
        position,
        awaited,
        full_name: `Camille ${position}`,
      }));
      await db.insertInto("recipients").values(rows).execute();
      expect((await browser.get(`${ME}/`)).body.user.unread_actions).toBe(1);
      expect((await browser.get("/api/verify-token/")).body.user.unread_actions).toBe(1);
    });

    test("PATCH changes what is sent and leaves the rest", async () => {
      const answer = await patch({
        last_name: "  Œuvrard ",
        phone_number: "01.23.45.67.89",
        gender: "Homme",
        address: "1 rue A",
      });
      expect([answer.status, answer.body.user]).toMatchObject([
        200,
        {
          first_name: "Camille",
          last_name: "Œuvrard",
          phone_number: "+33123456789",
          gender: "Homme",
          address: "1 rue A",
          birth_date: "1990-05-17",
        },
      ]);
      const cleared = await patch({
        phone_number: null,
        gender: null,
        address: null,
        birth_date: null,
      });
      expect(cleared.body.user).toMatchObject({
        phone_number: null,
        gender: "",
        address: null,
        birth_date: null,
        last_name: "Œuvrard",
      });
    });

    test.each([
      [{ first_name: "" }, { first_name: ["Prénom requis"] }],
      [{ last_name: " " }, { last_name: ["Nom requis"] }],
      [
        { birth_date: "2031-01-01" },
        { birth_date: ["La date de naissance doit être dans le passé"] },
      ],
      [{ phone_number: "12" }, { phone_number: ["Téléphone invalide"] }],
      [{ email: "autre@exemple.fr" }, { email: ["Champ inconnu"] }],
      [
        { id: "x", activated_at: null },
        { id: ["Champ inconnu"], activated_at: ["Champ inconnu"] },
      ],
      [{ avatar: "https://exemple.fr/moi.png" }, { avatar: ["Valeur invalide"] }],
    ])("PATCH refuses %j", async (body, errors) => {
      const answer = await patch(body);
      expect([answer.status, answer.body.errors]).toEqual([400, errors]);
    });

    test("PATCH refuses keys that would reach into objects", async () => {
      const headers = { "content-type": "application/json" };
      for (const body of ['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{"a":1}}}'])
        expect((await browser.send("PATCH", `${ME}/`, { body, headers })).status).toBe(400);
    });
  });

  describe("me/notifications", () => {
    test("the chosen channels are stored", async () => {
      expect((await browser.get(`${ME}/notifications/`)).body).toEqual({
        email: true,
        sms: false,
        push: false,
        quiet_hours: false,
        daily_summary: false,
        sms_offered: true,
        waiting: null,
      });
      await patch({ phone_number: "0612345678" });
      await service.platform.db
        .updateTable("users")
        .set({ phone_verified_at: service.platform.clock() })
        .where("id", "=", member.id)
        .execute();
      const answer = await browser.send("PUT", `${ME}/notifications/`, {
        body: { email: false, sms: true, push: true },
      });
      expect([answer.status, answer.body]).toEqual([
        200,
        { email: false, sms: true, push: true, quiet_hours: false, daily_summary: false },
      ]);
      expect((await browser.get(`${ME}/`)).body.user.notifications).toEqual({
        email: false,
        sms: true,
        push: true,
      });
    });

    test.each([{ email: false }, { email: true }])(
      "texts are refused without a number, with %j",
      async (others) => {
        const here = await signIn(service, await createMember(service.platform));
        const answer = await here.send("PUT", `${ME}/notifications/`, {
          body: { sms: true, push: false, ...others },
        });
        expect([answer.status, answer.body.errors]).toEqual([
          400,
          { sms: ["Ajoutez d’abord un numéro de téléphone à votre profil"] },
        ]);
      },
    );

    test("texts are refused, and announced as missing, where the service sends none", async () => {
      const silent = await openAccountsApp(service.platform, { production: true });
      try {
        const here = await signIn(silent, await createMember(service.platform));
        await here.send("PATCH", `${ME}/`, { body: { phone_number: "0612345678" } });
        expect((await here.get(`${ME}/notifications/`)).body.sms_offered).toBe(false);
        const answer = await here.send("PUT", `${ME}/notifications/`, {
          body: { email: true, sms: true, push: false },
        });
        expect([answer.status, answer.body.errors]).toEqual([
          400,
          { sms: ["Ce service n’envoie pas de SMS\u00a0: choisissez un autre canal"] },
        ]);
      } finally {
        await silent.close();
      }
    });

    test("a choice without channels, or with other values than booleans, is refused", async () => {
      const none = await browser.send("PUT", `${ME}/notifications/`, {
        body: { email: false, sms: false, push: false },
      });
      expect([none.status, none.body.errors]).toEqual([
        400,
        { non_field_errors: ["Sélectionnez au moins un canal"] },
      ]);
      expect(
        (await browser.send("PUT", `${ME}/notifications/`, { body: { email: "oui" } })).status,
      ).toBe(400);
    });
  });
});

describe("the avatar", () => {
  let member: Member;
  let browser: TestBrowser;
  beforeAll(async () => {
    member = await createMember(service.platform);
    browser = await signIn(service, member);
  });
  const patch = (body: unknown) => browser.send("PATCH", `${ME}/`, { body });
  const patchForm = (form: ReturnType<typeof multipart>) => browser.send("PATCH", `${ME}/`, form);
  const avatarForm = (bytes: Uint8Array, fields = {}) =>
    multipart(fields, [{ field: "avatar", name: "moi.png", type: "image/png", bytes }]);

  test("an avatar is decoded, shrunk, encoded as WebP and served to its owner", async () => {
    const answer = await patchForm(
      avatarForm(makePng(1_000, 500), { first_name: "Camille", address: "" }),
    );
    expect(answer.status).toBe(200);
    const image = await browser.get(answer.body.user.avatar);
    expect(image.headers).toMatchObject({
      "content-type": "image/webp",
      "x-content-type-options": "nosniff",
      "cache-control": "private, max-age=86400",
    });
    expect(readImageSize(image.bytes)).toMatchObject({ format: "webp", width: 512, height: 256 });
    const other = await signIn(service, await createMember(service.platform));
    expect((await other.get(answer.body.user.avatar)).status).toBe(404);
  });

  test("a stored avatar has nothing of the file but its pixels", async () => {
    const tail = new TextEncoder().encode("PK\u0003\u0004 un second fichier caché GPS 48.1173");
    const answer = await patchForm(avatarForm(new Uint8Array([...makePng(20, 20), ...tail])));
    const image = await browser.get(answer.body.user.avatar);
    expect(Buffer.from(image.bytes).includes("second fichier")).toBe(false);
  });

  test("a new avatar has a new address", async () => {
    const first = await patchForm(avatarForm(makePng(30, 30)));
    const second = await patchForm(avatarForm(makePng(31, 30)));
    expect(second.body.user.avatar).not.toBe(first.body.user.avatar);
    expect((await browser.get(second.body.user.avatar)).status).toBe(200);
  });

  test("an avatar that another account is storing stays when its owner removes it", async () => {
    const { files, db } = service.platform;
    await patchForm(avatarForm(makePng(19, 19)));
    const row = await db
      .selectFrom("users")
      .select("avatar_sha256")
      .where("id", "=", member.id)
      .executeTakeFirstOrThrow();
    const sha256 = row.avatar_sha256 ?? new Uint8Array();
    // Stores the same bytes as another account does between its file and its row.
    await files.put(await files.get(sha256));
    await patch({ avatar: null });
    expect(await files.size(sha256)).toBeGreaterThan(0);
  });

  test("an avatar that two accounts share stays when one removes it", async () => {
    const other = await signIn(service, await createMember(service.platform));
    for (const who of [browser, other])
      await who.send("PATCH", `${ME}/`, avatarForm(makePng(17, 17)));
    await patch({ avatar: null });
    expect((await other.get(`${ME}/avatar/`)).status).toBe(200);
  });

  test("an avatar whose file is gone is 404", async () => {
    await patchForm(avatarForm(makePng(23, 23)));
    const { avatar_sha256 } = await service.platform.db
      .selectFrom("users")
      .select("avatar_sha256")
      .where("id", "=", member.id)
      .executeTakeFirstOrThrow();
    await service.platform.files.remove(avatar_sha256 ?? new Uint8Array());
    expect((await browser.get(`${ME}/avatar/`)).status).toBe(404);
  });

  test("null, or an empty form field, removes the avatar", async () => {
    await patchForm(avatarForm(PNG_1X1));
    expect((await patch({ avatar: null })).body.user.avatar).toBeNull();
    await patchForm(avatarForm(PNG_1X1));
    expect((await patchForm(multipart({ avatar: "" }))).body.user.avatar).toBeNull();
    expect((await browser.get(`${ME}/avatar/`)).status).toBe(404);
  });

  test.each([
    ["a program in SVG", SVG],
    ["a PNG of no width", makePng(1, 1, { width: 0, height: 1 })],
    ["a PNG cut short", makePng(64, 64).slice(0, 60)],
    ["a PDF", new TextEncoder().encode(`%PDF-1.7${" ".repeat(64)}`)],
  ])("an avatar is refused when it is %s", async (_what, bytes) => {
    const answer = await patchForm(avatarForm(bytes));
    expect([answer.status, answer.body.code]).toEqual([400, "invalid_image"]);
    expect(answer.body.errors).toEqual({ avatar: [answer.body.detail] });
  });

  test("a photograph of too many pixels is refused for that reason", async () => {
    const answer = await patchForm(avatarForm(makePng(1, 1, { width: 60_000, height: 60_000 })));
    expect([answer.status, answer.body.code]).toEqual([400, "image_too_large"]);
    expect(answer.body.detail).toBe(
      "Image trop grande\u00a0: 40\u00a0mégapixels au plus. Réduisez-la, puis réessayez.",
    );
    expect(answer.body.errors).toEqual({ avatar: [answer.body.detail] });
  });

  test("an avatar over 10 MB is refused", async () => {
    const answer = await patchForm(avatarForm(new Uint8Array(10_485_761)));
    expect([answer.status, answer.body.code]).toEqual([413, "file_too_large"]);
    expect(answer.body.errors).toEqual({
      avatar: ["L’image est trop lourde\u00a0: 10\u00a0Mo au maximum."],
    });
  });

  test("an avatar in another field is refused, and so are two avatars", async () => {
    const file = { field: "photo", name: "moi.png", type: "image/png", bytes: PNG_1X1 };
    expect((await patchForm(multipart({}, [file]))).body.errors).toEqual({
      photo: ["Champ inconnu"],
    });
    const avatar = { ...file, field: "avatar" };
    expect((await patchForm(multipart({}, [avatar, avatar]))).status).toBe(413);
  });
});

describe("a password that its owner changes", () => {
  let member: Member;
  let browser: TestBrowser;
  beforeAll(async () => {
    member = await createMember(service.platform);
    browser = await signIn(service, member);
  });

  describe("me/password", () => {
    const change = (who: TestBrowser, oldPassword: unknown, newPassword: unknown) =>
      who.post(`${ME}/password/`, { old_password: oldPassword, new_password: newPassword });

    test("security line 13: a changed password keeps this session, ends the others and all reset links, and notifies the owner", async () => {
      const owner = await createMember(service.platform);
      const [here, elsewhere] = [await signIn(service, owner), await signIn(service, owner)];
      await here.post("/api/signature/password-reset/", { email: owner.email });
      const [reset] = await mailFor(service.platform, owner.email);
      const [uid, token] =
        /reset-password\/(\S+)\/(\S+)/.exec(reset?.content.text ?? "")?.slice(1) ?? [];
      expect((await change(here, MEMBER_PASSWORD, "tout neuf 9")).status).toBe(200);
      expect((await here.get(`${ME}/`)).status).toBe(200);
      expect((await elsewhere.get(`${ME}/`)).status).toBe(401);
      expect((await elsewhere.post("/api/token/refresh/")).status).toBe(401);
      expect(
        (
          await here.post("/api/signature/change-password/", {
            uid,
            token,
            password: "par le lien",
          })
        ).body.code,
      ).toBe("link_expired");
      expect((await mailFor(service.platform, owner.email))[0]?.subject).toBe(
        "Votre mot de passe Paraphe a été changé",
      );
      expect(
        (
          await openBrowser(service.app).post("/api/token/", {
            username: owner.username,
            password: "tout neuf 9",
          })
        ).status,
      ).toBe(200);
    });

    test("a refused change of password names each fault", async () => {
      expect((await browser.post(`${ME}/password/`, {})).body.errors).toEqual({
        old_password: ["Ancien mot de passe requis"],
        new_password: ["Nouveau mot de passe requis"],
      });
      expect((await change(browser, MEMBER_PASSWORD, "abcd")).body.errors).toEqual({
        new_password: ["Minimum 5 caractères"],
      });
      expect((await change(browser, MEMBER_PASSWORD, "")).body.errors).toEqual({
        new_password: ["Nouveau mot de passe requis"],
      });
      expect(
        (await change(browser, MEMBER_PASSWORD, member.username)).body.errors.new_password,
      ).toHaveLength(1);
      const wrong = await change(browser, "pas celui-là", "tout neuf 9");
      expect([wrong.status, wrong.body.errors]).toEqual([
        400,
        { old_password: ["Ancien mot de passe incorrect"] },
      ]);
    });

    test("security line 14: the fifth wrong old password ends the session", async () => {
      const owner = await createMember(service.platform);
      const [here, elsewhere] = [await signIn(service, owner), await signIn(service, owner)];
      for (let n = 0; n < 4; n++)
        expect((await change(here, "pas celui-là", "tout neuf 9")).status).toBe(400);
      const fifth = await change(here, "pas celui-là", "tout neuf 9");
      expect([fifth.status, fifth.body.code, here.cookies.has("__Host-access_token")]).toEqual([
        401,
        "wrong_passwords",
        false,
      ]);
      expect(fifth.body.detail).toContain("Trop de mots de passe incorrects");
      expect((await here.get(`${ME}/`)).status).toBe(401);
      expect((await elsewhere.get(`${ME}/`)).status).toBe(200);
    });
  });

  describe("old passwords tried all at once", () => {
    test("security line 14: of parallel old passwords only five are compared, so a right one after them changes nothing", async () => {
      const owner = await createMember(service.platform);
      const here = await signIn(service, owner);
      const tries = Array.from({ length: 25 }, (_, n) =>
        here.post(`${ME}/password/`, {
          old_password: n === 24 ? MEMBER_PASSWORD : `faux ${n}`,
          new_password: "tout neuf 9",
        }),
      );
      const statuses = (await Promise.all(tries)).map((answer) => answer.status);
      expect(statuses.filter((status) => status === 200)).toEqual([]);
      expect(statuses.filter((status) => status === 400).length).toBeLessThan(5);
      expect((await here.get(`${ME}/`)).status).toBe(401);
      expect(
        (
          await openBrowser(service.app).post("/api/token/", {
            username: owner.username,
            password: MEMBER_PASSWORD,
          })
        ).status,
      ).toBe(200);
    });

    test("right old passwords are not counted as wrong", async () => {
      const owner = await createMember(service.platform);
      const here = await signIn(service, owner);
      for (let n = 0; n < 7; n++)
        expect(
          (
            await here.post(`${ME}/password/`, {
              old_password: MEMBER_PASSWORD,
              new_password: "abcd",
            })
          ).status,
        ).toBe(400);
    });

    test("a right old password resets the count of wrong ones", async () => {
      const here = await signIn(service, await createMember(service.platform));
      for (const old_password of [
        "un",
        "deux",
        "trois",
        "quatre",
        MEMBER_PASSWORD,
        "cinq",
        "six",
        "sept",
        "huit",
      ])
        expect(
          (await here.post(`${ME}/password/`, { old_password, new_password: "abcdé" })).status,
        ).toBe(old_password === MEMBER_PASSWORD ? 200 : 400);
    });
  });
});

describe("me/sessions", () => {
  const SESSIONS = "/api/signature/me/sessions/";
  const FIREFOX =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0";

  async function firefoxOf(member: Member) {
    const browser = openBrowser(service.app, { ip: "192.0.2.7" });
    await browser.post(
      "/api/token/",
      { username: member.username, password: MEMBER_PASSWORD, remember_me: true },
      { headers: { "user-agent": FIREFOX } },
    );
    return browser;
  }

  test("sessions are listed, the last used first, without a token", async () => {
    const member = await createMember(service.platform);
    const first = await firefoxOf(member);
    const at = service.platform.clock().toISOString();
    service.platform.clock.advance({ minutes: 1 });
    const second = await signIn(service, member, { ip: "2001:db8::9" });
    const answer = await second.get(SESSIONS);
    expect(answer.status).toBe(200);
    expect(answer.body.results).toEqual([
      expect.objectContaining({ current: true, remember_me: false, ip: "2001:db8::9" }),
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        current: false,
        created_at: at,
        last_used_at: at,
        remember_me: true,
        device: "Firefox sous Windows",
        ip: "192.0.2.7",
      },
    ]);
    for (const name of ["__Host-access_token", "__Host-refresh_token"]) {
      expect(answer.text).not.toContain(first.cookies.get(name)?.value);
      expect(answer.text).not.toContain(second.cookies.get(name)?.value);
    }
    const asToken = openBrowser(service.app);
    const stolen = await asToken.get(SESSIONS, {
      cookies: { "__Host-access_token": answer.body.results[1].id },
    });
    expect(stolen.status).toBe(401);
  });

  test("sessions that were logged out or idle are not listed", async () => {
    const member = await createMember(service.platform);
    const [gone, idle] = [await signIn(service, member), await signIn(service, member)];
    await gone.post("/api/logout/");
    service.platform.clock.advance({ hours: 2, minutes: 1 });
    const browser = await signIn(service, member);
    expect((await browser.get(SESSIONS)).body.results).toHaveLength(1);
    expect((await idle.get(SESSIONS)).status).toBe(401);
  });

  test("an ended session's tokens are refused at once, and the others live on", async () => {
    const member = await createMember(service.platform);
    const [mine, lost] = [await signIn(service, member), await firefoxOf(member)];
    const { results } = (await mine.get(SESSIONS)).body;
    const other = results.find((session: { current: boolean }) => !session.current);
    expect((await mine.send("DELETE", `${SESSIONS}${other.id}/`)).status).toBe(204);
    expect((await lost.get("/api/signature/me/")).status).toBe(401);
    expect((await lost.post("/api/token/refresh/")).status).toBe(401);
    expect((await mine.get("/api/signature/me/")).status).toBe(200);
    expect((await mine.send("DELETE", `${SESSIONS}${other.id}/`)).status).toBe(404);
  });

  test("ending the current session is a logout", async () => {
    const browser = await signIn(service, await createMember(service.platform));
    const [own] = (await browser.get(SESSIONS)).body.results;
    expect((await browser.send("DELETE", `${SESSIONS}${own.id}/`)).status).toBe(204);
    expect([
      browser.cookies.has("__Host-access_token"),
      browser.cookies.has("__Host-refresh_token"),
    ]).toEqual([false, false]);
    expect((await browser.get("/api/verify-token/")).status).toBe(401);
  });

  test("ending the other sessions leaves other accounts' alone", async () => {
    const [member, other] = [
      await createMember(service.platform),
      await createMember(service.platform),
    ];
    const [mine, lost, stranger] = [
      await signIn(service, member),
      await firefoxOf(member),
      await signIn(service, other),
    ];
    expect((await mine.send("DELETE", SESSIONS)).status).toBe(204);
    expect([
      (await mine.get(SESSIONS)).body.results.length,
      (await lost.get(SESSIONS)).status,
    ]).toEqual([1, 401]);
    expect((await stranger.get(SESSIONS)).status).toBe(200);
  });

  test("ending another account's session, an unknown one or no id is 404 and ends nothing", async () => {
    const [member, other] = [
      await createMember(service.platform),
      await createMember(service.platform),
    ];
    const [mine, stranger] = [await signIn(service, member), await signIn(service, other)];
    const [theirs] = (await stranger.get(SESSIONS)).body.results;
    for (const id of [theirs.id, service.platform.newId(), "moi"])
      expect((await mine.send("DELETE", `${SESSIONS}${id}/`)).status).toBe(404);
    expect((await stranger.get(SESSIONS)).status).toBe(200);
  });

  test("the calls on sessions need a session and the CSRF token", async () => {
    const browser = await signIn(service, await createMember(service.platform));
    const [own] = (await browser.get(SESSIONS)).body.results;
    for (const url of [SESSIONS, `${SESSIONS}${own.id}/`]) {
      const forged = await browser.send("DELETE", url, { headers: { "x-csrftoken": "" } });
      expect([forged.status, forged.body.code]).toEqual([403, "csrf_failed"]);
      expect((await openBrowser(service.app).send("DELETE", url)).status).toBe(401);
    }
    expect((await openBrowser(service.app).get(SESSIONS)).status).toBe(401);
  });
});
