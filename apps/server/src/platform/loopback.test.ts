import { describe, expect, test } from "vitest";
import { isLoopbackAddress, isOwnMachine } from "./loopback.ts";

describe("an address of this machine", () => {
  test.each([
    ["127.0.0.1", true],
    ["127.8.9.1", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["10.0.0.4", false],
    ["2001:db8::1", false],
    ["::ffff:192.0.2.7", false],
    ["", false],
  ])("%s: %s", (ip, expected) => {
    expect(isLoopbackAddress(ip)).toBe(expected);
  });
});

describe("somebody's own machine", () => {
  test.each([
    ["https://localhost:8443", false, true],
    ["https://127.0.0.1", false, true],
    ["https://[::1]:8443", false, true],
    ["https://localhost:8443", true, false],
    ["https://signature.exemple.fr", false, false],
    ["https://localhost.exemple.fr", false, false],
  ])("%s, production %s: %s", (publicUrl, production, expected) => {
    expect(isOwnMachine({ publicUrl, production })).toBe(expected);
  });
});
