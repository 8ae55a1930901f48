import type { Recipient } from "@paraphe/contracts";
import { afterEach, expect, test } from "vitest";
import { rememberServiceRules } from "../../lib/service-rules.ts";
import { openedWord, sentWords, tellingWords, unreachedCount } from "./reached-words.ts";

const person = (full_name: string, status: Recipient["status"]) =>
  ({ full_name, status }) as Recipient;
const OPEN = { kind: "open", domains: [] };
afterEach(() => rememberServiceRules({ registration: OPEN, mail: true }));

test("an envelope is sent to those whom a message reached; whom none did is named", () => {
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

test("its page says « Envoyé » of what was sent, and of nothing else", () => {
  const sent_at = "2026-11-21T10:00:00.000Z";
  expect(openedWord({ sent_at: null })).toBe("Créé");
  expect(openedWord({ sent_at })).toBe("Envoyé");
  expect(openedWord({ sent_at, reached: true })).toBe("Envoyé");
  expect(openedWord({ sent_at, reached: false })).toBe("Ouvert à la signature");
});

test("a row counts those whom nobody told", () => {
  expect(unreachedCount({ recipients: [person("a", "notified")] })).toBe("");
  expect(unreachedCount({ recipients: [person("a", "unreached"), person("b", "signed")] })).toBe(
    "1\u00a0pas encore prévenu",
  );
  expect(unreachedCount({ recipients: [person("a", "unreached"), person("b", "unreached")] })).toBe(
    "2\u00a0pas encore prévenus",
  );
});

test("where the service sends no mail it is for the sender to tell people", () => {
  expect(tellingWords("Elles seront prévenues.", "les personnes attendues")).toBe(
    "Elles seront prévenues.",
  );
  rememberServiceRules({ registration: OPEN, mail: false });
  expect(tellingWords("Elles seront prévenues.", "les personnes attendues")).toBe(
    "Ce service n’envoie pas d’email\u00a0: prévenez vous-même les personnes attendues.",
  );
});
