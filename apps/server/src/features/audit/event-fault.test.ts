import { describe, expect, it } from "vitest";
import type { AuditValue } from "./domain/audit-event.ts";
import { eventFault } from "./event-fault.ts";
import { commitment, eventHash } from "./event-hash.ts";
import type { StoredEvent } from "./store.ts";

const envelopeId = "01a1fd8c-6902-7831-b3c4-c8c65821597a";
const expected = { envelopeId, sequence: 1, previous: null };

/** An event that commits to a name under a salt, and shows what it is told to. */
function eventOf(committed: { salt: Uint8Array; value: AuditValue }, shown = committed): StoredEvent {
  const detail = { commitments: { full_name: Buffer.from(commitment(committed.salt, committed.value)).toString("hex") } };
  const at = new Date("2026-11-21T10:00:00.000Z");
  const hash = eventHash(null, { envelope_id: envelopeId, at: at.toISOString(), actor: "system", action: "envelope_created", detail });
  const personal = { full_name: { value: shown.value, salt: Buffer.from(shown.salt).toString("hex") } };
  return { sequence: 1, at, isUneven: false, actor: "system", action: "envelope_created", detail, hash, previousHash: null, personal };
}

it("an event whose time is finer than what was hashed was changed", () => {
  const event = eventOf({ salt: new Uint8Array(16), value: "Paul Morel" });
  expect([eventFault(event, expected), eventFault({ ...event, isUneven: true }, expected)]).toEqual([null, "hash"]);
});

describe("a personal value", () => {
  const salt = new Uint8Array(16).fill(7);

  it("is the one that its commitment is to", () => {
    expect(eventFault(eventOf({ salt, value: "Paul Morel" }), expected)).toBeNull();
    expect(eventFault(eventOf({ salt, value: "Paul Morel" }, { salt, value: "Jean Morel" }), expected)).toBe("commitment");
  });

  it("is not the end of another one, whose beginning is taken for the salt's", () => {
    const longer = new Uint8Array([...salt, ...new TextEncoder().encode('"Jean \\')]);
    const event = eventOf({ salt, value: 'Jean "Paul Morel' }, { salt: longer, value: "Paul Morel" });
    // Both open the one commitment: the length of the salt alone tells them apart.
    expect(Buffer.from(commitment(longer, "Paul Morel"))).toEqual(Buffer.from(commitment(salt, 'Jean "Paul Morel')));
    expect(eventFault(event, expected)).toBe("commitment");
  });

  it.each([0, 8, 15, 17, 32])("has no salt of %i bytes", (length) => {
    expect(eventFault(eventOf({ salt: new Uint8Array(length), value: "Paul" }), expected)).toBe("commitment");
  });
});
