import { expect, test } from "vitest";
import { envelopeEvent, eventText, retryText, type WatchedEnvelope } from "./live-event.ts";

const PAUL = { id: "paul", email_key: "paul@exemple.fr" };
const recipient = (rest: object = {}) => ({ emailKey: PAUL.email_key, isInvited: true, isAwaited: false, ...rest });
const envelope = (rest: Partial<WatchedEnvelope> = {}): WatchedEnvelope => ({
  id: "e",
  version: 3,
  status: "sent",
  ownerId: "anne",
  isPurged: false,
  recipients: [recipient()],
  ...rest,
});
const statusFor = (rest: Partial<WatchedEnvelope>, person = PAUL) => envelopeEvent(envelope(rest), person)?.status ?? null;

test("the owner is told of every state, a recipient of what they may know", () => {
  const anne = { id: "anne", email_key: "anne@exemple.fr" };
  expect(statusFor({ status: "draft" }, anne)).toBe("draft");
  expect(statusFor({ isPurged: true, status: "cancelled" }, anne)).toBe("purged");
  expect(statusFor({})).toBe("sent");
  expect(statusFor({ status: "cancelled" })).toBe("cancelled");
  for (const hidden of [
    { status: "draft" },
    { isPurged: true },
    { recipients: [recipient({ isInvited: false })] },
    { recipients: [] },
  ] as const)
    expect(statusFor(hidden)).toBeNull();
});

test("whoever is awaited is told that their action is, by any of the places their address has", () => {
  expect(statusFor({ recipients: [recipient(), recipient({ isAwaited: true })] })).toBe("action_required");
  expect(statusFor({ recipients: [recipient(), recipient({ isAwaited: true, emailKey: "autre@exemple.fr" })] })).toBe("sent");
  expect(statusFor({ ownerId: "paul", recipients: [recipient({ isAwaited: true })] })).toBe("action_required");
});

test("an event is one line of data, and browsers come back within 2 to 5 s", () => {
  expect(eventText("envelope", { id: "e", version: 3, status: "sent" })).toBe(
    'event: envelope\ndata: {"id":"e","version":3,"status":"sent"}\n\n',
  );
  expect([retryText(0), retryText(1)]).toEqual(["retry: 2000\n\n", "retry: 5000\n\n"]);
});
