import type { RegistrationChoice } from "@paraphe/contracts";
import { toBase64 } from "@paraphe/kernel/bytes";
import { parseCertificate } from "@paraphe/pades/parts";
import { describe, expect, test } from "vitest";
import { openBrowser, type TestBrowser } from "../../../testing/browser.ts";
import { makePng, SVG } from "../../../testing/images.ts";
import { createMember, openMember, signIn } from "../../../testing/member.ts";
import { createMemberAs, IDENTITY } from "../../../testing/organisation.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { sweepAccounts } from "../accounts/jobs.ts";
import { createTrust } from "../trust/public.ts";
import { readImageSize } from "../../platform/images/check-image.ts";
import { knownBrand, loadRegistration } from "./public.ts";

const service = useTestApp();
const BASE = "/api/organisation";
let administrator: TestBrowser | undefined;
const open = async (): Promise<TestBrowser> =>
  (administrator ??= await signIn(
    service,
    await createMemberAs(service.platform, "administrator"),
  ));
const settingsOf = async (browser: TestBrowser) => (await browser.get(`${BASE}/settings/`)).body;
type Part = "identity" | "registration" | "appearance" | "mails";
async function put(part: Part, body: object, browser?: TestBrowser) {
  const by = browser ?? (await open());
  const { version } = await settingsOf(by);
  return by.send("PUT", `${BASE}/${part}/`, { body: { version, ...body } });
}
const choose = (choice: RegistrationChoice) => put("registration", { choice });

describe("who may do what", () => {
  test("the session gives the member's role; somebody without an organisation has none", async () => {
    const alone = await openMember(service);
    expect((await alone.get("/api/verify-token/")).body.user).not.toHaveProperty(
      "organisation_role",
    );
    expect((await (await open()).get("/api/verify-token/")).body.user.organisation_role).toBe(
      "administrator",
    );
  });
});

describe("the identity", () => {
  test("once named, it is public, and mails and certificates name it", async () => {
    const { platform } = service;
    const saved = await put("identity", { ...IDENTITY, siret: "732 829 320 00074" });
    expect([saved.status, saved.body.identity]).toEqual([200, IDENTITY]);
    expect((await openBrowser(service.app).get(`${BASE}/`)).body).toEqual({ identity: IDENTITY });
    const { certificateDer } = await (await createTrust(platform)).issueSigner({
      fullName: "Paul Martin",
      email: null,
      now: platform.clock(),
    });
    expect(parseCertificate(certificateDer).subject).toMatchObject({
      commonName: "Paul Martin",
      organization: "Cabinet Aubry & Associés",
    });
  });

  test.each([
    ["a SIRET with a wrong key", { siret: "73282932000075" }, "siret"],
    ["ten thousand characters", { name: "x".repeat(10_000) }, "name"],
    ["an address with a link", { address: "http://exemple.fr/" }, "address"],
  ])("%s is refused under its field", async (_what, change, field) => {
    const refused = await put("identity", { ...IDENTITY, ...change });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, [field]]);
  });

  test("of two administrators at once, the second learns that it changed", async () => {
    const [first, second] = [
      await open(),
      await signIn(service, await createMemberAs(service.platform, "owner")),
    ];
    const { version } = await settingsOf(first);
    const answers = await Promise.all(
      [first, second].map((browser, at) =>
        browser.send("PUT", `${BASE}/identity/`, {
          body: { ...IDENTITY, name: `Cabinet ${at}`, version },
        }),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
      [200, undefined],
      [409, "organisation_changed"],
    ]);
    const winner = answers.find(({ status }) => status === 200);
    expect((await settingsOf(first)).identity.name).toBe(winner?.body.identity.name);
  });
});

describe("the colours", () => {
  const PLAIN = { colour: "#6b1f3a" };
  const MAILS = { sender_name: null, reply_to: null, footer: null };
  const svg = (inside: string, size = 'viewBox="0 0 64 32"') =>
    toBase64(
      new TextEncoder().encode(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${inside}</svg>`),
    );
  const PATH = '<path d="M0 0h64v32z" fill="#6b1f3a"/>';
  const anybody = () => openBrowser(service.app);
  const sheet = async () => (await anybody().get("/organisation.css")).text;
  const errorsOf = async (body: object) => (await put("appearance", body)).body.errors;

  test("a colour and a logo reach the signers' pages, in both themes", async () => {
    await put("identity", IDENTITY);
    const saved = await put("appearance", { colour: "6B1F3A", logo: svg(PATH) });
    const { version, appearance } = saved.body;
    expect(appearance).toEqual({
      colour: "#6b1f3a",
      logo: `/api/organisation/logo/?v=${version}`,
    });
    const css = await sheet();
    expect(css).toContain("--accent:#6b1f3a");
    expect(css).toContain("[data-theme=dark]{--accent:#");
    expect(css).toContain(`url("${appearance.logo}")`);
    // Whatever is no letter is written by its number: a name adds no rule.
    expect(css).toContain('--brand-name:"Cabinet Aubry \\26  Associ\\e9 s"');
    const kept = await put("appearance", { colour: null });
    expect(kept.body.appearance).toEqual({
      colour: null,
      logo: `/api/organisation/logo/?v=${kept.body.version}`,
    });
    expect(await sheet()).not.toContain("--accent");
    const gone = await put("appearance", { ...PLAIN, logo: null });
    expect(gone.body.appearance).toEqual({ colour: "#6b1f3a", logo: null });
    expect((await anybody().get("/api/organisation/logo/")).status).toBe(404);
  });

  test("the style sheet is asked for again and answered without a body", async () => {
    const first = await service.app.inject({ url: "/organisation.css" });
    expect(first.headers).toMatchObject({
      "cache-control": "no-cache",
      "content-type": "text/css; charset=utf-8",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    });
    const again = await service.app.inject({
      url: "/organisation.css",
      headers: { "if-none-match": String(first.headers.etag) },
    });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
  });

  test.each([
    ["SVG", svg(PATH), 640, 320],
    ["SVG of a kilometre", svg(PATH, 'width="1000000000" height="250000000"'), 640, 160],
    ["PNG", toBase64(makePng(1_280, 320)), 640, 160],
  ])("a logo in %s is kept as a PNG of the service's own", async (_what, logo, width, height) => {
    const { body } = await put("appearance", { ...PLAIN, logo });
    const answer = await service.app.inject({ url: body.appearance.logo });
    expect(answer.headers).toMatchObject({
      "content-type": "image/png",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "public, max-age=31536000, immutable",
    });
    expect(readImageSize(answer.rawPayload)).toMatchObject({ format: "png", width, height });
    const other = await service.app.inject({ url: "/api/organisation/logo/?v=0" });
    expect(other.headers["cache-control"]).toBe("no-cache");
  });

  const CODE = "Ce logo contient du code\u00a0: exportez-le de nouveau en SVG simple ou en PNG.";
  const DAMAGE =
    "Ce logo ne peut pas être lu\u00a0: exportez-le de nouveau en SVG simple ou en PNG.";
  /** Ten of each, eight levels deep: a hundred million drawn paths. */
  const BOMB = Array.from(
    { length: 8 },
    (_, at) => `<g id="a${at + 1}">${`<use href="#a${at}"/>`.repeat(10)}</g>`,
  ).join("");
  test.each([
    ["a script", toBase64(SVG), CODE],
    ["an outside picture", svg('<image href="https://exemple.fr/a.png"/>'), CODE],
    ["words", svg("<text>Aubry</text>"), /^Ce logo contient du texte/],
    ["a hundred million paths", svg(`<g id="a0">${PATH}</g>${BOMB}`), DAMAGE],
    ["a damaged PNG", toBase64(makePng(90, 30).slice(0, 60)), DAMAGE],
    [
      "41 megapixels",
      toBase64(makePng(1, 1, { width: 8_200, height: 5_000 })),
      /^Image trop grande\u00a0: 40/,
    ],
    ["another format", toBase64(new Uint8Array(60)), "Choisissez un logo en SVG ou en PNG."],
    ["letters that are no base64", "AAAAA", DAMAGE],
    [
      "a byte too many",
      toBase64(new Uint8Array(1024 * 1024 + 1)),
      "Ce logo est trop lourd\u00a0: 1\u00a0Mo au plus.",
    ],
  ])(
    "a logo with %s is refused under its field, and the former stays",
    async (_what, logo, words) => {
      await put("appearance", { ...PLAIN, logo: svg(PATH) });
      const before = await settingsOf(await open());
      expect((await errorsOf({ ...PLAIN, logo })).logo).toEqual([
        typeof words === "string" ? words : expect.stringMatching(words),
      ]);
      expect(await settingsOf(await open())).toEqual(before);
    },
  );

  test("a logo of 50 MB is refused before it is read", async () => {
    const answer = await put("appearance", { ...PLAIN, logo: "A".repeat(50 * 1024 * 1024) });
    expect([answer.status, answer.body.code]).toEqual([413, "request_too_large"]);
  });

  test.each([
    ["#777777", "Trop clair pour du texte blanc\u00a0: il faut 4,5 au moins"],
    ["#e8923a", "Trop clair pour du texte blanc\u00a0: il faut 4,5 au moins"],
    ["red", "Écrivez une couleur en hexadécimal, par exemple #6B1F3A."],
    ["#fff}body{x:1", "Écrivez une couleur en hexadécimal, par exemple #6B1F3A."],
  ])("the colour %s is refused under its field", async (colour, sentence) => {
    expect((await errorsOf({ colour })).colour).toEqual([sentence]);
  });

  test("mails have a sender, an address for replies and an end of their own", async () => {
    const mails = {
      sender_name: "Cabinet Aubry",
      reply_to: "contact@cabinet-aubry.fr",
      footer: "Cabinet Aubry\n14 rue aux Juifs, 76000 Rouen",
    };
    const saved = await put("mails", mails);
    expect(saved.body.mails).toEqual({ ...mails, address: service.platform.settings.mailFrom });
    expect((await knownBrand(service.platform))?.mails).toEqual(mails);
    expect((await put("mails", MAILS)).body.mails).toMatchObject(MAILS);
  });

  test.each([
    ["a footer with a link", { footer: "Voir\nhttps://exemple.fr" }, "footer"],
    ["a footer with a site", { footer: "cabinet-aubry.fr" }, "footer"],
    ["ten thousand characters", { footer: "x".repeat(10_000) }, "footer"],
    ["a sender with a link", { sender_name: "www.exemple.fr" }, "sender_name"],
    ["no address", { reply_to: "contact" }, "reply_to"],
  ])("%s is refused under its field", async (_what, change, field) => {
    const refused = await put("mails", { ...MAILS, ...change });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([400, [field]]);
  });
});

describe("who may register", () => {
  const rules = async () =>
    (await openBrowser(service.app).get("/api/verify-token/")).body.registration;

  test("the choice of an administrator replaces the setting, everywhere at once", async () => {
    const { db, settings } = service.platform;
    await db
      .updateTable("organisations")
      .set({ registration: null, registration_domains: [] })
      .execute();
    expect(await loadRegistration(db, { ...settings, registration: { kind: "closed" } })).toEqual({
      kind: "closed",
    });
    const chosen = await choose({ kind: "domains", domains: ["mairie.fr", "Mairie.fr"] });
    expect(chosen.body.registration).toEqual({
      kind: "domains",
      domains: ["mairie.fr"],
      is_chosen: true,
    });
    expect(await rules()).toEqual({ kind: "domains", domains: ["mairie.fr"] });
    for (const registration of [{ kind: "open" }, { kind: "closed" }] as const)
      expect(await loadRegistration(db, { ...settings, registration })).toEqual({
        kind: "domains",
        domains: ["mairie.fr"],
      });
    const ask = (email: string) =>
      openBrowser(service.app).post("/api/signature/register/", {
        username: email.replace(/\W+/g, ""),
        email,
        password: "encre bleue 47",
        first_name: "Zoé",
        last_name: "Martin",
        birth_date: "1990-05-17",
      });
    expect((await ask("zoe@mairie.fr")).status).toBe(201);
    expect((await ask("zoe@ailleurs.fr")).body.code).toBe("registration_closed");
    await choose({ kind: "open", domains: [] });
    expect((await ask("zoe@ailleurs.fr")).status).toBe(201);
    await choose({ kind: "closed", domains: [] });
    const { entries } = (await (await open()).get("/api/organisation/journal/")).body;
    expect(entries.slice(0, 2).map(({ sentence }: { sentence: string }) => sentence)).toEqual([
      "Inscription\u00a0: sur invitation seulement",
      "Inscription\u00a0: ouverte à tout le monde",
    ]);
  });

  test.each([
    ["a public mail service", { kind: "domains", domains: ["gmail.com"] }],
    ["no domain", { kind: "domains", domains: [] }],
    ["a word", { kind: "domains", domains: ["mairie"] }],
    ["an unknown choice", { kind: "friends", domains: [] }],
  ])("%s is refused", async (_what, choice) => {
    const before = await settingsOf(await open());
    expect((await choose(choice as RegistrationChoice)).status).toBe(400);
    expect(await settingsOf(await open())).toEqual(before);
  });

  test("where no mail leaves, nobody registers, whatever was chosen", async () => {
    await choose({ kind: "open", domains: [] });
    const { db, settings } = service.platform;
    expect(await loadRegistration(db, { ...settings, mailDisabled: true })).toEqual({
      kind: "closed",
    });
  });
});

test("events older than the kept period leave the journal at the next sweep", async () => {
  const { db, clock, settings } = service.platform;
  await put("identity", IDENTITY);
  const count = async () =>
    (await db.selectFrom("organisation_events").select("id").execute()).length;
  await db
    .updateTable("organisation_events")
    .set({ at: new Date(clock().getTime() - settings.organisationJournalDays * 86_400_000) })
    .execute();
  const before = await count();
  await sweepAccounts(service.platform);
  expect(await count()).toBe(before);
  clock.advance({ seconds: 1 });
  await put("identity", IDENTITY);
  await sweepAccounts(service.platform);
  expect([await count(), before > 1]).toEqual([1, true]);
});

test("an erased account is no longer a member", async () => {
  const { platform } = service;
  const member = await createMemberAs(platform, "administrator");
  const browser = await signIn(service, member);
  const erased = await browser.send("DELETE", "/api/signature/me/", {
    body: { password: "encre bleue 47", cancel_open: false },
  });
  expect(erased.status).toBeLessThan(300);
  const rows = await platform.db
    .selectFrom("organisation_members")
    .select("role")
    .where("user_id", "=", member.id)
    .execute();
  expect(rows).toEqual([]);
});

test("an owner keeps that role when promoted to administrator", async () => {
  const { platform } = service;
  const owner = await createMemberAs(platform, "owner");
  const { administration } = await import("../accounts/public.ts");
  expect(await administration.promote(platform, owner.email)).toBe(true);
  const browser = await signIn(service, owner);
  expect((await browser.get("/api/verify-token/")).body.user.organisation_role).toBe("owner");
  expect(await administration.promote(platform, (await createMember(platform)).email)).toBe(true);
});
