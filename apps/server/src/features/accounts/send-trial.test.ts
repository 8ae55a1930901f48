import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser } from "../../../testing/browser.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, signIn } from "../../../testing/member.ts";

const TRIAL = "/api/signature/me/notifications/test/";
let service: TestApp;
beforeAll(async () => {
  service = await createTestApp();
});
afterAll(() => service.close());

async function open(columns: object) {
  const member = await createMember(service.platform);
  await service.platform.db
    .updateTable("users")
    .set({ notify_email: true, ...columns })
    .where("id", "=", member.id)
    .execute();
  return { member, browser: await signIn(service, member) };
}

test("401 to a stranger, 403 without the CSRF token", async () => {
  expect((await openBrowser(service.app).post(TRIAL, {})).status).toBe(401);
  const { browser } = await open({});
  expect((await browser.send("POST", TRIAL, { body: {}, headers: { "x-csrftoken": "" } })).body.code).toBe("csrf_failed");
});

test("a trial goes by each channel that was chosen and reaches: a number is written to once it is verified", async () => {
  const phone = "+33612340099";
  const { member, browser } = await open({ notify_sms: true, phone_number: phone });
  expect((await browser.post(TRIAL, {})).body).toEqual({ channels: ["email"] });
  await service.platform.db.updateTable("users").set({ phone_verified_at: service.platform.clock() }).where("id", "=", member.id).execute();
  const both = await browser.post(TRIAL, {});
  expect([both.status, both.body]).toEqual([202, { channels: ["email", "sms"] }]);
  expect((await mailFor(service.platform, member.email)).map(({ subject }) => subject)).toEqual([
    "Notification d’essai",
    "Notification d’essai",
  ]);
  expect((await mailFor(service.platform, phone)).map(({ content }) => content.text)).toEqual([
    "Message d'essai de Paraphe. Vos SMS arrivent bien.",
  ]);
});

test("the sixth of an hour is refused", async () => {
  const { browser } = await open({});
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) statuses.push((await browser.post(TRIAL, {})).status);
  expect(statuses).toEqual([202, 202, 202, 202, 202, 429]);
});
