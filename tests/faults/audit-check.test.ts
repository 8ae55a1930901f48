import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTestApp, type TestApp } from "../../apps/server/testing/app.ts";
import { createSent, PAUL } from "../../apps/server/testing/envelope.ts";
import { openMailedGuest, TYPED } from "../../apps/server/testing/guest.ts";
import { createMember, signIn } from "../../apps/server/testing/member.ts";
import { createTransparency } from "../../apps/server/src/features/transparency/index.ts";
import { createTrust } from "../../apps/server/src/features/trust/index.ts";
import { type AuditAnswer, runAudit } from "../../scripts/audit/run-audit.ts";

let service: TestApp;
let copies: string;
let signedId: string;
let otherId: string;
let documentId: string;
let fileName: string;

const checkpoint = async () => {
  const settings = { ...service.platform.settings, checkpointDir: copies };
  await createTransparency({ platform: { ...service.platform, settings }, trust: await createTrust(service.platform) }).checkpoint();
};
const compiled = (text: string) => ({ sql: text, parameters: [], query: {} }) as never;

beforeAll(async () => {
  copies = await mkdtemp(join(tmpdir(), "paraphe-copies-"));
  service = await createTestApp({ settings: { rateLimits: "off" } });
  const anne = await signIn(service, await createMember(service.platform));
  const sent = await createSent(anne, { recipients: [PAUL] });
  await checkpoint();
  const guest = await openMailedGuest(service, sent.id, PAUL.email);
  await guest.confirm();
  const answer = await guest.post("sign/", TYPED);
  if (answer.status !== 200) throw new Error(`not signed: ${answer.text}`);
  await service.settle({ deferred: "run" });
  await checkpoint();
  [signedId, otherId, documentId] = [sent.id, (await createSent(anne, { recipients: [PAUL] })).id, sent.documents[0]?.id ?? ""];
  const { rows } = await service.platform.owner.executeQuery<{ name: string }>(
    compiled(`select encode(r.blob_sha256, 'hex') as name from document_revisions r join documents d on d.id = r.document_id
      and d.current_revision = r.number where d.id = '${documentId}'`),
  );
  fileName = rows[0]?.name ?? "";
}, 120_000);
afterAll(async () => {
  await service.close();
  await rm(copies, { recursive: true, force: true });
});

/** Does harm as a superuser does, no trigger firing, in a transaction that is never committed; gives what the command says. */
async function auditAfter(harm: readonly string[], words: readonly string[] = []): Promise<AuditAnswer> {
  const trx = await service.platform.owner.startTransaction().execute();
  try {
    await trx.executeQuery(compiled("set local session_replication_role = replica"));
    for (const statement of harm) {
      const text = statement
        .replaceAll(":signed", `'${signedId}'`)
        .replaceAll(":other", `'${otherId}'`)
        .replaceAll(":document", `'${documentId}'`);
      await trx.executeQuery(compiled(text));
    }
    return await runAudit({ ...service.platform, db: trx as never }, ["check", ...words]);
  } finally {
    await trx.rollback().execute();
  }
}

/** What an event is hashed from, in SQL: enough for events of the service itself, whose detail is empty. */
const APPEND = `insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash, previous_hash)
  select envelope_id, sequence + 1, '2026-11-21T10:00:00Z', 'system', 'deadline_near', '{}', sha256(hash || convert_to(
    '{"action":"deadline_near","actor":"system","at":"2026-11-21T10:00:00.000Z","detail":{},"envelope_id":"' || envelope_id || '"}', 'UTF8')), hash
  from audit_events where envelope_id = :other order by sequence desc limit 1`;

test("finds nothing in what the service made, and says how much it looked at", async () => {
  const { code, lines } = await runAudit(service.platform, ["check", "--copies", copies]);
  expect(lines.at(-1)).toBe("Rien n’a été modifié, déplacé ni retiré.");
  expect(code).toBe(0);
  const counts = lines.slice(1, -2).map((line) => line.split(/ {2,}/).slice(0, 3));
  expect(counts.map(([name, , faults]) => [name, faults])).toEqual([
    ["Événements des journaux", "0"],
    ["Têtes reçues par le journal de transparence", "0"],
    ["Feuilles et nœuds du journal de transparence", "0"],
    ["Points de contrôle signés et horodatés", "0"],
    ["Copies des points de contrôle", "0"],
    ["Fichiers signés, tels que leur journal les nomme", "0"],
    ["Fichiers conservés", "0"],
  ]);
  for (const [, checked] of counts) expect(Number(checked)).toBeGreaterThan(0);
});

test.each([[[]], [["verify"]], [["check", "--copies"]], [["check", "ici"]]])("is misused as %j", async (words) => {
  expect(await runAudit(service.platform, words)).toMatchObject({ code: 64 });
});

describe("finds, in the journals,", () => {
  test.each([
    [
      "an edited detail",
      ["update audit_events set detail = detail || '{\"x\": 1}' where envelope_id = :signed and sequence = 2"],
      "n’est pas celui qui a été enregistré",
    ],
    [
      "an edited actor",
      ["update audit_events set actor = 'system' where envelope_id = :signed and sequence = 1"],
      "n’est pas celui qui a été enregistré",
    ],
    [
      "an edited date",
      ["update audit_events set at = at - interval '1 day' where envelope_id = :signed and sequence = 3"],
      "n’est pas celui qui a été enregistré",
    ],
    [
      "a date edited by a microsecond",
      ["update audit_events set at = at + interval '1 microsecond' where envelope_id = :signed and sequence = 3"],
      "n’est pas celui qui a été enregistré",
    ],
    [
      "an edited name",
      ["update audit_details set value = '\"Personne\"' where envelope_id = :signed and name = 'actor_name'"],
      "une donnée personnelle",
    ],
    [
      "an event deleted in the middle",
      ["delete from audit_events where envelope_id = :signed and sequence = 2"],
      "un événement manque avant celui-ci",
    ],
    [
      "the first event deleted",
      ["delete from audit_events where envelope_id = :signed and sequence = 1"],
      "un événement manque avant celui-ci",
    ],
    [
      "the last event deleted",
      [
        "delete from audit_events where envelope_id = :signed and sequence = (select max(sequence) from audit_events where envelope_id = :signed)",
      ],
      "il n’est plus là, ou a changé",
    ],
    ["a journal deleted whole", ["delete from audit_events where envelope_id = :signed"], "il n’est plus là, ou a changé"],
    [
      "a journal deleted before any checkpoint took it",
      ["delete from audit_events where envelope_id = :other"],
      "il n’est plus là, ou a changé",
    ],
    [
      "two events that changed places",
      [
        "update audit_events set sequence = sequence + 100 where envelope_id = :signed and sequence in (2, 3)",
        "update audit_events set sequence = 105 - sequence where envelope_id = :signed and sequence > 100",
      ],
      "il ne suit pas l’événement qui le précède",
    ],
    [
      "an event moved to another envelope",
      ["update audit_events set envelope_id = :other, sequence = 90 where envelope_id = :signed and sequence = 2"],
      "un événement manque avant celui-ci",
    ],
    [
      "a chain rewritten with its hashes",
      ["update audit_events set detail = '{}', hash = sha256('x'), previous_hash = null where envelope_id = :signed and sequence = 1"],
      "n’est pas celui qui a été enregistré",
    ],
    ["an event written behind the log's back", [APPEND], "n’a pas reçu cet événement"],
  ])("%s", async (_what, harm, said) => {
    const { code, lines } = await auditAfter(harm);
    expect(lines.join("\n").replaceAll(/[\u00a0\u202f]/g, " ")).toContain(said);
    expect(code).toBe(1);
  });

  test("a journal whose last event was rewritten with care, its hash too, by the head that the log received", async () => {
    const last = "where envelope_id = :signed and sequence = (select max(sequence) from audit_events where envelope_id = :signed)";
    const { code, lines } = await auditAfter([
      `update audit_events e set at = '2026-01-01T00:00:00Z', actor = 'system', action = 'deadline_near', detail = '{}', hash = sha256(e.previous_hash || convert_to(
        '{"action":"deadline_near","actor":"system","at":"2026-01-01T00:00:00.000Z","detail":{},"envelope_id":"' || e.envelope_id || '"}', 'UTF8')) ${last}`,
      "delete from audit_details where envelope_id = :signed",
    ]);
    expect(lines.join("\n")).toContain("son empreinte n’est pas celle que le journal de transparence a reçue");
    expect(lines.join("\n")).not.toContain("n’est pas celui qui a été enregistré");
    expect(code).toBe(1);
  });
});

describe("finds, in the log,", () => {
  const FIRST = "where number = 1";
  test.each([
    [
      "an edited leaf",
      ["update transparency_leaves set head = sha256('x') where leaf_index = 0"],
      "sa racine n’est pas celle de ses feuilles",
    ],
    ["a leaf deleted", ["delete from transparency_leaves where leaf_index = 0"], "feuille 0"],
    [
      "the last leaf deleted",
      ["delete from transparency_leaves where leaf_index = (select max(leaf_index) from transparency_leaves)"],
      "le journal n’a plus que",
    ],
    ["an edited node", ["update transparency_nodes set hash = sha256('x')"], "n’est pas celui de ses feuilles"],
    ["a node added", ["insert into transparency_nodes values (9, 9, sha256('x'))"], "attendus"],
    [
      "an edited root",
      [`update transparency_checkpoints set root = sha256('x') ${FIRST}`],
      "ce qui est signé n’est pas ce qui est enregistré",
    ],
    [
      "an edited date",
      [`update transparency_checkpoints set at = at + interval '1 hour' ${FIRST}`],
      "ce qui est signé n’est pas ce qui est enregistré",
    ],
    ["an edited key", [`update transparency_checkpoints set key_id = 'ab' ${FIRST}`], "sa clé n’est pas celle qu’il nomme"],
    ["a checkpoint deleted", [`delete from transparency_checkpoints ${FIRST}`], "un point de contrôle manque avant celui-ci"],
    [
      "a signature of something else",
      [
        "update transparency_checkpoints set signature = regexp_replace(signature, '[^.]*$', reverse(substring(signature from '[^.]*$'))) where number = 1",
      ],
      "sa signature n’est pas valide",
    ],
    [
      "no signature at all",
      [`update transparency_checkpoints set signature = 'x' ${FIRST}`],
      "n’est pas signé par un cachet de ce service",
    ],
    [
      "the time-stamp of another one",
      [
        `update transparency_checkpoints set timestamp_der = (select timestamp_der from transparency_checkpoints where number = 2) ${FIRST}`,
      ],
      "son horodatage n’est pas valide",
    ],
  ])("%s", async (_what, harm, said) => {
    const { code, lines } = await auditAfter(harm);
    expect(lines.join("\n")).toContain(said);
    expect(code).toBe(1);
  });

  test("leaves and checkpoints cut off together, by a copy kept outside alone", async () => {
    const harm = [
      "delete from transparency_checkpoints where number > 1",
      "delete from transparency_leaves where leaf_index >= (select max(size) from transparency_checkpoints)",
      "delete from transparency_due",
      "delete from audit_details",
      "delete from audit_events",
    ];
    const { lines } = await auditAfter(harm, ["--copies", copies]);
    expect(lines.join("\n")).toContain("le journal n’a plus autant de feuilles que cette copie en atteste");
  });

  test("a copy that is none, or was altered", async () => {
    const [name = ""] = (await readdir(copies)).toSorted();
    const kept = await readFile(join(copies, name), "utf8");
    for (const [text, said] of [
      ["{}", "ce fichier n’est pas un point de contrôle"],
      [kept.replace(/"root": "..../, '"root": "0000'), "ce qui est signé n’est pas ce qui est enregistré"],
    ] as const) {
      await writeFile(join(copies, name), text);
      const { code, lines } = await runAudit(service.platform, ["check", "--copies", copies]);
      expect(lines.join("\n")).toContain(said);
      expect(code).toBe(1);
    }
    await writeFile(join(copies, name), kept);
  });
});

describe("finds, in the files,", () => {
  const pathOf = () => join(service.platform.settings.storage.folder, fileName.slice(0, 2), fileName.slice(2, 4), fileName);

  test.each([
    [
      "a flipped byte",
      (bytes: Buffer) => bytes.fill((bytes[700] ?? 0) ^ 1, 700, 701),
      "n’a plus l’empreinte sous laquelle il a été conservé",
    ],
    ["a shortened file", (bytes: Buffer) => bytes.subarray(0, -1), "n’a plus l’empreinte sous laquelle il a été conservé"],
    ["a file that is gone", null, "le fichier n’est plus là"],
  ])("%s", async (_what, alter, said) => {
    const kept = await readFile(pathOf());
    await rm(pathOf());
    if (alter !== null) await writeFile(pathOf(), alter(Buffer.from(kept)));
    const { code, lines } = await runAudit(service.platform, ["check"]);
    expect(lines.join("\n")).toContain(said);
    expect(code).toBe(1);
    await writeFile(pathOf(), kept);
  });

  test("a row that was led to another file, sound in itself", async () => {
    const { code, lines } = await auditAfter([
      `update document_revisions r set blob_sha256 = o.blob_sha256, size = o.size from document_revisions o, documents d
        where d.id = :document and r.document_id = d.id and r.number = d.current_revision and o.document_id = d.id and o.number = 0`,
    ]);
    expect(lines.join("\n")).toContain("son fichier n’est pas celui que le journal de son enveloppe nomme");
    expect(code).toBe(1);
  });
});

// The last: what it does is committed.
test("a past rewritten whole, log, signatures and time-stamps included, is found by whoever kept an earlier checkpoint", async () => {
  await service.platform.owner.transaction().execute(async (trx) => {
    for (const statement of [
      "set local session_replication_role = replica",
      "delete from transparency_checkpoints",
      "delete from transparency_nodes",
      "delete from transparency_due",
      `insert into transparency_due (envelope_id, sequence, head) select envelope_id, sequence, hash from audit_events e
        where sequence = (select max(sequence) from audit_events l where l.envelope_id = e.envelope_id) order by envelope_id desc`,
      "delete from transparency_leaves",
    ])
      await trx.executeQuery(compiled(statement));
  });
  const trust = await createTrust(service.platform);
  await createTransparency({ platform: service.platform, trust }).checkpoint();
  expect(await runAudit(service.platform, ["check"])).toMatchObject({ code: 0 });
  const { code, lines } = await runAudit(service.platform, ["check", "--copies", copies]);
  expect(lines.join("\n")).toContain("le journal ne commence plus par ce que cette copie atteste");
  expect(code).toBe(1);
});
