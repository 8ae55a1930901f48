import { describe, expect, test } from "vitest";
import { chooseChannels } from "./choose-channels.ts";

const reachable = { verifiedPhone: "+33612345678", smsOffered: true, pushSubscribed: true };
const chosen = (...names: readonly string[]) => ({
  email: names.includes("email"),
  sms: names.includes("sms"),
  push: names.includes("push"),
});

describe("the channels of a notice to an account's owner", () => {
  test.each([[["email"]], [["sms"]], [["push"]], [["email", "sms"]], [["email", "push"]], [["sms", "push"]], [["email", "sms", "push"]]])(
    "are those chosen: %j",
    (names) => {
      expect(chooseChannels(chosen(...names), reachable)).toEqual(names);
    },
  );

  test.each([
    ["a text without a number that is known to be theirs", ["sms"], { verifiedPhone: null }],
    ["a text without a gateway", ["sms"], { smsOffered: false }],
    ["a push without a browser", ["push"], { pushSubscribed: false }],
    ["a text and a push, neither of which reaches", ["sms", "push"], { verifiedPhone: "", pushSubscribed: false }],
  ])("are mail instead of %s", (_what, names, missing) => {
    expect(chooseChannels(chosen(...names), { ...reachable, ...missing })).toEqual(["email"]);
  });

  test("are those that reach, without mail, when one of two does", () => {
    expect(chooseChannels(chosen("sms", "push"), { ...reachable, pushSubscribed: false })).toEqual(["sms"]);
    expect(chooseChannels(chosen("sms", "push"), { ...reachable, verifiedPhone: null })).toEqual(["push"]);
  });

  test("are never none", () => {
    expect(chooseChannels(chosen(), reachable)).toEqual(["email"]);
  });
});
