import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { DraftRecipient } from "../draft/draft.ts";
import {
  canMove,
  moveRank,
  nextRank,
  placeRank,
  rankGroups,
  thanName,
  toggleTogether,
} from "./use-recipient-list.ts";

const rows = (...ranks: readonly number[]): DraftRecipient[] =>
  ranks.map((rank, index) => ({
    key: "abcdef"[index] ?? "",
    fullName: "",
    email: "",
    phoneNumber: null,
    role: "signer",
    rank,
  }));
/** « ab c » : a and b at once, then c. */
const said = (list: readonly DraftRecipient[]) =>
  rankGroups(list)
    .map((group) => group.map((row) => row.key).join(""))
    .join(" ");

it.each([
  ["Paul Martin", "que Paul Martin"],
  ["Anne Roux", "qu’Anne Roux"],
  ["Henri Hubert", "qu’Henri Hubert"],
])("compares with %s as « %s »", (name, words) => {
  expect(thanName(name)).toBe(words);
});

describe("the order of signing", () => {
  it("moves a row past its neighbour's rank", () => {
    expect(said(moveRank(rows(1, 2, 3), "c", "up"))).toBe("a c b");
    expect(said(moveRank(rows(1, 2, 2), "a", "down"))).toBe("bc a");
    expect(said(moveRank(rows(1, 1, 2), "c", "up"))).toBe("c ab");
  });
  it("moves a row out of a shared rank first", () => {
    expect(said(moveRank(rows(1, 1, 2), "b", "up"))).toBe("b a c");
    expect(said(moveRank(rows(1, 1, 2), "a", "down"))).toBe("b a c");
  });
  it("does not move a row past either end", () => {
    expect(canMove(rows(1, 2), "a", "up")).toBe(false);
    expect(canMove(rows(1, 2), "b", "down")).toBe(false);
    expect(canMove(rows(1, 1), "a", "up")).toBe(true);
    expect(said(moveRank(rows(1, 2), "a", "up"))).toBe("a b");
  });
  it("joins two ranks and splits them at a row", () => {
    expect(said(toggleTogether(rows(1, 2, 3), "b"))).toBe("ab c");
    expect(said(toggleTogether(rows(1, 1, 1, 2), "b"))).toBe("a bc d");
    expect(said(toggleTogether(rows(1, 2), "a"))).toBe("a b");
  });
  it("places a dragged row before, with or after another", () => {
    expect(said(placeRank(rows(1, 2, 3), "c", { key: "a", where: "before" }))).toBe("c a b");
    expect(said(placeRank(rows(1, 2, 3), "c", { key: "a", where: "with" }))).toBe("ac b");
    expect(said(placeRank(rows(1, 2, 3), "a", { key: "c", where: "after" }))).toBe("b c a");
    expect(said(placeRank(rows(1, 1), "a", { key: "a", where: "after" }))).toBe("ab");
  });
  it("gives a new row the next rank", () => {
    expect([nextRank([]), nextRank(rows(1, 1, 2))]).toEqual([1, 3]);
  });
  it("never loses a row or leaves a gap between ranks", () => {
    const step = fc.tuple(
      fc.constantFrom("up", "down", "toggle", "before", "with", "after"),
      fc.nat(5),
      fc.nat(5),
    );
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 }),
        fc.array(step, { maxLength: 12 }),
        (ranks, steps) => {
          let list: readonly DraftRecipient[] = rows(...ranks);
          for (const [kind, a, b] of steps) {
            const [key, other] = [
              list[a % list.length]?.key ?? "",
              list[b % list.length]?.key ?? "",
            ];
            if (kind === "up" || kind === "down") list = moveRank(list, key, kind);
            else if (kind === "toggle") list = toggleTogether(list, key);
            else
              list = placeRank(list, key, {
                key: other,
                where: kind as "before" | "with" | "after",
              });
            expect(list.map((row) => row.key).sort()).toEqual(
              rows(...ranks)
                .map((row) => row.key)
                .sort(),
            );
            expect([...new Set(list.map((row) => row.rank))]).toEqual(
              rankGroups(list).map((_, index) => index + 1),
            );
          }
        },
      ),
    );
  });
});
