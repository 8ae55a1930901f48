import type { Envelope } from "@paraphe/contracts";
import { expect } from "vitest";
import { verifyChain } from "../../src/features/journal/journal.ts";
import { createSealing } from "../../src/features/signing/seal/create-sealing.ts";
import { sweepUnsealedActs } from "../../src/features/signing/seal/jobs.ts";
import { createTrust } from "../../src/features/trust/public.ts";
import { createTestApp } from "../app.ts";
import { ELOISE, ENVELOPES, PAUL, createSent } from "../envelope.ts";
import { type TestGuest, openMailedGuest } from "../guest.ts";
import { createMember, signIn } from "../member.ts";
import { openTestTsa } from "../tsa-server.ts";

/** A service whose time-stamping authority can be slow or away, with its sender and invariants. */
export async function openSealingStage() {
  const tsa = await openTestTsa();
  const test = await createTestApp({ settings: { rateLimits: "off", tsaUrl: tsa.url } });
  const owner = await signIn(test, await createMember(test.platform));
  /** A second process on the same database and files. */
  const elsewhere = createSealing(test.platform, await createTrust(test.platform));
  const sendTo = async (
    recipients: readonly { readonly email: string }[] = [PAUL, ELOISE],
  ): Promise<{ envelope: Envelope; guests: TestGuest[] }> => {
    const envelope = await createSent(owner, { recipients });
    const guests = [];
    for (const { email } of recipients) {
      const guest = await openMailedGuest(test, envelope.id, email);
      await guest.confirm();
      guests.push(guest);
    }
    return { envelope, guests };
  };
  const guestOf = (guests: readonly TestGuest[], index: number): TestGuest => {
    const guest = guests[index];
    if (guest === undefined) throw new Error(`There is no guest ${index}`);
    return guest;
  };
  const actsOf = (envelope: Envelope) =>
    test.platform.db
      .selectFrom("signing_acts")
      .selectAll()
      .where("envelope_id", "=", envelope.id)
      .execute();
  const signaturesOf = (envelope: Envelope) =>
    test.platform.db
      .selectFrom("signatures")
      .selectAll()
      .where("envelope_id", "=", envelope.id)
      .execute();
  const revisionsOf = (envelope: Envelope) =>
    test.platform.db
      .selectFrom("document_revisions")
      .selectAll()
      .where("document_id", "=", envelope.documents[0]?.id as string)
      .orderBy("number")
      .execute();
  const statusOf = async (envelope: Envelope) =>
    (await owner.get(`${ENVELOPES}${envelope.id}/`)).body.status;

  /** Sealed at once, or acknowledged on a busy machine. */
  async function assertAcknowledged(
    answers: readonly { readonly status: number }[],
  ): Promise<void> {
    for (const answer of answers) expect([200, 202]).toContain(answer.status);
    await sweepUnsealedActs(elsewhere);
  }

  /** Signatures in the file, rows, signed recipients and journal agree (architecture §3). */
  async function assertConsistent(envelope: Envelope, signatures: number): Promise<void> {
    const revisions = await revisionsOf(envelope);
    expect(revisions.map((revision) => revision.number)).toEqual(
      revisions.map((_, index) => index),
    );
    const files = await Promise.all(
      revisions.map((revision) => test.platform.files.get(revision.blob_sha256)),
    );
    for (let index = 2; index < files.length; index++) {
      const [before, after] = [files[index - 1] as Uint8Array, files[index] as Uint8Array];
      expect(Buffer.compare(before, after.subarray(0, before.length))).toBe(0);
    }
    const isCompleted = (await statusOf(envelope)) === "completed";
    // A completed file proves itself with the roots alone.
    const report = await test.platform.sandbox.call("validate", files.at(-1) as Uint8Array, {
      evidence: isCompleted
        ? { trustAnchors: (await elsewhere.trust.evidence()).trustAnchors }
        : await elsewhere.trust.evidence(),
      now: test.platform.clock(),
      policy: { revocation: isCompleted ? "required" : "if_present" },
    });
    expect(
      report.signatures.map(({ kind, indication, level }) => [kind, indication, level]),
    ).toEqual([
      ...Array.from({ length: signatures }, () => [
        "signature",
        "TOTAL_PASSED",
        isCompleted ? "B-LTA" : "B-T",
      ]),
      ...(isCompleted ? [["document_timestamp", "TOTAL_PASSED", null]] : []),
    ]);
    const kinds = [
      "original",
      "prepared",
      ...Array.from({ length: signatures }, () => "signed"),
      ...(isCompleted ? ["completed"] : []),
    ];
    expect(revisions.map((revision) => revision.kind)).toEqual(kinds);
    const rows = await signaturesOf(envelope);
    expect(rows.map((row) => [row.level, row.ocsp_der !== null, row.crl_number !== null])).toEqual(
      rows.map(() => [isCompleted ? "B-LTA" : "B-T", true, true]),
    );
    const signed = await test.platform.db
      .selectFrom("recipients")
      .select("id")
      .where("envelope_id", "=", envelope.id)
      .where("status", "=", "signed")
      .execute();
    const journal = await test.platform.db
      .selectFrom("audit_events")
      .select("sequence")
      .where("envelope_id", "=", envelope.id)
      .where("action", "=", "recipient_signed")
      .execute();
    expect([rows.length, signed.length, journal.length]).toEqual([
      signatures,
      signatures,
      signatures,
    ]);
    expect(await verifyChain(test.platform.db, envelope.id)).toMatchObject({ ok: true });
  }
  async function close(): Promise<void> {
    await test.close();
    await tsa.close();
  }
  return {
    test,
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
    close,
  };
}
