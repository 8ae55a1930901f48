import { expect, test } from "vitest";
import {
  formatCount,
  formatDecimal,
  formatFileSize,
  formatPercent,
  plural,
} from "./french-numbers.ts";

test("writes sizes, percents and counts the French way", () => {
  expect(formatFileSize(188_416)).toBe("184\u00a0Ko");
  expect(formatFileSize(10_485_760)).toBe("10\u00a0Mo");
  expect(formatFileSize(10_307_921_510)).toBe("9,6\u00a0Go");
  expect(formatFileSize(900)).toBe("900\u00a0octets");
  expect(formatFileSize(1)).toBe("1\u00a0octet");
  expect(formatFileSize(0)).toBe("0\u00a0octet");
  expect(formatCount(1_204)).toBe("1\u202f204");
  expect(formatDecimal(73.84)).toBe("73,8");
  expect(formatPercent(73.8)).toBe("73,8\u00a0%");
  expect(plural(0, "document")).toBe("0 document");
  expect(plural(2, "document")).toBe("2 documents");
  expect(plural(3, "champ restant", "champs restants")).toBe("3 champs restants");
});
