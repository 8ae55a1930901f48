import { beforeAll, describe, expect, test } from "vitest";
import { type AttackStage, createAttackStage, STAGE_LATER } from "../../testing/attack-stage.ts";
import { cellOf, ourStanding, writtenVerdicts } from "../../testing/attack-table.ts";
import { HONEST_STRICT, STRICT_ATTACKS } from "../../testing/attacks-strict.ts";
import { trusting } from "../../testing/test-pki.ts";
import type { ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

let stage: AttackStage;
beforeAll(async () => {
  stage = await createAttackStage();
});
const judge = (bytes: Uint8Array): Promise<ValidationReport> =>
  validate(bytes, { evidence: trusting(stage.pki.root.certificates), now: STAGE_LATER });

describe("a signed file that two readers read differently is never valid", () => {
  const written = writtenVerdicts();
  test.each(Object.entries(STRICT_ATTACKS))("a signed file with two readings is never valid: %s", async (name, attack) => {
    const report = await judge(await attack(stage));
    const { indication, problems, signatures } = report;
    expect(indication, JSON.stringify(signatures, null, 1)).toBe("TOTAL_FAILED");
    expect(problems.includes("broken_xref") || signatures[0]?.laterChanges === "other").toBe(true);
    expect(cellOf(ourStanding(report)), "as docs/reference/attacks.md says").toBe(
      written.get(name)?.ours,
    );
  });
});

describe("one that all read as one is", () => {
  test.each(Object.entries(HONEST_STRICT))("a signed file with one reading is valid: %s", async (_name, make) => {
    const report = await judge(await make(stage));
    expect(report.indication, JSON.stringify(report, null, 1)).toBe("TOTAL_PASSED");
  });
});
