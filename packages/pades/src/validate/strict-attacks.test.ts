import { beforeAll, describe, expect, test } from "vitest";
import { type AttackStage, createAttackStage, STAGE_LATER } from "../../testing/attack-stage.ts";
import { verdictLine } from "../../testing/verdict-line.ts";
import { HONEST_STRICT, STRICT_ATTACKS } from "../../testing/attacks-strict.ts";
import { trusting } from "../../testing/trusting.ts";
import type { ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

let stage: AttackStage;
beforeAll(async () => {
  stage = await createAttackStage();
});
const judge = (bytes: Uint8Array): Promise<ValidationReport> =>
  validate(bytes, { evidence: trusting(stage.pki.root.certificates), now: STAGE_LATER });

describe("a signed file that two readers read differently is never valid", () => {
  const verdicts: string[] = [];
  test.each(Object.entries(STRICT_ATTACKS))("%s", async (name, attack) => {
    const report = await judge(await attack(stage));
    const { indication, problems, signatures } = report;
    expect(indication, JSON.stringify(signatures, null, 1)).toBe("TOTAL_FAILED");
    expect(problems.includes("broken_xref") || signatures[0]?.laterChanges === "other").toBe(true);
    verdicts.push(`${name} | ${verdictLine(report)}`);
  });

  test("and each is refused for the reason that is recorded", async () => {
    await expect(`${verdicts.join("\n")}\n`).toMatchFileSnapshot("strict-attacks.verdicts.txt");
  });
});

describe("one that all read as one is", () => {
  test.each(Object.entries(HONEST_STRICT))("%s", async (_name, make) => {
    const report = await judge(await make(stage));
    expect(report.indication, JSON.stringify(report, null, 1)).toBe("TOTAL_PASSED");
  });
});
