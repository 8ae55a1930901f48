import { randomBytes, randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { createSecretBox } from "../../platform/secrets/create-secret-box.ts";
import { isCsrfToken, isCsrfTokenOf, mintCsrfToken, mintVisitorCsrfToken } from "./csrf-token.ts";

const random = (length: number) => new Uint8Array(randomBytes(length));
const platform = { secrets: createSecretBox(random(32), random), random };

test("a token is its own session's, and no other's", () => {
  const [mine, other] = [randomUUID(), randomUUID()];
  const token = mintCsrfToken(platform, mine);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(isCsrfTokenOf(platform, token, mine)).toBe(true);
  expect(isCsrfTokenOf(platform, token, other)).toBe(false);
});

test("a visitor's looks the same, is another each time, and is no session's", () => {
  const token = mintVisitorCsrfToken(platform);
  expect(isCsrfToken(token)).toBe(true);
  expect(mintVisitorCsrfToken(platform)).not.toBe(token);
  expect(isCsrfTokenOf(platform, token, randomUUID())).toBe(false);
  for (const wrong of ["", "autre", `${token}=`]) expect(isCsrfToken(wrong)).toBe(false);
});

test("each is another; one of another key, one bit changed, cut or long are none", () => {
  const mine = randomUUID();
  const token = mintCsrfToken(platform, mine);
  expect(mintCsrfToken(platform, mine)).not.toBe(token);
  const elsewhere = { secrets: createSecretBox(random(32), random), random };
  expect(isCsrfTokenOf(platform, mintCsrfToken(elsewhere, mine), mine)).toBe(false);
  for (const at of [0, 15, 16, 31]) {
    const bytes = Buffer.from(token, "base64url");
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    expect(isCsrfTokenOf(platform, bytes.toString("base64url"), mine)).toBe(false);
  }
  for (const wrong of ["", token.slice(1), `${token}A`, "é".repeat(43)]) expect(isCsrfTokenOf(platform, wrong, mine)).toBe(false);
});
