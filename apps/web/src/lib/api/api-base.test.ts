import { expect, test } from "vitest";
import { readApiBase } from "./api.ts";

test("takes the configured HTTPS base, else the page's own origin", () => {
  expect(readApiBase("https://sign.exemple.fr/", "https://ailleurs.fr")).toEqual({
    ok: true,
    base: "https://sign.exemple.fr",
  });
  expect(readApiBase(undefined, "https://localhost:8443")).toEqual({
    ok: true,
    base: "https://localhost:8443",
  });
});

test("refuses a missing base, a base without HTTPS and one that is no address", () => {
  expect(readApiBase(undefined, "null").ok).toBe(false);
  expect(readApiBase("http://sign.exemple.fr", "https://localhost").ok).toBe(false);
  expect(readApiBase("sign exemple", "https://localhost").ok).toBe(false);
});
