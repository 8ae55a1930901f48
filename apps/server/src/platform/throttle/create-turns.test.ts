import { expect, test } from "vitest";
import { createTurns } from "./create-turns.ts";

const stays = new AbortController().signal;

test("one at a time for each key, in the order of asking; another key waits for nobody", async () => {
  const turns = createTurns({ longest: 5 });
  const begun: string[] = [];
  const take = async (name: string, key: string) => {
    const end = await turns.take(key, stays);
    begun.push(name);
    return end;
  };
  const first = await take("first", "a");
  const [second, third] = [take("second", "a"), take("third", "a")];
  await take("other", "b");
  expect(begun).toEqual(["first", "other"]);
  first?.();
  first?.();
  const end = await second;
  expect(begun).toEqual(["first", "other", "second"]);
  end?.();
  (await third)?.();
  expect(await turns.take("a", stays)).not.toBeNull();
});

test("too many who wait are refused, who has gone waits no more, and the line moves on", async () => {
  const turns = createTurns({ longest: 2 });
  const end = await turns.take("a", stays);
  const gone = new AbortController();
  const [left, last] = [turns.take("a", gone.signal), turns.take("a", stays)];
  expect(await turns.take("a", stays)).toBeNull();
  gone.abort();
  expect(await left).toBeNull();
  expect(await turns.take("b", gone.signal)).toBeNull();
  end?.();
  expect(await last).not.toBeNull();
});
