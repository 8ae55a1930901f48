import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../apps/server/testing/app.ts";
import { createSent, PAUL } from "../../apps/server/testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../apps/server/testing/guest.ts";
import { createMember, signIn } from "../../apps/server/testing/member.ts";
import { findStoreFaults, type StoreFault } from "./find-store-faults.ts";

let service: TestApp;
let envelopeId: string;
let documentId: string;

beforeAll(async () => {
  service = await createTestApp();
  const anne = await signIn(service, await createMember(service.platform));
  const sent = await createSent(anne, { recipients: [PAUL] });
  const guest = await openMailedGuest(service, sent.id, PAUL.email);
  await guest.confirm();
  const answer = await guest.post("sign/", TYPED);
  if (answer.status !== 200) throw new Error(`not signed: ${answer.text}`);
  await service.settle();
  envelopeId = sent.id;
  documentId = sent.documents[0]?.id ?? "";
}, 60_000);
afterAll(() => service.close());

/** Breaks something in one transaction that is never committed, and gives what is found. */
async function faultsAfter(harm: readonly string[]): Promise<StoreFault[]> {
  const { owner, files, clock } = service.platform;
  const trx = await owner.startTransaction().execute();
  try {
    // The journal refuses every change: only somebody with the database in hand gets around its trigger.
    await trx.executeQuery(compiled("alter table audit_events disable trigger user"));
    await trx.executeQuery(compiled("delete from audit_details where envelope_id = :envelope"));
    for (const statement of harm) await trx.executeQuery(compiled(statement));
    return await findStoreFaults({ db: trx as never, files, clock });
  } finally {
    await trx.rollback().execute();
  }
}

function compiled(text: string) {
  return {
    sql: text.replaceAll(":envelope", `'${envelopeId}'`).replaceAll(":document", `'${documentId}'`),
    parameters: [],
    query: {},
  } as never;
}

const numbers = (faults: readonly StoreFault[]) => [...new Set(faults.map(({ invariant }) => invariant))];

test("finds nothing in what the service made", async () => {
  expect(await findStoreFaults(service.platform)).toEqual([]);
});

describe("finds", () => {
  test.each([
    [1, "a signature that no act stands for", ["delete from signing_acts where envelope_id = :envelope"]],
    [1, "an act without its signature", ["delete from signatures where envelope_id = :envelope"]],
    [2, "a row that says another size", ["update document_revisions set size = size + 1 where document_id = :document and number = 0"]],
    [3, "a chain that is gone whole", ["delete from audit_events where envelope_id = :envelope"]],
    [3, "a chain without its first event", ["delete from audit_events where envelope_id = :envelope and sequence = 1"]],
    [3, "a chain without its last events", ["delete from audit_events where envelope_id = :envelope and action = 'envelope_completed'"]],
    [4, "a completed envelope whose signer has not signed", ["update recipients set status = 'notified' where envelope_id = :envelope"]],
    [4, "a completed envelope without its time-stamp", ["delete from document_archives where document_id = :document"]],
    [
      5,
      "a signature in the file that no row knows",
      [
        "delete from signatures where envelope_id = :envelope",
        "insert into signatures select gen_random_uuid(), envelope_id, :document, null, id, 2, '', 'B-T', '', '1', signed_at, null, null, null from signing_acts, generate_series(1, 2) where envelope_id = :envelope",
      ],
    ],
    [
      6,
      "a message that one address would get twice",
      [
        "insert into notices (id, dedupe_key, kind, channel, destination, message_id, envelope_id, state, created_at) select gen_random_uuid(), 'x', kind, channel, upper(destination), 'x', envelope_id, state, created_at from notices where envelope_id = :envelope and kind = 'completed' limit 1",
      ],
    ],
    [6, "a completed envelope of which nobody was told", ["delete from notices where envelope_id = :envelope"]],
    [
      7,
      "a signature that the journal has after the cancellation",
      [
        "update audit_events set sequence = sequence + 1000 where envelope_id = :envelope and action = 'recipient_signed'",
        "insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash) values (:envelope, 500, now(), 'system', 'envelope_cancelled', '{}', '')",
      ],
    ],
  ] as const)("invariant %i: %s", async (invariant, _what, harm) => {
    expect(numbers(await faultsAfter(harm))).toContain(invariant);
  });

  test("invariant 2: a file that is gone", async () => {
    const { db, files, clock } = service.platform;
    const gone = { ...files, get: () => Promise.reject(new Error("gone")) };
    expect(numbers(await findStoreFaults({ db, files: gone, clock }))).toContain(2);
  });

  test("invariant 8: a file older than a day that no row points to", async () => {
    const { db, files, clock } = service.platform;
    await files.put(new TextEncoder().encode("orphelin"));
    const later = () => new Date(Date.now() + 2 * 86_400_000);
    expect(await findStoreFaults({ db, files, clock: later })).toMatchObject([{ invariant: 8 }]);
    expect(await findStoreFaults({ db, files, clock })).toEqual([]);
  });
});
