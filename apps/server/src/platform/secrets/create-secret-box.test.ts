import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSecretBox } from "./create-secret-box.ts";

const random = (length: number) => new Uint8Array(randomBytes(length));
const box = createSecretBox(random(32), random);
const secret = new TextEncoder().encode("clé privée");

test("gives back what it wrapped, and never wraps it twice alike", () => {
  const wrapped = box.wrap(secret, "key 1");
  expect(box.unwrap(wrapped, "key 1")).toEqual(secret);
  expect(box.wrap(secret, "key 1")).not.toEqual(wrapped);
  expect(box.unwrap(box.wrap(new Uint8Array(), "empty"), "empty")).toEqual(new Uint8Array());
});

test("refuses another context, another key and any changed byte", () => {
  const wrapped = box.wrap(secret, "key 1");
  expect(() => box.unwrap(wrapped, "key 2")).toThrow();
  expect(() => createSecretBox(random(32), random).unwrap(wrapped, "key 1")).toThrow();
  for (let index = 0; index < wrapped.length; index++) {
    const changed = wrapped.slice();
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => box.unwrap(changed, "key 1")).toThrow();
  }
  expect(() => box.unwrap(wrapped.subarray(0, 20), "key 1")).toThrow();
});

test("derives another key for each purpose", () => {
  expect(box.hmac("codes", secret)).toHaveLength(32);
  expect(box.hmac("codes", secret)).toEqual(box.hmac("codes", secret));
  expect(box.hmac("codes", secret)).not.toEqual(box.hmac("prints", secret));
});

test("refuses a master key that is not 32 bytes long", () => {
  expect(() => createSecretBox(random(16), random)).toThrow();
});
