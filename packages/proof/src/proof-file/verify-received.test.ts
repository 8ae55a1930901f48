import { beforeAll, expect, test } from "vitest";
import {
  type AttackStage,
  createAttackStage,
  STAGE_LATER,
} from "../../../pades/testing/attack-stage.ts";
import { createTestPki } from "../../../pades/testing/test-pki.ts";
import { verifyReceived } from "./verify-offline.ts";

let stage: AttackStage;
let own: Uint8Array;
let foreign: Uint8Array;
const rootOf = ({ root }: AttackStage["pki"]): Uint8Array => {
  const [der] = root.certificates;
  if (der === undefined) throw new Error("the test PKI has no root");
  return der;
};
beforeAll(async () => {
  stage = await createAttackStage();
  own = rootOf(stage.pki);
  foreign = rootOf(await createTestPki("Ailleurs"));
}, 60_000);

const alone = (authorities: Uint8Array | null, roots: readonly Uint8Array[] = []) =>
  verifyReceived({
    proof: null,
    files: [{ name: "contrat.pdf", bytes: stage.archived }],
    roots,
    authorities,
    evidence: null,
    address: null,
    now: STAGE_LATER,
  });
const signaturesOf = ({ report }: Awaited<ReturnType<typeof verifyReceived>>) =>
  report.checks.find(({ name }) => name === "signatures")?.state;

test("verifies signatures by the service's authorities where the reader gave none", async () => {
  const checked = await alone(own);
  expect(checked.trust).toBe("service");
  expect(signaturesOf(checked)).toBe("ok");
});

test("prefers the reader's own roots and keys to the service's authorities", async () => {
  const checked = await alone(foreign, [own]);
  expect(checked.trust).toBe("reader");
  expect(signaturesOf(checked)).toBe("ok");
});

test("leaves a signature of unknown authorities undecided, as without any", async () => {
  const [unknown, nobody] = [await alone(foreign), await alone(null)];
  expect([unknown.trust, nobody.trust]).toEqual(["unknown", "nobody"]);
  expect(unknown.report).toEqual(nobody.report);
  expect(unknown.report.verdict).toBe("indeterminate");
});
