import { beforeEach, describe, expect, test } from "vitest";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, MEMBER_PASSWORD, openMember } from "../../../testing/member.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { administration } from "./administration.ts";
import { openFirstStart } from "./first-start.ts";

const service = useTestApp();
const BASE = "/api/signature/first-start/";
const ACCOUNT = {
  username: "clemence.aubry",
  email: "c.aubry@cabinet-aubry.fr",
  password: MEMBER_PASSWORD,
  first_name: "Clémence",
  last_name: "Aubry-Lefèvre",
};
let next = 0;
const browserAt = () => openBrowser(service.app, { ip: `203.0.113.${++next % 250}` });
const tokenOf = (address: string | null) => address?.split("#")[1] ?? "";

beforeEach(async () => {
  const { db } = service.platform;
  await db.deleteFrom("organisation_members").execute();
  await db.deleteFrom("registration_invitations").execute();
  await db.deleteFrom("users").where("username", "=", ACCOUNT.username).execute();
});
const openAddress = async () => tokenOf(await openFirstStart(service.platform));
const claim = (body: object, browser: TestBrowser = browserAt()) => browser.post(BASE, body);
const check = (token: string) => browserAt().post(`${BASE}check/`, { token });

describe("the address of the first start", () => {
  test("its holder registers, is signed in, and owns the installation", async () => {
    const address = await openFirstStart(service.platform);
    expect(address).toMatch(/^https:\/\/localhost:8443\/premier-demarrage#[\w-]{43}$/);
    const token = tokenOf(address);
    expect((await check(token)).status).toBe(200);
    const browser = browserAt();
    const claimed = await claim({ token, account: ACCOUNT }, browser);
    expect([claimed.status, claimed.body.user]).toMatchObject([
      201,
      { username: "clemence.aubry", email_confirmed: false, organisation_role: "owner" },
    ]);
    const [mail] = await mailFor(service.platform, ACCOUNT.email);
    const link = new URL(linkIn(mail, service.platform.settings.publicUrl));
    const confirmed = await browser.post("/api/signature/me/email/confirm/", {
      token: link.searchParams.get("email"),
    });
    expect(confirmed.body.user.email_confirmed).toBe(true);
    expect((await browser.get("/api/organisation/settings/")).body).toMatchObject({
      identity: null,
      registration: { kind: "open", is_chosen: false },
    });
    expect(await administration.list(service.platform)).toEqual([`${ACCOUNT.email}, propriétaire`]);
  });

  test("somebody signed in keeps their account", async () => {
    const browser = await openMember(service);
    const claimed = await claim({ token: await openAddress() }, browser);
    expect([claimed.status, claimed.body.user.organisation_role]).toEqual([201, "owner"]);
  });

  test("a used address says to everybody since when there is an administrator", async () => {
    const token = await openAddress();
    await claim({ token, account: ACCOUNT });
    service.platform.clock.advance({ hours: 30 });
    for (const answer of [
      await check(token),
      await claim({ token, account: { ...ACCOUNT, username: "autre", email: "a@b.fr" } }),
      await claim({ token }, await openMember(service)),
    ])
      expect([refusal(answer), answer.body.since]).toEqual([
        [410, "first_start_used"],
        new Date(service.platform.clock().getTime() - 30 * 3_600_000).toISOString(),
      ]);
    expect(await openFirstStart(service.platform)).toBeNull();
    expect(await administration.setUp(service.platform)).toBeNull();
  });

  test("of two tabs that send it at once, one becomes the owner", async () => {
    const token = await openAddress();
    const other = { ...ACCOUNT, username: "clemence.bis", email: "bis@cabinet-aubry.fr" };
    const answers = await Promise.all([
      claim({ token, account: ACCOUNT }),
      claim({ token, account: other }),
      claim({ token }, await openMember(service)),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code]).toSorted()).toEqual([
      [201, undefined],
      [410, "first_start_used"],
      [410, "first_start_used"],
    ]);
    expect(await administration.list(service.platform)).toHaveLength(1);
  });

  test("the address expires after a day, and a guessed one is refused as an expired one", async () => {
    const token = await openAddress();
    expect(refusal(await check("devinée"))).toEqual([410, "first_start_expired"]);
    service.platform.clock.advance({ hours: 24 });
    expect(refusal(await check(token))).toEqual([410, "first_start_expired"]);
    expect(refusal(await claim({ token, account: ACCOUNT }))).toEqual([410, "first_start_expired"]);
  });

  test("a second start prints no address while one is valid, and another afterwards", async () => {
    await openAddress();
    expect(await openFirstStart(service.platform)).toBeNull();
    service.platform.clock.advance({ hours: 25 });
    expect(await openFirstStart(service.platform)).not.toBeNull();
  });

  test("of two processes that start at once, one prints the address", async () => {
    const printed = await Promise.all([
      openFirstStart(service.platform),
      openFirstStart(service.platform),
    ]);
    expect(printed.filter((address) => address !== null)).toHaveLength(1);
  });

  test("the command's address ends the printed one", async () => {
    const printed = await openAddress();
    const renewed = tokenOf(await administration.setUp(service.platform));
    expect(refusal(await check(printed))).toEqual([410, "first_start_expired"]);
    expect((await check(renewed)).status).toBe(200);
  });

  test("promoting an account ends the address", async () => {
    const token = await openAddress();
    const { email } = await createMember(service.platform);
    expect(await administration.promote(service.platform, email)).toBe(true);
    expect(refusal(await check(token))).toEqual([410, "first_start_used"]);
  });

  test("the address does not serve as an invitation to register", async () => {
    const answer = await browserAt().post("/api/signature/register/", {
      ...ACCOUNT,
      birth_date: "1980-01-01",
      invitation: await openAddress(),
    });
    // Everybody may register here: the test only shows that the address still serves.
    expect(answer.status).toBe(201);
    expect(await administration.list(service.platform)).toEqual([]);
    expect(await openFirstStart(service.platform)).toBeNull();
  });

  test("a refused form leaves the address usable", async () => {
    const token = await openAddress();
    const known = await createMember(service.platform);
    const refused = async (change: object) => {
      const answer = await claim({ token, account: { ...ACCOUNT, ...change } });
      return [answer.status, ...Object.keys(answer.body.errors ?? {})];
    };
    expect(await refused({ password: "azerty123" })).toEqual([400, "password"]);
    expect(await refused({ username: known.username })).toEqual([400, "username"]);
    expect(await refused({ email: known.email })).toEqual([400, "email"]);
    expect((await refused({ first_name: "x".repeat(10_000) }))[0]).toBe(400);
    expect(refusal(await claim({ token }))).toEqual([401, "session_expired"]);
    expect((await claim({ token, account: ACCOUNT })).status).toBe(201);
  });
});

test("a mailed invitation reaches its reader, in the organisation's name", async () => {
  const { platform } = service;
  await administration.mailInvitation(platform, {
    email: "theo.lenoir@exemple.fr",
    administrator: false,
  });
  const rows = await platform.db
    .selectFrom("notices")
    .select(["kind", "destination", "state"])
    .where("kind", "=", "registration_invited")
    .execute();
  expect(rows).toEqual([
    { kind: "registration_invited", destination: "theo.lenoir@exemple.fr", state: "queued" },
  ]);
});
