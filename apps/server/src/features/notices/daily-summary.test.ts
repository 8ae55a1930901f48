import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MEMBER_PASSWORD } from "../../../testing/member.ts";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import { CHOICE, MAIL, openWaitingStage, SIGNED, type WaitingStage } from "../../../testing/waiting-stage.ts";
import { confirmAddress } from "../accounts/confirm-address.ts";
import { releaseWaiting } from "./release-waiting.ts";

let stage: WaitingStage;
beforeAll(async () => {
  stage = await openWaitingStage();
});
afterAll(() => stage.close());
beforeEach(() => stage.begin());

describe("the daily summary", () => {
  test("is one mail at 8 h that lists what happened, in its order, in both parts, with the links", async () => {
    await stage.choose({ daily_summary: true });
    await stage.tell();
    stage.at("2026-11-21T13:30:00.000Z");
    await stage.tell("declined", { envelopeTitle: "Mandat", link: "https://sign.exemple.fr/signature/detail/mandat" });
    stage.at("2026-11-21T23:05:00.000Z");
    await stage.tell("expired", { envelopeTitle: "Avenant n° 2" });
    expect(await stage.subjects()).toEqual([]);
    expect(await stage.waiting()).toEqual({ count: 3, until: "2026-11-22T07:00:00.000Z" });
    stage.at("2026-11-22T07:00:00.000Z");
    await stage.release();
    const [got, ...others] = await stage.arrived();
    expect(others).toEqual([]);
    expect(got?.envelope.to).toEqual([stage.account.email]);
    expect(got?.mail.subject).toBe("Résumé quotidien\u00a0: 3 notifications");
    const text = (got?.mail.text ?? "").replaceAll("\r\n", "\n");
    expect(text).toContain(
      [
        "Bonjour Camille Roux,\n\nVoici ce qui s’est passé depuis votre dernier résumé.",
        `- ${SIGNED}\n  21 novembre 2026 à 11\u00a0h\u00a000\n  ${NOTICE_SAMPLES.signed.link}`,
        "- Zoë Œuvrard a refusé de signer «\u00a0Mandat\u00a0»\n  21 novembre 2026 à 14\u00a0h\u00a030\n  https://sign.exemple.fr/signature/detail/mandat",
        "- Délai de signature dépassé\u00a0: Avenant n° 2\n  22 novembre 2026 à 0\u00a0h\u00a005",
        `Mes notifications\u00a0:\n${stage.platform.settings.publicUrl}/settings/notifications`,
      ].join("\n\n"),
    );
    const html = got?.mail.html ?? "";
    expect(html.match(/<li /g)).toHaveLength(3);
    expect(html).toContain(`<a class="accent" href="${NOTICE_SAMPLES.signed.link}"`);
    expect(html).toContain("Bail – 12 rue Haute &#60;b&#62;&#38; Cie&#60;/b&#62;");
    expect(html).toContain("prefers-color-scheme:dark");
  });

  test("of one event says so in the singular; what it lists is marked as sent with it", async () => {
    await stage.choose({ daily_summary: true });
    const key = await stage.tell();
    stage.at("2026-11-22T07:00:00.000Z");
    await stage.release();
    expect(await stage.subjects()).toEqual(["Résumé quotidien\u00a0: 1 notification"]);
    const rows = await stage.platform.db
      .selectFrom("notices")
      .select(["kind", "state", "content_wrapped", "server_answer", "sent_at"])
      .where("user_id", "=", stage.account.id)
      .orderBy("kind")
      .execute();
    expect(rows.map(({ kind, state, content_wrapped }) => [kind, state, content_wrapped])).toEqual([
      ["signed", "sent", null],
      ["summary", "sent", null],
    ]);
    expect(rows[0]?.server_answer).toBe(rows[1]?.server_answer);
    // The same event again is the same message: no second mail, neither alone nor listed.
    await stage.platform.db.updateTable("users").set({ daily_summary: false }).where("id", "=", stage.account.id).execute();
    await stage.tell("signed", {}, key);
    expect(await stage.arrived()).toHaveLength(1);
  });

  test("is not sent on an empty day", async () => {
    await stage.choose({ daily_summary: true });
    for (const day of [22, 23]) {
      stage.at(`2026-11-${day}T07:00:00.000Z`);
      await stage.release();
    }
    expect(await stage.subjects()).toEqual([]);
  });

  test("says each event in one mail only, day after day", async () => {
    await stage.choose({ daily_summary: true });
    for (const [day, title] of [
      ["22", "Lundi"],
      ["23", "Mardi"],
    ]) {
      await stage.tell("expired", { envelopeTitle: title });
      stage.at(`2026-11-${day}T07:00:00.000Z`);
      await stage.release();
    }
    const texts = (await stage.arrived()).map(({ mail }) => mail.text ?? "");
    expect(texts.map((text) => ["Lundi", "Mardi"].filter((title) => text.includes(title)))).toEqual([["Lundi"], ["Mardi"]]);
  });

  test("loses nothing and says nothing twice when its process dies before the end", async () => {
    await stage.choose({ daily_summary: true });
    await stage.tell();
    stage.at("2026-11-22T07:00:00.000Z");
    const enqueueAll = async (_trx: unknown, name: string, jobs: readonly unknown[]) => {
      if (jobs.length > 0) throw new Error(`killed at ${name}`);
    };
    const dying = { ...stage.platform, queue: { ...stage.platform.queue, enqueueAll } };
    await expect(releaseWaiting(dying)).rejects.toThrow("1 daily summaries could not be written");
    expect(await stage.subjects()).toEqual([]);
    expect(await stage.waiting()).toMatchObject({ count: 1 });
    // The next one gets as far as the outbox and dies there; another begins anew.
    await stage.release();
    await stage.release();
    expect(await stage.subjects()).toEqual(["Résumé quotidien\u00a0: 1 notification"]);
  });

  test("is one, whatever the number of processes that write it", async () => {
    await stage.choose({ daily_summary: true });
    for (let count = 0; count < 5; count++) await stage.tell();
    stage.at("2026-11-22T07:00:00.000Z");
    await Promise.all([stage.release(), stage.release(), stage.release()]);
    expect(await stage.subjects()).toEqual(["Résumé quotidien\u00a0: 5 notifications"]);
  });

  test("refused by its server, it says so of what it lists too", async () => {
    await stage.choose({ daily_summary: true });
    const key = await stage.tell();
    stage.at("2026-11-22T07:00:00.000Z");
    stage.smtp.answers.push({ at: "rcpt", code: 550, words: "5.1.1 inconnu" });
    await stage.release();
    expect(await stage.subjects()).toEqual([]);
    const row = await stage.platform.db
      .selectFrom("notices")
      .select(["state", "server_answer"])
      .where("dedupe_key", "=", key)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ state: "refused", server_answer: expect.stringContaining("5.1.1 inconnu") });
  });

  test("given up in the day, what waits leaves at once, each for itself", async () => {
    await stage.choose({ daily_summary: true });
    await stage.tell();
    await stage.tell("expired", { envelopeTitle: "Mandat" });
    await stage.choose({ daily_summary: false });
    expect((await stage.subjects()).toSorted()).toEqual([SIGNED, "Délai de signature dépassé\u00a0: Mandat"].toSorted());
    stage.at("2026-11-22T07:00:00.000Z");
    await stage.release();
    expect(await stage.arrived()).toHaveLength(2);
  });

  test("given up at night, with the quiet hours kept, what waits leaves in the morning", async () => {
    await stage.choose({ daily_summary: true, quiet_hours: true });
    await stage.tell();
    stage.at("2026-11-21T22:00:00.000Z");
    await stage.choose({ daily_summary: false });
    expect(await stage.subjects()).toEqual([]);
    stage.at("2026-11-22T07:00:00.000Z");
    await stage.release();
    expect(await stage.subjects()).toEqual([SIGNED]);
  });

  test("goes to the address its reader has by then", async () => {
    await stage.choose({ daily_summary: true });
    await stage.tell();
    const email = `nouvelle.${stage.account.username}@exemple.fr`;
    const asked = await (await stage.inSession()).post("/api/signature/me/email/", { email, password: MEMBER_PASSWORD });
    expect(asked.status).toBe(202);
    await stage.settle();
    const link = stage.smtp.received.find(({ envelope }) => envelope.to[0] === email)?.mail.text ?? "";
    const token = /[?&]email=([\w-]{43})/.exec(link)?.[1] ?? expect.fail("no link came");
    expect((await confirmAddress(stage.platform, { userId: stage.account.id, token })).ok).toBe(true);
    stage.at("2026-11-22T07:00:00.000Z");
    await stage.release();
    const summary = (await stage.arrived()).find(({ mail }) => mail.subject?.startsWith("Résumé"));
    expect(summary?.envelope.to).toEqual([email]);
  });
});

test("what is left out of a choice stays, and what is no choice is refused", async () => {
  await stage.choose({ quiet_hours: true, daily_summary: true });
  const browser = await stage.inSession();
  expect((await browser.send("PUT", CHOICE, { body: MAIL })).body).toEqual({ ...MAIL, quiet_hours: true, daily_summary: true });
  expect((await browser.get(CHOICE)).body).toMatchObject({ quiet_hours: true, daily_summary: true });
  expect((await browser.send("PUT", CHOICE, { body: { ...MAIL, quiet_hours: "oui" } })).status).toBe(400);
  expect((await browser.get("/api/signature/me/")).body.user.notifications).toEqual(MAIL);
});
