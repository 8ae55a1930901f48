import { describe, expect, test } from "vitest";
import { DELIVERY_RETRIES, isStale, staleAnswer } from "./delivery-rules.ts";

const createdAt = new Date("2026-11-21T10:00:00.000Z");
const after = (seconds: number) => new Date(createdAt.getTime() + seconds * 1_000);

describe("a message that waits", () => {
  test.each([
    ["code", 600],
    ["activation", 86_400],
    ["reset", 86_400],
    ["invitation", 172_800],
    ["completed", 172_800],
  ] as const)("of kind %s is worth sending for %i seconds", (kind, seconds) => {
    expect(isStale(kind, { createdAt, now: after(seconds) })).toBe(false);
    expect(isStale(kind, { createdAt, now: after(seconds + 1) })).toBe(true);
  });

  test("is tried until 48 hours have gone by", () => {
    let total = 0;
    for (let retry = 0; retry < DELIVERY_RETRIES.retryLimit; retry++)
      total += Math.min(DELIVERY_RETRIES.retryDelayS * 2 ** retry, DELIVERY_RETRIES.retryDelayMaxS);
    expect(total).toBeGreaterThan(172_800);
  });

  test("keeps the server's last words when it is given up", () => {
    expect(staleAnswer(null)).toBe("Délai de remise dépassé.");
    expect(staleAnswer("451 plus tard")).toBe("Délai de remise dépassé. Dernière réponse\u00a0: 451 plus tard");
  });
});
