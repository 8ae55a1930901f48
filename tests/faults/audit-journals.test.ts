import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runAudit } from "../../apps/cli/src/audit/run-audit.ts";
import { type AuditStage, openAuditStage } from "../support/audit-stage.ts";

let stage: AuditStage;
beforeAll(async () => {
  stage = await openAuditStage();
}, 120_000);
afterAll(() => stage.close());

/** Hash input of an event in SQL, for service events with an empty detail. */
const APPEND = `insert into audit_events (envelope_id, sequence, at, actor, action, detail, hash, previous_hash)
  select envelope_id, sequence + 1, '2026-11-21T10:00:00Z', 'system', 'deadline_near', '{}', sha256(hash || convert_to(
    '{"action":"deadline_near","actor":"system","at":"2026-11-21T10:00:00.000Z","detail":{},"envelope_id":"' || envelope_id || '"}', 'UTF8')), hash
  from audit_events where envelope_id = :other order by sequence desc limit 1`;

test("finds nothing in what the service made, and says how much it looked at", async () => {
  const { code, lines } = await runAudit(stage.service.platform, [
    "check",
    "--copies",
    stage.copies,
  ]);
  const verdict = lines.indexOf("Rien n’a été modifié, déplacé ni retiré.");
  expect(verdict).toBeGreaterThan(0);
  expect(code).toBe(0);
  const counts = lines.slice(1, verdict - 1).map((line) => line.split(/ {2,}/).slice(0, 3));
  expect(counts.map(([name, , faults]) => [name, faults])).toEqual([
    ["Autorités enregistrées", "0"],
    ["Certificats émis", "0"],
    ["Événements des journaux", "0"],
    ["Têtes reçues par le journal de transparence", "0"],
    ["Dates des événements, face au journal de transparence", "0"],
    ["Lignes des enveloppes, face à leur historique", "0"],
    ["Feuilles et nœuds du journal de transparence", "0"],
    ["Points de contrôle signés et horodatés", "0"],
    ["Copies des points de contrôle", "0"],
    ["Fichiers envoyés et signés, tels que leur historique les nomme", "0"],
    ["Fichiers signés, de l’enveloppe qui les présente", "0"],
    ["Fichiers conservés", "0"],
  ]);
  for (const [, checked] of counts) expect(Number(checked)).toBeGreaterThan(0);
});

test.each([[[]], [["verify"]], [["check", "--copies"]], [["check", "ici"]]])(
  "is misused as %j",
  async (words) => {
    expect(await runAudit(stage.service.platform, words)).toMatchObject({ code: 64 });
  },
);

describe("finds, in the journals,", () => {
  test.each([
    [
      "an edited detail",
      [
        "update audit_events set detail = detail || '{\"x\": 1}' where envelope_id = :signed and sequence = 2",
      ],
      "n’est pas celui qui a été enregistré",
    ],
    [
      "an edited actor",
      ["update audit_events set actor = 'system' where envelope_id = :signed and sequence = 1"],
      "n’est pas celui qui a été enregistré",
    ],
    [
      "an edited date",
      [
        "update audit_events set at = at - interval '1 day' where envelope_id = :signed and sequence = 3",
      ],
      "n’est pas celui qui a été enregistré",
    ],
    [
      "a date edited by a microsecond",
      [
        "update audit_events set at = at + interval '1 microsecond' where envelope_id = :signed and sequence = 3",
      ],
      "n’est pas celui qui a été enregistré",
    ],
    [
      "an edited name",
      [
        "update audit_details set value = '\"Personne\"' where envelope_id = :signed and name = 'actor_name'",
      ],
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
    [
      "a journal deleted whole",
      ["delete from audit_events where envelope_id = :signed"],
      "il n’est plus là, ou a changé",
    ],
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
      [
        "update audit_events set envelope_id = :other, sequence = 90 where envelope_id = :signed and sequence = 2",
      ],
      "un événement manque avant celui-ci",
    ],
    [
      "a chain rewritten with its hashes",
      [
        "update audit_events set detail = '{}', hash = sha256('x'), previous_hash = null where envelope_id = :signed and sequence = 1",
      ],
      "n’est pas celui qui a été enregistré",
    ],
    ["an event written behind the log's back", [APPEND], "n’a pas reçu cet événement"],
  ])("%s", async (_what, harm, said) => {
    const { code, lines } = await stage.auditAfter(harm);
    expect(lines.join("\n").replaceAll(/[\u00a0\u202f]/g, " ")).toContain(said);
    expect(code).toBe(1);
  });

  test("a journal whose last event was rewritten with care, its hash too, by the head that the log received", async () => {
    const last =
      "where envelope_id = :signed and sequence = (select max(sequence) from audit_events where envelope_id = :signed)";
    const { code, lines } = await stage.auditAfter([
      `update audit_events e set at = '2026-01-01T00:00:00Z', actor = 'system', action = 'deadline_near', detail = '{}', hash = sha256(e.previous_hash || convert_to(
        '{"action":"deadline_near","actor":"system","at":"2026-01-01T00:00:00.000Z","detail":{},"envelope_id":"' || e.envelope_id || '"}', 'UTF8')) ${last}`,
      "delete from audit_details where envelope_id = :signed",
    ]);
    expect(lines.join("\n")).toContain(
      "son empreinte n’est pas celle que le journal de transparence a reçue",
    );
    expect(lines.join("\n")).not.toContain("n’est pas celui qui a été enregistré");
    expect(code).toBe(1);
  });
});
