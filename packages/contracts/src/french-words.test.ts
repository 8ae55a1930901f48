import { expect, test } from "vitest";
import {
  type ReachShown,
  reachInWords,
  turnInWords,
  waitInWords,
  whenInWords,
} from "./french-words.ts";
import { periodInWords } from "./delegation.ts";
import { problem, problemSentence } from "./problems.ts";

test("a waiting signer reads whose signature comes before, and whether a message will come", () => {
  const before = { count: 1, names: ["Paul Martin"] };
  expect(turnInWords(before, true)).toBe(
    "Ce n’est pas encore votre tour. Vous recevrez un message après la signature de Paul Martin.",
  );
  expect(turnInWords(before, false)).toBe(
    "Ce n’est pas encore votre tour. Revenez sur cette page après la signature de Paul Martin.",
  );
});

test.each<[number, string[], string]>([
  [1, ["Anne Roux"], "après la signature d’Anne Roux"],
  [2, ["Anne Roux", "Paul Martin"], "après les signatures d’Anne Roux et de Paul Martin"],
  [3, ["Anne", "Paul", "Élodie"], "après les signatures d’Anne, de Paul et d’Élodie"],
  [4, ["A", "B", "C", "D"], "après les signatures des 4\u00a0personnes qui vous précèdent"],
  [1, [], "après la signature de la personne qui vous précède"],
  [2, [], "après les signatures des 2\u00a0personnes qui vous précèdent"],
  [0, [], "le moment venu"],
])("writes %i signers before, named %j, as « %s »", (count, names, words) => {
  expect(whenInWords({ count, names })).toBe(words);
});

test.each([
  [0, "1\u00a0seconde"],
  [44.2, "45\u00a0secondes"],
  [60, "1\u00a0minute"],
  [61, "2\u00a0minutes"],
  [3_540, "59\u00a0minutes"],
  [3_541, "1\u00a0heure"],
  [3_601, "1\u00a0h\u00a001\u00a0min"],
  [7_200, "2\u00a0heures"],
  [10_083, "2\u00a0h\u00a049\u00a0min"],
])("writes a wait of %d s as « %s »", (seconds, words) => {
  expect(waitInWords(seconds)).toBe(words);
});

test("writes the remaining wait in a refusal for too many requests", () => {
  expect(problemSentence(problem("too_many_requests", { retryAfterS: 10_083 }))).toBe(
    "Trop de demandes. Réessayez dans 2\u00a0h\u00a049\u00a0min.",
  );
  expect(problemSentence(problem("too_many_requests"))).toBe(
    "Trop de demandes. Réessayez dans un instant.",
  );
});

const reach = (part: Partial<NonNullable<ReachShown>>): ReachShown => ({
  by: "link",
  link: null,
  code: null,
  confirmed: [],
  ...part,
});

test("says by which channels the link and the code came, masked or without destination", () => {
  const [mail, text] = [
    { channel: "email", destination: "p•••@exemple.fr" },
    { channel: "sms", destination: "•• •• •• 56 78" },
  ] as const;
  expect(reachInWords(reach({ link: text, code: mail })).way).toBe(
    "Lien reçu par SMS au •• •• •• 56 78, code reçu par email à p•••@exemple.fr et saisi.",
  );
  const hidden = { channel: "email", destination: null } as const;
  expect(
    reachInWords(reach({ link: hidden, code: { channel: "either", destination: null } })).way,
  ).toBe("Lien reçu par email, code reçu par SMS ou par email et saisi.");
  expect(reachInWords(reach({ by: "account" })).way).toBe("Signé depuis la session d’un compte.");
  expect(reachInWords(null).way).toBe(
    "L’historique ne dit pas comment cette personne a été jointe.",
  );
});

test.each([
  [["email", "phone"], "Adresse email et numéro confirmés\u00a0: ce qui y a été envoyé a servi."],
  [["email"], "Adresse email confirmée\u00a0: ce qui y a été envoyé a servi."],
  [["phone"], "Numéro confirmé\u202f; adresse email non confirmée."],
  [[], "Adresse email non confirmée\u00a0: rien de ce qui y a été envoyé n’a servi."],
] as const)("separates confirmed contacts %j from the others", (confirmed, words) => {
  expect(reachInWords(reach({ confirmed: [...confirmed] })).confirmed).toBe(words);
});

test.each([
  ["2026-11-16", "2026-11-27", "du 16 au 27\u00a0novembre 2026"],
  ["2026-08-01", "2026-09-01", "du 1er\u00a0août au 1er\u00a0septembre 2026"],
  ["2026-12-21", "2027-01-04", "du 21\u00a0décembre 2026 au 4\u00a0janvier 2027"],
  ["2026-11-27", "2026-11-27", "le 27\u00a0novembre 2026"],
])("the days %s to %s are said once where they are the same", (starts_on, ends_on, words) => {
  expect(periodInWords({ starts_on, ends_on })).toBe(words);
});
