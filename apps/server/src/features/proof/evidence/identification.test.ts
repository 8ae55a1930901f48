import { expect, test } from "vitest";
import { identificationOf, type IdentifyingEvent } from "./identification.ts";

const PERSON = { id: "r1", email: "paul@exemple.fr" };
const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 10, minute));
const event = (
  action: string,
  minute: number,
  values: Partial<IdentifyingEvent> = {},
): IdentifyingEvent => ({
  at: at(minute),
  actor: action.startsWith("code") ? "recipient:r1" : "user:u1",
  recipient: action.startsWith("code") ? null : "r1",
  action,
  channel: "email",
  destination: null,
  code: null,
  linkChannel: null,
  ...values,
});
const code = (id: string) => ({ code: id, linkChannel: "email" }) as const;
const consent = event("consent_given", 30, { actor: "recipient:r1", code: "c1" });
const said = (...events: readonly IdentifyingEvent[]) =>
  identificationOf(PERSON, { method: "guest", at: at(30) }, { events, reach: null })
    .slice(0, -1)
    .map((line) => line.replaceAll(/[\u00a0\u202f]/g, " "));

test("names the last link before the consent by its channel, and the code of the consent", () => {
  const lines = said(
    event("recipient_invited", 1, { destination: "p•••@exemple.fr" }),
    event("recipient_reminded", 5, { destination: "paul@exemple.fr" }),
    event("code_sent", 10, { ...code("c1"), channel: "sms", destination: "06 •• •• •• 78" }),
    event("code_verified", 11, { ...code("c1"), channel: "sms" }),
    consent,
    event("recipient_reminded", 40, { destination: "p•••@exemple.fr" }),
  );
  expect(lines).toEqual([
    "Lien personnel (256 bits aléatoires) envoyé par email à paul@exemple.fr, demandé le 21 novembre 2026 à 11 h 05 min 00 s.",
    "Code à usage unique de six chiffres envoyé par SMS à 06 •• •• •• 78 le 21 novembre 2026 à 11 h 10 min 00 s.",
    "Code saisi et vérifié le 21 novembre 2026 à 11 h 11 min 00 s.",
  ]);
});

test("names the code of the consent and the link behind it, whatever else was sent", () => {
  const reach = {
    by: "link",
    link: { channel: "sms", destination: null },
    code: { channel: "email", destination: null },
    confirmed: ["email", "phone"],
  } as const;
  const events = [
    event("recipient_invited", 1, { channel: "sms", destination: "+33612345678" }),
    event("recipient_reminded", 2, { destination: "paul@exemple.fr" }),
    event("code_sent", 3, { code: "c1", destination: "p•••@exemple.fr" }),
    event("code_verified", 4, { code: "c1", linkChannel: "sms" }),
    event("code_sent", 5, { code: "c2", channel: "sms", destination: "06 •• •• •• 78" }),
    event("code_verified", 6, { code: "c2", channel: "sms", linkChannel: "email" }),
    event("consent_given", 7, { actor: "recipient:r1", recipient: "r1", code: "c1" }),
  ];
  const lines = identificationOf(
    PERSON,
    { method: "guest", at: at(30) },
    { events, reach: { ...reach, confirmed: [...reach.confirmed] } },
  );
  expect(lines.map((line) => line.replaceAll(/[\u00a0\u202f]/g, " "))).toEqual([
    "Lien personnel (256 bits aléatoires) envoyé par SMS à +33612345678, demandé le 21 novembre 2026 à 11 h 01 min 00 s.",
    "Code à usage unique de six chiffres envoyé par email à p•••@exemple.fr le 21 novembre 2026 à 11 h 03 min 00 s.",
    "Code saisi et vérifié le 21 novembre 2026 à 11 h 04 min 00 s.",
    "Adresse email et numéro confirmés : ce qui y a été envoyé a servi.",
  ]);
});

test("omits what was erased or never recorded", () => {
  const verified = event("code_verified", 11, code("c1"));
  expect(said(event("code_sent", 10, code("c1")), verified, consent)).toEqual([
    "Lien personnel (256 bits aléatoires) envoyé par email à paul@exemple.fr.",
    "Code à usage unique de six chiffres envoyé par email à une adresse effacée depuis le 21 novembre 2026 à 11 h 10 min 00 s.",
    "Code saisi et vérifié le 21 novembre 2026 à 11 h 11 min 00 s.",
  ]);
  expect(said({ ...verified, linkChannel: null }, consent)).toEqual([
    "Lien personnel (256 bits aléatoires) envoyé à paul@exemple.fr.",
    "Code saisi et vérifié le 21 novembre 2026 à 11 h 11 min 00 s.",
  ]);
});

test("ignores a code entered after the consent, by somebody else, or without a consent", () => {
  const other = { ...code("c1"), actor: "recipient:r2" };
  for (const events of [
    [event("code_sent", 40, code("c1")), consent, event("code_verified", 41, code("c1"))],
    [event("code_sent", 10, other), event("code_verified", 11, other), consent],
    [event("code_sent", 10, code("c1")), event("code_verified", 11, code("c1"))],
  ])
    expect(said(...events).at(-1)).toBe(
      "L’historique ne contient pas la vérification d’un code avant le consentement.",
    );
});

test.each(["authenticated", "hsm", "self", "bulk"] as const)(
  "what a provider vouched for stands apart from a confirmed address (%s)",
  (method) => {
    const vouched = { by: "proconnect.fr", facts: ["name"], siret: "73282932000074" };
    const reach = { by: "account", link: null, code: null, confirmed: [] } as const;
    const [session, ...others] = identificationOf(
      PERSON,
      { method, at: at(30) },
      { events: [], reach: { ...reach, confirmed: [] }, vouched },
    );
    expect(session).toContain("ouverte chez proconnect.fr");
    expect(session).not.toContain("mot de passe");
    expect(others).toContain(
      "Adresse email non confirmée\u00a0: rien de ce qui y a été envoyé n’a servi.",
    );
    expect(others).toContain(
      "Le fournisseur d’identité proconnect.fr a donné le même nom, et le SIRET 732\u00a0829\u00a0320\u00a000074\u00a0: c’est sa parole, que ce service n’a pas vérifiée.",
    );
  },
);

test.each([
  ["authenticated", "Session du compte dont l’adresse est paul@exemple.fr"],
  ["hsm", "Session du compte dont l’adresse est paul@exemple.fr"],
  ["self", "Session du compte de l’expéditeur (paul@exemple.fr)"],
  ["bulk", "un consentement pour un lot de documents"],
] as const)("an account is identified by its session (%s)", (method, words) => {
  expect(
    identificationOf(PERSON, { method, at: at(30) }, { events: [], reach: null })[0],
  ).toContain(words);
});

test.each([
  ["password", "par mot de passe."],
  ["password_totp", "par mot de passe et application d’authentification."],
  ["recovery_code", "par mot de passe et code de secours."],
  ["passkey", "par clé d’accès."],
])("a session says how it was opened (%s), and what confirmed the signature", (openedBy, words) => {
  const session = { openedBy, confirmedBy: "passkey" };
  const lines = identificationOf(
    PERSON,
    { method: "authenticated", at: at(30) },
    { events: [], reach: null, session },
  );
  expect(lines[0]).toBe(`Session du compte dont l’adresse est paul@exemple.fr, ouverte ${words}`);
  expect(lines).toContain("Signature confirmée par clé d’accès, demandée de nouveau juste avant.");
});
