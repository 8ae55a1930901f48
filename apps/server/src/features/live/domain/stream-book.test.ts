import { expect, test } from "vitest";
import { createStreamBook } from "./stream-book.ts";

const stream = (id: string, emailKey = `${id}@exemple.fr`) => ({ user: { id, email_key: emailKey } });

test("finds streams by account and by address, until they leave", () => {
  const book = createStreamBook(10);
  const [first, second, other] = [stream("a"), stream("a"), stream("b")];
  for (const one of [first, second, other]) expect(book.add(one)).toBeNull();
  expect(book.ofUser("a")).toEqual([first, second]);
  expect(book.ofAddress("b@exemple.fr")).toEqual([other]);
  book.remove(first);
  book.remove(first);
  expect([book.ofUser("a"), book.ofAddress("a@exemple.fr"), book.size]).toEqual([[second], [second], 2]);
  book.remove(second);
  expect([book.ofUser("a"), book.ofUser("nobody"), book.all()]).toEqual([[], [], [other]]);
});

test("takes out the oldest of an account that has one too many, and of no other", () => {
  const book = createStreamBook(2);
  const [first, second, third, other] = [stream("a"), stream("a"), stream("a"), stream("b")];
  book.add(other);
  book.add(first);
  book.add(second);
  expect(book.add(third)).toBe(first);
  expect(book.all()).toEqual([other, second, third]);
});
