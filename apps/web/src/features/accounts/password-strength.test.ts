import { expect, test } from "vitest";
import { passwordStrength } from "./strength-meter.tsx";

test("length and variety make a password stronger, repetition does not", () => {
  expect(passwordStrength("").score).toBe(0);
  expect(passwordStrength("aaaaaaaaaaaaaaaaaaaa").label).toBe("Faible");
  expect(passwordStrength("12345").label).toBe("Faible");
  expect(passwordStrength("Plume-et-encrier-1852").label).toBe("Excellent");
});
