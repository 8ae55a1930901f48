import { type AuditEvent, EVENTS, type Recipient } from "@paraphe/contracts";
import { expect, test } from "vitest";
import { journalNote, journalSentence, technicalNote } from "./journal-card.tsx";

const theo = { id: "r1", full_name: "Théo Lenoir" } as Recipient;
const event = (
  action: string,
  detail: AuditEvent["detail"] = {},
  rest: Partial<AuditEvent> = {},
): AuditEvent => ({
  at: "2026-11-21T11:38:00Z",
  actor: "Clémence Aubry-Lefèvre",
  action,
  ip: null,
  user_agent: null,
  detail,
  hash: "0".repeat(64),
  previous_hash: null,
  ...rest,
});
const said = (action: string, detail: AuditEvent["detail"] = {}) =>
  journalSentence(event(action, detail), { recipients: [theo] }).text;

test.each(Object.keys(EVENTS))("%s has a French sentence of its own", (action) => {
  const sentence = said(action, { recipient: "r1" });
  expect(sentence).toMatch(/^[A-ZÀ-Ý].* /u);
  expect(sentence).not.toContain("Action de");
  expect(sentence).not.toContain("_");
});

test("no two actions are told by the same words", () => {
  const sentences = Object.keys(EVENTS).map((action) => said(action, { recipient: "r1" }));
  expect(new Set(sentences).size).toBe(sentences.length);
});

test("an event about a recipient names that recipient, not who acted", () => {
  expect(said("recipient_invited", { recipient: "r1" })).toBe(
    "Invitation préparée pour Théo Lenoir",
  );
  expect(
    journalSentence(event("recipient_signed", { recipient: "r1" }), { recipients: [theo] }).tone,
  ).toBe("done");
});

test("somebody who has left the list keeps the name the journal knew", () => {
  expect(said("recipient_invited", { recipient: "r9", full_name: "Zoë Œuvrard" })).toBe(
    "Invitation préparée pour Zoë Œuvrard",
  );
});

test("the journal says by which way, and to which masked address or number, each link and each code went", () => {
  const sms = { recipient: "r1", channel: "sms", destination: "06 •• •• •• 78" };
  expect(said("recipient_invited", sms)).toBe(
    "Invitation préparée pour Théo Lenoir par SMS (06 •• •• •• 78)",
  );
  expect(
    said("code_sent", { recipient: "r1", channel: "email", destination: "t•••@exemple.fr" }),
  ).toBe("Code à usage unique envoyé à Théo Lenoir par email (t•••@exemple.fr)");
  expect(said("code_verified", { recipient: "r1", channel: "email", link_channel: "sms" })).toBe(
    "Code vérifié pour Théo Lenoir\u00a0: code reçu par email, lien reçu par SMS",
  );
});

test("a message is told as prepared until a server has taken it", () => {
  const words = (action: string, state: string) =>
    journalSentence(event(action, { recipient: "r1", message: "m2" }), {
      recipients: [
        {
          ...theo,
          deliveries: [
            { id: "m1", state: "sent" },
            { id: "m2", state },
          ],
        } as Recipient,
      ],
    }).text;
  for (const state of ["queued", "refused", "withdrawn"]) {
    expect(words("recipient_invited", state)).toBe("Invitation préparée pour Théo Lenoir");
    expect(words("recipient_reminded", state)).toBe("Rappel préparé pour Théo Lenoir");
  }
  for (const state of ["sent", "delivered"]) {
    expect(words("recipient_invited", state)).toBe("Lien envoyé à Théo Lenoir");
    expect(words("recipient_reminded", state)).toBe("Rappel envoyé à Théo Lenoir");
  }
});

test("what asks everybody is told as sent unless no message told anybody", () => {
  const words = (action: string, reached?: boolean) =>
    journalSentence(event(action), {
      recipients: [theo],
      ...(reached === undefined ? {} : { reached }),
    }).text;
  for (const reached of [undefined, true]) {
    expect(words("envelope_sent", reached)).toBe("Enveloppe envoyée");
    expect(words("deadline_announced", reached)).toBe("Nouvelle échéance annoncée");
  }
  expect(words("envelope_sent", false)).toBe("Enveloppe ouverte à la signature");
  expect(words("deadline_announced", false)).toBe("Nouvelle échéance");
});

test("« de » is elided before a name that begins with a vowel", () => {
  expect(said("recipient_address_corrected", { full_name: "Anne Roy" })).toBe(
    "Coordonnées d’Anne Roy corrigées",
  );
  expect(said("link_frozen", { full_name: "Élodie Roy" })).toBe(
    "Lien d’Élodie Roy suspendu après trop d’erreurs",
  );
});

test("facts of the event stand in its sentence", () => {
  expect(said("recipient_reminded", { recipient: "r1", automatic: true })).toBe(
    "Rappel automatique préparé pour Théo Lenoir",
  );
  expect(said("recipient_invited", { recipient: "r1", channel: "sms" })).toBe(
    "Invitation préparée pour Théo Lenoir par SMS",
  );
  expect(said("envelope_completed", { level: "B-LTA" })).toBe("Document scellé et horodaté");
  expect(said("deadline_extended", { to: "2026-12-05T22:59:59Z" })).toBe(
    "Échéance prolongée au 5 décembre 2026",
  );
  expect(said("deadline_changed", { from: null, to: "2026-12-05T22:59:59Z" })).toBe(
    "Échéance fixée au 5 décembre 2026",
  );
  expect(
    said("deadline_changed", { from: "2026-12-01T22:59:59Z", to: "2026-12-05T22:59:59Z" }),
  ).toBe("Échéance déplacée au 5 décembre 2026");
  expect(said("deadline_changed", { from: "2026-12-01T22:59:59Z", to: null })).toBe(
    "Échéance retirée",
  );
  expect(said("deadline_announced", { deadline: "2026-12-05T22:59:59Z" })).toBe(
    "Nouvelle échéance annoncée\u00a0: 5 décembre 2026",
  );
  expect(said("reminders_changed", { from: null, to: 3 })).toBe(
    "Rappels automatiques\u00a0: tous les 3\u00a0jours",
  );
  expect(said("reminders_changed", { from: 3, to: 1 })).toBe(
    "Rappels automatiques\u00a0: tous les jours",
  );
  expect(said("reminders_changed", { from: 3, to: null })).toBe("Rappels automatiques arrêtés");
});

test("an action the client does not know is still shown", () => {
  for (const unknown of ["teleported", "toString", "__proto__"])
    expect(said(unknown)).toBe("Action de Clémence Aubry-Lefèvre");
});

test("under the sentence stand who acted, if neither it nor the envelope says so, and why it was refused", () => {
  const sender = "Clémence Aubry-Lefèvre";
  const changed = event("envelope_updated", {}, { actor: "Paul Morel" });
  const words = { sender, sentence: "Enveloppe modifiée" };
  expect(journalNote(changed, words)).toBe("Par Paul Morel");
  expect(journalNote(event("envelope_updated"), words)).toBe("");
  expect(journalNote(changed, { sender, sentence: "Paul Morel a ouvert le document" })).toBe("");
  const refusal = event("envelope_declined", { reason: "Clause 4" });
  expect(journalNote(refusal, words)).toBe("Motif\u00a0: Clause 4");
});

test("the technical details are the second, the address for the owner alone, the hashes signed and the level", () => {
  const said = (shown: AuditEvent, isOwner = true) =>
    technicalNote(shown, { is_owner: isOwner }).replaceAll("\u00a0", " ");
  const hash = `9f2c${"0".repeat(58)}e1`;
  const signed = event("recipient_signed", { documents: [`d1:${hash}`] }, { ip: "192.0.2.7" });
  expect(said(signed)).toBe("12 h 38 min 00 s · IP 192.0.2.7 · SHA-256 : 9f2c…e1");
  expect(said(signed, false)).toBe("12 h 38 min 00 s · SHA-256 : 9f2c…e1");
  expect(said(event("envelope_completed", { level: "B-LTA" }))).toBe(
    "12 h 38 min 00 s · PAdES B-LTA",
  );
});

test("one consent for many documents says so in the journal of each", () => {
  expect(said("consent_given", { recipient: "r1", method: "bulk" })).toBe(
    "Théo Lenoir a donné son consentement, pour un lot de documents",
  );
  expect(said("consent_given", { recipient: "r1", method: "self" })).toBe(
    "Théo Lenoir a donné son consentement",
  );
});
