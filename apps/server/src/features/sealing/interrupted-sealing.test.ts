import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { PAUL } from "../../../testing/envelope.ts";
import { TYPED } from "../../../testing/guest.ts";
import { openSealingStage } from "../../../testing/sealing-stage.ts";
import { verifyChain } from "../audit/index.ts";
import { voidConsents } from "../envelopes/index.ts";
import { sweepUnsealedActs } from "./jobs.ts";
import { sealAct } from "./seal-act.ts";

const stage = await openSealingStage();
const { test, tsa, elsewhere, sendTo, guestOf, actsOf, signaturesOf, statusOf, assertAcknowledged, assertConsistent } = stage;
afterAll(() => stage.close());
beforeEach(() => tsa.behave({}));

describe("when sealing dies", () => {
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
    { name: "reading the revision", arm: () => failOnce(test.platform.files, "get", () => true) },
    { name: "preparing the revision", arm: () => failOnce(test.platform.sandbox, "call", (task) => task === "prepareSignature") },
    { name: "validating the revision", arm: () => failOnce(test.platform.sandbox, "call", (task) => task === "validate") },
    { name: "writing the revision", arm: () => failOnce(test.platform.files, "put", () => true) },
    { name: "committing what follows", arm: () => failOnce(test.platform.queue, "enqueueAll", () => true) },
  ];

  it.each(faults)("$name: the consent is acknowledged, and the sweep makes its signature, once", async ({ arm }) => {
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
  });

  it.each<Fault>([
    { name: "reading what the file needs", arm: () => failOnce(test.platform.sandbox, "call", (task) => task === "longTermNeeds") },
    { name: "preparing the time-stamp", arm: () => failOnce(test.platform.sandbox, "call", (task) => task === "prepareDocumentTimestamp") },
    { name: "validating the whole", arm: () => failOnce(test.platform.sandbox, "call", (task) => task === "validate") },
    { name: "writing the completed revision", arm: () => failOnce(test.platform.files, "put", () => true) },
    {
      name: "writing the signed revision, the completed one stored",
      arm: () => {
        let written = 0;
        return failOnce(test.platform.files, "put", () => (written += 1) === 2);
      },
    },
    { name: "committing the completion", arm: () => failOnce(test.platform.queue, "enqueueAll", () => true) },
  ])("of the last signature, $name: nothing is completed, then everything at once", async ({ arm }) => {
    const { envelope, guests } = await sendTo();
    await assertAcknowledged([await guestOf(guests, 0).post("sign/", TYPED)]);
    const disarm = arm();
    const answer = await guestOf(guests, 1).post("sign/", TYPED);
    disarm();
    expect(answer.status).toBe(202);
    expect([await statusOf(envelope), (await signaturesOf(envelope)).length]).toEqual(["pending", 1]);
    expect((await guestOf(guests, 1).get("guest/")).body.recipient.status).toBe("sealing");
    await assertConsistent(envelope, 1);
    await Promise.all([sweepUnsealedActs(elsewhere), sweepUnsealedActs(elsewhere)]);
    expect(await statusOf(envelope)).toBe("completed");
    await assertConsistent(envelope, 2);
  });

  it("the job of the act takes it up without any sweep", async () => {
    const { envelope, guests } = await sendTo([PAUL]);
    const disarm = faults[3]?.arm();
    await guestOf(guests, 0).post("sign/", TYPED);
    disarm?.();
    await test.settle({ deferred: "run" });
    expect(await statusOf(envelope)).toBe("completed");
    await assertConsistent(envelope, 1);
  });

  it("an act that fails does not keep the others from the sweep", async () => {
    const first = await sendTo([PAUL]);
    const second = await sendTo([PAUL]);
    tsa.behave({ away: true });
    await guestOf(first.guests, 0).post("sign/", TYPED);
    test.platform.clock.advance({ seconds: 1 });
    await guestOf(second.guests, 0).post("sign/", TYPED);
    tsa.behave({});
    const disarm = failOnce(test.platform.files, "get", () => true);
    await sweepUnsealedActs(elsewhere);
    disarm();
    expect([await statusOf(first.envelope), await statusOf(second.envelope)]).toEqual(["sent", "completed"]);
    await sweepUnsealedActs(elsewhere);
    expect(await statusOf(first.envelope)).toBe("completed");
  });
});

it("an act whose envelope was closed all the same is withdrawn, never sealed", async () => {
  const { envelope, guests } = await sendTo([PAUL]);
  tsa.behave({ away: true });
  await guestOf(guests, 0).post("sign/", TYPED);
  tsa.behave({});
  await test.platform.db
    .updateTable("envelopes")
    .set({ status: "cancelled", status_before_cancel: "sent", cancelled_at: test.platform.clock() })
    .where("id", "=", envelope.id)
    .execute();
  const [act] = await actsOf(envelope);
  expect(await sealAct(elsewhere, act?.id as string)).toBe("void");
  expect(await sealAct(elsewhere, act?.id as string)).toBe("unknown");
  expect([await actsOf(envelope), await signaturesOf(envelope)]).toEqual([[], []]);
  expect(await verifyChain(test.platform.db, envelope.id)).toMatchObject({ ok: true });
});

it("an act that its sender withdraws while it is being sealed leaves nothing, even when the envelope is restored at once", async () => {
  const { envelope, guests } = await sendTo([PAUL]);
  tsa.behave({ away: true });
  await guestOf(guests, 0).post("sign/", TYPED);
  const [act] = await actsOf(envelope);
  tsa.behave({ delayMs: 1_500 });
  const sealing = sealAct(elsewhere, act?.id as string);
  await sleep(700);
  await test.platform.db.transaction().execute(async (trx) => {
    await voidConsents(trx, test.platform, { envelopeId: envelope.id, actor: { kind: "system", id: null } });
  });
  expect(await sealing).toBe("void");
  tsa.behave({});
  expect([await actsOf(envelope), await signaturesOf(envelope)]).toEqual([[], []]);
});
