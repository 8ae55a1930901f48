import { type Envelope, waitInWords, maskEmail } from "@paraphe/contracts";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ENVELOPES,
  eventsOf,
  PAUL,
  readEnvelope,
  signNth,
} from "../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, openMember, signIn } from "../../../testing/member.ts";
import { recipientCalls, recipientPath } from "../../../testing/recipient-calls.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { verifyChain } from "../journal/journal.ts";
import { lockGuestAccess, openGuestAccess } from "../signing/guest-access.ts";
import { expireOverdue } from "./jobs.ts";
import { remindDue } from "./reminders.ts";
import { warnDeadlines } from "./deadlines.ts";

describe("the correction of a recipient", () => {
  /** A point of P-256: RFC 8291, appendix A. */
  const BROWSER_KEY =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";

  type Calls = ReturnType<typeof recipientCalls>;
  const service = useTestApp();
  let anneMember: Member;
  let anne: TestBrowser;
  let correct: Calls["correct"];
  let resend: Calls["resend"];
  let tag = 0;

  beforeAll(async () => {
    anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
    anne = await signIn(service, anneMember);
    ({ correct, resend } = recipientCalls(service, () => anne));
  });

  const fresh = () => `adresse${++tag}@exemple.fr`;
  const someone = (rest: object = {}) => ({ ...PAUL, email: fresh(), ...rest });
  const events = async (id: string) => await eventsOf(anne, id);

  test("correcting an address asks the person at the new one, and ends every link, code and session of the old one", async () => {
    const { platform } = service;
    const [wrong, right] = [fresh(), fresh()];
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email: wrong }] });
    const stranger = await openMailedGuest(service, sent.id, wrong);
    await stranger.confirm();
    expect((await readEnvelope(anne, sent.id)).recipients[0]).toMatchObject({
      status: "viewed",
    });

    const full_name = "Jeanne Le Goff";
    const answer = await correct(sent, { full_name, email: right.toUpperCase() });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        version: sent.version + 1,
        recipients: [
          {
            full_name,
            email: right.toUpperCase(),
            status: "notified",
            viewed_at: null,
            deliveries: [{ state: "queued" }, {}, {}],
          },
        ],
      },
    });
    for (const call of ["guest/", "signed-document/"])
      expect((await stranger.get(call)).body).toMatchObject({ code: "not_found" });
    expect((await stranger.post("sign/", TYPED)).status).toBe(404);
    expect(await platform.db.selectFrom("guest_sessions").selectAll().execute()).toEqual([]);

    const guest = await openMailedGuest(service, sent.id, right);
    expect((await guest.get("guest/")).body.otp.verified).toBe(false);
    platform.clock.advance({ minutes: 2 });
    await guest.confirm();
    expect((await guest.post("sign/", TYPED)).status).toBe(200);
    expect(await mailFor(platform, wrong)).toHaveLength(2);
    expect(await verifyChain(platform.db, sent.id)).toMatchObject({ ok: true });
    const corrected = (await events(sent.id)).find(
      (event: { action: string }) => event.action === "recipient_address_corrected",
    );
    expect(corrected).toMatchObject({
      actor: "Anne Roux",
      detail: {
        recipient: sent.recipients[0]?.id,
        from_name: PAUL.full_name,
        full_name,
        email: right.toUpperCase(),
        old_email: maskEmail(wrong),
      },
    });
  });

  test("correcting an address stops a call by the old link that was already admitted", async () => {
    const { platform } = service;
    const wrong = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email: wrong }] });
    const { token } = await openMailedGuest(service, sent.id, wrong);
    const door = await openGuestAccess(
      platform.db,
      { envelopeId: sent.id, token, cookies: {} },
      platform.clock(),
    );
    if (!door.ok) throw new Error("the link should open");
    await correct(sent, { email: fresh() });
    const again = await platform.db
      .transaction()
      .execute((trx) => lockGuestAccess(trx, door.value, { now: platform.clock() }));
    expect(again).toMatchObject({ ok: false, error: { code: "not_found" } });
  });

  test("correcting an address counts automatic reminders from zero", async () => {
    const sent = await createSent(anne, {
      recipients: [someone()],
      reminders: { every_days: 1, business_days: true },
    });
    const remindersSent = { automatic_reminders: 10 };
    await service.platform.db
      .updateTable("recipients")
      .set(remindersSent)
      .where("envelope_id", "=", sent.id)
      .execute();
    const same = await correct(sent, { phone_number: "0612345678" });
    expect(same.body.reminders.next_at).toBeNull();
    expect((await correct(sent, { email: fresh() })).body.reminders.next_at).toMatch(
      /^2026-11-23T08:00:00/,
    );
  });

  test("correcting an address withdraws what had not left yet for the old one", async () => {
    const wrong = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email: wrong }] });
    const { body } = await correct(sent, { email: fresh() });
    expect(
      body.recipients[0].deliveries.map((delivery: { state: string }) => delivery.state),
    ).toEqual(["queued", "withdrawn"]);
    expect(await mailFor(service.platform, wrong)).toHaveLength(0);
  });

  test("correcting an address before its turn sends nothing; the invitation goes to the new one", async () => {
    const right = fresh();
    const sent = await createSent(anne, {
      flow: "sequential",
      recipients: [someone(), someone({ full_name: "Suivant", order: 2 })],
    });
    const path = recipientPath(sent, 1);
    expect(
      (await anne.send("PATCH", path, { body: { email: right } })).body.recipients[1],
    ).toMatchObject({
      email: right,
      status: "waiting",
      deliveries: [],
    });
    expect(await mailFor(service.platform, right)).toHaveLength(0);
    await signNth(service.platform, sent);
    expect(await mailFor(service.platform, right)).toHaveLength(1);
  });

  test("correcting only the number preserves the link, ends the code sent, and writes no mail", async () => {
    const email = fresh();
    const sent = await createSent(anne, {
      recipients: [{ ...PAUL, email, phone_number: "0612345678" }],
    });
    const guest = await openMailedGuest(service, sent.id, email);
    const code = await guest.askCode();
    const { body } = await correct(sent, { phone_number: "06 98 76 54 32" });
    expect(body.recipients[0]).toMatchObject({ email, phone_number: "+33698765432" });
    expect((await guest.post("verify_otp/", { otp: code })).body).toMatchObject({
      code: "otp_invalid",
    });
    expect(await mailFor(service.platform, email)).toHaveLength(2);
    expect(
      (await correct(sent, { phone_number: null })).body.recipients[0].phone_number,
    ).toBeNull();
  });

  test("a correction that changes nothing writes nothing", async () => {
    const email = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email }] });
    expect((await correct(sent, { email })).body.version).toBe(sent.version);
    expect((await events(sent.id)).map((event: { action: string }) => event.action)).not.toContain(
      "recipient_address_corrected",
    );
  });

  test("correcting an address is refused with the field that is wrong", async () => {
    const twin = someone();
    const sent = await createSent(anne, { recipients: [someone(), twin] });
    expect((await correct(sent, { email: twin.email })).body).toMatchObject({
      status: 400,
      errors: { email: ["Cette personne figure déjà parmi les destinataires"] },
    });
    expect((await correct(sent, { email: "nul" })).body).toMatchObject({
      status: 400,
      errors: { email: ["Email invalide"] },
    });
    expect((await correct(sent, {})).status).toBe(400);
    expect((await correct(sent, { full_name: " " })).body.errors).toEqual({
      full_name: ["Nom requis"],
    });
  });

  test("correcting only the name preserves the link", async () => {
    const address = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email: address }] });
    const answer = await correct(sent, { full_name: "Jeanne Le Goff" });
    expect(answer.body.recipients[0]).toMatchObject({
      full_name: "Jeanne Le Goff",
      email: address,
    });
    const guest = await openMailedGuest(service, sent.id, address);
    expect((await guest.get("guest/")).status).toBe(200);
    expect(await mailFor(service.platform, address)).toHaveLength(1);
  });

  test("correcting an address is refused once they have answered, in a closed envelope, and in a draft", async () => {
    const sent = await createSent(anne, { recipients: [someone(), someone({ full_name: "B" })] });
    await signNth(service.platform, sent);
    expect((await correct(sent, { email: fresh() })).body).toMatchObject({
      status: 409,
      code: "recipient_answered",
      detail: "Ce destinataire a déjà répondu.",
    });
    await actOn(anne, sent.id, "cancel");
    expect(refusal(await correct(sent, { email: fresh() }))).toEqual([409, "invalid_state"]);
    expect(refusal(await correct(await createDraft(anne), { email: fresh() }))).toEqual([
      409,
      "invalid_state",
    ]);
  });

  test("correcting an address and sending again are limited to five a day for one person; other recipients are not limited by it", async () => {
    const sent = await createSent(anne, {
      recipients: Array.from({ length: 12 }, (_, index) => someone({ full_name: `N° ${index}` })),
    });
    for (let index = 0; index < 5; index++)
      expect((await correct(sent, { email: fresh() })).status).toBe(200);
    expect(refusal(await correct(sent, { email: fresh() }))).toEqual([429, "too_many_requests"]);
    expect(refusal(await resend(sent))).toEqual([429, "too_many_requests"]);
    for (let index = 1; index < 12; index++)
      expect(
        (await anne.send("PATCH", recipientPath(sent, index), { body: { email: fresh() } })).status,
      ).toBe(200);
  });

  test("correcting an address is not limited by requests that their server refused; the time left is given in words", async () => {
    const { platform } = service;
    const sent = await createSent(anne, { recipients: [someone()] });
    const refuse = async () => {
      await platform.db
        .updateTable("notices")
        .set({ state: "refused" })
        .where("envelope_id", "=", sent.id)
        .execute();
    };
    await refuse();
    for (const ask of [
      () => resend(sent),
      () => resend(sent),
      () => correct(sent, { email: fresh() }),
      () => correct(sent, { email: fresh() }),
    ]) {
      expect((await ask()).status).toBe(200);
      await refuse();
    }
    // From here on the corrections arrive, and count.
    for (let n = 0; n < 5; n++) expect((await correct(sent, { email: fresh() })).status).toBe(200);
    const { status, body, headers } = await correct(sent, { email: fresh() });
    expect([status, body.detail]).toEqual([
      429,
      `Trop de demandes. Réessayez dans ${waitInWords(Number(headers["retry-after"]))}.`,
    ]);
  });

  test("corrections of an account are limited to five hundred a day", async () => {
    const busy = await openMember(service);
    const sent = await createSent(busy, { recipients: [someone()] });
    expect((await correct(sent, { email: fresh() }, busy)).status).toBe(200);
    const counts = service.platform.db
      .updateTable("throttles")
      .where("key", "like", "envelope askOneOfAccount %");
    await counts.set({ hits: 500 }).execute();
    expect(refusal(await correct(sent, { email: fresh() }, busy))).toEqual([
      429,
      "too_many_requests",
    ]);
    await counts.set({ hits: 0 }).execute();
  });

  test("correcting an address stops the waiting push message of an account at the old address", async () => {
    const { db } = service.platform;
    const zoe = await createMember(service.platform);
    const zoes = await signIn(service, zoe);
    const keys = { p256dh: BROWSER_KEY, auth: "A".repeat(22) };
    await zoes.post("/api/signature/me/push-subscriptions/", {
      endpoint: "https://push.exemple.fr/zoe",
      keys,
    });
    await zoes.send("PUT", "/api/signature/me/notifications/", {
      body: { email: true, sms: false, push: true },
    });
    const sent = await createSent(anne, {
      title: "Licenciement",
      recipients: [someone({ email: zoe.email }), someone({ full_name: "B" })],
    });
    expect((await correct(sent, { email: fresh() })).status).toBe(200);
    const rows = await db
      .selectFrom("notices")
      .select(["channel", "state", "destination"])
      .where("envelope_id", "=", sent.id)
      .orderBy("channel")
      .execute();
    expect(rows.filter(({ destination }) => destination === zoe.email)).toEqual([
      { channel: "email", state: "withdrawn", destination: zoe.email },
      { channel: "push", state: "withdrawn", destination: zoe.email },
    ]);
    expect(rows.filter(({ state }) => state === "queued")).toHaveLength(2);
  });

  test("correcting only the number withdraws the code that waits for the old one, not the request", async () => {
    const { platform } = service;
    const sent = await createSent(anne, {
      recipients: [someone({ phone_number: "0612345678" })],
    });
    const recipientId = sent.recipients[0]?.id ?? "";
    await platform.db
      .insertInto("notices")
      .values({
        id: platform.newId(),
        dedupe_key: `code:${recipientId}`,
        kind: "code",
        channel: "sms",
        destination: "+33612345678",
        message_id: "",
        state: "queued",
        envelope_id: sent.id,
        recipient_id: recipientId,
        created_at: platform.clock(),
      })
      .execute();
    const { body } = await correct(sent, { phone_number: "0698765432" });
    const states = body.recipients[0].deliveries.map(
      ({ kind, state }: { kind: string; state: string }) => [kind, state],
    );
    expect(states.toSorted()).toEqual([
      ["code", "withdrawn"],
      ["invitation", "queued"],
    ]);
  });

  test.each(["PATCH", "POST"] as const)(
    "%s is the owner's: 403 for a recipient, 404 for a stranger, 401 for nobody",
    async (method) => {
      const signerMember = await createMember(service.platform);
      const sent = await createSent(anne, { recipients: [someone({ email: signerMember.email })] });
      const call = (who: TestBrowser, envelope = sent) =>
        method === "PATCH" ? correct(envelope, { email: fresh() }, who) : resend(envelope, {}, who);
      expect(refusal(await call(await signIn(service, signerMember)))).toEqual([
        403,
        "not_allowed",
      ]);
      expect(refusal(await call(await openMember(service)))).toEqual([404, "not_found"]);
      expect((await call(openBrowser(service.app))).status).toBe(401);
      expect(
        (
          await call(anne, {
            ...sent,
            recipients: [{ ...sent.recipients[0], id: service.platform.newId() }],
          } as typeof sent)
        ).status,
      ).toBe(404);
    },
  );
});

describe("the adjustment of a sent envelope", () => {
  const service = useTestApp();
  let anneMember: Member;
  let paulMember: Member;
  let anne: TestBrowser;
  let paul: TestBrowser;
  let tag = 0;

  beforeAll(async () => {
    anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
    paulMember = await createMember(service.platform, { firstName: "Paul", lastName: "Morel" });
  });
  beforeEach(async () => {
    // A Monday morning, when people are at work.
    service.platform.clock.set(new Date(MONDAY));
    anne = await signIn(service, anneMember);
    paul = await signIn(service, paulMember);
  });

  const MONDAY = "2027-01-11T09:00:00Z";
  const someone = (rest: object = {}) => ({
    email: `regle${++tag}@exemple.fr`,
    full_name: `Personne ${tag}`,
    ...rest,
  });
  const inHours = (hours: number) =>
    new Date(service.platform.clock().getTime() + hours * 3_600_000).toISOString();
  const subjects = async (address: string) =>
    (await mailFor(service.platform, address)).map((mail) => mail.subject);
  const told = async (address: string) =>
    (await subjects(address)).filter((subject) => subject.startsWith("Nouvelle échéance")).length;
  /** Runs the announcements once a deadline has stood unchanged for long enough. */
  const settled = () => service.settle({ deferred: "run" });
  const put = (id: string, what: "deadline" | "reminders", body: object, browser = anne) =>
    browser.send("PUT", `${ENVELOPES}${id}/${what}/`, { body });
  const journal = async (id: string, action: string) =>
    (
      (await anne.get(`${ENVELOPES}${id}/events/?page_size=100`)).body.results as {
        action: string;
        detail: object;
      }[]
    )
      .filter((event) => event.action === action)
      .map((event) => event.detail);
  const code = async (answer: Promise<{ status: number; body: { code: string } }>) => {
    const { status, body } = await answer;
    return `${status} ${body.code}`;
  };

  test("a deadline set on a sent envelope is announced to those awaited, and expires it", async () => {
    const [one, done] = [someone(), someone()];
    const sent = await createSent(anne, { title: "Bail", recipients: [done, one] });
    await signNth(service.platform, sent);
    const deadline = inHours(72);
    const answer = await put(sent.id, "deadline", { deadline_at: deadline });
    expect([answer.status, answer.body.deadline_at, answer.body.status]).toEqual([
      200,
      deadline,
      "pending",
    ]);
    // A changed deadline is announced only once it has stood unchanged for a moment.
    expect(await told(one.email)).toBe(0);
    await settled();
    expect([await told(one.email), await told(done.email)]).toEqual([1, 0]);
    const mail = (await mailFor(service.platform, one.email)).find(({ subject }) =>
      subject.startsWith("Nouvelle"),
    );
    expect(mail?.content.text).toMatch(/a fixé l’échéance de «\sBail\s»/);
    expect(mail?.content.text).toContain("Vos liens précédents restent valables.");
    expect(await journal(sent.id, "deadline_changed")).toMatchObject([
      { from: null, to: deadline },
    ]);
    expect(await journal(sent.id, "deadline_announced")).toEqual([
      { deadline, recipients: [sent.recipients[1]?.id] },
    ]);
    expect(
      await journal(sent.id, "recipient_invited"),
      "a new deadline is not an invitation",
    ).toHaveLength(2);
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
    service.platform.clock.advance({ hours: 25 });
    expect(await warnDeadlines(service.platform)).toBeGreaterThan(0);
    service.platform.clock.advance({ hours: 48 });
    await expireOverdue(service.platform);
    anne = await signIn(service, anneMember);
    expect((await readEnvelope(anne, sent.id)).status).toBe("expired");
  });

  test("a deadline moved later or earlier is announced", async () => {
    const one = someone();
    const sent = await createSent(anne, {
      title: "Bail",
      deadline_at: inHours(72),
      recipients: [one],
    });
    expect((await put(sent.id, "deadline", { deadline_at: inHours(96) })).body.deadline_at).toBe(
      inHours(96),
    );
    await settled();
    expect((await put(sent.id, "deadline", { deadline_at: inHours(30) })).body.deadline_at).toBe(
      inHours(30),
    );
    await settled();
    const texts = (await mailFor(service.platform, one.email)).filter(({ subject }) =>
      subject.startsWith("Nouvelle"),
    );
    expect(
      texts.map(({ content }) => /a (prolongé|fixé)/.exec(content.text)?.[1]).toSorted(),
    ).toEqual(["fixé", "prolongé"]);
    // The warning of 48 hours announced it; that of 24 is still to come.
    expect(await warnDeadlines(service.platform)).toBe(0);
  });

  test("a deadline removed, or set back to the known moment, is not announced", async () => {
    const one = someone();
    const deadline = inHours(72);
    const sent = await createSent(anne, { deadline_at: deadline, recipients: [one] });
    expect((await put(sent.id, "deadline", { deadline_at: null })).body.deadline_at).toBeNull();
    await settled();
    await put(sent.id, "deadline", { deadline_at: deadline });
    await settled();
    await put(sent.id, "deadline", { deadline_at: null });
    await put(sent.id, "deadline", { deadline_at: deadline });
    await settled();
    expect(await told(one.email)).toBe(0);
    expect(await journal(sent.id, "deadline_announced")).toEqual([]);
    await put(sent.id, "deadline", { deadline_at: null });
    service.platform.clock.advance({ hours: 100 });
    await expireOverdue(service.platform);
    anne = await signIn(service, anneMember);
    expect((await readEnvelope(anne, sent.id)).status).toBe("sent");
    expect(await journal(sent.id, "deadline_changed")).toHaveLength(5);
  });

  test("a deadline moved nine times within minutes is announced once, in words that fit what each reader knows", async () => {
    const [one, texted] = [someone(), someone({ phone_number: "+33612345678" })];
    const sent = await createSent(anne, {
      title: "Bail",
      deadline_at: inHours(240),
      recipients: [one, texted],
    });
    await service.settle();
    for (const days of [12, 5, 20, 3, 30, 4, 8, 9, 6]) {
      expect((await put(sent.id, "deadline", { deadline_at: inHours(24 * days) })).status).toBe(
        200,
      );
      service.platform.clock.advance({ seconds: 20 });
    }
    await settled();
    const last = (await readEnvelope(anne, sent.id)) as Envelope;
    for (const person of last.recipients)
      expect(person.deliveries?.map(({ kind }) => kind)).toEqual(["extended", "invitation"]);
    for (const { email } of [one, texted]) {
      const mails = (await mailFor(service.platform, email)).filter(({ subject }) =>
        subject.startsWith("Nouvelle"),
      );
      expect(
        mails.map(({ content }) => /a fixé l’échéance .* 17\u00a0janvier 2027/.test(content.text)),
      ).toEqual([true]);
    }
    expect(await journal(sent.id, "deadline_changed")).toHaveLength(9);
  });

  test("a deadline restored or removed before its announcement is not announced", async () => {
    const [one, other] = [someone(), someone()];
    const deadline = inHours(72);
    const back = await createSent(anne, { deadline_at: deadline, recipients: [one] });
    await put(back.id, "deadline", { deadline_at: inHours(96) });
    await put(back.id, "deadline", { deadline_at: deadline });
    const removed = await createSent(anne, { deadline_at: deadline, recipients: [other] });
    await put(removed.id, "deadline", { deadline_at: inHours(96) });
    await put(removed.id, "deadline", { deadline_at: null });
    await settled();
    expect([await told(one.email), await told(other.email)]).toEqual([0, 0]);
    expect(await journal(back.id, "deadline_changed")).toHaveLength(2);
    for (const { id } of [back, removed])
      expect(await journal(id, "deadline_announced")).toEqual([]);
  });

  test("a deadline is not announced to those who have signed meanwhile, and is announced at once when it is near", async () => {
    const [one, done] = [someone(), someone()];
    const sent = await createSent(anne, { recipients: [done, one] });
    await put(sent.id, "deadline", { deadline_at: inHours(72) });
    await signNth(service.platform, sent);
    await settled();
    expect([await told(one.email), await told(done.email)]).toEqual([1, 0]);
    await put(sent.id, "deadline", { deadline_at: inHours(0.9) });
    expect(await told(one.email)).toBe(2);
  });

  test("a passed deadline extended, then moved or removed, still announces that the link works again", async () => {
    const [one, other] = [someone(), someone()];
    const sent = [];
    for (const person of [one, other])
      sent.push(await createSent(anne, { deadline_at: inHours(2), recipients: [person] }));
    service.platform.clock.advance({ hours: 3 });
    await expireOverdue(service.platform);
    anne = await signIn(service, anneMember);
    for (const { id } of sent)
      expect(
        (await anne.post(`${ENVELOPES}${id}/extend/`, { deadline_at: inHours(48) })).status,
      ).toBe(200);
    await put(sent[0]?.id ?? "", "deadline", { deadline_at: inHours(96) });
    await put(sent[1]?.id ?? "", "deadline", { deadline_at: null });
    await settled();
    const [moved] = (await mailFor(service.platform, one.email)).filter(({ subject }) =>
      subject.startsWith("Nouvelle"),
    );
    expect(moved?.content.text).toMatch(/a prolongé le délai .* 15\u00a0janvier 2027/);
    expect(moved?.content.text).toContain("Votre lien fonctionne à nouveau.");
    expect(await told(other.email)).toBe(0);
    expect(await subjects(other.email)).toContainEqual(expect.stringMatching(/^Rappel/));
  });

  test("an unchanged deadline writes nothing", async () => {
    const deadline = inHours(72);
    const sent = await createSent(anne, { deadline_at: deadline, recipients: [someone()] });
    expect((await put(sent.id, "deadline", { deadline_at: deadline })).body.version).toBe(
      sent.version,
    );
    expect(await journal(sent.id, "deadline_changed")).toEqual([]);
  });

  test("a deadline change is refused with its reason: past, too far, state, another sender", async () => {
    const sent = await createSent(anne, {
      deadline_at: inHours(48),
      recipients: [someone({ email: paulMember.email })],
    });
    const draft = await createDraft(anne);
    const late = { deadline_at: inHours(24) };
    expect((await put(sent.id, "deadline", { deadline_at: inHours(-1) })).body.errors).toEqual({
      deadline_at: ["L'échéance doit être dans le futur"],
    });
    expect(await code(put(sent.id, "deadline", { deadline_at: inHours(24 * 366 * 2 + 24) }))).toBe(
      "400 validation",
    );
    expect(await code(put(sent.id, "deadline", {}))).toBe("400 validation");
    expect(await code(put(draft.id, "deadline", late))).toBe("409 invalid_state");
    expect(await code(put(sent.id, "deadline", late, paul))).toBe("403 not_allowed");
    expect(await code(put(draft.id, "deadline", late, paul))).toBe("404 not_found");
    expect(await code(put(service.platform.newId(), "deadline", late, paul))).toBe("404 not_found");
    expect(await code(put(sent.id, "deadline", late, openBrowser(service.app)))).toMatch(
      /^40[13] /,
    );
    service.platform.clock.advance({ hours: 49 });
    anne = await signIn(service, anneMember);
    expect(await code(put(sent.id, "deadline", { deadline_at: null }))).toBe("409 deadline_passed");
    await expireOverdue(service.platform);
    expect(await code(put(sent.id, "deadline", { deadline_at: inHours(24) }))).toBe(
      "409 invalid_state",
    );
  });

  test("deadline changes and extensions are limited to ten a day for one envelope", async () => {
    const sent = await createSent(anne, { deadline_at: inHours(24), recipients: [someone()] });
    for (let day = 2; day <= 11; day++)
      expect((await put(sent.id, "deadline", { deadline_at: inHours(24 * day) })).status).toBe(200);
    expect((await put(sent.id, "deadline", { deadline_at: inHours(24 * 12) })).status).toBe(429);
    expect((await anne.post(`${ENVELOPES}${sent.id}/extend/`, {})).status).toBe(429);
  });

  test("an extension without a date adds a week, to the end of the day in Paris", async () => {
    const sent = await createSent(anne, {
      deadline_at: "2027-01-14T22:59:59Z",
      recipients: [someone()],
    });
    const answer = await anne.post(`${ENVELOPES}${sent.id}/extend/`, {});
    expect([answer.status, answer.body.deadline_at]).toEqual([200, "2027-01-21T22:59:59.000Z"]);
    expect(await journal(sent.id, "deadline_extended")).toHaveLength(1);
  });

  test("an extension without a date reopens an expired envelope for a week, and needs a deadline", async () => {
    const sent = await createSent(anne, { deadline_at: inHours(2), recipients: [someone()] });
    service.platform.clock.advance({ hours: 72 });
    await expireOverdue(service.platform);
    anne = await signIn(service, anneMember);
    const answer = await anne.post(`${ENVELOPES}${sent.id}/extend/`, {});
    expect([answer.body.status, answer.body.deadline_at]).toEqual([
      "sent",
      "2027-01-21T22:59:59.000Z",
    ]);
    const open = await createSent(anne, { recipients: [someone()] });
    expect(await code(anne.post(`${ENVELOPES}${open.id}/extend/`, {}))).toBe("409 no_deadline");
  });

  const next = async (id: string) => ((await readEnvelope(anne, id)) as Envelope).reminders;

  test("automatic reminders switched on count from when each person was asked", async () => {
    const one = someone();
    const sent = await createSent(anne, { recipients: [one] });
    const answer = await put(sent.id, "reminders", { every_days: 3 });
    expect(answer.body.reminders).toEqual({
      every_days: 3,
      business_days: true,
      next_at: "2027-01-14T09:00:00.000Z",
    });
    expect(await remindDue(service.platform)).toBe(0);
    service.platform.clock.advance({ hours: 72 });
    expect(await remindDue(service.platform)).toBe(1);
    anne = await signIn(service, anneMember);
    expect(await journal(sent.id, "reminders_changed")).toMatchObject([{ from: null, to: 3 }]);
    await put(sent.id, "reminders", { every_days: null });
  });

  test("automatic reminders switched off no longer leave", async () => {
    const sent = await createSent(anne, {
      reminders: { every_days: 1, business_days: true },
      recipients: [someone()],
    });
    expect((await put(sent.id, "reminders", { every_days: null })).body.reminders).toMatchObject({
      every_days: null,
      next_at: null,
    });
    service.platform.clock.advance({ hours: 240 });
    expect(await remindDue(service.platform)).toBe(0);
  });

  test("automatic reminders with a shorter interval remind at once whoever has waited that long", async () => {
    const sent = await createSent(anne, {
      reminders: { every_days: 2, business_days: true },
      recipients: [someone()],
    });
    expect((await put(sent.id, "reminders", { every_days: 7 })).body.reminders.next_at).toBe(
      "2027-01-18T09:00:00.000Z",
    );
    service.platform.clock.advance({ hours: 72 });
    expect(await remindDue(service.platform)).toBe(0);
    anne = await signIn(service, anneMember);
    await put(sent.id, "reminders", { every_days: 2 });
    expect((await next(sent.id))?.next_at).toBe(service.platform.clock().toISOString());
    expect(await remindDue(service.platform)).toBe(1);
    expect(await remindDue(service.platform)).toBe(0);
    await put(sent.id, "reminders", { every_days: null });
  });

  test("automatic reminders follow a deadline that is removed or moved nearer", async () => {
    const sent = await createSent(anne, {
      deadline_at: inHours(48),
      reminders: { every_days: 3, business_days: true },
      recipients: [someone()],
    });
    expect((await next(sent.id))?.next_at).toBeNull();
    await put(sent.id, "deadline", { deadline_at: null });
    expect((await next(sent.id))?.next_at).toBe("2027-01-14T09:00:00.000Z");
    service.platform.clock.advance({ hours: 72 });
    expect(await remindDue(service.platform)).toBe(1);
    anne = await signIn(service, anneMember);
    await put(sent.id, "reminders", { every_days: null });
  });

  test("unchanged automatic reminders write nothing, and wrong ones are refused with their reason", async () => {
    const sent = await createSent(anne, {
      reminders: { every_days: 2, business_days: true },
      recipients: [someone({ email: paulMember.email })],
    });
    const draft = await createDraft(anne);
    expect((await put(sent.id, "reminders", { every_days: 2 })).body.version).toBe(sent.version);
    expect(await journal(sent.id, "reminders_changed")).toEqual([]);
    for (const every_days of [0, 31, 1.5, "3"])
      expect(await code(put(sent.id, "reminders", { every_days }))).toBe("400 validation");
    expect(await code(put(draft.id, "reminders", { every_days: 3 }))).toBe("409 invalid_state");
    expect(await code(put(sent.id, "reminders", { every_days: 3 }, paul))).toBe("403 not_allowed");
    expect(await code(put(draft.id, "reminders", { every_days: 3 }, paul))).toBe("404 not_found");
    for (let n = 0; n < 20; n++)
      expect((await put(sent.id, "reminders", { every_days: 3 + (n % 2) })).status).toBe(200);
    expect(await code(put(sent.id, "reminders", { every_days: 9 }))).toBe("429 too_many_requests");
    await actOn(anne, sent.id, "cancel");
    expect(await code(put(sent.id, "reminders", { every_days: 3 }))).toBe("409 invalid_state");
  });
});
