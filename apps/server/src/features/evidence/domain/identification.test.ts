import { describe, expect, test } from "vitest";
import { identificationOf, type IdentifyingEvent } from "./identification.ts";

const PERSON = { id: "r1", email: "paul@exemple.fr" };
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 10, minute));
const event = (action: string, minute: number, values: Partial<IdentifyingEvent> = {}): IdentifyingEvent => ({
  at: at(minute),
  actor: action.startsWith("code") ? "recipient:r1" : "user:u1",
  recipient: action.startsWith("code") ? null : "r1",
  action,
  channel: "email",
  destination: null,
  ...values,
});
const said = (...events: readonly IdentifyingEvent[]) =>
  identificationOf(PERSON, { method: "guest", at: at(30) }, events).map((line) => line.replaceAll(/[\u00a0\u202f]/g, " "));

describe("a guest is identified", () => {
  test("by the link that was sent last, by the code that was confirmed last, each by its way to its address", () => {
    const lines = said(
      event("recipient_invited", 1, { destination: "paul@exemple.fr" }),
      event("recipient_reminded", 5, { channel: "sms", destination: "+33612345678" }),
      event("code_sent", 10, { channel: "sms", destination: "06 •• •• •• 78" }),
      event("code_verified", 11),
      event("recipient_reminded", 40, { destination: "paul@exemple.fr" }),
    );
    expect(lines).toEqual([
      "Lien personnel (256 bits aléatoires) envoyé par SMS à +33612345678, demandé le 21 novembre 2026 à 11 h 05 min 00 s (UTC+1).",
      "Code à usage unique de six chiffres envoyé par SMS à 06 •• •• •• 78 le 21 novembre 2026 à 11 h 10 min 00 s (UTC+1).",
      "Code saisi et vérifié le 21 novembre 2026 à 11 h 11 min 00 s (UTC+1).",
    ]);
  });

  test("without what was erased, or never told", () => {
    expect(said(event("code_sent", 10), event("code_verified", 11))).toEqual([
      "Lien personnel (256 bits aléatoires) envoyé à paul@exemple.fr.",
      "Code à usage unique de six chiffres envoyé par courriel à une adresse effacée depuis le 21 novembre 2026 à 11 h 10 min 00 s (UTC+1).",
      "Code saisi et vérifié le 21 novembre 2026 à 11 h 11 min 00 s (UTC+1).",
    ]);
    expect(said(event("code_verified", 11)).slice(1)).toEqual(["Code saisi et vérifié le 21 novembre 2026 à 11 h 11 min 00 s (UTC+1)."]);
  });

  test("never by a code that came after they agreed, or was somebody else’s", () => {
    const other = { actor: "recipient:r2" };
    for (const events of [
      [event("code_sent", 40), event("code_verified", 41)],
      [event("code_sent", 10, other), event("code_verified", 11, other)],
    ])
      expect(said(...events).at(-1)).toBe("Le journal ne contient pas la vérification d’un code avant le consentement.");
  });
});

test.each([
  ["authenticated", "Session du compte dont l’adresse confirmée est paul@exemple.fr"],
  ["hsm", "Session du compte dont l’adresse confirmée est paul@exemple.fr"],
  ["self", "Session du compte de l’expéditeur (paul@exemple.fr)"],
  ["bulk", "un consentement pour un lot de documents"],
] as const)("somebody with an account is identified by their session (%s)", (method, words) => {
  expect(identificationOf(PERSON, { method, at: at(30) }, [])[0]).toContain(words);
});
