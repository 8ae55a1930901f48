import { ADDRESS_LINK_HOURS } from "@paraphe/contracts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, MEMBER_PASSWORD, signIn } from "../../../testing/member.ts";

const ME = "/api/signature/me";
const ASK = `${ME}/email/`;
const CONFIRM = `${ME}/email/confirm/`;
const password = MEMBER_PASSWORD;
let service: TestApp;
let count = 0;
beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

async function open() {
  const member = await createMember(service.platform);
  count += 1;
  return { member, browser: await signIn(service, member), wanted: `Nouvelle.${count}@exemple.fr` };
}
async function tokenFor(address: string): Promise<string> {
  const [mail] = await mailFor(service.platform, address);
  return new URL(linkIn(mail, service.platform.settings.publicUrl)).searchParams.get("email") ?? "";
}
const subjects = async (address: string) => (await mailFor(service.platform, address)).map(({ subject }) => subject);

test.each([ASK, CONFIRM])("%s answers 401 to a stranger, and 403 without the CSRF token", async (url) => {
  expect((await openBrowser(service.app).post(url, { nonsense: true })).status).toBe(401);
  const { browser } = await open();
  expect((await browser.send("POST", url, { body: {}, headers: { "x-csrftoken": "" } })).body.code).toBe("csrf_failed");
});

describe("another address", () => {
  test("is the account's once its link came back: sessions stay, both addresses are told, envelopes are matched by the new one", async () => {
    const { member, browser, wanted } = await open();
    const elsewhere = await signIn(service, member);
    const asked = await browser.post(ASK, { email: wanted, password });
    expect([asked.status, asked.body.detail]).toEqual([202, expect.stringContaining("un lien de confirmation y a été envoyé")]);
    expect((await browser.get(`${ME}/`)).body.user.email).toBe(member.email);
    expect(await subjects(member.email)).toEqual(["Changement d’adresse demandé"]);
    const token = await tokenFor(wanted);
    // A filter that opens the link changes nothing: the page asks for a press, in the account's session.
    await openBrowser(service.app).get(`/profile?email=${token}`);
    expect((await (await open()).browser.post(CONFIRM, { token })).body.code).toBe("address_link_expired");

    const changed = await browser.post(CONFIRM, { token });
    expect([changed.status, changed.body.user.email]).toEqual([200, wanted]);
    expect((await elsewhere.get(`${ME}/`)).body.user.email).toBe(wanted);
    expect(await subjects(member.email)).toContain("L’adresse de votre compte Paraphe a été changée");
    expect((await browser.post(CONFIRM, { token })).body.code).toBe("address_link_expired");
    const row = await service.platform.db.selectFrom("users").select("email_key").where("id", "=", member.id).executeTakeFirstOrThrow();
    expect(row.email_key).toBe(wanted.toLowerCase());
  });

  test("that has an account is answered alike: its owner is told, no link is made, the export says nothing", async () => {
    const { browser, wanted } = await open();
    const other = await createMember(service.platform);
    const free = await browser.post(ASK, { email: wanted, password });
    const taken = await browser.post(ASK, { email: other.email, password });
    expect([taken.status, taken.body]).toEqual([free.status, free.body]);
    expect(await subjects(other.email)).toEqual(["Vous avez déjà un compte Paraphe"]);
  });

  test("taken by somebody between the request and the link is refused", async () => {
    const { member, browser, wanted } = await open();
    await browser.post(ASK, { email: wanted, password });
    const token = await tokenFor(wanted);
    await createMember(service.platform, { email: wanted });
    expect((await browser.post(CONFIRM, { token })).body.code).toBe("address_link_expired");
    expect((await browser.get(`${ME}/`)).body.user.email).toBe(member.email);
  });

  test("needs the password, and to be another", async () => {
    const { member, browser, wanted } = await open();
    const wrong = await browser.post(ASK, { email: wanted, password: "pas celui-là" });
    expect([wrong.status, wrong.body.errors]).toEqual([400, { password: ["Mot de passe incorrect"] }]);
    const same = await browser.post(ASK, { email: member.email.toUpperCase(), password });
    expect([same.status, same.body.errors]).toEqual([400, { email: ["C’est déjà l’adresse de votre compte"] }]);
    expect(Object.keys((await browser.post(ASK, { email: "rien", password: "" })).body.errors)).toEqual(["email", "password"]);
  });
});

describe("the link", () => {
  test("serves 24 hours, and only the last one sent", async () => {
    const { browser, wanted } = await open();
    await browser.post(ASK, { email: wanted, password });
    const first = await tokenFor(wanted);
    await browser.post(ASK, { email: `encore.${wanted}`, password });
    expect((await browser.post(CONFIRM, { token: first })).body.code).toBe("address_link_expired");
    const second = await tokenFor(`encore.${wanted}`);
    await service.platform.db
      .updateTable("address_changes")
      .set({ expires_at: service.platform.clock() })
      .where("email", "=", `encore.${wanted}`)
      .execute();
    expect((await browser.post(CONFIRM, { token: second })).body.code).toBe("address_link_expired");
    expect(ADDRESS_LINK_HOURS).toBe(24);
  });

  test("ends with a new password: whoever knew the former one may have asked", async () => {
    const { browser, wanted } = await open();
    await browser.post(ASK, { email: wanted, password });
    const token = await tokenFor(wanted);
    await browser.post(`${ME}/password/`, { old_password: password, new_password: "tout neuf 9" });
    expect((await browser.post(CONFIRM, { token })).body.code).toBe("address_link_expired");
  });

  test("is sent five times an hour", async () => {
    const { browser, wanted } = await open();
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) statuses.push((await browser.post(ASK, { email: wanted, password })).status);
    expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
  });
});
