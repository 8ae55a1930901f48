import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MEMBER_PASSWORD } from "../../../testing/member.ts";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import {
  CHOICE,
  MAIL,
  openWaitingStage,
  SIGNED,
  type WaitingStage,
} from "../../../testing/stages/waiting-stage.ts";
import { confirmAddress } from "../accounts/change-address.ts";
import type { Notice } from "./domain/notice.ts";
import { enqueueNotice } from "./enqueue-notice.ts";
import { sweepNotices } from "./run-outbox.ts";
import { releaseWaiting } from "./waiting.ts";

const MORNING = "2026-11-22T07:00:00.000Z";

let stage: WaitingStage;

beforeAll(async () => {
  stage = await openWaitingStage();
});

afterAll(() => stage.close());

describe("quiet hours, 20 h to 8 h", () => {
  beforeEach(() => stage.begin());

  test("news that is not urgent waits for 8 h, and shows until when", async () => {
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

  test("by day, and for whoever did not choose quiet hours, nothing waits", async () => {
    await stage.choose({ quiet_hours: true });
    stage.at("2026-11-21T18:59:59.000Z");
    await stage.tell();
    expect(await stage.subjects()).toEqual([SIGNED]);
    await stage.choose({ quiet_hours: false });
    stage.at("2026-11-21T23:00:00.000Z");
    await stage.tell();
    expect(await stage.subjects()).toEqual([SIGNED, SIGNED]);
  });

  test.each([
    "signed",
    "completed",
    "declined",
    "cancelled",
    "expired",
    "expiring",
    "extension_requested",
    "batch_ended",
    "mailing_ended",
  ] as const)("%s waits", async (kind) => {
    await stage.choose({ quiet_hours: true });
    stage.at("2026-11-21T22:00:00.000Z");
    await stage.tell(kind);
    expect(await stage.subjects()).toEqual([]);
  });

  test.each(["invitation", "reminder", "extended", "trial"] as const)(
    "%s never waits",
    async (kind) => {
      await stage.choose({ quiet_hours: true, daily_summary: true });
      stage.at("2026-11-21T22:00:00.000Z");
      await stage.tell(kind);
      expect(await stage.arrived()).toHaveLength(1);
    },
  );

  test.each([
    "activation",
    "reset",
    "password_changed",
    "invitation",
    "code",
    "already_registered",
  ] as const)("%s, which is nobody's choice, leaves at night", async (kind) => {
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
    await stage.platform.db
      .transaction()
      .execute((trx) => enqueueNotice(trx, stage.platform, notice as Notice));
    expect(await stage.arrived()).toHaveLength(1);
  });

  test.each([
    [
      "the clocks go forward",
      "2027-03-27T22:00:00.000Z",
      "2027-03-28T05:59:59.000Z",
      "2027-03-28T06:00:00.000Z",
    ],
    [
      "the clocks go back",
      "2027-10-30T22:00:00.000Z",
      "2027-10-31T06:59:59.000Z",
      "2027-10-31T07:00:00.000Z",
    ],
  ])("8 h is 8 h in Paris the night %s", async (_night, evening, before, morning) => {
    await stage.platform.db
      .updateTable("users")
      .set({ quiet_hours: true })
      .where("id", "=", stage.account.id)
      .execute();
    stage.at(evening);
    await stage.tell();
    stage.at(before);
    await stage.release();
    expect(await stage.subjects()).toEqual([]);
    stage.at(morning);
    await stage.release();
    expect(await stage.subjects()).toEqual([SIGNED]);
  });

  test("a message that waited counts its age from the morning: it is tried for 48 hours from then", async () => {
    await stage.choose({ quiet_hours: true });
    stage.at("2026-11-21T19:00:00.000Z");
    const key = await stage.tell();
    // An outage of two days and three hours.
    stage.at("2026-11-24T01:30:00.000Z");
    await sweepNotices(stage.platform);
    const row = await stage.platform.db
      .selectFrom("notices")
      .select("state")
      .where("dedupe_key", "=", key)
      .executeTakeFirstOrThrow();
    expect(row.state).toBe("queued");
    stage.at("2026-11-24T06:00:00.000Z");
    await stage.release();
    expect(await stage.subjects()).toEqual([SIGNED]);
  });

  test("giving up quiet hours sends what waits, once", async () => {
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
    const changed = await (await stage.inSession()).send("PATCH", "/api/signature/me/", {
      body: { phone_number: "0698765432" },
    });
    expect(changed.status).toBe(200);
    await platform.db
      .updateTable("users")
      .set({ notify_email: true, notify_sms: false, phone_number: null, phone_verified_at: null })
      .where("id", "=", account.id)
      .execute();
    stage.at("2026-11-22T07:00:00.000Z");
    await stage.release();
    expect(await stage.subjects()).toEqual(expected);
    expect(
      await platform.db
        .selectFrom("mailbox_messages")
        .select("id")
        .where("channel", "=", "sms")
        .execute(),
    ).toEqual([]);
  });
});

describe("the daily summary", () => {
  beforeEach(() => stage.begin());

  describe("the daily summary", () => {
    test("the summary is one mail at 8 h that lists the events in order, in both parts, with links", async () => {
      await stage.choose({ daily_summary: true });
      await stage.tell();
      stage.at("2026-11-21T13:30:00.000Z");
      await stage.tell("declined", {
        envelopeTitle: "Mandat",
        link: "https://sign.exemple.fr/signature/detail/mandat",
      });
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
          `- ${SIGNED}\n  21\u00a0novembre 2026 à\u00a011\u00a0h\u00a000\n  ${NOTICE_SAMPLES.signed.link}`,
          "- Zoë Œuvrard a refusé de signer «\u00a0Mandat\u00a0»\n  21\u00a0novembre 2026 à\u00a014\u00a0h\u00a030\n  https://sign.exemple.fr/signature/detail/mandat",
          "- Délai de signature dépassé\u00a0: Avenant n° 2\n  22\u00a0novembre 2026 à\u00a000\u00a0h\u00a005",
          `Mes notifications\u00a0:\n${stage.platform.settings.publicUrl}/settings/notifications`,
        ].join("\n\n"),
      );
      const html = got?.mail.html ?? "";
      expect(html.match(/<li /g)).toHaveLength(3);
      expect(html).toContain(`<a class="accent" href="${NOTICE_SAMPLES.signed.link}"`);
      expect(html).toContain("Bail – 12 rue Haute &#60;b&#62;&#38; Cie&#60;/b&#62;");
      expect(html).toContain("prefers-color-scheme:dark");
    });

    test("a summary of one event is in the singular, and its message is marked as sent", async () => {
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
      expect(
        rows.map(({ kind, state, content_wrapped }) => [kind, state, content_wrapped]),
      ).toEqual([
        ["signed", "sent", null],
        ["summary", "sent", null],
      ]);
      expect(rows[0]?.server_answer).toBe(rows[1]?.server_answer);
      // The mail has the same key, so no second one goes, neither alone nor listed.
      await stage.platform.db
        .updateTable("users")
        .set({ daily_summary: false })
        .where("id", "=", stage.account.id)
        .execute();
      await stage.tell("signed", {}, key);
      expect(await stage.arrived()).toHaveLength(1);
    });

    test("no summary is sent on an empty day", async () => {
      await stage.choose({ daily_summary: true });
      for (const day of [22, 23]) {
        stage.at(`2026-11-${day}T07:00:00.000Z`);
        await stage.release();
      }
      expect(await stage.subjects()).toEqual([]);
    });

    test("each event is in one summary only, day after day", async () => {
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
      expect(
        texts.map((text) => ["Lundi", "Mardi"].filter((title) => text.includes(title))),
      ).toEqual([["Lundi"], ["Mardi"]]);
    });

    test("a summary whose process dies loses and repeats nothing", async () => {
      await stage.choose({ daily_summary: true });
      await stage.tell();
      stage.at("2026-11-22T07:00:00.000Z");
      const wrap = () => {
        throw new Error("killed before the mail is stored");
      };
      const dying = { ...stage.platform, secrets: { ...stage.platform.secrets, wrap } };
      await expect(releaseWaiting(dying)).rejects.toThrow("1 daily summaries could not be written");
      expect(await stage.subjects()).toEqual([]);
      expect(await stage.waiting()).toMatchObject({ count: 1 });
      // The next process dies in the outbox; another starts again.
      await stage.release();
      await stage.release();
      expect(await stage.subjects()).toEqual(["Résumé quotidien\u00a0: 1 notification"]);
    });

    test("parallel processes write one summary", async () => {
      await stage.choose({ daily_summary: true });
      for (let count = 0; count < 5; count++) await stage.tell();
      stage.at("2026-11-22T07:00:00.000Z");
      await Promise.all([stage.release(), stage.release(), stage.release()]);
      expect(await stage.subjects()).toEqual(["Résumé quotidien\u00a0: 5 notifications"]);
    });

    test("a refused summary marks the messages it lists as refused", async () => {
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
      expect(row).toEqual({
        state: "refused",
        server_answer: expect.stringContaining("5.1.1 inconnu"),
      });
    });

    test("giving up the summary by day sends each waiting message at once", async () => {
      await stage.choose({ daily_summary: true });
      await stage.tell();
      await stage.tell("expired", { envelopeTitle: "Mandat" });
      await stage.choose({ daily_summary: false });
      expect((await stage.subjects()).toSorted()).toEqual(
        [SIGNED, "Délai de signature dépassé\u00a0: Mandat"].toSorted(),
      );
      stage.at("2026-11-22T07:00:00.000Z");
      await stage.release();
      expect(await stage.arrived()).toHaveLength(2);
    });

    test("giving up the summary in quiet hours sends what waits in the morning", async () => {
      await stage.choose({ daily_summary: true, quiet_hours: true });
      await stage.tell();
      stage.at("2026-11-21T22:00:00.000Z");
      await stage.choose({ daily_summary: false });
      expect(await stage.subjects()).toEqual([]);
      stage.at("2026-11-22T07:00:00.000Z");
      await stage.release();
      expect(await stage.subjects()).toEqual([SIGNED]);
    });

    test("a summary goes to its reader's current address", async () => {
      await stage.choose({ daily_summary: true });
      await stage.tell();
      const email = `nouvelle.${stage.account.username}@exemple.fr`;
      const asked = await (await stage.inSession()).post("/api/signature/me/email/", {
        email,
        password: MEMBER_PASSWORD,
      });
      expect(asked.status).toBe(202);
      await stage.settle();
      const link =
        stage.smtp.received.find(({ envelope }) => envelope.to[0] === email)?.mail.text ?? "";
      const token = /[?&]email=([\w-]{43})/.exec(link)?.[1] ?? expect.fail("no link came");
      expect((await confirmAddress(stage.platform, { userId: stage.account.id, token })).ok).toBe(
        true,
      );
      stage.at("2026-11-22T07:00:00.000Z");
      await stage.release();
      const summary = (await stage.arrived()).find(({ mail }) =>
        mail.subject?.startsWith("Résumé"),
      );
      expect(summary?.envelope.to).toEqual([email]);
    });
  });

  test("an omitted choice stays, and an unknown one is refused", async () => {
    await stage.choose({ quiet_hours: true, daily_summary: true });
    const browser = await stage.inSession();
    expect((await browser.send("PUT", CHOICE, { body: MAIL })).body).toEqual({
      ...MAIL,
      quiet_hours: true,
      daily_summary: true,
    });
    expect((await browser.get(CHOICE)).body).toMatchObject({
      quiet_hours: true,
      daily_summary: true,
    });
    expect(
      (await browser.send("PUT", CHOICE, { body: { ...MAIL, quiet_hours: "oui" } })).status,
    ).toBe(400);
    expect((await browser.get("/api/signature/me/")).body.user.notifications).toEqual(MAIL);
  });
});

describe("the release of what waits", () => {
  beforeEach(() => stage.begin());

  /** Inserts waiting messages that cannot be read. */
  const hold = (count: number, reason: "quiet" | "summary", age = 0) =>
    sql`insert into notices (id, dedupe_key, kind, channel, destination, message_id, user_id, content_wrapped, held_for, not_before, state, created_at)
    select gen_random_uuid(), 'held:' || ${reason}::text || n, 'signed', 'email', 'c@exemple.fr', 'm', ${stage.account.id}::uuid, '\\x00',
      ${reason}, ${MORNING}::timestamptz, 'queued', ${MORNING}::timestamptz - make_interval(hours => 20 - ${age}::int, secs => n)
    from generate_series(1, ${count}::int) n`.execute(stage.platform.db);
  const held = async () =>
    Number(
      (
        await stage.platform.db
          .selectFrom("notices")
          .select((eb) => eb.fn.countAll().as("count"))
          .where("held_for", "is not", null)
          .where("state", "=", "queued")
          .where("summary_id", "is", null)
          .executeTakeFirstOrThrow()
      ).count,
    );

  test("messages are released by the thousand, skipping those that another process locked", async () => {
    await hold(2_100, "quiet");
    stage.at(MORNING);
    let updates = 0;
    const db = stage.platform.db.withPlugin({
      transformQuery: ({ node }) => {
        if (node.kind === "UpdateQueryNode") updates += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    });
    const counting = { ...stage.platform, db };
    await stage.platform.db.transaction().execute(async (other) => {
      await sql`select 1 from notices where dedupe_key = 'held:quiet7' for update`.execute(other);
      await releaseWaiting(counting);
    });
    expect(updates).toBe(3);
    expect(await held()).toBe(1);
    await releaseWaiting(counting);
    expect(await held()).toBe(0);
  });

  test("a line that cannot be read is refused and logged by its id; the others go", async () => {
    await stage.choose({ daily_summary: true });
    await stage.tell();
    // A mail lists fewer; all of these are newer than the readable one.
    await hold(120, "summary", 15);
    stage.at(MORNING);
    await stage.release();
    const [got, ...others] = await stage.arrived();
    expect(others).toEqual([]);
    expect(got?.mail.text).toContain(SIGNED);
    expect(await held()).toBe(0);
    const refused = await stage.platform.db
      .selectFrom("notices")
      .select(["server_answer", "content_wrapped"])
      .distinct()
      .where("state", "=", "refused")
      .execute();
    expect(refused).toEqual([{ server_answer: "Contenu illisible.", content_wrapped: null }]);
  });

  test("only unreadable lines make no summary and no failure", async () => {
    await hold(1, "summary");
    stage.at(MORNING);
    await stage.release();
    expect(await stage.subjects()).toEqual([]);
    expect(await held()).toBe(0);
  });

  test.each([
    [101, "et 1 autre, à voir dans votre tableau de bord"],
    [103, "et 3 autres, à voir dans votre tableau de bord"],
  ])(
    "a summary of %i events lists the 100 newest and counts the others, which are sent with it",
    async (count, words) => {
      await stage.choose({ daily_summary: true });
      for (let n = 1; n <= count; n++) await stage.tell("expired", { envelopeTitle: `Bail ${n}.` });
      await sql`update notices set created_at = created_at - make_interval(secs => (${count} - substring(dedupe_key from '[0-9]+')::int))`.execute(
        stage.platform.db,
      );
      stage.at(MORNING);
      await stage.release();
      const [got, ...others] = await stage.arrived();
      expect(others).toEqual([]);
      expect(got?.mail.subject).toBe(`Résumé quotidien\u00a0: ${count} notifications`);
      const html = got?.mail.html ?? "";
      expect(html.match(/<li /g)).toHaveLength(101);
      expect(html).not.toContain(`Bail ${count - 100}.`);
      expect(html).toContain(`Bail ${count - 99}.`);
      expect(html).toContain(
        `<a class="accent" href="${stage.platform.settings.publicUrl}/dashboard" style="color:#2a3f9d">${words}</a></li>`,
      );
      expect(got?.mail.text?.replaceAll("\r\n", "\n")).toContain(
        `- ${words}\n  ${stage.platform.settings.publicUrl}/dashboard\n\nMes notifications`,
      );
      const states = await stage.platform.db
        .selectFrom("notices")
        .select("state")
        .distinct()
        .execute();
      expect(states).toEqual([{ state: "sent" }]);
    },
  );
});

describe("redirected mails", () => {
  const NUMBER = "+33612345678";
  beforeEach(async () => {
    await stage.begin();
    await stage.platform.db.deleteFrom("mailbox_messages").execute();
    // The summary's reader changed their address after the first.
    const { email } = stage.account;
    const phone = { phone_number: NUMBER, phone_verified_at: stage.platform.clock() };
    await own({ email, email_key: email, notify_email: true, notify_sms: false, ...phone });
  });

  const own = (values: object) =>
    stage.platform.db.updateTable("users").set(values).where("id", "=", stage.account.id).execute();
  const texts = async () => {
    await stage.settle();
    return stage.platform.db
      .selectFrom("mailbox_messages")
      .select("destination")
      .where("channel", "=", "sms")
      .execute();
  };
  const textsOnly = async (choice: object) => {
    const body = { email: false, sms: true, push: false, ...choice };
    expect((await (await stage.inSession()).send("PUT", CHOICE, { body })).status).toBe(200);
  };

  test("giving up mail for texts sends the summary's messages by text at once", async () => {
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

  test("giving up mail for texts in quiet hours sends them in the morning", async () => {
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

  test("a waiting mail whose text was sent is not sent again", async () => {
    await own({ notify_sms: true, daily_summary: true });
    const key = await stage.tell();
    expect(await texts()).toHaveLength(1);
    await textsOnly({});
    stage.at(MORNING);
    await stage.release();
    expect(await texts()).toHaveLength(1);
    expect(await stage.subjects()).toEqual([]);
    const row = await stage.platform.db
      .selectFrom("notices")
      .select("state")
      .where("dedupe_key", "=", key)
      .executeTakeFirstOrThrow();
    expect(row.state).toBe("withdrawn");
  });

  test("giving up mail for a push that reaches nobody leaves the summary", async () => {
    await stage.choose({ daily_summary: true });
    await stage.tell();
    await textsOnly({ sms: false, push: true });
    expect(await stage.subjects()).toEqual([]);
    stage.at(MORNING);
    await stage.release();
    expect(await stage.subjects()).toEqual(["Résumé quotidien\u00a0: 1 notification"]);
  });

  test("giving up mail for push at night sends one push in the morning, which leaves the event's key to a mail", async () => {
    const { platform, account } = stage;
    await stage.choose({ daily_summary: true, quiet_hours: true });
    const key = await stage.tell();
    const session = await platform.db
      .selectFrom("sessions")
      .select("id")
      .where("user_id", "=", account.id)
      .executeTakeFirstOrThrow();
    const keys = {
      public_key: new Uint8Array(65),
      auth_secret_wrapped: new Uint8Array(16),
      endpoint: "https://push.exemple.fr/1",
    };
    await platform.db
      .insertInto("push_subscriptions")
      .values({
        id: platform.newId(),
        user_id: account.id,
        session_id: session.id,
        created_at: platform.clock(),
        ...keys,
      })
      .execute();
    stage.at("2026-11-21T22:00:00.000Z");
    await textsOnly({ sms: false, push: true });
    const rows = await platform.db
      .selectFrom("notices")
      .select(["channel", "destination", "dedupe_key", "held_for", "state"])
      .execute();
    await platform.db.deleteFrom("push_subscriptions").execute();
    expect(rows).toEqual([
      {
        channel: "push",
        destination: account.email,
        dedupe_key: `${key}:push`,
        held_for: "quiet",
        state: "queued",
      },
    ]);
    // No browser is left by then, so the summary goes by mail.
    stage.at(MORNING);
    await stage.release();
    await stage.settle();
    const mail = await platform.db
      .selectFrom("notices")
      .select(["channel", "held_for"])
      .where("dedupe_key", "=", key)
      .execute();
    expect(mail).toEqual([{ channel: "email", held_for: "summary" }]);
  });
});
