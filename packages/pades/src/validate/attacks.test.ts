import { beforeAll, describe, expect, test } from "vitest";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type AttackStage, STAGE_LATER, createAttackStage } from "../../testing/attack-stage.ts";
import { verdictLine } from "../../testing/verdict-line.ts";
import { ATTACKS } from "../../testing/attacks.ts";
import { HONEST } from "../../testing/honest.ts";
import { trusting } from "../../testing/test-pki.ts";
import { PdfString } from "@libpdf/core";
import { parseSignedData } from "../cms/signed-data.ts";
import { signedFields } from "../pdf/form-fields.ts";
import { follow, openPdf } from "../pdf/open-pdf.ts";
import type { ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";
import { HONEST_STRICT, STRICT_ATTACKS } from "../../testing/attacks-strict.ts";

let stage: AttackStage;
beforeAll(async () => {
  stage = await createAttackStage();
});
const validated = (bytes: Uint8Array): Promise<ValidationReport> =>
  validate(bytes, { evidence: trusting(stage.pki.root.certificates), now: STAGE_LATER });

const verdicts: string[] = [];
test.each(Object.entries(ATTACKS))("the attack is never valid: %s", async (name, attack) => {
  const report = await validated(await attack(stage));
  expect(report.indication, JSON.stringify(report, null, 1)).not.toBe("TOTAL_PASSED");
  verdicts.push(`${name} | ${verdictLine(report)}`);
});

test("each attack is refused for the reason on record", async () => {
  await expect(`${verdicts.join("\n")}\n`).toMatchFileSnapshot("attacks.verdicts.txt");
});

test.each(Object.entries(HONEST))("the honest change stays valid: %s", async (_name, make) => {
  const report = await validated(await make(stage));
  expect(report.indication, JSON.stringify(report, null, 1)).toBe("TOTAL_PASSED");
});

const CORPUS = fileURLToPath(new URL("../../../../../shared/corpus/public/", import.meta.url));
const missing = existsSync(CORPUS) ? "" : " (../shared/corpus is not there)";

describe.skipIf(missing !== "")(`files of others' attack collections${missing}`, () => {
  /**
   * Trusts everything in the file, at a time when its certificates were good: what remains is wrong
   * with the signature.
   */
  async function validateTrusting(name: string): Promise<ValidationReport> {
    const bytes = new Uint8Array(readFileSync(`${CORPUS}ph_${name}.pdf`));
    const open = await openPdf(bytes);
    const roots = signedFields(open).flatMap(({ value }) => {
      const contents = follow(open, value.get("Contents"));
      return contents instanceof PdfString
        ? [...parseSignedData(contents.bytes, "allowed").certificates]
        : [];
    });
    return validate(bytes, { evidence: trusting(roots), now: new Date("2021-06-01T00:00:00Z") });
  }

  test.each([
    ["ed448-disallowed-hash", "CRYPTO_CONSTRAINTS_FAILURE"],
    ["sig-no-signed-attrs", "SIG_CONSTRAINTS_FAILURE"],
    ["pades-with-old-style-signing-cert-attr", "CRYPTO_CONSTRAINTS_FAILURE"],
    ["one-byterange", "FORMAT_FAILURE"],
    ["signature-gap-too-big", "FORMAT_FAILURE"],
  ])("the collected attack %s is never valid (%s)", async (name, sub) => {
    const report = await validateTrusting(name);
    expect(report.indication).not.toBe("TOTAL_PASSED");
    expect(report.signatures[0]).toMatchObject({ subIndication: sub });
  });

  test.each([
    "extensions-direct",
    "extensions-update-indirect",
    "minimal-signed-twice-no-sig-type",
  ])("the second signature of another producer is accepted: %s", async (name) => {
    const { signatures } = await validateTrusting(name);
    expect(signatures.map(({ laterChanges, coverage }) => [laterChanges, coverage])).toEqual([
      ["signing", "whole_revision"],
      ["none", "whole_file"],
    ]);
  });
});

beforeAll(async () => {
  stage = await createAttackStage();
});

const strictVerdicts: string[] = [];
test.each(Object.entries(STRICT_ATTACKS))(
  "a signed file with two readings is never valid: %s",
  async (name, attack) => {
    const report = await validated(await attack(stage));
    const { indication, problems, signatures } = report;
    expect(indication, JSON.stringify(signatures, null, 1)).toBe("TOTAL_FAILED");
    expect(problems.includes("broken_xref") || signatures[0]?.laterChanges === "other").toBe(true);
    strictVerdicts.push(`${name} | ${verdictLine(report)}`);
  },
);

test("each file with two readings is refused for the reason on record", async () => {
  await expect(`${strictVerdicts.join("\n")}\n`).toMatchFileSnapshot("strict-attacks.verdicts.txt");
});

test.each(Object.entries(HONEST_STRICT))(
  "a signed file with one reading is valid: %s",
  async (_name, make) => {
    const report = await validated(await make(stage));
    expect(report.indication, JSON.stringify(report, null, 1)).toBe("TOTAL_PASSED");
  },
);
