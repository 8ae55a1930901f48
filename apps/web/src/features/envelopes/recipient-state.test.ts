import type { Delivery, Recipient } from "@paraphe/contracts";
import { afterEach, describe, expect, test } from "vitest";
import { rememberServiceRules } from "../../lib/api/service-rules.ts";
import {
  deliveryBadge,
  deliveryName,
  deliverySentence,
  deliveryState,
  isLeaving,
  lastFailure,
} from "./recipient-state.ts";
import { openedWord, sentWords, describeNotifying, unreachedCount } from "./reached-words.ts";

const delivery = (rest: Partial<Delivery> = {}): Delivery => ({
  id: "d",
  kind: "invitation",
  channel: "email",
  destination: "zoe@exemple.fr",
  subject: null,
  state: "sent",
  created_at: "2026-11-21T10:00:00.000Z",
  ended_at: "2026-11-21T10:00:02.000Z",
  opened_at: null,
  tries: 1,
  server_answer: "250 ok",
  failure: null,
  ...rest,
});
const refused = delivery({
  state: "refused",
  failure: { code: "unknown_address", detail: "adresse inconnue" },
});

test("a message is named by its kind", () => {
  expect(deliveryName(delivery())).toBe("Invitation");
  expect(deliveryName(delivery({ kind: "code", channel: "sms" }))).toBe("Code à usage unique");
  expect(deliveryName(delivery({ kind: "nouveau" }))).toBe("Message");
});

test("a badge says the state of a message, and « Remis » only after its link or code was used", () => {
  const label = (rest: Partial<Delivery>) => deliveryBadge(delivery(rest)).label;
  const opened_at = "2026-11-21T11:00:00Z";
  expect(
    (["queued", "sent", "delivered", "refused", "withdrawn"] as const).map((state) =>
      label({ state }),
    ),
  ).toEqual(["En cours", "Envoyé", "Remis", "Non remis", "Retiré"]);
  expect(label({ state: "delivered", opened_at })).toBe("Ouvert");
});

test("each state of a message bears a sign of its own", () => {
  const tone = (rest: Partial<Delivery>) => deliveryBadge(delivery(rest)).tone;
  const tones = [
    ...(["queued", "sent", "delivered", "refused", "withdrawn"] as const).map((state) =>
      tone({ state }),
    ),
    tone({ state: "delivered", opened_at: "2026-11-21T11:00:00Z" }),
  ];
  expect(new Set(tones).size, tones.join(" ")).toBe(tones.length);
});

test("a message shows its destination, its failure, and that a code’s text is not stored", () => {
  expect(deliverySentence(delivery())).toBe("zoe@exemple.fr");
  expect(deliverySentence(refused)).toBe("zoe@exemple.fr. Échec d’envoi\u00a0: adresse inconnue");
  expect(deliverySentence(delivery({ kind: "code" }))).toBe(
    "zoe@exemple.fr. Le texte d’un code n’est jamais conservé.",
  );
});

describe("what became of a message", () => {
  test.each([
    [{ state: "queued", tries: 0, ended_at: null }, "Envoi en cours"],
    [
      { state: "queued", tries: 2, ended_at: null },
      "Le serveur du destinataire fait attendre\u00a0: nouvel essai bientôt",
    ],
    [{ state: "sent" }, "Envoyé le 21\u00a0nov. 2026 à\u00a011\u00a0h\u00a000"],
    [
      { state: "delivered", opened_at: "2026-11-21T12:05:00.000Z" },
      "Lien ouvert le 21\u00a0nov. 2026 à\u00a013\u00a0h\u00a005",
    ],
    [{ state: "delivered" }, "Reçu, envoyé le 21\u00a0nov. 2026 à\u00a011\u00a0h\u00a000"],
    [{ state: "withdrawn" }, "Retiré avant l’envoi"],
    [{ state: "refused" }, "Échec d’envoi"],
  ] as const)("%j reads « %s »", (rest, words) => {
    expect(deliveryState(delivery(rest))).toBe(words);
  });

  test("a refusal says why: « Échec d’envoi : adresse inconnue »", () => {
    expect(deliveryState(refused)).toBe("Échec d’envoi\u00a0: adresse inconnue");
  });
});

test("a failure stands until a later message leaves, a withdrawn one apart", () => {
  expect(lastFailure([refused, delivery()])).toBe("Échec d’envoi\u00a0: adresse inconnue");
  expect(lastFailure([delivery({ state: "withdrawn" }), refused])).toBe(
    "Échec d’envoi\u00a0: adresse inconnue",
  );
  expect(lastFailure([delivery({ state: "queued" }), refused])).toBeUndefined();
  expect(lastFailure([])).toBeUndefined();
  expect(lastFailure(undefined)).toBeUndefined();
});

test("only a first attempt leaves within seconds", () => {
  expect(isLeaving(delivery({ state: "queued", tries: 0 }))).toBe(true);
  expect(isLeaving(delivery({ state: "queued", tries: 1 }))).toBe(false);
  expect(isLeaving(delivery())).toBe(false);
});

const person = (full_name: string, status: Recipient["status"]) =>
  ({ full_name, status }) as Recipient;
const OPEN = { kind: "open", domains: [] };
afterEach(() => rememberServiceRules({ registration: OPEN, mail: true }));

test("the sending's toast names the recipients whom no message reached", () => {
  const paul = person("Paul Morel", "notified");
  const zoe = person("Zoé Roy", "unreached");
  expect(sentWords({ reached: true, recipients: [paul] })).toEqual({ title: "Enveloppe envoyée." });
  expect(sentWords({ reached: true, recipients: [paul, zoe] })).toEqual({
    title: "Enveloppe envoyée.",
    detail: "À prévenir vous-même\u00a0: Zoé Roy.",
  });
  expect(sentWords({ reached: false, recipients: [zoe] })).toEqual({
    title: "Enveloppe ouverte à la signature.",
    detail: "À prévenir vous-même\u00a0: Zoé Roy.",
  });
});

test("an envelope's page says « Envoyé » only of a sent one", () => {
  const sent_at = "2026-11-21T10:00:00.000Z";
  expect(openedWord({ sent_at: null })).toBe("Créé");
  expect(openedWord({ sent_at })).toBe("Envoyé");
  expect(openedWord({ sent_at, reached: true })).toBe("Envoyé");
  expect(openedWord({ sent_at, reached: false })).toBe("Ouvert à la signature");
});

test("a row counts the recipients whom no message reached", () => {
  expect(unreachedCount({ recipients: [person("a", "notified")] })).toBe("");
  expect(unreachedCount({ recipients: [person("a", "unreached"), person("b", "signed")] })).toBe(
    "1\u00a0pas encore prévenu",
  );
  expect(unreachedCount({ recipients: [person("a", "unreached"), person("b", "unreached")] })).toBe(
    "2\u00a0pas encore prévenus",
  );
});

test("without mail the sender is asked to notify people", () => {
  expect(describeNotifying("Elles seront prévenues.", "les personnes attendues")).toBe(
    "Elles seront prévenues.",
  );
  rememberServiceRules({ registration: OPEN, mail: false });
  expect(describeNotifying("Elles seront prévenues.", "les personnes attendues")).toBe(
    "Ce service n’envoie pas d’email\u00a0: prévenez vous-même les personnes attendues.",
  );
});
