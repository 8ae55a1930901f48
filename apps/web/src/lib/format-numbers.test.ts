import { expect, test } from "vitest";
import { formatFileSize, formatPercent, formatSizeOver, plural } from "./format-numbers.ts";

test("writes sizes, percents and counts the French way", () => {
  expect(formatFileSize(188_416)).toBe("184\u00a0Ko");
  expect(formatFileSize(10_485_760)).toBe("10\u00a0Mo");
  expect(formatFileSize(10_307_921_510)).toBe("9,6\u00a0Go");
  expect(formatFileSize(900)).toBe("900\u00a0octets");
  expect(formatFileSize(1)).toBe("1\u00a0octet");
  expect(formatFileSize(0)).toBe("0\u00a0octet");
  expect(formatPercent(73.8)).toBe("73,8\u00a0%");
  expect(plural(0, "document")).toBe("0 document");
  expect(plural(2, "document")).toBe("2 documents");
  expect(plural(3, "champ restant", "champs restants")).toBe("3 champs restants");
});

test.each([
  [10_485_761, "10,01\u00a0Mo"],
  [10_530_000, "10,05\u00a0Mo"],
  [10_485_760, "10\u00a0Mo"],
  [12_000_000, "11,4\u00a0Mo"],
  [900, "900\u00a0octets"],
])("%i bytes beside a limit of 10 Mo are %s", (bytes, said) => {
  expect(formatSizeOver(bytes, 10_485_760)).toBe(said);
});
