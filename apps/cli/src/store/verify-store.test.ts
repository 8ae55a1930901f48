import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sweepFiles } from "../../../server/src/features/documents/jobs.ts";
import { createTransparency } from "../../../server/src/features/journal/public.ts";
import { createTrust } from "../../../server/src/features/trust/public.ts";
import { createTestApp, type TestApp } from "../../../server/testing/app.ts";
import { createDraft, createSent, PAUL } from "../../../server/testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../../server/testing/guest.ts";
import { createMember, signIn } from "../../../server/testing/member.ts";
import { makePdf } from "../../../server/testing/pdf.ts";
import { checkJournals } from "../audit/check-log.ts";
import { findStoreFaults } from "../../testing/find-store-faults.ts";
import { describeStore, runVerifyStore, verifyChanged, verifyStore } from "./run-verify-store.ts";
import type { StoreFault } from "./store-outcome.ts";

let service: TestApp;
let envelopeId: string;
let documentId: string;
let otherId: string;
let soundFile: string;

beforeAll(async () => {
  service = await createTestApp();
  const anne = await signIn(service, await createMember(service.platform));
  const sent = await createSent(anne, { recipients: [PAUL] });
  const guest = await openMailedGuest(service, sent.id, PAUL.email);
  await guest.confirm();
  const answer = await guest.post("sign/", TYPED);
  if (answer.status !== 200) throw new Error(`not signed: ${answer.text}`);
  await service.settle();
  const other = await createDraft(anne, {
    files: [{ name: "autre.pdf", bytes: makePdf({ text: "Un autre contrat" }) }],
  });
  otherId = other.id;
  soundFile = other.documents[0]?.sha256 ?? "";
  envelopeId = sent.id;
  documentId = sent.documents[0]?.id ?? "";
}, 60_000);
afterAll(() => service.close());

/** Harms the database in a transaction that is rolled back. */
async function faultsAfter(harm: readonly string[]): Promise<readonly StoreFault[]> {
  const { owner, files, clock } = service.platform;
  const trx = await owner.startTransaction().execute();
  try {
    // Only the database's owner can disable the journal's trigger.
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
    sql: text
      .replaceAll(":envelope", `'${envelopeId}'`)
      .replaceAll(":other", `'${otherId}'`)
      .replaceAll(":document", `'${documentId}'`)
      .replaceAll(":sound", `'\\x${soundFile}'`),
    parameters: [],
    query: {},
  } as never;
}

const numbers = (faults: readonly StoreFault[]) => [
  ...new Set(faults.map(({ invariant }) => invariant)),
];

test("finds no fault in a sound store, and examines all of it", async () => {
  const outcomes = await verifyStore(service.platform);
  expect(outcomes.flatMap(({ faults }) => faults)).toEqual([]);
  expect(outcomes.map(({ invariant }) => invariant)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  for (const { invariant, checked } of outcomes.filter((outcome) => outcome.invariant !== 7))
    expect([invariant, checked]).not.toEqual([invariant, 0]);
  const lines = describeStore(outcomes);
  expect(lines[1]).toMatch(
    /^1\. Signatures reconnues\u00a0: base, historique et fichiers +1 +0 +\d+,\d\u00a0s$/,
  );
  expect(lines.at(-1)).toBe("Tous les invariants tiennent.");
});

test("counts every fault and names the first", async () => {
  const { owner, files, clock } = service.platform;
  const trx = await owner.startTransaction().execute();
  try {
    await sql`insert into notices (id, dedupe_key, kind, channel, destination, message_id, state, created_at)
      select gen_random_uuid(), 'double ' || n, 'code', 'email', 'x@exemple.fr', '<' || n / 2 || '>', 'sent', now() from generate_series(2, 2001) n`.execute(
      trx,
    );
    const outcomes = await verifyStore({ db: trx as never, files, clock });
    const messages = outcomes.find(({ invariant }) => invariant === 6);
    expect([messages?.faultCount, messages?.faults.length]).toEqual([1_000, 20]);
    expect(describeStore(outcomes).at(-1)).toBe("1\u202f000 défauts.");
  } finally {
    await trx.rollback().execute();
  }
});

test("finds a signed document that was moved to another envelope with all its rows", async () => {
  const faults = await faultsAfter([
    "set local session_replication_role = replica",
    "update documents set envelope_id = :other where id = :document",
    "update signatures set envelope_id = :other where document_id = :document",
  ]);
  expect(faults.map(({ what }) => what)).toContain(
    "ses signatures ont été faites pour une autre enveloppe",
  );
});

test("finds a print of the journal that is missing, and one whose row has another kind", async () => {
  const event = `insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash) select envelope_id, 99, at, actor, 'print_generated',
    jsonb_build_object('print', '00000000-0000-7000-8000-000000000009', 'qr_type', 'page'), hash from audit_events where envelope_id = :envelope and sequence = 1`;
  const row = `insert into prints (id, envelope_id, owner_id, qr_type, key_id, created_at)
    select '00000000-0000-7000-8000-000000000009', e.id, e.owner_id, 'last', 'cle', v.at from envelopes e join audit_events v on v.envelope_id = e.id and v.sequence = 1
    where e.id = :envelope`;
  expect((await faultsAfter([event])).map(({ what }) => what)).toContain(
    "l’historique dit une impression qui n’est plus dans la base",
  );
  expect((await faultsAfter([event, row])).map(({ what }) => what)).toContain(
    "l’historique de son enveloppe ne dit pas cette impression, ou la dit autre",
  );
  const same = row.replace("'last'", "'page'");
  expect(
    (await faultsAfter([event, same])).filter(({ what }) => what.includes("impression")),
  ).toEqual([]);
});

describe("finds", () => {
  test.each([
    [
      1,
      "a signature that no act stands for",
      ["delete from signing_acts where envelope_id = :envelope"],
    ],
    [1, "an act without its signature", ["delete from signatures where envelope_id = :envelope"]],
    [
      1,
      "a signature that the journal tells of another certificate",
      ["update signatures set serial_number = '00' where envelope_id = :envelope"],
    ],
    [
      1,
      "a signature that the journal alone knows",
      [
        "delete from signatures where envelope_id = :envelope",
        "delete from signing_acts where envelope_id = :envelope",
        "update recipients set status = 'notified' where envelope_id = :envelope",
      ],
    ],
    [
      1,
      "a signature without a consent",
      [
        "update audit_events set action = 'code_sent' where envelope_id = :envelope and action = 'consent_given'",
      ],
    ],
    [
      1,
      "a signature whose certificate is not in the stored file",
      [
        "update signatures set certificate_der = decode(repeat('ab', 300), 'hex') where envelope_id = :envelope",
      ],
    ],
    [
      2,
      "a row that says another size",
      [
        "update document_revisions set size = size + 1 where document_id = :document and number = 0",
      ],
    ],
    [
      2,
      "a row that leads to another original, sound in itself",
      [
        "update document_revisions set blob_sha256 = :sound where document_id = :document and number = 0",
      ],
    ],
    ...[1, 4, 5].map(
      (invariant) =>
        [
          invariant,
          "a document that was led back to what was sent, before anybody signed",
          ["update documents set current_revision = 1 where id = :document"],
        ] as const,
    ),
    [3, "a chain that is gone whole", ["delete from audit_events where envelope_id = :envelope"]],
    [
      3,
      "a chain without its first event",
      ["delete from audit_events where envelope_id = :envelope and sequence = 1"],
    ],
    [
      3,
      "a chain without its last events",
      ["delete from audit_events where envelope_id = :envelope and action = 'envelope_completed'"],
    ],
    [
      3,
      "an event that was edited",
      [
        "update audit_events set action = 'envelope_updated' where envelope_id = :envelope and sequence = 2",
      ],
    ],
    [
      3,
      "two events that changed places",
      [
        "update audit_events set sequence = -sequence where envelope_id = :envelope and sequence in (2, 3)",
        "update audit_events set sequence = sequence + 5 where envelope_id = :envelope and sequence < 0",
      ],
    ],
    [
      3,
      "an end that was cut off, where the state says nothing of it",
      [
        "delete from audit_events where envelope_id = :envelope and sequence = (select max(sequence) from audit_events where envelope_id = :envelope)",
        "update envelopes set status = 'pending', completed_at = null where id = :envelope",
      ],
    ],
    [
      3,
      "a print that the journal knows nothing of",
      [
        "insert into prints (id, envelope_id, owner_id, qr_type, key_id, created_at) select gen_random_uuid(), id, owner_id, 'page', 'cle', now() from envelopes where id = :envelope",
      ],
    ],
    [
      4,
      "a completed envelope without a document",
      [
        "delete from fields where envelope_id = :envelope",
        "update documents set envelope_id = :other, position = 9 where envelope_id = :envelope",
      ],
    ],
    [
      4,
      "a completed envelope whose signer has not signed",
      ["update recipients set status = 'notified' where envelope_id = :envelope"],
    ],
    [
      4,
      "a completed envelope without its time-stamp",
      ["delete from document_archives where document_id = :document"],
    ],
    [
      5,
      "a signature in the file that no row knows",
      [
        "delete from signatures where envelope_id = :envelope",
        "insert into signatures select gen_random_uuid(), envelope_id, :document, null, id, 2, '', 'B-T', '', '1', signed_at, null, null, null from signing_acts, generate_series(1, 2) where envelope_id = :envelope",
      ],
    ],
    [
      5,
      "a signature of nobody who signed",
      ["update recipients set status = 'notified' where envelope_id = :envelope"],
    ],
    [
      5,
      "a signer without a signature in one of the documents",
      [
        'insert into documents select (jsonb_populate_record(d, \'{"id": "00000000-0000-7000-8000-000000000001", "position": 9}\')).* from documents d where envelope_id = :envelope',
      ],
    ],
    [
      6,
      "an invitation that the journal tells and nobody wrote",
      ["delete from notices where envelope_id = :envelope and kind = 'invitation'"],
    ],
    [
      6,
      "a code that the journal tells and nobody wrote",
      ["delete from notices where envelope_id = :envelope and kind = 'code'"],
    ],
    [
      6,
      "a recipient who was not told of the end",
      [
        "delete from notices where envelope_id = :envelope and kind = 'completed' and recipient_id is not null",
      ],
    ],
    [
      6,
      "a message that will never leave",
      [
        "update notices set state = 'queued', created_at = created_at - interval '4 days' where envelope_id = :envelope and kind = 'completed'",
      ],
    ],
    [
      6,
      "a message that one address would get twice",
      [
        "insert into notices (id, dedupe_key, kind, channel, destination, message_id, envelope_id, state, created_at) select gen_random_uuid(), 'x', kind, channel, upper(destination), 'x', envelope_id, state, created_at from notices where envelope_id = :envelope and kind = 'completed' limit 1",
      ],
    ],
    [
      6,
      "a completed envelope of which nobody was told",
      ["delete from notices where envelope_id = :envelope"],
    ],
    [
      7,
      "a signature that the journal has after the cancellation",
      [
        "update audit_events set sequence = sequence + 1000 where envelope_id = :envelope and action = 'recipient_signed'",
        "insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash) values (:envelope, 500, now(), 'system', 'envelope_cancelled', '{}', '')",
      ],
    ],
    [
      7,
      "a signature that the database has after the cancellation",
      [
        "update envelopes set status = 'cancelled', status_before_cancel = 'completed', cancelled_at = completed_at - interval '1 hour' where id = :envelope",
      ],
    ],
  ] as const)("invariant %i: %s", async (invariant, _what, harm) => {
    expect(numbers(await faultsAfter(harm))).toContain(invariant);
  });

  test("finds a missing file (invariant 2)", async () => {
    const { db, files, clock } = service.platform;
    const gone = { ...files, get: () => Promise.reject(new Error("gone")) };
    expect(numbers(await findStoreFaults({ db, files: gone, clock }))).toContain(2);
  });

  test("finds a file with other bytes, whatever the store answers (invariants 1 and 2)", async () => {
    const { db, files, clock } = service.platform;
    const { rows } = await sql<{ sha256: Uint8Array }>`
      select blob_sha256 as sha256 from document_revisions where document_id = ${documentId}::uuid order by number desc limit 1`.execute(
      db,
    );
    const signed = Buffer.from(rows[0]?.sha256 ?? []).toString("hex");
    const altered = {
      ...files,
      async get(sha256: Uint8Array) {
        const bytes = await files.get(sha256);
        if (Buffer.from(sha256).toString("hex") === signed) bytes[20] = (bytes[20] ?? 0) ^ 1;
        return bytes;
      },
    };
    expect(numbers(await findStoreFaults({ db, files: altered, clock }))).toEqual([1, 2]);
  });

  test("finds a missing or altered file of a template, person or batch (invariant 2)", async () => {
    const { owner, db, files, clock } = service.platform;
    const picture = Buffer.from(await files.put(new TextEncoder().encode("portrait")));
    await owner.updateTable("users").set({ avatar_sha256: picture }).execute();
    for (const get of [
      () => Promise.reject(new Error("gone")),
      async () => new TextEncoder().encode("autre portrait"),
    ]) {
      const other = {
        ...files,
        get: (sha256: Uint8Array) => (picture.equals(sha256) ? get() : files.get(sha256)),
      };
      expect(await findStoreFaults({ db, files: other, clock })).toMatchObject([
        { invariant: 2, subject: picture.toString("hex") },
      ]);
    }
    await owner.updateTable("users").set({ avatar_sha256: null }).execute();
    await files.remove(picture);
  });

  test("finds a file without row that is older than a day (invariant 8)", async () => {
    const { db, files, clock } = service.platform;
    await files.put(new TextEncoder().encode("orphelin"));
    const later = () => new Date(Date.now() + 2 * 86_400_000);
    expect(await findStoreFaults({ db, files, clock: later })).toMatchObject([{ invariant: 8 }]);
    expect(await findStoreFaults({ db, files, clock })).toEqual([]);
  });

  test("hands a file unknown to a restored database to the sweep on demand (invariant 8)", async () => {
    const { db, files, clock } = service.platform;
    const sha256 = await files.put(new TextEncoder().encode("d’après la sauvegarde"));
    await db.deleteFrom("loose_files").execute();
    const later = () => new Date(Date.now() + 2 * 86_400_000);
    await verifyStore({ db, files, clock: later });
    expect(await db.selectFrom("loose_files").select("sha256").execute()).toEqual([]);
    await verifyStore({ db, files, clock: later }, { orphans: "sweep" });
    expect(await findStoreFaults({ db, files, clock: later })).toEqual([]);
    expect(
      await sweepFiles({ db, files, clock: () => new Date(Date.now() + 4 * 86_400_000) }),
    ).toBeGreaterThan(0);
    expect([await files.size(sha256), await findStoreFaults({ db, files, clock })]).toEqual([
      null,
      [],
    ]);
  });
});

describe("verify-store since the last check without fault", () => {
  const run = async (...words: string[]) => runVerifyStore(words, (work) => work(service.platform));
  const checked = (lines: readonly string[], invariant: number) =>
    Number(
      / {2}(\d+) +\d+ +\d+,\d\u00a0s$/.exec(
        lines.find((line) => line.startsWith(`${invariant}. `)) ?? "",
      )?.[1],
    );
  const tellTwice = (envelope: string) =>
    sql`insert into notices (id, dedupe_key, kind, channel, destination, message_id, envelope_id, state, created_at)
      select gen_random_uuid(), ${envelope} || n, 'completed', 'email', 'x@exemple.fr', '<' || ${envelope} || n || '>', ${envelope}, 'sent', now()
      from generate_series(1, 2) n`.execute(service.platform.owner);

  test("checks everything first, then only what has changed", async () => {
    const first = await run("--since-last");
    expect([first.code, first.lines[0]]).toEqual([
      0,
      "Aucun contrôle sans défaut n’a encore eu lieu\u00a0: tout est contrôlé.",
    ]);
    await createTransparency({
      platform: service.platform,
      trust: await createTrust(service.platform),
    }).checkpoint();
    await run();
    const idle = await run("--since-last");
    expect([idle.code, checked(idle.lines, 3)]).toEqual([0, 0]);
    expect(idle.lines[0]).toMatch(/^Ce qui a changé depuis le contrôle du \d/);

    const anne = await signIn(service, await createMember(service.platform));
    const { id } = await createDraft(anne, {
      files: [{ name: "nouveau.pdf", bytes: makePdf({ text: "Un nouveau contrat" }) }],
    });
    const changed = await run("--since-last");
    expect([changed.code, checked(changed.lines, 2)]).toEqual([0, 1]);
    expect(checked(changed.lines, 3)).toBeGreaterThan(0);

    await tellTwice(id);
    await tellTwice(envelopeId);
    const names = async (...words: string[]) =>
      (await run(...words)).lines.filter((line) => line.includes("deux messages de fin"));
    const line = (envelope: string) =>
      `- ${envelope}\u00a0: deux messages de fin pour une même adresse.`;
    expect(await names("--since-last")).toEqual([line(id)]);
    expect((await names()).sort()).toEqual([line(id), line(envelopeId)].sort());
  });
});

describe("verify-store of many journals", () => {
  const MANY = 20_000;
  beforeAll(async () => {
    await service.platform.owner.transaction().execute(async (trx) => {
      await sql`set local session_replication_role = replica`.execute(trx);
      await sql`insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash)
        select gen_random_uuid(), 1, now(), 'system', 'envelope_created', '{}', sha256(n::text::bytea) from generate_series(1, ${MANY}::int) n`.execute(
        trx,
      );
      // The event is older than the first leaf.
      await sql`insert into transparency_leaves (leaf_index, envelope_id, sequence, head)
        select - row_number() over (), envelope_id, sequence, hash from audit_events
        where not exists (select from envelopes where id = envelope_id)`.execute(trx);
    });
  });

  /** Counts rows of these tables that the work reads. */
  async function rowsRead(tables: string, work: () => Promise<unknown>): Promise<number> {
    const { db, owner } = service.platform;
    const count = async () => {
      await sql`select pg_stat_force_next_flush()`.execute(db);
      const { rows } = await sql<{ read: number }>`
        select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_user_tables where relname like ${tables}`.execute(
        owner,
      );
      return rows[0]?.read ?? 0;
    };
    const before = await count();
    await work();
    return (await count()) - before;
  }

  test("reads only changed journals in a check of changes", async () => {
    const read = await rowsRead("audit_events%", async () => {
      const outcomes = await verifyChanged(service.platform, 0);
      expect(outcomes.find(({ invariant }) => invariant === 3)?.checked).toBeGreaterThan(0);
    });
    expect(read).toBeLessThan(MANY / 2);
  });

  test("reads each page's own leaves in a whole check", async () => {
    const read = await rowsRead("transparency_leaves", () => checkJournals(service.platform));
    expect(read).toBeGreaterThanOrEqual(MANY);
    expect(read).toBeLessThan(2 * MANY);
  });
});
