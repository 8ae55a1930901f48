import { describe, expect, it } from "vitest";
import { placeFile, stepFile } from "./document-row.tsx";

const IDS = ["a", "b", "c", "d"];
const order = (ids: readonly string[]) => ids.join("");

describe("the order of files", () => {
  it("a file is dropped before or after another, from above or below", () => {
    expect(order(placeFile(IDS, "a", { id: "c", where: "before" }))).toBe("bacd");
    expect(order(placeFile(IDS, "a", { id: "c", where: "after" }))).toBe("bcad");
    expect(order(placeFile(IDS, "d", { id: "a", where: "before" }))).toBe("dabc");
    expect(order(placeFile(IDS, "d", { id: "a", where: "after" }))).toBe("adbc");
  });

  it("the order stays when a file lands on its place, on itself or beside a missing one", () => {
    expect(order(placeFile(IDS, "b", { id: "a", where: "after" }))).toBe("abcd");
    expect(placeFile(IDS, "b", { id: "b", where: "after" })).toBe(IDS);
    expect(placeFile(IDS, "b", { id: "gone", where: "after" })).toBe(IDS);
    expect(placeFile(IDS, "gone", { id: "a", where: "after" })).toBe(IDS);
  });

  it("a file moves one place up or down, within the ends", () => {
    expect(order(stepFile(IDS, "c", "up"))).toBe("acbd");
    expect(order(stepFile(IDS, "c", "down"))).toBe("abdc");
    expect(stepFile(IDS, "a", "up")).toBe(IDS);
    expect(stepFile(IDS, "d", "down")).toBe(IDS);
    expect(stepFile(IDS, "gone", "down")).toBe(IDS);
  });
});
