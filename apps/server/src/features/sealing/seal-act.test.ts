import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { refusal } from "../../../testing/browser.ts";
import { createSent, ELOISE, ENVELOPES, PAUL } from "../../../testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../testing/guest.ts";
import { makePdf } from "../../../testing/pdf.ts";
import { openSealingStage } from "../../../testing/sealing-stage.ts";
import { createSealing } from "./create-sealing.ts";
import { sealAct } from "./seal-act.ts";

const stage = await openSealingStage();
const { test, tsa, owner, elsewhere, sendTo, guestOf, actsOf, signaturesOf, statusOf, assertAcknowledged, assertConsistent } = stage;
afterAll(() => stage.close());
beforeEach(() => tsa.behave({}));

describe("at the same moment", () => {
  it("twenty identical requests make one consent and one signature", async () => {
    const { envelope, guests } = await sendTo([PAUL]);
    const answers = await Promise.all(Array.from({ length: 20 }, () => guestOf(guests, 0).post("sign/", TYPED)));
    const late = answers.filter((answer) => answer.body.code === "already_signed");
    expect(late.length).toBeLessThan(20);
    await assertAcknowledged(answers.filter((answer) => !late.includes(answer)));
    expect(await actsOf(envelope)).toHaveLength(1);
    await assertConsistent(envelope, 1);
  });

  it("two guests both sign, one after the other in the file", async () => {
    const { envelope, guests } = await sendTo();
    const answers = await Promise.all(guests.map((guest) => guest.post("sign/", TYPED)));
    await assertAcknowledged(answers);
    expect(await statusOf(envelope)).toBe("completed");
    await assertConsistent(envelope, 2);
  });

  it("twenty people sign one envelope, and every signature lands", async () => {
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

  it("cancelling and signing have exactly one winner", async () => {
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
        expect(refusal(cancelled)).toEqual([409, "signature_in_progress"]);
        await assertAcknowledged([signed]);
        await assertConsistent(envelope, 1);
      }
    }
  });

  it("two processes that seal the same act make one signature of it", async () => {
    const { envelope, guests } = await sendTo([PAUL]);
    tsa.behave({ away: true });
    await guestOf(guests, 0).post("sign/", TYPED);
    tsa.behave({});
    const [act] = await actsOf(envelope);
    const third = createSealing(test.platform, elsewhere.trust);
    expect(await Promise.all([elsewhere, third, elsewhere, third].map((deps) => sealAct(deps, act?.id as string)))).toEqual([
      "sealed",
      "sealed",
      "sealed",
      "sealed",
    ]);
    await assertConsistent(envelope, 1);
  });
});

it("proves every document of an envelope, and sends what is completed", async () => {
  const envelope = await createSent(owner, {
    recipients: [PAUL, ELOISE],
    files: [1, 2, 3].map((number) => ({ name: `Annexe ${number}.pdf`, bytes: makePdf({ pages: number }) })),
  });
  for (const { email } of [PAUL, ELOISE]) {
    const guest = await openMailedGuest(test, envelope.id, email);
    await guest.confirm();
    await assertAcknowledged([await guest.post("sign/", TYPED)]);
  }
  expect((await owner.get(`${ENVELOPES}${envelope.id}/`)).body).toMatchObject({ status: "completed", level: "B-LTA" });
  const rows = await test.platform.db
    .selectFrom("documents as d")
    .innerJoin("document_archives as a", "a.document_id", "d.id")
    .innerJoin("document_revisions as r", (join) => join.onRef("r.document_id", "=", "d.id").onRef("r.number", "=", "d.current_revision"))
    .select(["r.kind", "r.blob_sha256", "a.revision", "r.number", "a.renew_at", "a.valid_until"])
    .where("d.envelope_id", "=", envelope.id)
    .orderBy("d.position")
    .execute();
  expect(rows.map((row) => [row.kind, row.revision - row.number, row.renew_at < row.valid_until])).toEqual([
    ["completed", 0, true],
    ["completed", 0, true],
    ["completed", 0, true],
  ]);
  for (const row of rows) {
    const report = await test.platform.sandbox.call("validate", await test.platform.files.get(row.blob_sha256), {
      evidence: { trustAnchors: (await elsewhere.trust.evidence()).trustAnchors },
      now: test.platform.clock(),
      policy: { revocation: "required" },
    });
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
