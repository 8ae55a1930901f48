import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import type { TestBrowser } from "../../../testing/browser.ts";
import { createDraft, createSent, ENVELOPES, recordTestSignature } from "../../../testing/envelope.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, signIn } from "../../../testing/member.ts";

let service: TestApp;
let browser: TestBrowser;
let tag = 0;

beforeAll(async () => {
  service = await createTestApp({ settings: { rateLimits: "off" } });
  browser = await signIn(service, await createMember(service.platform));
});
afterAll(() => service.close());

const ranked = (order: number, role = "signer") => ({
  email: `rang${++tag}@exemple.fr`,
  full_name: `Personne ${"ABCDEFGH"[tag]}`,
  role,
  order,
});
const statusesOf = async (id: string) =>
  (await browser.get(`${ENVELOPES}${id}/`)).body.recipients.map((row: { status: string }) => row.status);

test("asks several people of one rank at once, whatever their roles, and the next rank when the last of them has signed", async () => {
  const people = [ranked(1), ranked(1, "approver"), ranked(2), ranked(2)];
  const sent = await createSent(browser, { flow: "sequential", recipients: people });
  expect(sent.recipients.map((row) => row.order)).toEqual([1, 1, 2, 2]);
  await service.settle();
  expect(await statusesOf(sent.id)).toEqual(["notified", "notified", "waiting", "waiting"]);
  expect(await mailFor(service.platform, people[2]?.email ?? "")).toEqual([]);

  await recordTestSignature(service.platform, sent.id, sent.recipients[1]?.id ?? "");
  await service.settle();
  expect(await statusesOf(sent.id)).toEqual(["notified", "signed", "waiting", "waiting"]);
  await recordTestSignature(service.platform, sent.id, sent.recipients[0]?.id ?? "");
  await service.settle();
  expect(await statusesOf(sent.id)).toEqual(["signed", "signed", "notified", "notified"]);
  for (const person of people) expect(await mailFor(service.platform, person.email)).toHaveLength(1);
});

test("keeps ranks that leave a gap, and those of a list that is written again", async () => {
  const draft = await createDraft(browser, { flow: "sequential", recipients: [ranked(7), ranked(3)] });
  const rows = draft.recipients.map(({ id, email, full_name }) => ({ id, email, full_name, order: 4 }));
  const patched = await browser.send("PATCH", `${ENVELOPES}${draft.id}/`, { body: { recipients: rows } });
  expect(patched.body.recipients.map((row: { order: number }) => row.order)).toEqual([4, 4]);
  await browser.post(`${ENVELOPES}${draft.id}/send/`);
  expect(await statusesOf(draft.id)).toEqual(["notified", "notified"]);
});
