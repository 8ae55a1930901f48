import { describe, expect, test } from "vitest";
import { checkPassword } from "./check-password.ts";

const context = { username: "Camille", email: "c.roux@exemple.fr", minimumLength: 5 };
const TOO_COMMON = "Ce mot de passe est trop courant. Choisissez-en un autre";

describe("a password", () => {
  test.each(["q7v!d", "deux mots", "     a    ", "🙂🙂🙂🙂🙂", "é".repeat(128)])("%j is accepted", (password) => {
    expect(checkPassword(password, context)).toBeNull();
  });

  test.each(["", "abcd", "🙂🙂🙂🙂"])("%j is too short", (password) => {
    expect(checkPassword(password, context)).toBe("Minimum 5 caractères");
  });

  test("is refused over 128 characters", () => {
    expect(checkPassword("é".repeat(129), context)).toBe("128 caractères au maximum");
  });

  test("follows a higher minimum", () => {
    expect(checkPassword("q7v!d", { ...context, minimumLength: 12 })).toBe("Minimum 12 caractères");
  });

  test.each(["Camille", "CAMILLE", "c.roux@exemple.fr", "C.Roux", "Paraphe", "ｃａｍｉｌｌｅ"])(
    "%j names its owner or the product",
    (password) => {
      expect(checkPassword(password, context)).toMatch(/^Choisissez un mot de passe différent/);
    },
  );

  test.each(["123456", "azerty123", "Motdepasse", "doudou!", "PASSWORD1", "soleil."])("%j is among the most common", (password) => {
    expect(checkPassword(password, context)).toBe(TOO_COMMON);
  });
});
