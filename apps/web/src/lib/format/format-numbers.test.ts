import { expect, test } from "vitest";
import { formatSizeOver } from "./format-numbers.ts";

test.each([
  [10_485_761, "10,01\u00a0Mo"],
  [10_530_000, "10,05\u00a0Mo"],
  [10_485_760, "10\u00a0Mo"],
  [12_000_000, "11,4\u00a0Mo"],
  [900, "900\u00a0octets"],
])("%i bytes beside a limit of 10 Mo are %s", (bytes, said) => {
  expect(formatSizeOver(bytes, 10_485_760)).toBe(said);
});
