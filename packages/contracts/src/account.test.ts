import { describe, expect, test } from "vitest";
import { loginRequest, passwordSchema, profileRequest } from "./account.ts";
import { emailSchema } from "./schema.ts";

describe("a password's length", () => {
  test.each([
    ["e\u0301a\u0301i", false],
    ["e\u0301a\u0301ioy", true],
    ["😀".repeat(5), true],
    ["😀".repeat(128), true],
    ["😀".repeat(129), false],
    ["e\u0301".repeat(128), true],
  ])("is counted in whole characters (security lines 1 and 2): %j", (password, taken) => {
    expect(passwordSchema().safeParse(password).success).toBe(taken);
  });
});

describe("a name", () => {
  const refused = (name: string) =>
    profileRequest.safeParse({ last_name: name }).error?.issues.map(({ message }) => message);
  const SITE =
    "Un nom ne peut pas contenir d’adresse de site. Laissez une espace après chaque point.";

  test.each([
    "Gagnez 500 € sur evil.example/gain",
    "evil.example",
    "evil。example",
    "evil．example",
    "t.co/x",
    "192.0.2.1",
  ])("refuses an address: %s", (name) => {
    expect(refused(name)).toEqual([SITE]);
  });

  test.each(["http:/evil", "tel:0612345678", "WWW. evil"])(
    "holds nothing that begins one: %s",
    (name) => {
      expect(refused(name)).toEqual(["Un nom ne peut pas contenir de lien."]);
    },
  );

  test.each([
    "J.R.R. Tolkien",
    "St. Pierre",
    "J.-P. Martin",
    "D’Arcy",
    "Roux (Jr.)",
    "Œuvrard-Le Gall",
    "Dupont & Fils n° 2",
  ])("is accepted as written: %s", (name) => {
    expect(profileRequest.parse({ last_name: name }).last_name).toBe(name);
  });
});

test("converts a domain with accents to ASCII at registration and at login", () => {
  expect(emailSchema.parse("acc@EXÉMPLE.fr")).toBe("acc@xn--exmple-cva.fr");
  expect(loginRequest.parse({ username: "acc@exémple.fr", password: "x" }).username).toBe(
    "acc@xn--exmple-cva.fr",
  );
  expect(loginRequest.parse({ username: "Éloïse", password: "x" }).username).toBe("Éloïse");
});

test("refuses a local part of more than 64 characters", () => {
  expect(emailSchema.safeParse(`${"x".repeat(64)}@exemple.fr`).success).toBe(true);
  expect(emailSchema.safeParse(`${"x".repeat(65)}@exemple.fr`).error?.issues[0]?.message).toBe(
    "Email invalide",
  );
});
