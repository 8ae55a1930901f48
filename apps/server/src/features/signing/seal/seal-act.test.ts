import { setTimeout as sleep } from "node:timers/promises";
import type { Envelope } from "@paraphe/contracts";
import { parisDay } from "@paraphe/kernel/paris-days";
import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { expectRefusal, expectStatus } from "../../../../testing/answers.ts";
import { type Answer, multipart, refusal } from "../../../../testing/browser.ts";
import { countTransactions } from "../../../../testing/database.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../../testing/envelope.ts";
import { TYPED, openConfirmedGuest } from "../../../../testing/guest.ts";
import { mailFor } from "../../../../testing/mailbox.ts";
import { createMember, signIn } from "../../../../testing/member.ts";
import { createMemberAs } from "../../../../testing/organisation.ts";
import { makePdf } from "../../../../testing/pdf.ts";
import { openSealingStage } from "../../../../testing/stages/sealing-stage.ts";
import { voidConsents } from "../../envelopes/public.ts";
import { verifyChain } from "../../journal/journal.ts";
import { makeCheckpoint } from "../../journal/transparency/make-checkpoint.ts";
import { readRecord } from "../../proof/prints/read-record.ts";
import { createSealing } from "./create-sealing.ts";
import { sweepUnsealedActs } from "./jobs.ts";
import { renewArchive } from "./archive-revision.ts";
import { sealAct } from "./seal-act.ts";

const stage = await openSealingStage();
const {
  test: service,
  tsa,
  owner,
  elsewhere,
  sendTo,
  guestOf,
  actsOf,
  signaturesOf,
  statusOf,
  assertAcknowledged,
  assertConsistent,
} = stage;

afterAll(() => stage.close());
beforeEach(() => tsa.behave({}));

it("twenty identical requests make one consent and one signature", async () => {
  const { envelope, guests } = await sendTo([PAUL]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => guestOf(guests, 0).post("sign/", TYPED)),
  );
  const late = answers.filter((answer) => answer.body.code === "already_signed");
  expect(late.length).toBeLessThan(20);
  await assertAcknowledged(answers.filter((answer) => !late.includes(answer)));
  expect(await actsOf(envelope)).toHaveLength(1);
  await assertConsistent(envelope, 1);
});

it("two simultaneous guests sign one after the other", async () => {
  const { envelope, guests } = await sendTo();
  const answers = await Promise.all(guests.map((guest) => guest.post("sign/", TYPED)));
  await assertAcknowledged(answers);
  expect(await statusOf(envelope)).toBe("completed");
  await assertConsistent(envelope, 2);
});

it("twenty people sign one envelope, and every signature is made", async () => {
  const people = Array.from({ length: 20 }, (_, index) => ({
    email: `signataire${index}@exemple.fr`,
    full_name: `Signataire N°${index}`,
  }));
  const { envelope, guests } = await sendTo(people);
  const answers = await Promise.all(guests.map((guest) => guest.post("sign/", TYPED)));
  await assertAcknowledged(answers);
  expect(await statusOf(envelope)).toBe("completed");
  await assertConsistent(envelope, 20);
}, 120_000);

it("cancelling against signing has exactly one winner", async () => {
  for (let round = 0; round < 4; round++) {
    const { envelope, guests } = await sendTo([PAUL]);
    const cancel = () => owner.post(`${ENVELOPES}${envelope.id}/cancel/`);
    const sign = () => guestOf(guests, 0).post("sign/", TYPED);
    const [one, two] = await Promise.all(round % 2 === 0 ? [cancel(), sign()] : [sign(), cancel()]);
    const [cancelled, signed] = round % 2 === 0 ? [one, two] : [two, one];
    const won = [cancelled.status === 200, signed.status === 200 || signed.status === 202];
    expect(won.filter(Boolean)).toHaveLength(1);
    if (won[0]) {
      expect([409, 410]).toContain(signed.status);
      expect(await signaturesOf(envelope)).toEqual([]);
    } else {
      await expectRefusal(cancelled, 409, "signature_in_progress");
      await assertAcknowledged([signed]);
      await assertConsistent(envelope, 1);
    }
  }
});

it("two processes that seal one act make one signature", async () => {
  const { envelope, guests } = await sendTo([PAUL]);
  tsa.behave({ away: true });
  await guestOf(guests, 0).post("sign/", TYPED);
  tsa.behave({});
  const [act] = await actsOf(envelope);
  const third = createSealing(service.platform, elsewhere.trust);
  expect(
    await Promise.all(
      [elsewhere, third, elsewhere, third].map((deps) => sealAct(deps, act?.id as string)),
    ),
  ).toEqual(["sealed", "sealed", "sealed", "sealed"]);
  await assertConsistent(envelope, 1);
});

it("every document of an envelope is proven, and completed copies are sent", async () => {
  const envelope = await createSent(owner, {
    recipients: [PAUL, ELOISE],
    files: [1, 2, 3].map((number) => ({
      name: `Annexe ${number}.pdf`,
      bytes: makePdf({ pages: number }),
    })),
  });
  for (const { email } of [PAUL, ELOISE]) {
    const guest = await openConfirmedGuest(service, envelope.id, email);
    await assertAcknowledged([await guest.post("sign/", TYPED)]);
  }
  expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body).toMatchObject({
    status: "completed",
    level: "B-LTA",
  });
  const rows = await service.platform.db
    .selectFrom("documents as d")
    .innerJoin("document_archives as a", "a.document_id", "d.id")
    .innerJoin("document_revisions as r", (join) =>
      join.onRef("r.document_id", "=", "d.id").onRef("r.number", "=", "d.current_revision"),
    )
    .select(["r.kind", "r.blob_sha256", "a.revision", "r.number", "a.renew_at", "a.valid_until"])
    .where("d.envelope_id", "=", envelope.id)
    .orderBy("d.position")
    .execute();
  expect(
    rows.map((row) => [row.kind, row.revision - row.number, row.renew_at < row.valid_until]),
  ).toEqual([
    ["completed", 0, true],
    ["completed", 0, true],
    ["completed", 0, true],
  ]);
  for (const row of rows) {
    const report = await service.platform.sandbox.call(
      "validate",
      await service.platform.files.get(row.blob_sha256),
      {
        evidence: { trustAnchors: (await elsewhere.trust.evidence()).trustAnchors },
        now: service.platform.clock(),
        policy: { revocation: "required" },
      },
    );
    expect(report.signatures.map(({ level, indication }) => [level, indication])).toEqual([
      ["B-LTA", "TOTAL_PASSED"],
      ["B-LTA", "TOTAL_PASSED"],
      [null, "TOTAL_PASSED"],
    ]);
  }
  const events = (await owner.get(`${ENVELOPES}${envelope.id}/events/`)).body.results as {
    action: string;
    detail: { documents: string[] };
  }[];
  const completed = events.find((event) => event.action === "envelope_completed");
  expect(completed?.detail.documents.map((entry) => entry.split(":")[1])).toEqual(
    rows.map((row) => Buffer.from(row.blob_sha256).toString("hex")),
  );
});

const transactions = () => countTransactions(service.platform.owner);
const asksWithoutTransaction = async (work: () => Promise<unknown>) => {
  const answered = Promise.withResolvers<void>();
  tsa.behave({ until: answered.promise });
  const before = tsa.asked();
  const working = work();
  await expect.poll(tsa.asked, { timeout: 10_000, interval: 20 }).toBeGreaterThan(before);
  // Other transactions end; one that waits for the authority would not.
  await expect.poll(transactions, { timeout: 5_000, interval: 20 }).toBe(0);
  answered.resolve();
  return working;
};

it("a signature awaiting a time-stamp has no open transaction, nor a completion", async () => {
  const { envelope, guests } = await sendTo([PAUL]);
  await asksWithoutTransaction(() => guestOf(guests, 0).post("sign/", TYPED));
  await assertAcknowledged([]);
  expect(await statusOf(envelope)).toBe("completed");
  await assertConsistent(envelope, 1);
});

it("a renewal awaiting a time-stamp has no open transaction, and of two one wins", async () => {
  const { envelope, guests } = await sendTo([PAUL]);
  await assertAcknowledged([await guestOf(guests, 0).post("sign/", TYPED)]);
  const documentId = envelope.documents[0]?.id as string;
  await service.platform.db
    .updateTable("document_archives")
    .set({ renew_at: service.platform.clock() })
    .where("document_id", "=", documentId)
    .execute();
  const third = createSealing(service.platform, elsewhere.trust);
  const renew = () =>
    Promise.all(
      [elsewhere, third].map((deps) => renewArchive(deps, { envelopeId: envelope.id, documentId })),
    );
  expect(["current postponed", "postponed postponed"]).toContain(
    ((await asksWithoutTransaction(renew)) as string[]).toSorted().join(" "),
  );
});

it("a checkpoint awaiting a time-stamp has no open transaction, and two processes make one", async () => {
  const deps = { platform: service.platform, trust: elsewhere.trust };
  const made = (await asksWithoutTransaction(() =>
    Promise.all([makeCheckpoint(deps), makeCheckpoint(deps)]),
  )) as (object | null)[];
  expect(made.filter((one) => one !== null)).toHaveLength(1);
  expect(await makeCheckpoint(deps)).toBeNull();
});

it("an own document, evidence file or proof awaiting a time-stamp has no open transaction", async () => {
  const { envelope, guests } = await sendTo([PAUL]);
  await assertAcknowledged([await guestOf(guests, 0).post("sign/", TYPED)]);
  const { body: print } = await owner.post("/api/signature/prints/generate/", {
    envelope: envelope.id,
    qr_type: "page",
  });
  const { pathname, search } = new URL(print.verify_url);
  const own = multipart(
    {
      placement: JSON.stringify({ page: 1, x: 0.6, y: 0.8, width: 0.3, height: 0.07 }),
      signature: JSON.stringify(TYPED.signature),
    },
    [{ field: "file", name: "bail.pdf", type: "application/pdf", bytes: makePdf() }],
  );
  const calls = [
    () => owner.get(`${ENVELOPES}${envelope.id}/evidence/`),
    () => owner.get(`/api/signature/prints/${pathname.split("/").at(-1)}/proof/${search}`),
    () => owner.send("POST", "/api/signature/self-sign/", own),
  ];
  for (const call of calls)
    expect([200, 201]).toContain(
      ((await asksWithoutTransaction(call)) as { status: number }).status,
    );
});

it("two processes seal two acts of one envelope, one after the other", async () => {
  const { envelope, guests } = await sendTo();
  tsa.behave({ away: true });
  for (const guest of guests) await guest.post("sign/", TYPED);
  const acts = await actsOf(envelope);
  const third = createSealing(service.platform, elsewhere.trust);
  tsa.behave({ delayMs: 400 });
  expect(
    await Promise.all(acts.map((act, index) => sealAct(index === 0 ? elsewhere : third, act.id))),
  ).toEqual(["sealed", "sealed"]);
  tsa.behave({});
  expect(await statusOf(envelope)).toBe("completed");
  await assertConsistent(envelope, 2);
});

it("a slow authority blocks one process: another seals the act, and nobody may cancel", async () => {
  const { envelope, guests } = await sendTo([PAUL]);
  tsa.behave({ delayMs: 30_000 });
  await expectStatus(guestOf(guests, 0).post("sign/", TYPED), 202);
  expect(await transactions()).toBe(0);
  await expectRefusal(
    owner.post(`${ENVELOPES}${envelope.id}/cancel/`),
    409,
    "signature_in_progress",
  );
  tsa.behave({});
  const [act] = await actsOf(envelope);
  expect(await sealAct(elsewhere, act?.id as string)).toBe("sealed");
  expect(await statusOf(envelope)).toBe("completed");
  await assertConsistent(envelope, 1);
}, 20_000);

describe("an interrupted sealing", () => {
  const {
    test: service,
    tsa,
    elsewhere,
    sendTo,
    guestOf,
    actsOf,
    signaturesOf,
    statusOf,
    assertAcknowledged,
    assertConsistent,
  } = stage;

  type Fault = { readonly name: string; arm(): () => void };
  const failOnce = <T extends object, K extends keyof T>(
    port: T,
    method: K,
    matches: (...parameters: unknown[]) => boolean,
  ): (() => void) => {
    const real = port[method] as (...parameters: unknown[]) => unknown;
    let armed = true;
    Object.assign(port, {
      [method]: (...parameters: unknown[]) => {
        if (!armed || !matches(...parameters)) return real.call(port, ...parameters);
        armed = false;
        return Promise.reject(new Error("the process died here"));
      },
    });
    return () => Object.assign(port, { [method]: real });
  };
  const faults: Fault[] = [
    {
      name: "reading the revision",
      arm: () => failOnce(service.platform.files, "get", () => true),
    },
    {
      name: "preparing the revision",
      arm: () => failOnce(service.platform.sandbox, "call", (task) => task === "prepareSignature"),
    },
    {
      name: "validating the revision",
      arm: () => failOnce(service.platform.sandbox, "call", (task) => task === "validate"),
    },
    {
      name: "writing the revision",
      arm: () => failOnce(service.platform.files, "put", () => true),
    },
    {
      name: "committing what follows",
      arm: () => failOnce(service.platform.queue, "withdraw", () => true),
    },
  ];

  it.each(faults)(
    "$name: the consent is acknowledged, and the sweep signs once",
    async ({ arm }) => {
      const { envelope, guests } = await sendTo();
      const disarm = arm();
      const answer = await guestOf(guests, 0).post("sign/", TYPED);
      disarm();
      expect(answer.status).toBe(202);
      expect(await signaturesOf(envelope)).toEqual([]);
      expect(await statusOf(envelope)).toBe("sent");
      await Promise.all([sweepUnsealedActs(elsewhere), sweepUnsealedActs(elsewhere)]);
      expect((await guestOf(guests, 0).get("guest/")).body.recipient.status).toBe("signed");
      await assertAcknowledged([await guestOf(guests, 1).post("sign/", TYPED)]);
      expect(await statusOf(envelope)).toBe("completed");
      await assertConsistent(envelope, 2);
    },
  );

  it("the file is not read for what earlier files have shown that it needs", async () => {
    const completed = async () => {
      const { envelope, guests } = await sendTo();
      await assertAcknowledged([await guestOf(guests, 0).post("sign/", TYPED)]);
      const calls = vi.spyOn(service.platform.sandbox, "call");
      await assertAcknowledged([await guestOf(guests, 1).post("sign/", TYPED)]);
      await assertConsistent(envelope, 2);
      const tasks = calls.mock.calls.map(([task]) => task);
      calls.mockRestore();
      return tasks;
    };
    await completed();
    const tasks = await completed();
    expect(tasks.slice(0, 3)).toEqual(["prepareSignature", "prepareDocumentTimestamp", "validate"]);
    expect(tasks).not.toContain("longTermNeeds");
  });

  it.each<Fault>([
    {
      name: "preparing the time-stamp",
      arm: () =>
        failOnce(service.platform.sandbox, "call", (task) => task === "prepareDocumentTimestamp"),
    },
    {
      name: "validating the whole",
      arm: () => failOnce(service.platform.sandbox, "call", (task) => task === "validate"),
    },
    {
      name: "writing the completed revision",
      arm: () => failOnce(service.platform.files, "put", () => true),
    },
    {
      name: "writing the signed revision, the completed one stored",
      arm: () => {
        let written = 0;
        return failOnce(service.platform.files, "put", () => (written += 1) === 2);
      },
    },
    {
      name: "committing the completion",
      arm: () => failOnce(service.platform.queue, "withdraw", () => true),
    },
  ])(
    "$name of the last signature: nothing is completed, then everything at once",
    async ({ arm }) => {
      const { envelope, guests } = await sendTo();
      await assertAcknowledged([await guestOf(guests, 0).post("sign/", TYPED)]);
      const disarm = arm();
      const answer = await guestOf(guests, 1).post("sign/", TYPED);
      disarm();
      expect(answer.status).toBe(202);
      expect([await statusOf(envelope), (await signaturesOf(envelope)).length]).toEqual([
        "pending",
        1,
      ]);
      expect((await guestOf(guests, 1).get("guest/")).body.recipient.status).toBe("sealing");
      await assertConsistent(envelope, 1);
      await Promise.all([sweepUnsealedActs(elsewhere), sweepUnsealedActs(elsewhere)]);
      expect(await statusOf(envelope)).toBe("completed");
      await assertConsistent(envelope, 2);
    },
  );

  it("the act's job seals without a sweep", async () => {
    const { envelope, guests } = await sendTo([PAUL]);
    const disarm = faults[3]?.arm();
    await guestOf(guests, 0).post("sign/", TYPED);
    disarm?.();
    await service.settle({ deferred: "run" });
    expect(await statusOf(envelope)).toBe("completed");
    await assertConsistent(envelope, 1);
  });

  it("a failing act does not stop the sweep", async () => {
    const first = await sendTo([PAUL]);
    const second = await sendTo([PAUL]);
    tsa.behave({ away: true });
    await guestOf(first.guests, 0).post("sign/", TYPED);
    service.platform.clock.advance({ seconds: 1 });
    await guestOf(second.guests, 0).post("sign/", TYPED);
    tsa.behave({});
    const disarm = failOnce(service.platform.files, "get", () => true);
    await sweepUnsealedActs(elsewhere);
    disarm();
    expect([await statusOf(first.envelope), await statusOf(second.envelope)]).toEqual([
      "sent",
      "completed",
    ]);
    await sweepUnsealedActs(elsewhere);
    expect(await statusOf(first.envelope)).toBe("completed");
  });

  it("an act of a closed envelope is withdrawn", async () => {
    const { envelope, guests } = await sendTo([PAUL]);
    tsa.behave({ away: true });
    await guestOf(guests, 0).post("sign/", TYPED);
    tsa.behave({});
    await service.platform.db
      .updateTable("envelopes")
      .set({
        status: "cancelled",
        status_before_cancel: "sent",
        cancelled_at: service.platform.clock(),
      })
      .where("id", "=", envelope.id)
      .execute();
    const [act] = await actsOf(envelope);
    expect(await sealAct(elsewhere, act?.id as string)).toBe("void");
    expect(await sealAct(elsewhere, act?.id as string)).toBe("unknown");
    expect([await actsOf(envelope), await signaturesOf(envelope)]).toEqual([[], []]);
    expect(await verifyChain(service.platform.db, envelope.id)).toMatchObject({ ok: true });
  });

  it("an act withdrawn during sealing leaves nothing, even after a restore", async () => {
    const { envelope, guests } = await sendTo([PAUL]);
    tsa.behave({ away: true });
    await guestOf(guests, 0).post("sign/", TYPED);
    const [act] = await actsOf(envelope);
    tsa.behave({ delayMs: 1_500 });
    const sealing = sealAct(elsewhere, act?.id as string);
    await sleep(700);
    await service.platform.db.transaction().execute(async (trx) => {
      await voidConsents(trx, { envelopeId: envelope.id, actor: { kind: "system", id: null } });
    });
    expect(await sealing).toBe("void");
    tsa.behave({});
    expect([await actsOf(envelope), await signaturesOf(envelope)]).toEqual([[], []]);
  });
});

it("without a time-stamp the consent is kept, nobody may close the envelope, and it is sealed later", async () => {
  const { envelope, guests } = await sendTo();
  tsa.behave({ away: true });
  const answer = await guestOf(guests, 0).post("sign/", TYPED);
  expect([...refusal(answer), answer.body.detail, answer.headers["retry-after"]]).toEqual([
    503,
    "timestamp_unavailable",
    "Le service d’horodatage ne répond pas. Votre signature est enregistrée et sera scellée dès son retour.",
    "30",
  ]);
  expect((await guestOf(guests, 0).get("guest/")).body.recipient).toMatchObject({
    status: "sealing",
    signed: false,
  });
  expect(await signaturesOf(envelope)).toEqual([]);
  await expectRefusal(
    owner.post(`${ENVELOPES}${envelope.id}/cancel/`),
    409,
    "signature_in_progress",
  );
  await expectRefusal(
    guestOf(guests, 1).post("decline/", { reason: "Non" }),
    409,
    "signature_in_progress",
  );
  await sweepUnsealedActs(elsewhere);
  const [act] = await actsOf(envelope);
  expect([act?.sealed_at, act?.last_failure, Number(act?.failed_tries) >= 2]).toEqual([
    null,
    "TimestampUnavailableError",
    true,
  ]);
  tsa.behave({});
  await sweepUnsealedActs(elsewhere);
  expect((await guestOf(guests, 0).get("guest/")).body.recipient).toMatchObject({
    status: "signed",
    signed: true,
  });
  await assertConsistent(envelope, 1);
});

it("without the document time-stamp the last consent is kept, and nothing completed", async () => {
  const { envelope, guests } = await sendTo();
  await assertAcknowledged([await guestOf(guests, 0).post("sign/", TYPED)]);
  // The authority stamps the signature, then not the document.
  tsa.behave({ awayAfter: 1 });
  const answer = await guestOf(guests, 1).post("sign/", TYPED);
  await expectRefusal(answer, 503, "timestamp_unavailable");
  expect((await guestOf(guests, 1).get("guest/")).body.recipient).toMatchObject({
    status: "sealing",
    signed: false,
  });
  expect([
    await statusOf(envelope),
    (await owner.get(`${ENVELOPES}${envelope.id}/`)).body.level,
  ]).toEqual(["pending", null]);
  await assertConsistent(envelope, 1);
  tsa.behave({});
  await service.settle({ deferred: "run" });
  expect([
    await statusOf(envelope),
    (await owner.get(`${ENVELOPES}${envelope.id}/`)).body.level,
  ]).toEqual(["completed", "B-LTA"]);
  await assertConsistent(envelope, 2);
});

it("a slow time-stamp answers 202 after three seconds, and nothing is asked twice", async () => {
  const { envelope, guests } = await sendTo([PAUL]);
  tsa.behave({ delayMs: 1_800 });
  const before = tsa.asked();
  const answer = await guestOf(guests, 0).post("sign/", TYPED);
  expect([answer.status, answer.body.id, answer.body.recipients[0].signed]).toEqual([
    202,
    envelope.id,
    false,
  ]);
  expect((await guestOf(guests, 0).get("guest/")).body.recipient.status).toBe("sealing");
  await expect
    .poll(async () => (await guestOf(guests, 0).get("guest/")).body.recipient.status, {
      timeout: 5_000,
    })
    .toBe("signed");
  // One time-stamp is for the signature, one for the document.
  expect(tsa.asked() - before).toBe(2);
  await assertConsistent(envelope, 1);
}, 20_000);

const ADJOINT = { email: "adjoint@exemple.fr", full_name: "Maëlys Adam" };
const RIGHTS = { may_return: true, may_reassign: true, days: null, remind: null };
const CIRCUIT = {
  name: "Conventions",
  imposed: false,
  steps: [{ role: "signer", order: 1, who: "person", ...RIGHTS }],
};

/** One signer's step, which its holder may give away. */
async function sendStep(email = PAUL.email) {
  const envelope = await createSent(owner, { recipients: [{ ...PAUL, email }] });
  const circuit = JSON.stringify({ id: service.platform.newId(), ...CIRCUIT });
  await service.platform.db
    .updateTable("envelopes")
    .set({ circuit })
    .where("id", "=", envelope.id)
    .execute();
  const address = `${ENVELOPES}${envelope.id}/`;
  const correct = () =>
    owner.send("PATCH", `${address}recipients/${envelope.recipients[0]?.id}/`, { body: ADJOINT });
  return { envelope, address, correct, read: async () => (await owner.get(address)).body };
}

const transactionsWaiting = async () => {
  const { rows } =
    await sql`select from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`.execute(
      service.platform.owner,
    );
  return rows.length;
};

/** Both calls are admitted while the envelope is locked, and take the lock in this order. */
async function atOnce(
  { id }: Pick<Envelope, "id">,
  calls: readonly (() => Promise<Answer>)[],
): Promise<readonly Answer[]> {
  const answers: Promise<Answer>[] = [];
  await service.platform.db.transaction().execute(async (trx) => {
    await sql`select from envelopes where id = ${id}::uuid for update`.execute(trx);
    for (const call of calls) {
      answers.push(call());
      await expect.poll(transactionsWaiting, { timeout: 5_000 }).toBe(answers.length);
    }
  });
  return Promise.all(answers);
}

/** Who signs, and how: by the link, or in a session. */
const HOLDERS = {
  async guest() {
    const step = await sendStep();
    const guest = await openConfirmedGuest(service, step.envelope.id, PAUL.email);
    const sign = () => guest.post("sign/", TYPED);
    return { ...step, sign, reassign: () => guest.post("reassign/", ADJOINT) };
  },
  async member() {
    const paul = await createMember(service.platform);
    const browser = await signIn(service, paul);
    const step = await sendStep(paul.email);
    const sign = () => browser.post(`${step.address}sign_authenticated/`, TYPED);
    return { ...step, sign, reassign: () => browser.post(`${step.address}reassign/`, ADJOINT) };
  },
  async delegate() {
    const paul = await createMemberAs(service.platform, "member");
    const deputy = await createMemberAs(service.platform, "member");
    const day = parisDay(service.platform.clock());
    const browser = await signIn(service, paul);
    const delegation = { delegate_id: deputy.id, starts_on: day, ends_on: day, scope: "all" };
    await expectStatus(browser.post("/api/organisation/delegations/", delegation), 200);
    const step = await sendStep(paul.email);
    const acting = await signIn(service, deputy);
    const sign = () => acting.post(`${step.address}sign_authenticated/`, TYPED);
    return { ...step, sign, reassign: () => browser.post(`${step.address}reassign/`, ADJOINT) };
  },
};
type Holder = keyof typeof HOLDERS;
const RACES = (Object.keys(HOLDERS) as Holder[]).flatMap((holder) =>
  (["reassign", "correct"] as const).map((change) => ({ holder, change })),
);

/** The step's history, without what was sent. */
async function stepEvents({ id }: Pick<Envelope, "id">): Promise<readonly string[]> {
  const told = ["consent_given", "recipient_signed", "envelope_completed"];
  const rows = await service.platform.db
    .selectFrom("audit_events")
    .select("action")
    .where("envelope_id", "=", id)
    .where("action", "in", [...told, "step_reassigned", "recipient_address_corrected"])
    .orderBy("sequence")
    .execute();
  return rows.map(({ action }) => action);
}

const SIGNED = ["consent_given", "recipient_signed", "envelope_completed"];

it.each(RACES)(
  "a $holder's signature comes before a $change of the step: the change is refused",
  async ({ holder, change }) => {
    const step = await HOLDERS[holder]();
    const [signed, changed] = await atOnce(step.envelope, [step.sign, step[change]]);
    await assertAcknowledged([signed as Answer]);
    expect(refusal(changed as Answer)).toEqual([409, "signature_in_progress"]);
    const after = await step.read();
    expect([after.status, after.recipients[0].status]).toEqual(["completed", "signed"]);
    expect(after.recipients[0].email).not.toBe(ADJOINT.email);
    expect(await stepEvents(step.envelope)).toEqual(SIGNED);
    expect(await mailFor(service.platform, ADJOINT.email)).toEqual([]);
    await assertConsistent(step.envelope, 1);
    expect((await readRecord(service.platform.db, step.envelope.id)).facts.faults).toEqual([]);
    const code = change === "reassign" ? "already_signed" : "invalid_state";
    await expectRefusal(step[change](), 409, code);
  },
);

it.each(RACES)(
  "a $change of the step comes before its $holder's signature: nothing is signed, and the next holder signs",
  async ({ holder, change }) => {
    const step = await HOLDERS[holder]();
    const [changed, refused] = await atOnce(step.envelope, [step[change], step.sign]);
    expect([200, 204]).toContain(changed?.status);
    const late = [refused as Answer, await step.sign()];
    // A mistaken address learns nothing; a former holder reads who has the step.
    const expected = change === "reassign" ? [410, "step_reassigned"] : [404, "not_found"];
    expect(late.map(refusal)).toEqual([expected, expected]);
    if (change === "reassign")
      expect(late[0]?.body.detail).toMatch(/^Cette étape a été confiée à Maëlys Adam à .*signé\.$/);
    expect([await actsOf(step.envelope), await signaturesOf(step.envelope)]).toEqual([[], []]);
    const given = change === "reassign" ? "step_reassigned" : "recipient_address_corrected";
    expect(await stepEvents(step.envelope)).toEqual([given]);

    const next = await openConfirmedGuest(service, step.envelope.id, ADJOINT.email);
    await assertAcknowledged([await next.post("sign/", TYPED)]);
    expect((await step.read()).status).toBe("completed");
    expect(await stepEvents(step.envelope)).toEqual([given, ...SIGNED]);
    await assertConsistent(step.envelope, 1);
    const { facts } = await readRecord(service.platform.db, step.envelope.id);
    expect([facts.faults, [...facts.parties.values()][0]?.name]).toEqual([[], ADJOINT.full_name]);
  },
);

it.each(["reassign", "correct"] as const)(
  "a %s of the step waits while its signature is queued",
  async (change) => {
    const step = await HOLDERS.guest();
    tsa.behave({ away: true });
    await expectRefusal(step.sign(), 503, "timestamp_unavailable");
    const refused = await step[change]();
    expect(refusal(refused)).toEqual([409, "signature_in_progress"]);
    expect(refused.body.detail).toContain("Une signature est en cours de scellement");
    tsa.behave({});
    await sweepUnsealedActs(elsewhere);
    expect((await step.read()).recipients[0]).toMatchObject({
      email: PAUL.email,
      status: "signed",
    });
    expect(await stepEvents(step.envelope)).toEqual(SIGNED);
    await assertConsistent(step.envelope, 1);
  },
);
