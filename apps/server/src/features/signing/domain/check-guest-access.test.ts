import type { StoredStatus } from "@paraphe/contracts";
import { describe, expect, it } from "vitest";
import { checkGuestAccess, type GuestDoor } from "./check-guest-access.ts";

const now = new Date("2026-11-21T12:00:00Z");
const door: GuestDoor = { status: "sent", completedAt: null, deadlineAt: null, now, hasDeclined: false };
const code = (changes: Partial<GuestDoor>) => {
  const result = checkGuestAccess({ ...door, ...changes });
  return result.ok ? "open" : result.error.code;
};

describe("a valid guest token", () => {
  it.each<[StoredStatus, string]>([
    ["draft", "not_found"],
    ["sent", "open"],
    ["pending", "open"],
    ["declined", "envelope_declined"],
    ["expired", "envelope_expired"],
    ["cancelled", "envelope_cancelled"],
  ])("of a %s envelope: %s", (status, expected) => {
    expect(code({ status })).toBe(expected);
  });

  it("is closed from the second of the deadline", () => {
    expect(code({ deadlineAt: now })).toBe("envelope_expired");
    expect(code({ deadlineAt: new Date(now.getTime() + 1) })).toBe("open");
  });

  it("says since when it is late", () => {
    for (const status of ["sent", "expired"] as const)
      expect(checkGuestAccess({ ...door, status, deadlineAt: now })).toMatchObject({
        error: { code: "envelope_expired", extensions: { deadline_at: "2026-11-21T12:00:00.000Z" } },
      });
  });

  it("still reads for 90 days after completion, whatever the deadline was", () => {
    expect(code({ status: "completed", completedAt: new Date("2026-08-23T12:00:00Z"), deadlineAt: new Date("2026-09-01T00:00:00Z") })).toBe(
      "open",
    );
    expect(code({ status: "completed", completedAt: new Date("2026-08-23T11:59:59Z") })).toBe("not_found");
  });
});
