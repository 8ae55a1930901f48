import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../../testing/browser.ts";
import { ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { TYPED } from "../../../testing/guest.ts";
import { openSealingStage } from "../../../testing/sealing-stage.ts";
import { sweepUnsealedActs } from "./jobs.ts";

const stage = await openSealingStage();
const { test, tsa, owner, elsewhere, sendTo, guestOf, actsOf, signaturesOf, statusOf, assertAcknowledged, assertConsistent } = stage;
afterAll(() => stage.close());
beforeEach(() => tsa.behave({}));

describe("while no time-stamp can be had", () => {
  it("the consent is kept, nothing weaker is made, nobody may close the envelope, and it is sealed once the authority is back", async () => {
    const { envelope, guests } = await sendTo();
    tsa.behave({ away: true });
    const answer = await guestOf(guests, 0).post("sign/", TYPED);
    expect([...refusal(answer), answer.body.detail, answer.headers["retry-after"]]).toEqual([
      503,
      "timestamp_unavailable",
      "Le service d’horodatage ne répond pas. Votre signature est enregistrée et sera scellée dès son retour.",
      "30",
    ]);
    expect((await guestOf(guests, 0).get("guest/")).body.recipient).toMatchObject({ status: "sealing", signed: false });
    expect(await signaturesOf(envelope)).toEqual([]);
    expect(refusal(await owner.post(`${ENVELOPES}${envelope.id}/cancel/`))).toEqual([409, "signature_in_progress"]);
    expect(refusal(await guestOf(guests, 1).post("decline/", { reason: "Non" }))).toEqual([409, "signature_in_progress"]);
    await sweepUnsealedActs(elsewhere);
    const [act] = await actsOf(envelope);
    expect([act?.sealed_at, act?.last_failure, Number(act?.failed_tries) >= 2]).toEqual([null, "TimestampUnavailableError", true]);
    tsa.behave({});
    await sweepUnsealedActs(elsewhere);
    expect((await guestOf(guests, 0).get("guest/")).body.recipient).toMatchObject({ status: "signed", signed: true });
    await assertConsistent(envelope, 1);
  });

  it("the last person's consent is kept too, when only the document's own time-stamp is missing: nothing is completed without it", async () => {
    const { envelope, guests } = await sendTo();
    await assertAcknowledged([await guestOf(guests, 0).post("sign/", TYPED)]);
    // One token for the signature, then none for the document.
    tsa.behave({ awayAfter: 1 });
    const answer = await guestOf(guests, 1).post("sign/", TYPED);
    expect(refusal(answer)).toEqual([503, "timestamp_unavailable"]);
    expect((await guestOf(guests, 1).get("guest/")).body.recipient).toMatchObject({ status: "sealing", signed: false });
    expect([await statusOf(envelope), (await owner.get(`${ENVELOPES}${envelope.id}/`)).body.level]).toEqual(["pending", null]);
    await assertConsistent(envelope, 1);
    tsa.behave({});
    await test.settle({ deferred: "run" });
    expect([await statusOf(envelope), (await owner.get(`${ENVELOPES}${envelope.id}/`)).body.level]).toEqual(["completed", "B-LTA"]);
    await assertConsistent(envelope, 2);
  });

  it("a slow one makes the answer 202 after three seconds; nothing is asked twice", async () => {
    const { envelope, guests } = await sendTo([PAUL]);
    tsa.behave({ delayMs: 1_800 });
    const before = tsa.asked();
    const answer = await guestOf(guests, 0).post("sign/", TYPED);
    expect([answer.status, answer.body.id, answer.body.recipients[0].signed]).toEqual([202, envelope.id, false]);
    expect((await guestOf(guests, 0).get("guest/")).body.recipient.status).toBe("sealing");
    await expect.poll(async () => (await guestOf(guests, 0).get("guest/")).body.recipient.status, { timeout: 5_000 }).toBe("signed");
    // The signature, and the document.
    expect(tsa.asked() - before).toBe(2);
    await assertConsistent(envelope, 1);
  }, 20_000);
});
