import { expect, test } from "vitest";
import { shortHash } from "./slugify.ts";

/** Reference values of FNV-1a (32 bits), draft-eastlake-fnv §6. */
test.each([
  ["", "811c9dc5"],
  ["a", "e40c292c"],
  ["foobar", "bf9cf968"],
])("the short name of '%s' is %s", (text, name) => expect(shortHash(text)).toBe(name));
