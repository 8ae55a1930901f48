import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTransparency } from "../../apps/server/src/features/journal/public.ts";
import { createTrust } from "../../apps/server/src/features/trust/public.ts";
import { runAudit } from "../../apps/cli/src/audit/run-audit.ts";
import { type AuditStage, compiled, openAuditStage } from "../support/audit-stage.ts";

let stage: AuditStage;
beforeAll(async () => {
  stage = await openAuditStage();
}, 120_000);
afterAll(() => stage.close());

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
      [
        "delete from transparency_leaves where leaf_index = (select max(leaf_index) from transparency_leaves)",
      ],
      "le journal n’a plus que",
    ],
    [
      "an edited node",
      ["update transparency_nodes set hash = sha256('x')"],
      "n’est pas celui de ses feuilles",
    ],
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
    [
      "an edited key",
      [`update transparency_checkpoints set key_id = 'ab' ${FIRST}`],
      "sa clé n’est pas celle qu’il nomme",
    ],
    [
      "a checkpoint deleted",
      [`delete from transparency_checkpoints ${FIRST}`],
      "un point de contrôle manque avant celui-ci",
    ],
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
    const { code, lines } = await stage.auditAfter(harm);
    expect(lines.join("\n")).toContain(said);
    expect(code).toBe(1);
  });

  test("the last checkpoint taken out, by its copy, or by the note that it was copied", async () => {
    const harm = [
      "delete from transparency_checkpoints where number = (select max(number) from transparency_checkpoints)",
    ];
    const held = await stage.auditAfter(
      [...harm, "delete from transparency_copies"],
      ["--copies", stage.copies],
    );
    expect([held.code, held.lines.join("\n")]).toEqual([
      1,
      expect.stringContaining("le point de contrôle dont c’est la copie n’est plus enregistré"),
    ]);
    const noted = await stage.auditAfter(harm);
    expect([noted.code, noted.lines.join("\n")]).toEqual([
      1,
      expect.stringContaining("il a été copié à l’extérieur, et n’est plus là"),
    ]);
  });

  test("leaves and checkpoints cut off together, by a copy kept outside alone", async () => {
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

  test("a copy that is none, or was altered", async () => {
    const [name = ""] = (await readdir(stage.copies)).toSorted();
    const kept = await readFile(join(stage.copies, name), "utf8");
    for (const [text, said] of [
      ["{}", "ce fichier n’est pas un point de contrôle"],
      [
        kept.replace(/"root": "..../, '"root": "0000'),
        "ce qui est signé n’est pas ce qui est enregistré",
      ],
    ] as const) {
      await writeFile(join(stage.copies, name), text);
      const { code, lines } = await runAudit(stage.service.platform, [
        "check",
        "--copies",
        stage.copies,
      ]);
      expect(lines.join("\n")).toContain(said);
      expect(code).toBe(1);
    }
    await writeFile(join(stage.copies, name), kept);
  });
});

test("copies are read as the object store and the mails name them, and the places outside are told", async () => {
  const others = await mkdtemp(join(tmpdir(), "paraphe-brought-"));
  try {
    const [first = "", second = ""] = (await readdir(stage.copies)).toSorted();
    await copyFile(join(stage.copies, first), join(others, first));
    await copyFile(
      join(stage.copies, second),
      join(others, second.replace(".json", "-0123456789abcdef.json")),
    );
    const sound = await runAudit(stage.service.platform, ["check", "--copies", others]);
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

describe("finds, among the authorities,", () => {
  test.each([
    [
      "a root that somebody put there",
      `insert into authority_keys (id, purpose, certificate_der, created_at, retired_at)
        select gen_random_uuid(), purpose, certificate_der, created_at, created_at from authority_keys where purpose = 'root'`,
    ],
    [
      "a living one that was changed, and goes on",
      "update authority_keys set created_at = created_at - interval '1 day' where purpose = 'tsa'",
    ],
  ])("%s", async (_what, harm) => {
    const { code, lines } = await stage.auditAfter([harm]);
    expect(lines.join("\n")).toContain("sa ligne n’est pas celle que ce service a écrite");
    expect(code).toBe(1);
  });
});

describe("finds, among the certificates,", () => {
  const SIGNER = "serial_number = (select serial_number from signatures limit 1)";
  test.each([
    [
      "an authority taken out",
      "delete from authority_keys where purpose = 'seal'",
      "autorité seal\u00a0: aucune n’est en vie",
    ],
    [
      "every authority taken out",
      "delete from authority_keys",
      "les autorités du service ne peuvent pas être lues",
    ],
    [
      "a signer's taken out",
      `delete from certificates where ${SIGNER}`,
      "son certificat n’est pas parmi ceux que ce service a émis",
    ],
    [
      "an authority's taken out: it could not be revoked any more",
      "delete from certificates where certificate_der = (select certificate_der from authority_keys where purpose = 'seal')",
      "son certificat n’est pas parmi ceux que ce service a émis",
    ],
    [
      "one that is none",
      `update certificates set certificate_der = sha256('x') where ${SIGNER}`,
      "n’est pas celle d’un certificat que ce service a émis",
    ],
    [
      "one under another number",
      `update certificates set certificate_der = (select certificate_der from authority_keys where purpose = 'seal') where ${SIGNER}`,
      "n’est pas celle d’un certificat que ce service a émis",
    ],
    [
      "one that nobody of ours issued",
      "insert into certificates (serial_number, issuer_id, subject, not_before, not_after, certificate_der) select 'ab', gen_random_uuid(), subject, not_before, not_after, certificate_der from certificates limit 1",
      "certificat ab\u00a0: sa ligne",
    ],
    [
      "one emptied as by a purge, without its hash",
      `update certificates set certificate_der = '' where ${SIGNER}`,
      "n’est pas celle d’un certificat",
    ],
  ])("%s", async (_what, harm, said) => {
    const { code, lines } = await stage.auditAfter([harm]);
    expect(lines.join("\n")).toContain(said);
    expect(code).toBe(1);
  });
});

// Runs last: its changes are committed.
test("a past rewritten whole, log, signatures and time-stamps included, is found by whoever kept an earlier checkpoint", async () => {
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
  expect(await runAudit(stage.service.platform, ["check"])).toMatchObject({ code: 0 });
  const { code, lines } = await runAudit(stage.service.platform, [
    "check",
    "--copies",
    stage.copies,
  ]);
  expect(lines.join("\n")).toContain("le journal ne commence plus par ce que cette copie atteste");
  expect(code).toBe(1);
});
