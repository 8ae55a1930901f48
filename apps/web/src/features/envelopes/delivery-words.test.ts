import type { Delivery } from "@paraphe/contracts";
import { describe, expect, test } from "vitest";
import {
  deliveryBadge,
  deliveryName,
  deliverySentence,
  deliveryState,
  isLeaving,
  lastFailure,
} from "./recipient-state.ts";

const delivery = (rest: Partial<Delivery> = {}): Delivery => ({
  id: "d",
  kind: "invitation",
  channel: "email",
  destination: "zoe@exemple.fr",
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

test("a message is named by what it is", () => {
  expect(deliveryName(delivery())).toBe("Invitation");
  expect(deliveryName(delivery({ kind: "code", channel: "sms" }))).toBe("Code à usage unique");
  expect(deliveryName(delivery({ kind: "nouveau" }))).toBe("Message");
});

test("a word says what became of a message, and « Remis » only once what it held came back", () => {
  const label = (rest: Partial<Delivery>) => deliveryBadge(delivery(rest)).label;
  const opened_at = "2026-11-21T11:00:00Z";
  expect(
    (["queued", "sent", "delivered", "refused", "withdrawn"] as const).map((state) =>
      label({ state }),
    ),
  ).toEqual(["En cours", "Envoyé", "Remis", "Non remis", "Retiré"]);
  expect(label({ state: "delivered", opened_at })).toBe("Ouvert");
});

test("under it stand where it went, why nobody got it, and that a code’s text is not kept", () => {
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
    [{ state: "sent" }, "Envoyé le 21 nov. 2026 à\u00a011\u00a0h\u00a000"],
    [
      { state: "delivered", opened_at: "2026-11-21T12:05:00.000Z" },
      "Lien ouvert le 21 nov. 2026 à\u00a013\u00a0h\u00a005",
    ],
    [{ state: "delivered" }, "Reçu, envoyé le 21 nov. 2026 à\u00a011\u00a0h\u00a000"],
    [{ state: "withdrawn" }, "Retiré avant l’envoi"],
    [{ state: "refused" }, "Échec d’envoi"],
  ] as const)("%j reads « %s »", (rest, words) => {
    expect(deliveryState(delivery(rest))).toBe(words);
  });

  test("a refusal says why: « Échec d’envoi : adresse inconnue »", () => {
    expect(deliveryState(refused)).toBe("Échec d’envoi\u00a0: adresse inconnue");
  });
});

test("a failure stands until a later message leaves; what was withdrawn does not count", () => {
  expect(lastFailure([refused, delivery()])).toBe("Échec d’envoi\u00a0: adresse inconnue");
  expect(lastFailure([delivery({ state: "withdrawn" }), refused])).toBe(
    "Échec d’envoi\u00a0: adresse inconnue",
  );
  expect(lastFailure([delivery({ state: "queued" }), refused])).toBeUndefined();
  expect(lastFailure([])).toBeUndefined();
  expect(lastFailure(undefined)).toBeUndefined();
});

test("only a first try is seconds away", () => {
  expect(isLeaving(delivery({ state: "queued", tries: 0 }))).toBe(true);
  expect(isLeaving(delivery({ state: "queued", tries: 1 }))).toBe(false);
  expect(isLeaving(delivery())).toBe(false);
});
