import { expect, test } from "vitest";
import { createPasswordHasher } from "./password-hasher.ts";

test("security line 4: hashes with Argon2id at the promised cost, salted, and knows its own hash again", async () => {
  const hasher = createPasswordHasher();
  const [first, second] = [await hasher.hash("encre bleue"), await hasher.hash("encre bleue")];
  if (!first.ok || !second.ok) throw new Error("refused");
  expect(first.value).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/);
  expect(first.value).not.toBe(second.value);
  expect(await hasher.verify(first.value, "encre bleue")).toEqual({ ok: true, value: true });
  expect(await hasher.verify(first.value, "Encre bleue")).toEqual({ ok: true, value: false });
});

test("security line 5: says no to any password of a name that nobody has", async () => {
  const hasher = createPasswordHasher();
  expect(await hasher.verify(null, "")).toEqual({ ok: true, value: false });
  expect(await hasher.verify(null, "encre bleue")).toEqual({ ok: true, value: false });
});

test("security line 4: refuses what its queue cannot hold, and goes on", async () => {
  const hasher = createPasswordHasher();
  const answers = await Promise.all(Array.from({ length: 120 }, () => hasher.hash("encre bleue")));
  const refused = answers.filter((answer) => !answer.ok);
  expect(refused.length).toBeGreaterThan(0);
  expect(refused.length).toBeLessThan(40);
  expect(refused[0]).toEqual({ ok: false, error: { code: "service_unavailable", retryAfterS: 2 } });
  expect((await hasher.hash("encre bleue")).ok).toBe(true);
});
