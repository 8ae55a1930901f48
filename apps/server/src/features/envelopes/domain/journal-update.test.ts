import { describe, expect, it } from "vitest";
import { isUpdateTold } from "./journal-update.ts";

const now = new Date("2026-11-21T10:00:00Z");
const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const quiet = { parts: ["fields", "title"], otherRecipients: false, lastToldAt: ago(14.99) } as const;

describe("the journal of a draft", () => {
  it("tells of texts and fields once a quarter of an hour", () => {
    expect(isUpdateTold(quiet, now)).toBe(false);
    expect(isUpdateTold({ ...quiet, lastToldAt: ago(15) }, now)).toBe(true);
    expect(isUpdateTold({ ...quiet, lastToldAt: null }, now)).toBe(true);
  });

  it("tells of other files each time", () => {
    for (const part of ["files", "remove_documents", "order", "accept_normalised"] as const)
      expect(isUpdateTold({ ...quiet, parts: ["title", part] }, now)).toBe(true);
  });

  it("tells of other people each time, of the same list given again as of a text", () => {
    expect(isUpdateTold({ ...quiet, parts: ["recipients"], otherRecipients: true }, now)).toBe(true);
    expect(isUpdateTold({ ...quiet, parts: ["recipients"] }, now)).toBe(false);
  });
});
