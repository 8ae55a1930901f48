import { expect, test } from "vitest";
import type { LogCheck } from "./log-card.tsx";
import { shownVerdict } from "./shown-verdict.ts";
import { sampleProof } from "./testing/sample-proof.ts";

const NONE = { state: "none" } as const;
const INCLUDED: LogCheck = {
  state: "holds",
  stampedAt: "2026-11-22T09:00:00Z",
  authority: "Paraphe Horodatage",
  revocation: "checked",
};
const ELSEWHERE: LogCheck = { state: "elsewhere", log: "https://signature.exemple.fr" };

test("leaves the service's verdict when the inclusion proof is valid", () => {
  const { verdict, reason } = sampleProof();
  expect(shownVerdict(sampleProof(), { paper: NONE, log: INCLUDED })).toEqual({ verdict, reason });
  expect(shownVerdict(sampleProof(), { paper: NONE, log: null })).toEqual({ verdict, reason });
});

test("is not green at another address than the log's, and names that address", () => {
  const shown = shownVerdict(sampleProof(), { paper: NONE, log: ELSEWHERE });
  expect(shown).toMatchObject({
    verdict: "indeterminate",
    word: "Cette adresse n’est pas celle du journal",
  });
  expect(shown.reason).toContain("https://signature.exemple.fr");
});

test("leaves a worse verdict whatever the address", () => {
  const wrong = sampleProof({ verdict: "invalid", reason: "Le document a été modifié." });
  expect(shownVerdict(wrong, { paper: NONE, log: ELSEWHERE })).toEqual({
    verdict: "invalid",
    reason: "Le document a été modifié.",
  });
  expect(shownVerdict(sampleProof(), { paper: { state: "forged" }, log: ELSEWHERE })).toMatchObject(
    { verdict: "invalid" },
  );
  expect(
    shownVerdict(sampleProof(), { paper: { state: "cut" }, log: { state: "broken" } }),
  ).toMatchObject({ verdict: "invalid" });
});
