import { expect, test } from "vitest";
import { type ReachShown, reachInWords } from "./reach-in-words.ts";

const reach = (part: Partial<NonNullable<ReachShown>>): ReachShown => ({
  by: "link",
  link: null,
  code: null,
  confirmed: [],
  ...part,
});

test("how somebody was reached is said with the way of the link and of the code, masked or left out", () => {
  const [mail, text] = [
    { channel: "email", destination: "p•••@exemple.fr" },
    { channel: "sms", destination: "•• •• •• 56 78" },
  ] as const;
  expect(reachInWords(reach({ link: text, code: mail })).way).toBe(
    "Lien reçu par SMS au •• •• •• 56 78, code saisi reçu par email à p•••@exemple.fr.",
  );
  const hidden = { channel: "email", destination: null } as const;
  expect(
    reachInWords(reach({ link: hidden, code: { channel: "either", destination: null } })).way,
  ).toBe("Lien reçu par email, code saisi reçu par SMS ou par email.");
  expect(reachInWords(reach({ by: "account" })).way).toBe("Signé depuis la session d’un compte.");
  expect(reachInWords(null).way).toBe(
    "L’historique ne dit pas comment cette personne a été jointe.",
  );
});

test.each([
  [
    ["email", "phone"],
    "Adresse email et numéro confirmés\u00a0: ce qui y a été envoyé est revenu.",
  ],
  [["email"], "Adresse email confirmée\u00a0: ce qui y a été envoyé est revenu."],
  [["phone"], "Numéro confirmé\u202f; adresse email non confirmée."],
  [[], "Adresse email non confirmée\u00a0: rien de ce qui y a été envoyé n’est revenu."],
] as const)("what answered is told apart from what did not: %j", (confirmed, words) => {
  expect(reachInWords(reach({ confirmed: [...confirmed] })).confirmed).toBe(words);
});
