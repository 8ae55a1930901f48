import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { trusting } from "../../testing/trusting.ts";
import type { ValidationReport } from "./types.ts";
import { validate } from "./validate.ts";

const TRIALS = fileURLToPath(new URL("../../../../../shared/corpus/trials/", import.meta.url));
const missing = existsSync(TRIALS) ? "" : " (../shared/corpus is not there)";
const read = (name: string): Uint8Array => new Uint8Array(readFileSync(`${TRIALS}${name}`));

describe.skipIf(missing !== "")(`sound signatures of others are not called invalid${missing}`, () => {
  const changesOf = ({ signatures }: ValidationReport): readonly string[] => signatures.map(({ laterChanges }) => laterChanges);

  const judgedOf = ({ signatures }: ValidationReport): readonly string[] => signatures.map(({ indication }) => indication);

  test("our sealed file stays valid after a countersignature by pyHanko, which writes its UTF-16 title anew", async () => {
    const evidence = trusting([read("countersigned-by-pyhanko-utf16-title.root.der")]);
    const report = await validate(read("countersigned-by-pyhanko-utf16-title.pdf"), { evidence, now: new Date("2026-11-23T12:00:00Z") });
    expect(judgedOf(report)).toEqual(["TOTAL_PASSED", "TOTAL_PASSED", "TOTAL_PASSED", "INDETERMINATE"]);
    expect(changesOf(report)).toEqual(["form_filling", "signing", "signing", "none"]);
  });
});
