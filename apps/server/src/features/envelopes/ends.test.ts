import { createHash } from "node:crypto";
import { problemSentence } from "@paraphe/contracts";
import { CompiledQuery, type KyselyPlugin, type RootOperationNode, sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { openBrowser, refusal, type TestBrowser } from "../../../testing/browser.ts";
import {
  actOn,
  createDraft,
  createSent,
  ENVELOPES,
  PAUL,
  readEnvelope,
  recordTestSignature,
  signNth,
} from "../../../testing/envelope.ts";
import { signAsGuest } from "../../../testing/guest.ts";
import { linkIn, mailFor } from "../../../testing/mailbox.ts";
import { createMember, type Member, signIn } from "../../../testing/member.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { useTestApp } from "../../../testing/use-test-app.ts";
import { loadDocuments } from "../documents/store.ts";
import { declineEnvelope } from "./close-envelope.ts";
import { findRecipientByToken } from "./invitations.ts";
import { NO_FACTS } from "./store.ts";
import { limitAction } from "./change-envelope.ts";
import { verifyChain } from "../journal/journal.ts";
import { purgeAt } from "./domain/deadlines.ts";
import { selectToPurge } from "./deadline-store.ts";
import { expireOverdue, purgeDue } from "./jobs.ts";
import { invalidState } from "./domain/envelope.ts";

const service = useTestApp();
let anneMember: Member;
let anne: TestBrowser;
let tag = 0;

beforeAll(async () => {
  anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  anne = await signIn(service, anneMember);
});

const act = (id: string, action: string) => anne.post(`${ENVELOPES}${id}/${action}/`);
const read = (id: string) => anne.get(`${ENVELOPES}${id}/`);
const someone = () => ({ ...PAUL, email: `c${++tag}@exemple.fr` });
/** Moves the clock; Anne signs in again, for a session ends. */
async function at(moment: Date | string): Promise<void> {
  service.platform.clock.set(new Date(moment));
  anne = await signIn(service, anneMember);
}
const later = (hours: number) =>
  at(new Date(service.platform.clock().getTime() + hours * 3_600_000));

const client = { ip: "192.0.2.9", userAgent: "Safari" };
const setStatus = (id: string, status: string) =>
  service.platform.db.updateTable("envelopes").set({ status }).where("id", "=", id).execute();

test("cancelling puts an envelope under 'Supprimé' for ten days, from any state", async () => {
  const [draft, sent, signed, completed, declined, expired] = [
    await createDraft(anne),
    await createSent(anne),
    await createSent(anne),
    await createSent(anne),
    await createSent(anne),
    await createSent(anne),
  ];
  await signNth(service.platform, signed);
  for (const recipient of completed.recipients)
    await recordTestSignature(service.platform, completed.id, recipient.id);
  await declineEnvelope(service.platform, {
    envelopeId: declined.id,
    recipientId: declined.recipients[0]?.id ?? "",
    reason: "Non",
    client,
  });
  await setStatus(expired.id, "expired");
  const states = ["draft", "sent", "pending", "completed", "declined", "expired"];
  for (const [index, envelope] of [draft, sent, signed, completed, declined, expired].entries()) {
    expect((await read(envelope.id)).body.status).toBe(states[index]);
    expect((await act(envelope.id, "cancel")).body).toMatchObject({
      status: "cancelled",
      cancelled_at: expect.stringMatching(/^2026-11-21T10:00:00/),
      days_remaining: 10,
    });
    expect((await act(envelope.id, "cancel")).body).toMatchObject({
      status: 409,
      code: "invalid_state",
      detail: problemSentence(invalidState("cancelled")),
    });
    expect((await act(envelope.id, "restore")).body).toMatchObject({
      status: states[index],
      cancelled_at: null,
      days_remaining: null,
    });
  }
});

test("cancelling notifies those who had been asked, and withdraws what had not left", async () => {
  const paul = someone();
  const sent = await createSent(anne, { recipients: [paul] });
  await mailFor(service.platform, paul.email);
  await act(sent.id, "cancel");
  const mails = await mailFor(service.platform, paul.email);
  expect(mails).toHaveLength(2);
  const quick = someone();
  const gone = await createSent(anne, { recipients: [quick] });
  await act(gone.id, "cancel");
  // Nobody is told that a request which never left is cancelled.
  expect(await mailFor(service.platform, quick.email)).toEqual([]);
});

test("cancelling a completed envelope notifies nobody", async () => {
  const paul = someone();
  const sent = await createSent(anne, { recipients: [paul] });
  await signNth(service.platform, sent);
  const before = await mailFor(service.platform, paul.email);
  await act(sent.id, "cancel");
  expect(await mailFor(service.platform, paul.email)).toHaveLength(before.length);
});

test.each([
  ["after twenty tries", { failed_tries: 20 }, 0],
  [
    "after three tries of an unsound file",
    { failed_tries: 3, last_failure: "UnsoundSignatureError" },
    0,
  ],
  ["after a day", { failed_tries: 3 }, 24],
])(
  "cancelling withdraws a consent that cannot be sealed %s, and notifies its person",
  async (_when, waiting, hours) => {
    const { platform } = service;
    const paul = someone();
    const sent = await createSent(anne, { recipients: [paul] });
    const recipientId = sent.recipients[0]?.id ?? "";
    await mailFor(platform, paul.email);
    const row = {
      id: platform.newId(),
      envelope_id: sent.id,
      recipient_id: recipientId,
      method: "guest",
      consent_version: "1",
    };
    await platform.db
      .insertInto("signing_acts")
      .values({
        ...row,
        documents_sha256: Buffer.alloc(32),
        signed_at: platform.clock(),
        failed_tries: waiting.failed_tries - 1,
      })
      .execute();
    expect((await act(sent.id, "cancel")).body).toMatchObject({
      code: "signature_in_progress",
    });
    await platform.db.updateTable("signing_acts").set(waiting).where("id", "=", row.id).execute();
    if (hours > 0) await later(hours);
    expect((await act(sent.id, "cancel")).body).toMatchObject({ status: "cancelled" });
    expect(
      await platform.db
        .selectFrom("signing_acts")
        .selectAll()
        .where("envelope_id", "=", sent.id)
        .execute(),
    ).toEqual([]);
    const events = await platform.db
      .selectFrom("audit_events")
      .selectAll()
      .where("envelope_id", "=", sent.id)
      .execute();
    expect(events.find(({ action }) => action === "consent_void")).toMatchObject({
      actor: `user:${anneMember.id}`,
      detail: { recipient: recipientId },
    });
    expect(await verifyChain(platform.db, sent.id)).toMatchObject({ ok: true });
    expect(JSON.stringify(await mailFor(platform, paul.email))).toContain("cet accord est retiré");
    expect((await act(sent.id, "restore")).body).toMatchObject({
      status: "sent",
      recipients: [{ status: "notified" }],
    });
    if (hours > 0) await at("2026-11-21T10:00:00Z");
  },
);

test("cancelling and declining wait until a committed consent is sealed", async () => {
  const sent = await createSent(anne);
  const recipientId = sent.recipients[0]?.id ?? "";
  await service.platform.db
    .insertInto("signing_acts")
    .values({
      id: service.platform.newId(),
      envelope_id: sent.id,
      recipient_id: recipientId,
      method: "guest",
      consent_version: "1",
      documents_sha256: Buffer.alloc(32),
      signed_at: new Date(),
    })
    .execute();
  expect(await act(sent.id, "cancel")).toMatchObject({
    status: 409,
    body: { code: "signature_in_progress" },
    headers: { "retry-after": "5" },
  });
  expect(
    await declineEnvelope(service.platform, {
      envelopeId: sent.id,
      recipientId: sent.recipients[1]?.id ?? "",
      reason: "Non",
      client,
    }),
  ).toMatchObject({ error: { code: "signature_in_progress" } });
});

test("of a cancellation and a signature at the same moment, one succeeds", async () => {
  for (let round = 0; round < 5; round++) {
    const sent = await createSent(anne, { recipients: [someone()] });
    const [cancelled, signed] = await Promise.all([
      act(sent.id, "cancel"),
      signNth(service.platform, sent),
    ]);
    const after = (await read(sent.id)).body;
    // A completed envelope may be cancelled; a cancelled one never gains a signature.
    expect(after.progress.signed).toBe(signed.ok ? 1 : 0);
    expect(cancelled.status).toBe(200);
    expect(await verifyChain(service.platform.db, sent.id)).toMatchObject({ ok: true });
  }
});

test("restoring makes the links of a sent envelope work again, and asks anew those who were notified of its cancellation", async () => {
  const paul = someone();
  const sent = await createSent(anne, { recipients: [paul] });
  const token =
    new URL(linkIn((await mailFor(service.platform, paul.email))[0], "https://")).searchParams.get(
      "token",
    ) ?? "";
  await act(sent.id, "cancel");
  expect(
    await findRecipientByToken(service.platform.db, {
      envelopeId: sent.id,
      token: token,
      facts: NO_FACTS,
    }),
  ).toMatchObject({
    recipient: { awaited: false },
    aggregate: { envelope: { status: "cancelled" } },
  });
  await act(sent.id, "restore");
  expect(
    await findRecipientByToken(service.platform.db, {
      envelopeId: sent.id,
      token: token,
      facts: NO_FACTS,
    }),
  ).toMatchObject({
    recipient: { awaited: true },
    aggregate: { envelope: { status: "sent" } },
  });
  expect(await mailFor(service.platform, paul.email)).toHaveLength(3);
});

test("an envelope restored after its deadline is expired", async () => {
  const sent = await createSent(anne, {
    recipients: [someone()],
    deadline_at: "2026-11-21T10:30:00Z",
  });
  await act(sent.id, "cancel");
  await later(1);
  expect((await act(sent.id, "restore")).body).toMatchObject({
    status: "expired",
    recipients: [{ status: "notified" }],
  });
});

test("security line 61: restoring asks people anew five times a day at most", async () => {
  const who = someone();
  const sent = await createSent(anne, { recipients: [who] });
  const round = async () => {
    expect((await act(sent.id, "cancel")).status).toBe(200);
    return act(sent.id, "restore");
  };
  for (let time = 1; time <= 5; time++) expect((await round()).status).toBe(200);
  const mails = async () => (await mailFor(service.platform, who.email)).length;
  const before = await mails();
  const refused = await round();
  expect([refused.status, refused.body.code, Number(refused.headers["retry-after"]) > 0]).toEqual([
    429,
    "too_many_requests",
    true,
  ]);
  expect((await read(sent.id)).body.status).toBe("cancelled");
  expect((await mails()) - before).toBe(1);
  await later(24);
  expect((await act(sent.id, "restore")).body.status).toBe("sent");
});

test("security line 61: restoring counts towards the people an account asks in a day, unless it asks nobody", async () => {
  const member = await createMember(service.platform);
  const own = await signIn(service, member);
  const sent = await createSent(own, { recipients: [someone()] });
  const draft = await createDraft(own);
  for (const { id } of [sent, draft]) await actOn(own, id, "cancel");
  const rest = { kind: "invite", id: member.id, count: 4_998 } as const;
  expect(await limitAction(service.platform, rest)).toMatchObject({ ok: true });
  expect((await actOn(own, sent.id, "restore")).status).toBe(200);
  await actOn(own, sent.id, "cancel");
  expect((await actOn(own, sent.id, "restore")).body.code).toBe("too_many_requests");
  for (let time = 1; time <= 6; time++) {
    expect((await actOn(own, draft.id, "restore")).body.status).toBe("draft");
    await actOn(own, draft.id, "cancel");
  }
});

test("restoring is refused for what is not cancelled, and after ten whole days", async () => {
  const draft = await createDraft(anne);
  expect((await act(draft.id, "restore")).body).toMatchObject({
    status: 409,
    code: "invalid_state",
    detail: problemSentence(invalidState("draft")),
  });
  await act(draft.id, "cancel");
  await later(9 * 24 + 23);
  expect((await read(draft.id)).body.days_remaining).toBe(1);
  await later(1);
  expect((await read(draft.id)).body.days_remaining).toBe(0);
  expect((await act(draft.id, "restore")).status).toBe(409);
});

const purge = (id: string) => anne.send("DELETE", `${ENVELOPES}${id}/purge/`);

const SERIAL = "5a".repeat(16);

/** Stores what a sealing stores of a signer, without sealing. */
async function keepCertificate(
  envelope: { id: string; recipients: { id: string }[] },
  documentId: string,
  der: Uint8Array,
): Promise<void> {
  const { db, clock, newId } = service.platform;
  const { id: issuer } = await db
    .selectFrom("authority_keys")
    .select("id")
    .where("purpose", "=", "ca")
    .executeTakeFirstOrThrow();
  const dates = { not_before: clock(), not_after: clock() };
  await db
    .insertInto("certificates")
    .values({
      serial_number: SERIAL,
      issuer_id: issuer,
      subject: "CN=Paul Morel",
      certificate_der: der,
      ...dates,
    })
    .execute();
  const signature = {
    id: newId(),
    envelope_id: envelope.id,
    document_id: documentId,
    recipient_id: envelope.recipients[0]?.id ?? "",
  };
  const rest = {
    revision: 2,
    signer_name: "Paul Morel",
    level: "B-T",
    certificate_der: der,
    serial_number: SERIAL,
    signed_at: clock(),
  };
  await db
    .insertInto("signatures")
    .values({ ...signature, ...rest })
    .execute();
}

test("purging is refused unless the envelope is cancelled", async () => {
  const sent = await createSent(anne);
  expect(refusal(await purge(sent.id))).toEqual([409, "invalid_state"]);
});

test("purging erases names and files for good; a tombstone of ids, dates and hashes stays", async () => {
  const { platform } = service;
  const paul = someone();
  const sent = await createSent(anne, {
    title: "Secret d’Anne",
    recipients: [paul],
    files: [{ name: "Secret.pdf", bytes: makePdf({ text: "unique" }) }],
  });
  await signNth(platform, sent);
  const [document] = await loadDocuments(platform.db, sent.id);
  const certificate = Buffer.from("CN=Paul Morel, paul@exemple.fr");
  await keepCertificate(sent, document?.id ?? "", certificate);
  await anne.post(`${ENVELOPES}${sent.id}/remind/`, undefined, {
    headers: { "idempotency-key": "une-fois" },
  });
  await platform.settle();
  await act(sent.id, "cancel");
  expect(
    await platform.db
      .selectFrom("idempotency_keys")
      .selectAll()
      .where("key", "=", "une-fois")
      .execute(),
  ).toHaveLength(1);
  expect(await purge(sent.id)).toMatchObject({ status: 204, text: "" });
  expect((await purge(sent.id)).status).toBe(404);
  for (const path of [
    "",
    "events/",
    "download/",
    "original-document/",
    `documents/${document?.id}/file/`,
  ])
    expect((await anne.get(`${ENVELOPES}${sent.id}/${path}`)).status).toBe(404);
  await platform.settle();
  expect(await platform.files.size(document?.original.sha256 ?? new Uint8Array())).toBeNull();
  expect(await platform.files.size(document?.current.sha256 ?? new Uint8Array())).toBeNull();
  const rows = await Promise.all([
    platform.db.selectFrom("envelopes").selectAll().where("id", "=", sent.id).execute(),
    platform.db.selectFrom("recipients").selectAll().where("envelope_id", "=", sent.id).execute(),
    platform.db.selectFrom("documents").selectAll().where("envelope_id", "=", sent.id).execute(),
    platform.db.selectFrom("audit_events").selectAll().where("envelope_id", "=", sent.id).execute(),
    platform.db.selectFrom("notices").selectAll().where("envelope_id", "=", sent.id).execute(),
    platform.db
      .selectFrom("audit_details")
      .selectAll()
      .where("envelope_id", "=", sent.id)
      .execute(),
  ]);
  expect(
    await platform.db
      .selectFrom("idempotency_keys")
      .selectAll()
      .where("key", "=", "une-fois")
      .execute(),
  ).toEqual([]);
  expect(
    await platform.db
      .selectFrom("certificates")
      .selectAll()
      .where("serial_number", "=", SERIAL)
      .execute(),
  ).toMatchObject([
    {
      subject: "",
      certificate_der: Buffer.alloc(0),
      certificate_hash: createHash("sha256").update(certificate).digest(),
    },
  ]);
  expect(
    await platform.db
      .selectFrom("signatures")
      .selectAll()
      .where("envelope_id", "=", sent.id)
      .execute(),
  ).toMatchObject([{ signer_name: "", certificate_der: Buffer.alloc(0), serial_number: SERIAL }]);
  expect(JSON.stringify(rows)).not.toMatch(/Secret|Paul|Anne|exemple\.fr|192\.0\.2|127\.0\.0/);
  expect(rows[0]).toMatchObject([{ status: "cancelled", purged_at: expect.any(Date) }]);
  const tombstone = await platform.db
    .selectFrom("document_revisions")
    .selectAll()
    .where("document_id", "=", document?.id ?? "")
    .orderBy("number")
    .execute();
  expect(tombstone.map((row) => row.kind)).toEqual(["original", "prepared", "signed"]);
  expect(await verifyChain(platform.db, sent.id)).toMatchObject({ ok: true });
});

test("purging leaves a file that another envelope shares", async () => {
  const bytes = makePdf({ text: "partage" });
  const [first, second] = [
    await createDraft(anne, { files: [{ name: "a.pdf", bytes }] }),
    await createDraft(anne, { files: [{ name: "b.pdf", bytes }] }),
  ];
  await act(first.id, "cancel");
  await purge(first.id);
  await service.settle();
  expect((await anne.get(`${ENVELOPES}${second.id}/original-document/`)).bytes).toEqual(
    Buffer.from(bytes),
  );
  await act(second.id, "cancel");
  await purge(second.id);
  await service.settle();
  expect(
    await service.platform.files.size(Buffer.from(second.documents[0]?.sha256 ?? "", "hex")),
  ).toBeNull();
});

test("of a purge and a restoration at the same moment, one succeeds", async () => {
  for (let round = 0; round < 5; round++) {
    const draft = await createDraft(anne);
    await act(draft.id, "cancel");
    const [purged, restored] = await Promise.all([purge(draft.id), act(draft.id, "restore")]);
    expect([purged.status, restored.status]).toSatisfy(
      ([left, right]: number[]) =>
        (left === 204 && right === 404) || (left === 409 && right === 200),
    );
  }
});

test("scheduled jobs purge an envelope ten whole days of Paris after its cancellation, over the autumn change too", async () => {
  await at("2027-10-28T12:30:00Z");
  await purgeDue(service.platform);
  const draft = await createDraft(anne);
  await act(draft.id, "cancel");
  // 14 h 30 in Paris is 12:30 UTC in summer, 13:30 once the clocks went back on 31 October.
  await at("2027-11-07T13:29:59Z");
  expect(await purgeDue(service.platform)).toBe(0);
  expect((await read(draft.id)).status).toBe(200);
  await at("2027-11-07T13:30:00Z");
  expect(await purgeDue(service.platform)).toBe(1);
  expect(await purgeDue(service.platform)).toBe(0);
  expect((await read(draft.id)).status).toBe(404);
});

test("scheduled jobs close an envelope whose deadline has passed, and notify the sender and those who had not signed", async () => {
  const { platform } = service;
  const [paul, other] = [someone(), someone()];
  await later(24);
  const deadline = new Date(platform.clock().getTime() + 3_600_000);
  const sent = await createSent(anne, {
    recipients: [paul, { ...other, full_name: "Autre" }],
    deadline_at: deadline.toISOString(),
  });
  await service.settle();
  await signNth(platform, sent);
  await at(new Date(deadline.getTime() - 1));
  expect(await expireOverdue(platform)).toBe(0);
  await at(deadline);
  expect(await expireOverdue(platform)).toBe(1);
  expect(await expireOverdue(platform)).toBe(0);
  expect((await read(sent.id)).body).toMatchObject({
    status: "expired",
    recipients: [{ status: "signed" }, { status: "notified" }],
  });
  expect((await mailFor(platform, paul.email)).length).toBe(1);
  expect((await mailFor(platform, other.email)).length).toBe(2);
  expect((await act(sent.id, "remind")).body).toMatchObject({
    code: "invalid_state",
    detail: problemSentence(invalidState("expired")),
  });
});

describe("a cancelled envelope", () => {
  const service = useTestApp();
  let anneMember: Member;

  beforeAll(async () => {
    anneMember = await createMember(service.platform, { firstName: "Anne", lastName: "Roux" });
  });

  /** The envelope is cancelled at the first moment and purged from the second on. */
  const CASES = [
    ["over the change to summer time", "2027-03-20T13:30:00Z", "2027-03-30T12:30:00Z"],
    ["over the change to winter time", "2027-10-25T12:30:00Z", "2027-11-04T13:30:00Z"],
    ["over 29 February", "2028-02-20T08:00:00Z", "2028-03-01T08:00:00Z"],
    ["on 29 February", "2032-02-29T22:59:59Z", "2032-03-10T22:59:59Z"],
    ["over the end of February of another year", "2033-02-20T08:00:00Z", "2033-03-02T08:00:00Z"],
  ] as const;

  for (const [when, cancelled, purged] of CASES)
    test(`a cancelled envelope is purged after ten whole days of Paris ${when}, not a second before; its proof still answers`, async () => {
      const { platform } = service;
      platform.clock.set(new Date(cancelled));
      let anne = await signIn(service, anneMember);
      const guest = {
        email: `purge.${cancelled.slice(0, 10)}@exemple.fr`,
        full_name: "Paul Morel",
      };
      const envelope = await createSent(anne, { recipients: [guest] });
      await signAsGuest(service, envelope.id, guest.email);
      const print = (
        await anne.post("/api/signature/prints/generate/", {
          envelope: envelope.id,
          qr_type: "page",
        })
      ).body;
      const proof = async () =>
        (
          await openBrowser(service.app).get(
            `/api/signature/prints/${print.id}/verify/?sig=${print.sig}`,
          )
        ).body;
      const before = await proof();
      expect(before.title).toBe("Bail d’habitation");
      const gone = (await actOn(anne, envelope.id, "cancel")).body;
      expect(gone.days_remaining).toBe(10);
      const due = new Date(
        Date.parse(gone.cancelled_at) + Date.parse(purged) - Date.parse(cancelled),
      );
      platform.clock.set(new Date(due.getTime() - 1_000));
      expect(await purgeDue(platform)).toBe(0);
      anne = await signIn(service, anneMember);
      expect((await readEnvelope(anne, envelope.id)).days_remaining).toBe(1);
      platform.clock.set(due);
      expect(await purgeDue(platform)).toBe(1);
      expect((await anne.get(`${ENVELOPES}${envelope.id}/`)).status).toBe(404);
      const after = await proof();
      expect(after).toMatchObject({
        purged: true,
        verdict: "indeterminate",
        hash_sha256: before.hash_sha256,
      });
      expect(JSON.stringify(after)).not.toMatch(/Bail|Paul|exemple\.fr/);
      expect(await verifyChain(platform.db, envelope.id)).toMatchObject({ ok: true });
    });

  test("the database finds a cancelled envelope at the moment that the domain says, at every third hour of the years around", async () => {
    const start = Date.parse("2026-01-01T00:30:00Z");
    const moments = Array.from(
      { length: (24 * 365 * 3) / 3 },
      (_, index) => new Date(start + index * 3 * 3_600_000),
    );
    const { rows } = await sql<{ due: Date }>`
      select (at at time zone 'Europe/Paris' + make_interval(days => 10)) at time zone 'Europe/Paris' - interval '1 hour' as due
      from unnest(${moments.map((moment) => moment.toISOString())}::timestamptz[]) with ordinality as given (at, place) order by place
    `.execute(service.platform.db);
    const apart = rows.flatMap(({ due }, index) => {
      const moment = moments[index] as Date;
      // The database's own margin does not purge it earlier.
      const isTooSoon = purgeAt(moment).getTime() - moment.getTime() < (10 * 24 - 2) * 3_600_000;
      return due > purgeAt(moment) || isTooSoon
        ? [`${moment.toISOString()} ${due.toISOString()}`]
        : [];
    });
    expect(apart).toEqual([]);
  });

  test("a cancelled envelope is looked for among those whose days are over, not among all cancelled ones", async () => {
    const { db, clock } = service.platform;
    const asked: RootOperationNode[] = [];
    const ear: KyselyPlugin = {
      transformQuery: ({ node }) => (asked.push(node), node),
      transformResult: async ({ result }) => result,
    };
    await selectToPurge(db.withPlugin(ear), { now: clock(), days: 10, limit: 10, skip: 0 });
    const { sql: text, parameters } = db
      .getExecutor()
      .compileQuery(asked[0] as RootOperationNode, { queryId: "plan" });
    await sql`insert into envelopes (id, owner_id, created_by_name, title, search_text, status, flow, created_at, updated_at, status_before_cancel, cancelled_at)
      select gen_random_uuid(), ${anneMember.id}::uuid, '', '', '', 'cancelled', 'parallel', ${clock()}, ${clock()}, 'draft', ${clock()}::timestamptz - n * interval '1 minute'
      from generate_series(1, 2000) n`.execute(db);
    await sql`analyze envelopes`.execute(service.platform.owner);
    const { rows: plan } = await db.executeQuery<{ "QUERY PLAN": string }>(
      CompiledQuery.raw(`explain ${text}`, [...parameters]),
    );
    expect(plan.map((row) => row["QUERY PLAN"]).join("\n")).toMatch(
      /using envelopes_cancelled .*\n\s+Index Cond: \(cancelled_at <= /,
    );
  });
});
