import { describe, expect, it } from "vitest";
import type { JudgedFile } from "./judge-proof.ts";
import { warningsOfFiles, warningsOfSignature } from "./signature-warnings.ts";

const file = (...warned: (readonly string[])[]): JudgedFile => ({
  isStored: true,
  isNamed: true,
  problems: [],
  signatures: warned.map((warnings) => ({
    indication: "TOTAL_PASSED",
    said: { verdict: "valid", reason: "La signature est valide.", consequence: "Vous pouvez vous y fier." },
    warnings,
    isIntact: true,
    level: "B-T",
    isOurs: true,
  })),
  recordedCount: warned.length,
});

describe("what a validation notes of signatures", () => {
  it("has a sentence for each", () => {
    const [other, dated] = warningsOfSignature(["issuer_serial_differs", "signing_time_attribute"]);
    expect(other).toContain("numéro de série");
    expect(dated).toContain("aucun niveau PAdES");
  });

  it("is said once, of whichever signature and file", () => {
    expect(warningsOfFiles([file(["a"], ["b", "a"]), file([]), file(["b"])])).toEqual(["a", "b"]);
  });
});
