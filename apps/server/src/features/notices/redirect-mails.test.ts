import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { CHOICE, openWaitingStage, type WaitingStage } from "../../../testing/waiting-stage.ts";

const MORNING = "2026-11-22T07:00:00.000Z";
const NUMBER = "+33612345678";
let stage: WaitingStage;
beforeAll(async () => {
  stage = await openWaitingStage();
});
afterAll(() => stage.close());
beforeEach(async () => {
  await stage.begin();
  await stage.platform.db.deleteFrom("mailbox_messages").execute();
  await own({ notify_email: true, notify_sms: false, phone_number: NUMBER, phone_verified_at: stage.platform.clock() });
});

const own = (values: object) => stage.platform.db.updateTable("users").set(values).where("id", "=", stage.account.id).execute();
const texts = async () => {
  await stage.settle();
  return stage.platform.db.selectFrom("mailbox_messages").select("destination").where("channel", "=", "sms").execute();
};
const textsOnly = async (choice: object) => {
  const body = { email: false, sms: true, push: false, ...choice };
  expect((await (await stage.inSession()).send("PUT", CHOICE, { body })).status).toBe(200);
};

test("mail given up for texts, what waited for the daily mail goes by text at once, and no mail comes", async () => {
  await stage.choose({ daily_summary: true });
  await stage.tell();
  await stage.tell("expired", { envelopeTitle: "Mandat" });
  await textsOnly({ daily_summary: true });
  expect(await texts()).toEqual([{ destination: NUMBER }, { destination: NUMBER }]);
  stage.at(MORNING);
  await stage.release();
  expect(await stage.subjects()).toEqual([]);
  expect(await texts()).toHaveLength(2);
});

test("given up at night with the quiet hours kept, the texts go in the morning", async () => {
  await stage.choose({ daily_summary: true, quiet_hours: true });
  await stage.tell();
  stage.at("2026-11-21T22:00:00.000Z");
  await textsOnly({});
  expect(await texts()).toEqual([]);
  stage.at(MORNING);
  await stage.release();
  expect(await texts()).toEqual([{ destination: NUMBER }]);
  expect(await stage.subjects()).toEqual([]);
});

test("what was told by text beside the mail is not said again", async () => {
  await own({ notify_sms: true, daily_summary: true });
  const key = await stage.tell();
  expect(await texts()).toHaveLength(1);
  await textsOnly({});
  stage.at(MORNING);
  await stage.release();
  expect(await texts()).toHaveLength(1);
  expect(await stage.subjects()).toEqual([]);
  const row = await stage.platform.db.selectFrom("notices").select("state").where("dedupe_key", "=", key).executeTakeFirstOrThrow();
  expect(row.state).toBe("withdrawn");
});

test("mail given up for a push that reaches nobody, the daily mail comes", async () => {
  await stage.choose({ daily_summary: true });
  await stage.tell();
  await textsOnly({ sms: false, push: true });
  expect(await stage.subjects()).toEqual([]);
  stage.at(MORNING);
  await stage.release();
  expect(await stage.subjects()).toEqual(["Résumé quotidien\u00a0: 1 notification"]);
});

test("mail given up for a push at night, what waits is one in the morning, and leaves the event's own key to the mail that may follow", async () => {
  const { platform, account } = stage;
  await stage.choose({ daily_summary: true, quiet_hours: true });
  const key = await stage.tell();
  const session = await platform.db.selectFrom("sessions").select("id").where("user_id", "=", account.id).executeTakeFirstOrThrow();
  const keys = { public_key: new Uint8Array(65), auth_secret_wrapped: new Uint8Array(16), endpoint: "https://push.exemple.fr/1" };
  await platform.db
    .insertInto("push_subscriptions")
    .values({ id: platform.newId(), user_id: account.id, session_id: session.id, created_at: platform.clock(), ...keys })
    .execute();
  stage.at("2026-11-21T22:00:00.000Z");
  await textsOnly({ sms: false, push: true });
  const rows = await platform.db.selectFrom("notices").select(["channel", "destination", "dedupe_key", "held_for", "state"]).execute();
  await platform.db.deleteFrom("push_subscriptions").execute();
  expect(rows).toEqual([{ channel: "push", destination: account.email, dedupe_key: `${key}:push`, held_for: "quiet", state: "queued" }]);
  // No browser is left by then: the mail goes after all, in the daily mail that is still wanted.
  stage.at(MORNING);
  await stage.release();
  await stage.settle();
  const mail = await platform.db.selectFrom("notices").select(["channel", "held_for"]).where("dedupe_key", "=", key).execute();
  expect(mail).toEqual([{ channel: "email", held_for: "summary" }]);
});
