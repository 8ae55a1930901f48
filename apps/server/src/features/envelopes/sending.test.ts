import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../../testing/app.ts";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ELOISE,
  ENVELOPES,
  eventsOf,
  patchEnvelope,
  PAUL,
  readEnvelope,
  signNth,
  mintRecipientTokens,
} from "../../../testing/envelope.ts";
import { codeIn, openGuest, openMailedGuest } from "../../../testing/guest.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, openMember, signIn } from "../../../testing/member.ts";
import { NOTICE_SAMPLES } from "../../../testing/notice-samples.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { recipientCalls, recipientPath } from "../../../testing/recipient-calls.ts";
import { startSmtpServer, type TestSmtpServer } from "../../../testing/smtp-server.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { inTransaction } from "../../platform/database/in-transaction.ts";
import { loadDocuments } from "../documents/store.ts";
import { verifyChain } from "../journal/journal.ts";
import { enqueueNotices, type Notice, selectUnreached } from "../notices/public.ts";
import { findRecipientByToken } from "./invitations.ts";
import { NO_FACTS } from "./store.ts";
import { remindDue } from "./reminders.ts";

const service = useTestApp();

let anne: TestBrowser;
let tag = 0;
const fresh = <P extends { email: string }>(person: P): P => ({
  ...person,
  email: `p${++tag}.${person.email}`,
});

beforeAll(async () => {
  anne = await openMember(service, { firstName: "Anne", lastName: "Roux" });
});

const send = (id: string, body?: unknown) => anne.post(`${ENVELOPES}${id}/send/`, body);

test("sending asks everybody at once, each with their own link, of which only a hash is stored", async () => {
  const [paul, eloise] = [fresh(PAUL), fresh(ELOISE)];
  const draft = await createDraft(anne, { recipients: [paul, eloise], message: "Merci" });
  const answer = await send(draft.id);
  expect(answer).toMatchObject({
    status: 200,
    body: {
      status: "sent",
      version: 2,
      sent_at: "2026-11-21T10:00:00.000Z",
      recipients: [{ status: "notified" }, { status: "notified" }],
    },
  });
  const links = await Promise.all(
    [paul, eloise].map(async ({ email }) =>
      linkIn((await mailFor(service.platform, email))[0], service.platform.settings.publicUrl),
    ),
  );
  const tokens = links.map((link) => new URL(link).searchParams.get("token") ?? "");
  expect(new Set(tokens).size).toBe(2);
  expect(links[0]).toMatch(new RegExp(`/sign/${draft.id}\\?token=[A-Za-z0-9_-]{43}$`));
  expect(
    await findRecipientByToken(service.platform.db, {
      envelopeId: draft.id,
      token: tokens[0] ?? "",
      facts: NO_FACTS,
    }),
  ).toMatchObject({
    recipient: { email: paul.email, awaited: true },
  });
  expect(
    await findRecipientByToken(service.platform.db, {
      envelopeId: (await createDraft(anne)).id,
      token: tokens[0] ?? "",
      facts: NO_FACTS,
    }),
  ).toBeNull();
  expect(
    await findRecipientByToken(service.platform.db, {
      envelopeId: draft.id,
      token: "A".repeat(43),
      facts: NO_FACTS,
    }),
  ).toBeNull();
  expect(answer.text).not.toContain(tokens[0]);
});

test("an account holder is told of their account, anybody else that none is needed", async () => {
  const [paul, bruno] = [fresh(PAUL), await createMember(service.platform)];
  await createSent(anne, { recipients: [paul, { ...ELOISE, email: bruno.email }] });
  const texts = [paul.email, bruno.email].map(async (email) => {
    const [mail] = await mailFor(service.platform, email);
    return (mail?.content.text ?? "").replaceAll(/\s+/g, " ");
  });
  const [toPaul = "", toBruno = ""] = await Promise.all(texts);
  expect(toPaul).toContain("Aucun compte n’est nécessaire");
  expect(toBruno).toContain("Le document vous attend aussi dans votre compte");
  expect(toBruno).not.toContain("Aucun compte");
});

test("sending asks only the first rank in a sequential flow, and never a viewer", async () => {
  const people = [
    fresh({ ...PAUL, order: 2 }),
    fresh({ ...ELOISE, order: 1 }),
    fresh({ email: "v@exemple.fr", full_name: "Vue", role: "viewer" }),
  ];
  const sent = await createSent(anne, { flow: "sequential", recipients: people });
  expect(sent.recipients).toMatchObject([
    { status: "waiting" },
    { status: "notified" },
    { status: "waiting" },
  ]);
  expect(await mailFor(service.platform, people[0]?.email ?? "")).toHaveLength(0);
  expect(await mailFor(service.platform, people[1]?.email ?? "")).toHaveLength(1);
  expect(await mailFor(service.platform, people[2]?.email ?? "")).toHaveLength(0);
});

test("a sent envelope has every field in its files, of which the original is a byte-exact prefix", async () => {
  const bytes = makePdf({ pages: 2 });
  const draft = await createDraft(anne, {
    files: [{ name: "a.pdf", bytes }],
    recipients: [PAUL, ELOISE, { email: "appro@exemple.fr", full_name: "Appro", role: "approver" }],
    fields: [
      {
        document_index: 0,
        recipient_index: 0,
        type: "signature",
        page: 1,
        x: 0.1,
        y: 0.1,
        width: 0.3,
        height: 0.1,
      },
      {
        document_index: 0,
        recipient_index: 1,
        type: "text",
        page: 1,
        x: 0.1,
        y: 0.3,
        width: 0.3,
        height: 0.05,
      },
    ],
  });
  const sent = (await send(draft.id)).body;
  expect(sent.fields).toHaveLength(3);
  expect(sent.fields[2]).toMatchObject({
    type: "signature",
    page: 2,
    recipient_id: sent.recipients[1].id,
    required: true,
  });
  const [document] = await loadDocuments(service.platform.db, draft.id);
  expect(document).toMatchObject({
    current: { number: 1, kind: "prepared" },
    original: { number: 0 },
  });
  const prepared = await service.platform.files.get(document?.current.sha256 ?? new Uint8Array());
  expect(Buffer.compare(prepared.subarray(0, bytes.length), bytes)).toBe(0);
  const text = Buffer.from(prepared).toString("latin1");
  expect(text.match(/\/FT\s*\/Sig/g)).toHaveLength(3);
  for (const recipient of sent.recipients)
    expect(text).toContain(`${draft.id}_signature_${recipient.id}`);
  expect(text).toContain(`${draft.id}_${sent.fields[1].id}`);
  expect(sent.documents[0].sha256).toBe(
    Buffer.from(document?.current.sha256 ?? []).toString("hex"),
  );
});

test("a sent envelope takes a message at the last moment", async () => {
  const [paul] = [fresh(PAUL)];
  const draft = await createDraft(anne, { recipients: [paul], message: "avant" });
  expect((await send(draft.id, { message: "Signez avant lundi." })).body.message).toBe(
    "Signez avant lundi.",
  );
  expect((await mailFor(service.platform, paul.email))[0]?.content.text).toContain(
    "Signez avant lundi.",
  );
});

test("a sent envelope says in its journal what was sent and whom it asked", async () => {
  const sent = await createSent(anne, { recipients: [PAUL] });
  const results = await eventsOf(anne, sent.id);
  expect(results.map((event: { action: string }) => event.action)).toEqual([
    "recipient_invited",
    "envelope_sent",
    "envelope_created",
  ]);
  expect(results[0].detail).toMatchObject({
    recipient: sent.recipients[0]?.id,
    email: PAUL.email,
  });
  expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true, count: 3 });
});

test("twenty requests at once send an envelope once", async () => {
  const paul = fresh(PAUL);
  const draft = await createDraft(anne, { recipients: [paul] });
  const answers = await Promise.all(Array.from({ length: 20 }, () => send(draft.id)));
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  for (const answer of answers.filter((one) => one.status !== 200))
    expect(refusal(answer)).toEqual([409, "invalid_state"]);
  expect(await mailFor(service.platform, paul.email)).toHaveLength(1);
  expect(await verifyChain(service.platform.db, draft.id)).toMatchObject({
    ok: true,
    count: 3,
  });
});

test("an update at the moment of sending is in what is sent, or refused", async () => {
  const draft = await createDraft(anne, { recipients: [PAUL] });
  const [sent, patched] = await Promise.all([
    send(draft.id),
    patchEnvelope(anne, draft.id, { recipients: [PAUL, ELOISE] }),
  ]);
  expect(sent.status).toBe(200);
  const after = await readEnvelope(anne, draft.id);
  expect(after.recipients).toHaveLength(patched.status === 200 ? 2 : 1);
  expect(after.fields).toHaveLength(after.recipients.length);
  const [document] = await loadDocuments(service.platform.db, draft.id);
  const text = Buffer.from(
    await service.platform.files.get(document?.current.sha256 ?? new Uint8Array()),
  ).toString("latin1");
  expect(text.match(/\/FT\s*\/Sig/g)).toHaveLength(after.recipients.length);
});

test("sending is refused without a signer", async () => {
  const draft = await createDraft(anne, { recipients: [{ ...PAUL, role: "viewer" }] });
  expect((await send(draft.id)).body).toMatchObject({
    status: 409,
    code: "not_ready_to_send",
    detail: expect.stringContaining("ajoutez au moins un signataire."),
  });
});

test("sending is refused with a signer whose name cannot be printed", async () => {
  const draft = await createDraft(anne);
  await service.platform.db
    .updateTable("recipients")
    .set({ full_name: "李雷" })
    .where("envelope_id", "=", draft.id)
    .execute();
  expect((await send(draft.id)).body).toMatchObject({
    status: 409,
    code: "not_ready_to_send",
    errors: { "recipients.0.full_name": [expect.stringContaining("李")] },
  });
});

test("sending is refused with a deadline that has passed meanwhile", async () => {
  const draft = await createDraft(anne, { deadline_at: "2026-11-21T10:00:30Z" });
  service.platform.clock.advance({ minutes: 1 });
  expect((await send(draft.id)).body).toMatchObject({
    status: 409,
    code: "not_ready_to_send",
    detail: expect.stringContaining("l’échéance doit être dans le futur."),
  });
});

test("sending is refused with another version than the one its sender saw", async () => {
  const draft = await createDraft(anne, { recipients: [PAUL] });
  const seen = { headers: { "if-match": `"${draft.version}"` } };
  const sendSeen = (headers: Record<string, string>) =>
    anne.send("POST", `${ENVELOPES}${draft.id}/send/`, { body: {}, headers });
  const other = await anne.send("PATCH", `${ENVELOPES}${draft.id}/`, {
    body: { recipients: [fresh(ELOISE)] },
    ...seen,
  });
  const refused = await sendSeen(seen.headers);
  expect(refused.body).toMatchObject({
    status: 409,
    code: "version_conflict",
    version: other.body.version,
  });
  expect((await sendSeen({ "if-match": "autre chose" })).body.code).toBe("validation");
  expect((await readEnvelope(anne, draft.id)).status).toBe("draft");
  expect((await sendSeen({ "if-match": `"${other.body.version}"` })).body.status).toBe("sent");
  expect((await sendSeen(seen.headers)).body.code).toBe("invalid_state");
});

test("cancelling is refused with another version than the one that was read", async () => {
  const draft = await createDraft(anne, { recipients: [PAUL] });
  const cancelSeen = (tag: string) =>
    anne.send("POST", `${ENVELOPES}${draft.id}/cancel/`, { headers: { "if-match": tag } });
  const { version } = (await anne.post(`${ENVELOPES}${draft.id}/send/`)).body;
  const refused = await cancelSeen(`"${draft.version}"`);
  expect(refused.body).toMatchObject({ status: 409, code: "version_conflict", version });
  expect((await cancelSeen("autre chose")).body.errors).toHaveProperty("If-Match");
  expect((await readEnvelope(anne, draft.id)).status).toBe("sent");
  expect((await cancelSeen(`"${version}"`)).body.status).toBe("cancelled");
});

const linkTo = (address: string): Notice => ({
  kind: "activation",
  channel: "email",
  dedupeKey: randomUUID(),
  to: { fullName: "", address },
  content: NOTICE_SAMPLES.activation,
});
/** Messages that leave when an envelope is sent, signed and sealed. */
function messagesTo(address: string, senderId: string): Notice[] {
  const common = { channel: "email", to: { fullName: "", address }, senderId } as const;
  return [
    {
      ...common,
      kind: "invitation",
      dedupeKey: randomUUID(),
      content: NOTICE_SAMPLES.invitation,
    },
    { ...common, kind: "code", dedupeKey: randomUUID(), content: NOTICE_SAMPLES.code },
    {
      ...common,
      kind: "completed",
      dedupeKey: randomUUID(),
      content: NOTICE_SAMPLES.completed,
    },
  ];
}

/** Counts as if this sender had written to the address a hundred times today. */
async function spend(to: { email: string }): Promise<void> {
  const counts = () =>
    service.platform.db
      .selectFrom("throttles")
      .select(["key", "hits"])
      .where("key", "like", "messages %")
      .execute();
  const before = new Map((await counts()).map(({ key, hits }) => [key, hits]));
  await createSent(anne, { recipients: [to] });
  const counted = (await counts())
    .filter(({ key, hits }) => hits !== before.get(key))
    .map(({ key }) => key);
  await service.platform.db
    .updateTable("throttles")
    .set({ hits: 100 })
    .where("key", "in", counted)
    .execute();
}

test("sending to an address over its daily quota is refused and sends nothing; others are written to", async () => {
  const [paul, eloise] = [fresh(PAUL), fresh(ELOISE)];
  await spend(paul);
  const draft = await createDraft(anne, { recipients: [paul, eloise] });
  const answer = await send(draft.id);
  expect(answer).toMatchObject({
    status: 429,
    body: {
      code: "too_many_messages",
      detail: expect.stringMatching(
        new RegExp(
          `^Trop de messages sont déjà partis vers ${paul.email} aujourd’hui\\. Réessayez dans 1[34]\u00a0h.+\\.$`,
        ),
      ),
    },
  });
  expect(Number(answer.headers["retry-after"])).toBeGreaterThan(13 * 3_600);
  expect(await mailFor(service.platform, eloise.email)).toEqual([]);
  expect((await readEnvelope(anne, draft.id)).status).toBe("draft");
  expect((await createSent(anne, { recipients: [eloise] })).status).toBe("sent");
});

test("an address over its daily quota gets no reminder, invitation or correction; automatic messages show why beside their recipient", async () => {
  const [paul, eloise] = [fresh(PAUL), fresh(ELOISE)];
  const sent = await createSent(anne, {
    flow: "sequential",
    recipients: [paul, { ...eloise, order: 2 }],
  });
  const asked = await createSent(anne, { recipients: [eloise] });
  await spend(eloise);
  const eloises = [
    await actOn(anne, asked.id, "remind"),
    await anne.post(`${recipientPath(asked)}resend/`),
    await anne.send("PATCH", recipientPath(sent), { body: { email: eloise.email } }),
  ];
  expect(eloises.map(({ status, body }) => [status, body.code])).toEqual([
    [429, "too_many_messages"],
    [429, "too_many_messages"],
    [429, "too_many_messages"],
  ]);
  await signNth(service.platform, sent);
  await service.settle();
  expect((await readEnvelope(anne, sent.id)).recipients[1]).toMatchObject({
    status: "unreached",
    deliveries: [
      {
        kind: "invitation",
        state: "refused",
        failure: { code: "too_many", detail: "trop de messages aujourd’hui" },
      },
    ],
  });
  expect(
    (await mailFor(service.platform, eloise.email)).filter(({ content }) =>
      content.text.includes(sent.id),
    ),
  ).toEqual([]);
});

test("a daily quota of one sender blocks neither codes nor other senders", async () => {
  const paul = fresh(PAUL);
  const asked = await createSent(anne, { recipients: [paul] });
  const guest = await openMailedGuest(service, asked.id, paul.email);
  await spend(paul);
  expect((await guest.post("send_otp/")).body.channel).toBe("email");
  expect((await guest.post("verify_otp/", { otp: await codeIn(service, paul.email) })).status).toBe(
    200,
  );
  const bruno = await openMember(service);
  expect((await createSent(bruno, { recipients: [paul] })).status).toBe("sent");
});

test("a daily quota counts only messages that leave: ten of twelve links", async () => {
  const { email } = fresh(PAUL);
  const counts = () =>
    service.platform.db
      .selectFrom("throttles")
      .select(["key", "hits"])
      .where("key", "like", "messages %")
      .execute();
  const before = new Set((await counts()).map(({ key }) => key));
  for (const times of [12, 3])
    await inTransaction(service.platform.db, (trx) =>
      enqueueNotices(
        trx,
        service.platform,
        Array.from({ length: times }, () => linkTo(email)),
      ),
    );
  expect((await counts()).filter(({ key }) => !before.has(key)).map(({ hits }) => hits)).toEqual([
    10,
  ]);
  expect(await mailFor(service.platform, email)).toHaveLength(10);
});

test("a message to an address over its quota does not delay the same sender's others", async () => {
  const senderId = (await anne.get("/api/signature/me/")).body.user.id as string;
  const write = (trx: Transaction, { email }: { email: string }) =>
    enqueueNotices(trx, service.platform, messagesTo(email, senderId));
  await inTransaction(service.platform.db, async (sealing) => {
    await write(sealing, fresh(PAUL));
    // The first transaction is not committed, so whatever waits for it waits for ever.
    await inTransaction(service.platform.db, async (other) => {
      await sql`set local lock_timeout = '2s'`.execute(other);
      await write(other, fresh(ELOISE));
    });
  });
});

test("sending is refused twice", async () => {
  const sent = await createSent(anne);
  expect(refusal(await send(sent.id))).toEqual([409, "invalid_state"]);
});

describe("equal ranks", () => {
  const service = useTestApp({ settings: { rateLimits: "off" } });
  let browser: TestBrowser;
  let tag = 0;

  beforeAll(async () => {
    browser = await openMember(service);
  });

  const ranked = (order: number, role = "signer") => ({
    email: `rang${++tag}@exemple.fr`,
    full_name: `Personne ${"ABCDEFGH"[tag]}`,
    role,
    order,
  });
  const statusesOf = async (id: string) =>
    (await readEnvelope(browser, id)).recipients.map((row: { status: string }) => row.status);

  test("people of one rank are asked at once, the next rank when the last of them has signed", async () => {
    const people = [ranked(1), ranked(1, "approver"), ranked(2), ranked(2)];
    const sent = await createSent(browser, { flow: "sequential", recipients: people });
    expect(sent.recipients.map((row) => row.order)).toEqual([1, 1, 2, 2]);
    await service.settle();
    expect(await statusesOf(sent.id)).toEqual(["notified", "notified", "waiting", "waiting"]);
    expect(await mailFor(service.platform, people[2]?.email ?? "")).toEqual([]);

    await signNth(service.platform, sent, 1);
    await service.settle();
    expect(await statusesOf(sent.id)).toEqual(["notified", "signed", "waiting", "waiting"]);
    await signNth(service.platform, sent);
    await service.settle();
    expect(await statusesOf(sent.id)).toEqual(["signed", "signed", "notified", "notified"]);
    for (const person of people)
      expect(await mailFor(service.platform, person.email)).toHaveLength(1);
  });

  test("ranks with a gap stay, also when the list is rewritten", async () => {
    const draft = await createDraft(browser, {
      flow: "sequential",
      recipients: [ranked(7), ranked(3)],
    });
    const rows = draft.recipients.map(({ id, email, full_name }) => ({
      id,
      email,
      full_name,
      order: 4,
    }));
    const patched = await patchEnvelope(browser, draft.id, { recipients: rows });
    expect(patched.body.recipients.map((row: { order: number }) => row.order)).toEqual([4, 4]);
    await actOn(browser, draft.id, "send");
    expect(await statusesOf(draft.id)).toEqual(["notified", "notified"]);
  });
});

describe("whoever was never asked", () => {
  let server: TestSmtpServer;
  let service: TestApp;
  let anne: TestBrowser;

  beforeAll(async () => {
    server = await startSmtpServer();
    service = await createTestApp({
      settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr" },
    });
    anne = await openMember(service);
  });
  afterAll(async () => {
    await service.close();
    await server.close();
  });

  /** Sends to Paul, whose request fails once; then cancels it. */
  async function sendInVainAndCancel(tryIt: () => Promise<void>): Promise<readonly string[]> {
    const sent = await createSent(anne, { recipients: [PAUL] });
    await tryIt();
    const [notice] = await service.platform.db
      .selectFrom("notices")
      .select(["state", "tries"])
      .where("envelope_id", "=", sent.id)
      .execute();
    expect(notice).toEqual({ state: "queued", tries: 1 });
    expect((await actOn(anne, sent.id, "cancel")).status).toBe(200);
    const rows = service.platform.db
      .selectFrom("notices")
      .select("kind")
      .where("envelope_id", "=", sent.id)
      .orderBy("kind", "desc");
    return (await rows.execute()).map(({ kind }) => kind);
  }
  const tryOnce = () => service.platform.settle({ failures: "keep" });

  test.each(["rcpt", "data"] as const)(
    "a request delayed at %s with a 451 is withdrawn without a message",
    async (at) => {
      server.answers.push({ at, code: 451, words: "4.7.1 Greylisted" });
      expect(await sendInVainAndCancel(tryOnce)).toEqual(["invitation"]);
    },
  );

  test("a request whose answer was lost is withdrawn with a message, as it may have arrived", async () => {
    expect(
      await sendInVainAndCancel(async () => {
        // A process that ends before the server's answer is written leaves the row so.
        await service.platform.db
          .updateTable("notices")
          .set({ tries: 1, may_have_left: true })
          .where("state", "=", "queued")
          .execute();
      }),
    ).toEqual(["invitation", "cancelled"]);
  });

  test("a refusal after a lost answer still counts as perhaps arrived", async () => {
    // Messages that the other tests left go first.
    await tryOnce();
    const sent = await createSent(anne, { recipients: [PAUL] });
    await service.platform.db
      .updateTable("notices")
      .set({ tries: 1, may_have_left: true })
      .where("envelope_id", "=", sent.id)
      .execute();
    server.answers.push({ at: "rcpt", code: 550, words: "5.1.1 User unknown" });
    await service.settle();
    expect((await readEnvelope(anne, sent.id)).recipients[0].deliveries[0].state).toBe("refused");
    expect(
      await selectUnreached(service.platform.db, { envelopeIds: [sent.id], waiting: "not-left" }),
    ).toEqual(new Set());
  });

  // This test is the last: the server does not come back.
  test("a request that reached no server is withdrawn without a message", async () => {
    await server.close();
    expect(await sendInVainAndCancel(tryOnce)).toEqual(["invitation"]);
  });
});

describe("an invitation sent again", () => {
  type Calls = ReturnType<typeof recipientCalls>;
  let anne: TestBrowser;
  let resend: Calls["resend"];
  let tag = 0;

  beforeAll(async () => {
    anne = await openMember(service, { firstName: "Anne", lastName: "Roux" });
    ({ resend } = recipientCalls(service, () => anne));
  });

  const fresh = () => `adresse${++tag}@exemple.fr`;
  const someone = (rest: object = {}) => ({ ...PAUL, email: fresh(), ...rest });

  test("resending asks that one person again with a fresh link, unlocks a frozen one, and works at most once an hour", async () => {
    const { platform } = service;
    const [one, other] = [someone(), someone({ full_name: "Autre" })];
    const sent = await createSent(anne, { recipients: [one, other] });
    await mailFor(platform, one.email);
    await platform.db
      .updateTable("recipients")
      .set({ wrong_tries: 20 })
      .where("email", "=", one.email)
      .execute();
    const answer = await resend(sent);
    expect(answer).toMatchObject({
      status: 200,
      body: { recipients: [{ deliveries: [{ kind: "invitation" }, {}] }, { deliveries: [{}] }] },
    });
    expect(await mailFor(platform, one.email)).toHaveLength(2);
    expect(await mailFor(platform, other.email)).toHaveLength(1);
    const guest = await openMailedGuest(service, sent.id, one.email);
    await guest.confirm();
    expect(await resend(sent)).toMatchObject({
      status: 429,
      body: { code: "remind_cooldown" },
      headers: { "retry-after": "3600" },
    });
  });

  test("resending has no cooldown after a refused message", async () => {
    const { platform } = service;
    const sent = await createSent(anne, { recipients: [someone()] });
    expect((await resend(sent)).status).toBe(200);
    await platform.settle();
    expect((await resend(sent)).body.code).toBe("remind_cooldown");
    await platform.db
      .updateTable("notices")
      .set({ state: "refused" })
      .where("envelope_id", "=", sent.id)
      .execute();
    expect((await resend(sent)).status).toBe(200);
    expect((await resend(sent)).body.code).toBe("remind_cooldown");
  });

  test("resending goes by text on request, to a known number", async () => {
    const sent = await createSent(anne, {
      recipients: [someone({ phone_number: "0612345699" })],
    });
    expect((await resend(sent, { channel: "sms" })).body.recipients[0].deliveries[0]).toMatchObject(
      {
        kind: "invitation",
        channel: "sms",
        destination: "+33612345699",
        state: "queued",
      },
    );
    const [text] = await mailFor(service.platform, "+33612345699");
    expect(text?.content.text).toContain(
      `${service.platform.settings.publicUrl}/sign/${sent.id}?token=`,
    );
    const without = await createSent(anne, { recipients: [someone()] });
    expect((await resend(without, { channel: "sms" })).body).toMatchObject({
      status: 400,
      errors: { channel: ["Aucun numéro de téléphone n’est connu pour cet envoi."] },
    });
  });

  test("resending is refused before one's turn", async () => {
    const sent = await createSent(anne, {
      flow: "sequential",
      recipients: [someone(), someone({ full_name: "Suivant", order: 2 })],
    });
    expect((await anne.post(`${recipientPath(sent, 1)}resend/`)).body).toMatchObject({
      status: 409,
      code: "recipient_not_awaited",
      detail: "Ce destinataire n’a rien à signer pour le moment. Son message partira à son tour.",
    });
  });

  test("only the sender sees deliveries, and no list has them", async () => {
    const signerMember = await createMember(service.platform);
    const sent = await createSent(anne, {
      title: "Suivi des envois",
      recipients: [someone({ email: signerMember.email })],
    });
    await mailFor(service.platform, signerMember.email);
    const seen = (await (await signIn(service, signerMember)).get(`${ENVELOPES}${sent.id}/`)).body;
    expect(seen.recipients[0]).not.toHaveProperty("deliveries");
    const [listed] = (await anne.get(`${ENVELOPES}?search=Suivi`)).body.results;
    expect(listed.recipients[0]).not.toHaveProperty("deliveries");
    expect((await readEnvelope(anne, sent.id)).recipients[0].deliveries).toMatchObject([
      {
        kind: "invitation",
        destination: signerMember.email,
        state: "sent",
        server_answer: "Boîte aux lettres de ce serveur d’essai.",
        failure: null,
      },
    ]);
  });

  test("deliveries show that the mailed link was opened, and that the code arrived", async () => {
    const email = fresh();
    const sent = await createSent(anne, { recipients: [{ ...PAUL, email }] });
    const guest = await openMailedGuest(service, sent.id, email);
    await guest.get("guest/");
    await guest.post("send_otp/");
    await codeIn(service, email);
    const states = async () =>
      (await readEnvelope(anne, sent.id)).recipients[0].deliveries.map(
        (delivery: { kind: string; state: string; opened_at: unknown }) => [
          delivery.kind,
          delivery.state,
          delivery.opened_at !== null,
        ],
      );
    expect(await states()).toEqual([
      ["code", "sent", false],
      ["invitation", "delivered", true],
    ]);
    await guest.post("verify_otp/", { otp: await codeIn(service, email) });
    expect((await states())[0]).toEqual(["code", "delivered", false]);
  });

  test("without mail nobody is shown as notified, and what needs a mail is refused", async () => {
    const silent = await createTestApp({
      settings: { mailDisabled: true, registration: { kind: "open" } },
    });
    const member = await createMember(silent.platform);
    const owner = await signIn(silent, member);
    const colleague = await createMember(silent.platform);
    const sent = await createSent(owner, {
      recipients: [someone(), someone({ email: colleague.email })],
    });
    // The envelope shows it at once, before any job has tried.
    expect(sent).toMatchObject({
      reached: false,
      recipients: [{ status: "unreached" }, { status: "unreached" }],
    });
    await silent.settle();
    const own = await readEnvelope(owner, sent.id);
    const shown = own.recipients[0];
    expect(shown).toMatchObject({
      status: "unreached",
      deliveries: [
        {
          state: "refused",
          server_answer: null,
          failure: { code: "mail_off", detail: "ce service n’envoie pas d’email" },
        },
      ],
    });
    const seen = (await (await signIn(silent, colleague)).get(`${ENVELOPES}${sent.id}/`)).body;
    expect(seen).toMatchObject({ reached: false, recipients: [{ status: "unreached" }, {}] });
    const [listed] = (await owner.get(ENVELOPES)).body.results;
    expect(listed.recipients.map(({ status }: { status: string }) => status)).toContain(
      "unreached",
    );
    expect(listed.recipients.map(({ status }: { status: string }) => status)).not.toContain(
      "notified",
    );
    const daily = await owner.send("PUT", `${ENVELOPES}${sent.id}/reminders/`, {
      body: { every_days: 1 },
    });
    expect(daily.body.reminders).toMatchObject({ every_days: 1, next_at: null });
    // A person whom a text reaches is notified, and the envelope counts as sent.
    const byText = await createSent(owner, {
      recipients: [someone({ phone_number: "0612345699" }), someone()],
    });
    const texted = await owner.post(`${recipientPath(byText)}resend/`, { channel: "sms" });
    expect(texted.body).toMatchObject({
      reached: true,
      recipients: [{ status: "notified" }, { status: "unreached" }],
    });
    const [token = ""] = await silent.platform.db
      .transaction()
      .execute((trx) => mintRecipientTokens(trx, silent.platform, [shown.id]));
    const guest = openGuest(silent, { envelopeId: sent.id, token, email: shown.email });
    const stranger = openBrowser(silent.app);
    silent.platform.clock.advance({ seconds: 3_601 });
    const again = await signIn(silent, await createMember(silent.platform));
    const answers = [
      await guest.post("send_otp/"),
      await stranger.post("/api/signature/register/resend/", { email: shown.email }),
      await stranger.post("/api/signature/password-reset/", { email: shown.email }),
      await again.post("/api/signature/me/notifications/test/"),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [503, "mail_off"]),
    );
    expect(answers[0]?.body.detail).toBe(
      "Ce service n’envoie pas d’email. Adressez-vous à la personne qui l’administre.",
    );
    // The reminder would be due three days later, a Tuesday.
    silent.platform.clock.advance({ seconds: 3 * 86_400 });
    expect(await remindDue(silent.platform)).toBe(0);
    // Only this answer says it to a guest, while the envelope is open and once closed.
    expect((await guest.get("guest/")).body).toMatchObject({ mail: false });
    await (await signIn(silent, member)).post(`${ENVELOPES}${sent.id}/cancel/`);
    expect((await guest.get("guest/")).body).toMatchObject({
      code: "envelope_cancelled",
      mail: false,
    });
    await silent.close();
  });

  test("a 550 shows why on the envelope, over a real SMTP server; the corrected address gets its mail", async () => {
    const server = await startSmtpServer();
    const mailed = await createTestApp({
      settings: { smtpUrl: server.url, mailFrom: "paraphe@exemple.fr" },
    });
    const owner = await signIn(mailed, await createMember(mailed.platform));
    server.answers.push({ at: "rcpt", code: 550, words: "5.1.1 User unknown" });
    const sent = await createSent(owner, { recipients: [someone()] });
    await mailed.settle();
    expect((await readEnvelope(owner, sent.id)).recipients[0].deliveries).toMatchObject([
      {
        state: "refused",
        server_answer: "550 5.1.1 User unknown",
        failure: { code: "unknown_address", detail: "adresse inconnue" },
      },
    ]);
    const right = fresh();
    mailed.platform.clock.advance({ seconds: 1 });
    const { body } = await owner.send("PATCH", recipientPath(sent), { body: { email: right } });
    expect(body.recipients[0].deliveries[0].state).toBe("queued");
    await mailed.settle();
    expect(server.received.map((got) => got.envelope.to)).toEqual([[right]]);
    await mailed.close();
    await server.close();
  });
});
