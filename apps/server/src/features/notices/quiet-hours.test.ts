import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import { openWaitingStage, SIGNED, type WaitingStage } from "../../../testing/waiting-stage.ts";
import type { Notice } from "./domain/notice.ts";
import { enqueueNotice } from "./enqueue-notice.ts";
import { sweepNotices } from "./jobs.ts";

let stage: WaitingStage;
beforeAll(async () => {
  stage = await openWaitingStage();
});
afterAll(() => stage.close());
beforeEach(() => stage.begin());

describe("quiet hours, 20 h to 8 h", () => {
  test("what is not urgent waits for 8 h, and says until when", async () => {
    await stage.choose({ quiet_hours: true });
    stage.at("2026-11-21T19:00:00.000Z");
    await stage.tell();
    expect(await stage.subjects()).toEqual([]);
    expect(await stage.waiting()).toEqual({ count: 1, until: "2026-11-22T07:00:00.000Z" });
    stage.at("2026-11-22T06:59:59.000Z");
    await stage.release();
    expect(await stage.subjects()).toEqual([]);
    stage.at("2026-11-22T07:00:00.000Z");
    await stage.release();
    await stage.release();
    expect(await stage.subjects()).toEqual([SIGNED]);
    expect(await stage.waiting()).toBeNull();
  });

  test("in the day, and for whoever did not choose them, nothing waits", async () => {
    await stage.choose({ quiet_hours: true });
    stage.at("2026-11-21T18:59:59.000Z");
    await stage.tell();
    expect(await stage.subjects()).toEqual([SIGNED]);
    await stage.choose({ quiet_hours: false });
    stage.at("2026-11-21T23:00:00.000Z");
    await stage.tell();
    expect(await stage.subjects()).toEqual([SIGNED, SIGNED]);
  });

  test.each(["signed", "completed", "declined", "cancelled", "expired", "expiring", "extension_requested", "batch_ended"] as const)(
    "%s waits",
    async (kind) => {
      await stage.choose({ quiet_hours: true });
      stage.at("2026-11-21T22:00:00.000Z");
      await stage.tell(kind);
      expect(await stage.subjects()).toEqual([]);
    },
  );

  test.each(["invitation", "reminder", "extended", "trial"] as const)("%s never waits", async (kind) => {
    await stage.choose({ quiet_hours: true, daily_summary: true });
    stage.at("2026-11-21T22:00:00.000Z");
    await stage.tell(kind);
    expect(await stage.arrived()).toHaveLength(1);
  });

  test.each(["activation", "reset", "password_changed", "invitation", "code", "already_registered"] as const)(
    "%s, which is nobody's choice, leaves at night",
    async (kind) => {
      await stage.choose({ quiet_hours: true, daily_summary: true });
      stage.at("2026-11-21T22:00:00.000Z");
      const to = { fullName: "Camille Roux", address: stage.account.email };
      const notice = {
        kind,
        channel: "email",
        dedupeKey: `wait:${kind}:${stage.account.id}`,
        to,
        userId: stage.account.id,
        content: NOTICE_SAMPLES[kind],
      };
      await stage.platform.db.transaction().execute((trx) => enqueueNotice(trx, stage.platform, notice as Notice));
      expect(await stage.arrived()).toHaveLength(1);
    },
  );

  test.each([
    ["the clocks go forward", "2027-03-27T22:00:00.000Z", "2027-03-28T05:59:59.000Z", "2027-03-28T06:00:00.000Z"],
    ["the clocks go back", "2027-10-30T22:00:00.000Z", "2027-10-31T06:59:59.000Z", "2027-10-31T07:00:00.000Z"],
  ])("8 h is 8 h in Paris the night %s", async (_night, evening, before, morning) => {
    await stage.platform.db.updateTable("users").set({ quiet_hours: true }).where("id", "=", stage.account.id).execute();
    stage.at(evening);
    await stage.tell();
    stage.at(before);
    await stage.release();
    expect(await stage.subjects()).toEqual([]);
    stage.at(morning);
    await stage.release();
    expect(await stage.subjects()).toEqual([SIGNED]);
  });

  test("a message that waited is as old as its morning: nothing gives it up, and it is tried again for 48 hours from then", async () => {
    await stage.choose({ quiet_hours: true });
    stage.at("2026-11-21T19:00:00.000Z");
    const key = await stage.tell();
    // Every process was away for two days and three hours.
    stage.at("2026-11-24T01:30:00.000Z");
    await sweepNotices(stage.platform);
    const row = await stage.platform.db.selectFrom("notices").select("state").where("dedupe_key", "=", key).executeTakeFirstOrThrow();
    expect(row.state).toBe("queued");
    stage.at("2026-11-24T06:00:00.000Z");
    await stage.release();
    expect(await stage.subjects()).toEqual([SIGNED]);
  });

  test("giving them up sends what waits, once", async () => {
    await stage.choose({ quiet_hours: true });
    stage.at("2026-11-21T19:00:00.000Z");
    await stage.tell();
    await stage.choose({ quiet_hours: false });
    expect(await stage.subjects()).toEqual([SIGNED]);
    stage.at("2026-11-22T07:00:00.000Z");
    await stage.release();
    expect(await stage.arrived()).toHaveLength(1);
  });

  test.each([
    ["alone goes by mail", false, [SIGNED]],
    ["said by mail too is not said twice", true, [SIGNED]],
  ])("a text to a number that is given up meanwhile, %s", async (_what, notify_email, expected) => {
    const { platform, account } = stage;
    const phone = { phone_number: "+33612345678", phone_verified_at: platform.clock() };
    await platform.db
      .updateTable("users")
      .set({ quiet_hours: true, notify_sms: true, notify_email, ...phone })
      .where("id", "=", account.id)
      .execute();
    stage.at("2026-11-21T19:00:00.000Z");
    await stage.tell();
    const changed = await (await stage.inSession()).send("PATCH", "/api/signature/me/", { body: { phone_number: "0698765432" } });
    expect(changed.status).toBe(200);
    await platform.db
      .updateTable("users")
      .set({ notify_email: true, notify_sms: false, phone_number: null, phone_verified_at: null })
      .where("id", "=", account.id)
      .execute();
    stage.at("2026-11-22T07:00:00.000Z");
    await stage.release();
    expect(await stage.subjects()).toEqual(expected);
    expect(await platform.db.selectFrom("mailbox_messages").select("id").where("channel", "=", "sms").execute()).toEqual([]);
  });
});
