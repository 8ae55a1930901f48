import { expect, it } from "vitest";
import { appearanceLines, frenchMoment } from "./appearance-lines.ts";

it("says when the person agreed, on the clocks of Paris, winter and summer", () => {
  expect(frenchMoment(new Date("2026-11-21T14:16:04Z"))).toBe("21/11/2026 à 15:16:04 (UTC+1)");
  expect(frenchMoment(new Date("2026-07-14T22:00:00Z"))).toBe("15/07/2026 à 00:00:00 (UTC+2)");
});

it("names the person and the envelope", () => {
  const lines = appearanceLines({ fullName: "Zoë Œuvrard", signedAt: new Date("2026-11-21T14:16:04Z"), envelopeId: "0199-abc" });
  expect(lines).toEqual(["Zoë Œuvrard", "Signé électroniquement le 21/11/2026 à 15:16:04 (UTC+1)", "Enveloppe 0199-abc"]);
});
