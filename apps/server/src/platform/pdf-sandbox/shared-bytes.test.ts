import { deserialize, serialize } from "node:v8";
import { describe, expect, test } from "vitest";
import { latinText } from "../../../../../packages/pades/src/pdf/byte-reader.ts";
import { ATTACKS } from "../../../../../packages/pades/testing/attacks.ts";
import { createAttackStage } from "../../../../../packages/pades/testing/attack-stage.ts";
import {
  createBytesKept,
  createBytesSent,
  freeLarge,
  withBeginning,
  withoutBeginning,
} from "./shared-bytes.ts";
import { loadTasks } from "./tasks.ts";

const KB = 1_024;
const noise = (length: number): Uint8Array => {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at += 65_536)
    crypto.getRandomValues(bytes.subarray(at, Math.min(length, at + 65_536)));
  return bytes;
};
const altered = (bytes: Uint8Array, at: number): Uint8Array => {
  const copy = bytes.slice();
  copy[at] = (copy[at] ?? 0) ^ 1;
  return copy;
};
const appended = (bytes: Uint8Array, rest: Uint8Array): Uint8Array =>
  new Uint8Array(Buffer.concat([bytes, rest]));

/** A child, with what its pipe carried last and what its task received. */
function connect(options: Parameters<typeof createBytesSent>[0] = {}) {
  const [sent, kept] = [createBytesSent(options), createBytesKept()];
  return (bytes: Uint8Array) => {
    const packed = structuredClone(sent.pack([bytes, "options"]));
    const [received, other] = kept.unpack(packed);
    expect(other).toBe("options");
    return {
      received: received as Uint8Array,
      carried: (packed.args[0] as Uint8Array).length,
      forgotten: packed.shared?.forget.length ?? 0,
    };
  };
}

describe("bytes shared with a child", () => {
  test("a document crosses the pipe once, and each of its revisions as what it appends", () => {
    const send = connect();
    const document = noise(200 * KB);
    const signed = appended(document, noise(9 * KB));
    const archived = appended(signed, noise(7 * KB));
    const carried = [document, document, signed, archived, document].map((bytes) => {
      const { received, carried: length } = send(bytes);
      expect(Buffer.compare(received, bytes)).toBe(0);
      return length / KB;
    });
    expect(carried).toEqual([200, 0, 9, 7, 0]);
  });

  test("altered bytes reach the child as they are, wherever they were altered", () => {
    const send = connect({ shortest: 0 });
    const document = noise(200 * KB);
    const signed = appended(document, noise(9 * KB));
    for (const bytes of [document, signed]) send(bytes);
    for (const at of [0, 100 * KB, 200 * KB - 1, 200 * KB, 209 * KB - 1])
      for (const bytes of [altered(signed, at), signed.subarray(0, at), signed])
        expect(Buffer.compare(send(bytes).received, bytes)).toBe(0);
  });

  test("each attack reaches the child as it is, after the honest files that it alters", async () => {
    const stage = await createAttackStage();
    const send = connect({ shortest: 0 });
    for (const honest of [stage.prepared, stage.first, stage.second, stage.archived]) send(honest);
    for (const attack of Object.values(ATTACKS).filter((_, index) => index % 6 === 0)) {
      const bytes = await attack(stage);
      expect(Buffer.compare(send(bytes).received, bytes)).toBe(0);
    }
  }, 120_000);

  test("a task that changes its bytes changes nothing for the next one", () => {
    const send = connect();
    const document = noise(200 * KB);
    send(document).received.fill(0);
    send(document).received.fill(0);
    expect(Buffer.compare(send(document).received, document)).toBe(0);
  });

  test("a child keeps a bounded number of bytes, the last ones", () => {
    const send = connect({ most: 500 * KB });
    const [first, second, third] = [noise(200 * KB), noise(200 * KB), noise(200 * KB)];
    for (const bytes of [first, second]) send(bytes);
    expect(send(third)).toMatchObject({ carried: 200 * KB, forgotten: 1 });
    expect(send(second).carried).toBe(0);
    expect(send(first)).toMatchObject({ carried: 200 * KB, forgotten: 1 });
    const large = noise(600 * KB);
    for (let time = 0; time < 2; time += 1) expect(send(large).carried).toBe(600 * KB);
  });

  test("a revision made from a document is named by all its bytes, whatever was hashed before", () => {
    const [document, other] = [noise(300 * KB), noise(200 * KB)];
    const signed = appended(document, noise(9 * KB));
    const [sent, fresh] = [createBytesSent(), createBytesSent()];
    sent.pack([document]);
    const answer = withoutBeginning(document, signed);
    const made = withBeginning(document, answer) as Uint8Array;
    for (const bytes of [document, other]) fresh.pack([bytes.slice()]);
    expect(sent.pack([made]).shared).toEqual(fresh.pack([signed]).shared);
    expect(sent.pack([made]).args[0]).toHaveLength(0);
    sent.pack([other]);
    expect(fresh.pack([made]).args[0]).toHaveLength(0);
  });

  test("native and portable text are the same, one character a byte", async () => {
    const texts = () => [0, 1, 256, 20_000].map((length) => latinText(every.subarray(0, length)));
    const every = Uint8Array.from({ length: 20_000 }, (_, at) => at);
    const portable = texts();
    await loadTasks();
    expect(texts()).toEqual(portable);
    expect(portable[2]).toBe(String.fromCharCode(...every.subarray(0, 256)));
  });

  test("an answer that extends the given bytes returns only what it appends", () => {
    const document = noise(3 * KB);
    const signed = appended(document, noise(KB));
    for (const value of [signed, { bytes: signed, byteRange: [0, 1, 2, 3] }]) {
      const answer = withoutBeginning(document, value);
      expect(Buffer.from(JSON.stringify(answer)).length).toBeLessThan(20 * KB);
      expect(withBeginning(document, answer)).toEqual(value);
    }
    for (const value of [altered(signed, 5), document.subarray(1), null, { pageCount: 1 }]) {
      const answer = withoutBeginning(document, value);
      expect(answer.isAppended).toBe(false);
      expect(withBeginning(document, answer)).toEqual(value);
    }
  });
});

test("what a task leaves is freed, and the bytes that the child keeps are there for the next one, a Buffer's too", () => {
  for (const file of [noise(200 * KB), Buffer.from(noise(200 * KB))]) {
    const [sent, kept] = [createBytesSent(), createBytesKept()];
    // As the pipe does: a Buffer stays one.
    const receive = () => kept.unpack(deserialize(serialize(sent.pack([file]))))[0] as Uint8Array;
    const small = noise(KB);
    const first = receive();
    freeLarge(first, { bytes: first }, { bytes: small }, "other", undefined);
    expect([first.length, small.length]).toEqual([0, KB]);
    expect(Buffer.compare(receive(), file)).toBe(0);
  }
});
