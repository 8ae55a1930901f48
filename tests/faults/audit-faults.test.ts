import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTransparency } from "../../apps/server/src/features/journal/public.ts";
import { createTrust } from "../../apps/server/src/features/trust/public.ts";
import { storageFolder } from "../../apps/server/testing/stored-file.ts";
import { type AuditAnswer, runAudit } from "../../apps/cli/src/audit/run-audit.ts";
import { type AuditStage, compiled, openAuditStage } from "../support/audit-stage.ts";

let stage: AuditStage;
beforeAll(async () => {
  stage = await openAuditStage();
}, 120_000);
afterAll(() => stage.close());

type Case = readonly [what: string, harm: string | readonly string[], said: string];

const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ");

function expectFault({ code, lines }: AuditAnswer, said: string): void {
  expect(plain(lines.join("\n"))).toContain(plain(said));
  expect(code).toBe(1);
}
const auditWith = (...words: readonly string[]) =>
  runAudit(stage.service.platform, ["check", ...words]);
const findsEach = (cases: readonly Case[]) =>
  test.each(cases)("finds %s", async (_what, harm, said) => {
    expectFault(await stage.auditAfter(typeof harm === "string" ? [harm] : harm), said);
  });

const SIGNED = "where envelope_id = :signed";
const LAST = `${SIGNED} and sequence = (select max(sequence) from audit_events ${SIGNED})`;
const ALTERED = "n’est pas celui qui a été enregistré";
const MISSING = "un événement manque avant celui-ci";
const GONE = "il n’est plus là, ou a changé";
/** Hash input of an event in SQL, for service events with an empty detail. */
const APPEND = `insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash, previous_hash)
  select envelope_id, sequence + 1, '2026-11-21T10:00:00Z', 'system', 'deadline_near', '{}', sha256(hash || convert_to(
    '{"action":"deadline_near","actor":"system","at":"2026-11-21T10:00:00.000Z","detail":{},"envelope_id":"' || envelope_id || '"}', 'UTF8')), hash
  from audit_events where envelope_id = :other order by sequence desc limit 1`;

describe("an audit of the journals", () => {
  findsEach([
    [
      "an edited detail",
      `update audit_events set detail = detail || '{"x": 1}' ${SIGNED} and sequence = 2`,
      ALTERED,
    ],
    [
      "an edited actor",
      `update audit_events set actor = 'system' ${SIGNED} and sequence = 1`,
      ALTERED,
    ],
    [
      "an edited date",
      `update audit_events set at = at - interval '1 day' ${SIGNED} and sequence = 3`,
      ALTERED,
    ],
    [
      "a date edited by a microsecond",
      `update audit_events set at = at + interval '1 microsecond' ${SIGNED} and sequence = 3`,
      ALTERED,
    ],
    [
      "an edited name",
      `update audit_details set value = '"Personne"' ${SIGNED} and name = 'actor_name'`,
      "une donnée personnelle",
    ],
    [
      "an event deleted in the middle",
      `delete from audit_events ${SIGNED} and sequence = 2`,
      MISSING,
    ],
    ["the first event deleted", `delete from audit_events ${SIGNED} and sequence = 1`, MISSING],
    ["the last event deleted", `delete from audit_events ${LAST}`, GONE],
    ["a journal deleted whole", `delete from audit_events ${SIGNED}`, GONE],
    [
      "a journal deleted before any checkpoint took it",
      "delete from audit_events where envelope_id = :other",
      GONE,
    ],
    [
      "two events that changed places",
      [
        `update audit_events set sequence = sequence + 100 ${SIGNED} and sequence in (2, 3)`,
        `update audit_events set sequence = 105 - sequence ${SIGNED} and sequence > 100`,
      ],
      "il ne suit pas l’événement qui le précède",
    ],
    [
      "an event moved to another envelope",
      `update audit_events set envelope_id = :other, sequence = 90 ${SIGNED} and sequence = 2`,
      MISSING,
    ],
    [
      "a chain rewritten with its hashes",
      `update audit_events set detail = '{}', hash = sha256('x'), previous_hash = null ${SIGNED} and sequence = 1`,
      ALTERED,
    ],
    ["an event unknown to the log", APPEND, "n’a pas reçu cet événement"],
  ]);

  test("finds a last event rewritten with its hash, by the tree head that the log received", async () => {
    const { code, lines } = await stage.auditAfter([
      `update audit_events e set at = '2026-01-01T00:00:00Z', actor = 'system', action = 'deadline_near', detail = '{}', hash = sha256(e.previous_hash || convert_to(
        '{"action":"deadline_near","actor":"system","at":"2026-01-01T00:00:00.000Z","detail":{},"envelope_id":"' || e.envelope_id || '"}', 'UTF8')) ${LAST}`,
      "delete from audit_details where envelope_id = :signed",
    ]);
    expect(lines.join("\n")).toContain(
      "son empreinte n’est pas celle que le journal de transparence a reçue",
    );
    expect(lines.join("\n")).not.toContain(ALTERED);
    expect(code).toBe(1);
  });
});

const ANOTHER = "ses lignes ne disent pas ce que dit l’historique";

describe("an audit of the files", () => {
  test.each([
    [
      "a flipped byte",
      (bytes: Buffer) => bytes.fill((bytes[700] ?? 0) ^ 1, 700, 701),
      "n’a plus l’empreinte sous laquelle il a été conservé",
    ],
    [
      "a shortened file",
      (bytes: Buffer) => bytes.subarray(0, -1),
      "n’a plus l’empreinte sous laquelle il a été conservé",
    ],
    ["a file that is gone", null, "le fichier n’est plus là"],
  ])("finds %s", async (_what, alter, said) => {
    const kept = await readFile(stage.filePath);
    await rm(stage.filePath);
    if (alter !== null) await writeFile(stage.filePath, alter(Buffer.from(kept)));
    expectFault(await auditWith(), said);
    await writeFile(stage.filePath, kept);
  });

  test.each([
    ["to another sound file", "o.number = 0"],
    ["to an earlier revision that the journal also names", "o.kind = 'signed'"],
    ["to the state that was sent", "o.kind = 'prepared'"],
  ])("finds a completed document whose row was pointed %s", async (_what, which) => {
    const harm = [
      `update document_revisions r set blob_sha256 = o.blob_sha256, size = o.size from document_revisions o, documents d
        where d.id = :document and r.document_id = d.id and r.number = d.current_revision and o.document_id = d.id and ${which}`,
    ];
    expectFault(await stage.auditAfter(harm), ANOTHER);
  });

  test("finds a pending document pointed to another file, or back to the upload", async () => {
    for (const harm of [
      `update document_revisions r set blob_sha256 = o.blob_sha256 from document_revisions o, documents d
        where d.envelope_id = :other and r.document_id = d.id and r.number = d.current_revision and o.document_id = :document and o.number = 1`,
      "update documents set current_revision = 0 where envelope_id = :other",
    ])
      expectFault(await stage.auditAfter([harm]), ANOTHER);
  });

  test("finds any other stored file altered or missing", async () => {
    const { files, owner, settings } = stage.service.platform;
    const picture = Buffer.from(await files.put(new TextEncoder().encode("portrait")));
    const name = picture.toString("hex");
    await owner.updateTable("users").set({ avatar_sha256: picture }).execute();
    const path = join(storageFolder(settings), name.slice(0, 2), name.slice(2, 4), name);
    await writeFile(path, "autre portrait");
    expect((await auditWith()).lines.join("\n")).toContain(
      `- ${name}\u00a0: le fichier n’a plus l’empreinte`,
    );
    await rm(path);
    expect((await auditWith()).lines.join("\n")).toContain(
      `- ${name}\u00a0: le fichier n’est plus là`,
    );
    await owner.updateTable("users").set({ avatar_sha256: null }).execute();
    expect(await auditWith()).toMatchObject({ code: 0 });
  });
});

describe("an audit of the log", () => {
  const FIRST = "where number = 1";
  const NOT_SIGNED = "ce qui est signé n’est pas ce qui est enregistré";
  findsEach([
    [
      "an edited leaf",
      "update transparency_leaves set head = sha256('x') where leaf_index = 0",
      "sa racine n’est pas celle de ses feuilles",
    ],
    ["a deleted leaf", "delete from transparency_leaves where leaf_index = 0", "feuille 0"],
    [
      "a deleted last leaf",
      "delete from transparency_leaves where leaf_index = (select max(leaf_index) from transparency_leaves)",
      "le journal n’a plus que",
    ],
    [
      "an edited node",
      "update transparency_nodes set hash = sha256('x')",
      "n’est pas celui de ses feuilles",
    ],
    ["an added node", "insert into transparency_nodes values (9, 9, sha256('x'))", "attendus"],
    [
      "an edited root",
      `update transparency_checkpoints set root = sha256('x') ${FIRST}`,
      NOT_SIGNED,
    ],
    [
      "an edited date",
      `update transparency_checkpoints set at = at + interval '1 hour' ${FIRST}`,
      NOT_SIGNED,
    ],
    [
      "an edited key",
      `update transparency_checkpoints set key_id = 'ab' ${FIRST}`,
      "sa clé n’est pas celle qu’il nomme",
    ],
    [
      "a deleted checkpoint",
      `delete from transparency_checkpoints ${FIRST}`,
      "un point de contrôle manque avant celui-ci",
    ],
    [
      "a signature of other content",
      "update transparency_checkpoints set signature = regexp_replace(signature, '[^.]*$', reverse(substring(signature from '[^.]*$'))) where number = 1",
      "sa signature n’est pas valide",
    ],
    [
      "no signature at all",
      `update transparency_checkpoints set signature = 'x' ${FIRST}`,
      "n’est pas signé par un cachet de ce service",
    ],
    [
      "another checkpoint's time-stamp",
      `update transparency_checkpoints set timestamp_der = (select timestamp_der from transparency_checkpoints where number = 2) ${FIRST}`,
      "son horodatage n’est pas valide",
    ],
  ]);

  test("finds a last checkpoint removed, by its copy or by the note of the copy", async () => {
    const harm = [
      "delete from transparency_checkpoints where number = (select max(number) from transparency_checkpoints)",
    ];
    const held = await stage.auditAfter(
      [...harm, "delete from transparency_copies"],
      ["--copies", stage.copies],
    );
    expectFault(held, "le point de contrôle dont c’est la copie n’est plus enregistré");
    expectFault(await stage.auditAfter(harm), "il a été copié à l’extérieur, et n’est plus là");
  });

  test("finds leaves and checkpoints cut off together, by an outside copy alone", async () => {
    const harm = [
      "delete from transparency_checkpoints where number > 1",
      "delete from transparency_leaves where leaf_index >= (select max(size) from transparency_checkpoints)",
      "delete from transparency_due",
      "delete from audit_details",
      "delete from audit_events",
    ];
    const { lines } = await stage.auditAfter(harm, ["--copies", stage.copies]);
    expect(lines.join("\n")).toContain(
      "le journal n’a plus autant de feuilles que cette copie en atteste",
    );
  });

  test("finds a copy that is no checkpoint, or was altered", async () => {
    const [name = ""] = (await readdir(stage.copies)).toSorted();
    const kept = await readFile(join(stage.copies, name), "utf8");
    for (const [text, said] of [
      ["{}", "ce fichier n’est pas un point de contrôle"],
      [kept.replace(/"root": "..../, '"root": "0000'), NOT_SIGNED],
    ] as const) {
      await writeFile(join(stage.copies, name), text);
      expectFault(await auditWith("--copies", stage.copies), said);
    }
    await writeFile(join(stage.copies, name), kept);
  });
});

test("an audit reads copies under the names of the object store and the mails, and reports the outside places", async () => {
  const others = await mkdtemp(join(tmpdir(), "paraphe-brought-"));
  try {
    const [first = "", second = ""] = (await readdir(stage.copies)).toSorted();
    await copyFile(join(stage.copies, first), join(others, first));
    await copyFile(
      join(stage.copies, second),
      join(others, second.replace(".json", "-0123456789abcdef.json")),
    );
    const sound = await auditWith("--copies", others);
    expect([
      sound.code,
      sound.lines.find((line) => line.startsWith("Copies des points de contrôle ")),
    ]).toEqual([0, expect.stringMatching(/ 2 +0 /)]);
    expect(sound.lines.at(-1)).toMatch(/^- aucune/);
    const cut = "delete from transparency_checkpoints where number > 1";
    const leaves =
      "delete from transparency_leaves where leaf_index >= (select max(size) from transparency_checkpoints)";
    expect(
      (await stage.auditAfter([cut, leaves], ["--copies", others])).lines.join("\n"),
    ).toContain("-0123456789abcdef.json\u00a0: le journal n’a plus");
    const settings = { ...stage.service.platform.settings, checkpointDir: stage.copies };
    expect(
      (await runAudit({ ...stage.service.platform, settings }, ["check"])).lines.at(-1),
    ).toMatch(/^- dossier \(CHECKPOINT_DIR\)\u00a0: dernière copie le 2\d{3}-.*Z\.$/);
  } finally {
    await rm(others, { recursive: true });
  }
});

describe("an audit of the authorities", () => {
  const OTHER_ROW = "sa ligne n’est pas celle que ce service a écrite";
  findsEach([
    [
      "an added root",
      `insert into authority_keys (id, purpose, certificate_der, created_at, retired_at)
        select gen_random_uuid(), purpose, certificate_der, created_at, created_at from authority_keys where purpose = 'root'`,
      OTHER_ROW,
    ],
    [
      "a changed authority in use",
      "update authority_keys set created_at = created_at - interval '1 day' where purpose = 'tsa'",
      OTHER_ROW,
    ],
  ]);
});

describe("an audit of the certificates", () => {
  const SIGNER = "serial_number = (select serial_number from signatures limit 1)";
  const NOT_ISSUED = "son certificat n’est pas parmi ceux que ce service a émis";
  const NOT_ITS_ROW = "n’est pas celle d’un certificat que ce service a émis";
  findsEach([
    [
      "a removed authority",
      "delete from authority_keys where purpose = 'seal'",
      "autorité seal\u00a0: aucune n’est en vie",
    ],
    [
      "every authority removed",
      "delete from authority_keys",
      "les autorités du service ne peuvent pas être lues",
    ],
    ["a removed signer certificate", `delete from certificates where ${SIGNER}`, NOT_ISSUED],
    [
      "a removed authority certificate, which could not be revoked",
      "delete from certificates where certificate_der = (select certificate_der from authority_keys where purpose = 'seal')",
      NOT_ISSUED,
    ],
    [
      "a row that holds no certificate",
      `update certificates set certificate_der = sha256('x') where ${SIGNER}`,
      NOT_ITS_ROW,
    ],
    [
      "a certificate under another serial number",
      `update certificates set certificate_der = (select certificate_der from authority_keys where purpose = 'seal') where ${SIGNER}`,
      NOT_ITS_ROW,
    ],
    [
      "a certificate that no own authority issued",
      "insert into certificates (serial_number, issuer_id, subject, not_before, not_after, certificate_der) select 'ab', gen_random_uuid(), subject, not_before, not_after, certificate_der from certificates limit 1",
      "certificat ab\u00a0: sa ligne",
    ],
    [
      "a certificate emptied as by a purge, without its hash",
      `update certificates set certificate_der = '' where ${SIGNER}`,
      "n’est pas celle d’un certificat",
    ],
  ]);
});

// Runs last: its changes are committed.
test("an earlier checkpoint reveals a past rewritten with its log, signatures and time-stamps", async () => {
  await stage.service.platform.owner.transaction().execute(async (trx) => {
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
  const trust = await createTrust(stage.service.platform);
  await createTransparency({ platform: stage.service.platform, trust }).checkpoint();
  expect(await auditWith()).toMatchObject({ code: 0 });
  expectFault(
    await auditWith("--copies", stage.copies),
    "le journal ne commence plus par ce que cette copie atteste",
  );
});
