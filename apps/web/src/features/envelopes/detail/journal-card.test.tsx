import {
  type AuditEvent,
  type ChainAnswer,
  type Envelope,
  EVENTS,
  type Recipient,
} from "@paraphe/contracts";
import { fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  JournalCard,
  journalFolds,
  journalNote,
  journalSentence,
  technicalNote,
} from "./journal-card.tsx";
import { press, pressFound, renderPart } from "../testing/page.tsx";

const HEAD = "ab".repeat(32);
const theo = {
  id: "r1",
  full_name: "Théo Lenoir",
  role: "signer",
  status: "notified",
  signed: false,
};
const envelope = {
  id: "e1",
  status: "sent",
  is_owner: true,
  recipients: [theo],
} as unknown as Envelope;
const event = (n: number, rest: Partial<AuditEvent> = {}): AuditEvent => ({
  at: "2026-11-21T14:16:04Z",
  actor: "Clémence Aubry",
  action: "envelope_updated",
  ip: "192.0.2.7",
  user_agent: null,
  detail: {},
  hash: n.toString(16).padStart(64, "0"),
  previous_hash: null,
  ...rest,
});

let chain: ChainAnswer;
let events: readonly AuditEvent[];
let asked: URL[];
let down: boolean;

beforeEach(() => {
  chain = { ok: true, count: 25, head: HEAD, broken_at: null };
  events = Array.from({ length: 25 }, (_, n) => event(25 - n, { action: "recipient_viewed" }));
  asked = [];
  down = false;
  vi.stubGlobal("fetch", async (address: string) => {
    const url = new URL(address);
    asked.push(url);
    if (down) return Response.json({}, { status: 500 });
    const kept =
      url.searchParams.get("kind") === "sends" ? [event(99, { action: "envelope_sent" })] : events;
    if (url.searchParams.get("kind") === "signatures")
      return Response.json({ count: 0, page: 1, page_size: 20, results: [], chain });
    const page = Number(url.searchParams.get("page"));
    return Response.json({
      count: kept.length,
      page,
      page_size: 20,
      results: kept.slice((page - 1) * 20, page * 20),
      chain,
    });
  });
  vi.spyOn(console, "error").mockImplementation(() => {});
});
afterEach(() => vi.unstubAllGlobals());

function open(shown: Envelope = envelope) {
  renderPart(<JournalCard envelope={shown} />);
}

test("each event has its sentence, author and time; technical details come on demand", async () => {
  events = [event(1)];
  open();
  const first = (await screen.findAllByRole("listitem"))[1] as HTMLElement;
  expect(within(first).getByText("Enveloppe modifiée")).toBeDefined();
  expect(within(first).getByText("Par Clémence Aubry")).toBeDefined();
  const time = within(first).getByText("21 nov. 2026 à 15 h 16");
  expect(time.getAttribute("datetime")).toBe("2026-11-21T14:16:04Z");
  expect(screen.getAllByRole("listitem")[0]?.textContent).toContain("En attente de Théo Lenoir");
  expect(screen.queryByRole("group", { name: "Événements affichés" })).toBeNull();
  expect(screen.queryByText(/192\.0\.2\.7/)).toBeNull();
  const details = screen.getByRole("button", { name: "Détails techniques" });
  await userEvent.click(details);
  expect(within(first).getByText("IP 192.0.2.7")).toBeDefined();
  expect(first.textContent?.match(/15\sh\s16[^I]*/g)).toEqual([
    "15\u00a0h\u00a016\u00a0min\u00a004\u00a0sPar Clémence Aubry",
  ]);
  await userEvent.click(details);
  expect(screen.queryByText(/192\.0\.2\.7/)).toBeNull();
});

test("the next reminder stands under the awaited recipient", async () => {
  open({
    ...envelope,
    reminders: { every_days: 3, business_days: true, next_at: "2026-11-24T08:00:00Z" },
  });
  await screen.findByText("Prochain rappel mardi 24 novembre 2026");
});

test("unfolding moves the focus to the sixth line, folding to the heading", async () => {
  open();
  await pressFound("Tout afficher (25 événements)");
  await vi.waitFor(() =>
    expect(document.activeElement).toBe(screen.getAllByRole("listitem")[6] as HTMLElement),
  );
  await press("Envois");
  await screen.findByText("Enveloppe envoyée");
  await press("Replier");
  await vi.waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Historique" })),
  );
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(5);
  expect(screen.queryByRole("button", { name: "Envois" })).toBeNull();
});

test("a long journal shows its last five events, then twenty at a time", async () => {
  open();
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(5);
  await press("Tout afficher (25 événements)");
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(20);
  await press("Afficher les événements plus anciens");
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(25);
  expect(screen.queryByRole("button", { name: "Afficher les événements plus anciens" })).toBeNull();
});

test("on paper the journal is unfolded and says which part of it was loaded", async () => {
  open();
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(5);
  fireEvent(window, new Event("beforeprint"));
  expect(screen.getAllByText("Clémence Aubry a ouvert le document")).toHaveLength(20);
  expect(screen.getAllByText(/IP 192\.0\.2\.7/)).toHaveLength(20);
  expect(screen.getByText("Imprimé : les 20 derniers événements sur 25")).toBeDefined();
  fireEvent(window, new Event("afterprint"));
  expect(screen.getAllByText("Clémence Aubry a ouvert le document")).toHaveLength(5);
  await press(/^Tout afficher/);
  await press("Envois");
  await screen.findByText("Imprimé : « Envois » seulement");
});

test("successive changes are one line, with their first and last time", async () => {
  events = [
    event(3),
    event(2, { at: "2026-11-21T14:10:00Z" }),
    event(1, { at: "2026-11-20T09:00:00Z" }),
  ];
  open();
  await screen.findByText("Enveloppe modifiée 2 fois");
  const line = screen.getByText(/depuis/).textContent?.replaceAll("\u00a0", " ");
  expect(line).toBe("21 nov. 2026 à 15 h 16, depuis 15 h 10");
});

test("corrections in a row are one line that names each part once, and counts none", async () => {
  const corrected = (n: number, changed: readonly string[]) =>
    event(n, { detail: { changed, correction: true } });
  events = [
    corrected(5, ["recipients"]),
    corrected(4, ["fields"]),
    corrected(3, ["documents"]),
    corrected(2, ["fields"]),
    corrected(1, ["title"]),
    event(0),
  ];
  open();
  await screen.findByText("Correction enregistrée : titre, champs, fichiers, destinataires");
  expect(screen.getByText("Enveloppe modifiée")).toBeDefined();
});

test("the filter by kind is asked of the service", async () => {
  open();
  await pressFound(/^Tout afficher/);
  await press("Envois");
  await screen.findByText("Enveloppe envoyée");
  expect(asked.at(-1)?.searchParams.get("kind")).toBe("sends");
  expect(screen.queryByText("En attente de Théo Lenoir")).toBeNull();
});

test("opening and the button recompute the chain; older events and filters do not", async () => {
  open();
  await pressFound(/^Tout afficher/);
  await press("Afficher les événements plus anciens");
  await press("Envois");
  await screen.findByText("Enveloppe envoyée");
  await press("Non modifié");
  await press("Vérifier à nouveau");
  const made = asked.map(({ searchParams }) => [
    searchParams.get("page"),
    searchParams.get("kind"),
    searchParams.get("verify"),
  ]);
  expect(made).toEqual([
    ["1", null, "now"],
    ["2", null, null],
    ["1", "sends", null],
    ["1", "sends", "now"],
  ]);
});

test("« de » is elided before the awaited recipient's vowel", async () => {
  const [theo] = envelope.recipients;
  open({ ...envelope, recipients: [{ ...theo, full_name: "Anne Roy" }] } as Envelope);
  await screen.findByText("En attente d’Anne Roy");
});

test("a kind without any event says so", async () => {
  open({ ...envelope, status: "cancelled" });
  await pressFound(/^Tout afficher/);
  await pressFound("Signatures");
  await screen.findByText("Aucun événement de ce genre.");
});

test("an intact journal says « Non modifié », what that means, and its head to compare with", async () => {
  open();
  await pressFound("Non modifié");
  expect(
    screen.getByText(/Les 25 événements de l’historique viennent d’être recalculés/),
  ).toBeDefined();
  expect(screen.getByText(HEAD, { exact: false })).toBeDefined();
  const before = asked.length;
  await press("Vérifier à nouveau");
  expect(asked.length).toBe(before + 1);
});

test("an altered journal says « Modifié », from which event on, and what to do", async () => {
  chain = { ok: false, count: 3, head: null, broken_at: 3 };
  open();
  await pressFound("Modifié");
  expect(
    screen.getByText(/L’événement n°\s3 ne correspond plus à l’empreinte qui le scelle/),
  ).toBeDefined();
  expect(screen.getByText(/prévenez la personne qui administre le service/)).toBeDefined();
});

test("a journal without events reads as altered", async () => {
  chain = { ok: false, count: 0, head: null, broken_at: 1 };
  events = [];
  open();
  await pressFound("Modifié");
  expect(screen.getByText(/ne contient plus aucun événement/)).toBeDefined();
});

test("a failure says so and may be tried again", async () => {
  down = true;
  open();
  await screen.findByText("Impossible de charger l’historique.");
  down = false;
  await press("Réessayer");
  await screen.findByRole("button", { name: "Non modifié" });
});

let folded = 0;
const change = (at: string, rest: Partial<AuditEvent> = {}) => event(++folded, { at, ...rest });
const shape = (events: readonly AuditEvent[]) =>
  journalFolds(events).map(({ event: { action }, count }) => `${action} ${count}`);

test("one person's successive changes of one day fold under the newest", () => {
  const [last, ...earlier] = [
    change("2026-11-21T12:00:00Z"),
    change("2026-11-21T11:00:00Z"),
    change("2026-11-21T10:00:00Z"),
  ];
  expect(journalFolds([last as AuditEvent, ...earlier])).toEqual([
    { event: last, count: 3, since: "2026-11-21T10:00:00Z" },
  ]);
});

test("an event between, another person, Paris day or address keeps changes apart", () => {
  const at = (hour: number) => `2026-11-21T${String(hour).padStart(2, "0")}:00:00Z`;
  expect(
    shape([change(at(12)), change(at(11), { action: "recipient_invited" }), change(at(10))]),
  ).toEqual(["envelope_updated 1", "recipient_invited 1", "envelope_updated 1"]);
  expect(shape([change(at(12)), change(at(11), { actor: "Paul Morel" })])).toHaveLength(2);
  expect(shape([change(at(12)), change(at(11), { ip: "192.0.2.9" })])).toHaveLength(2);
  const circuit = { detail: { circuit: "Baux" } };
  expect(shape([change(at(12), circuit), change(at(11))])).toHaveLength(2);
  // 23 h 30 in UTC is the next day in Paris.
  expect(shape([change("2026-11-21T23:30:00Z"), change(at(10))])).toHaveLength(2);
});

test("events other than changes are never folded", () => {
  const code = (at: string) => change(at, { action: "code_refused" });
  expect(shape([code("2026-11-21T12:00:00Z"), code("2026-11-21T11:00:00Z")])).toHaveLength(2);
});

const happened = (
  action: string,
  detail: AuditEvent["detail"] = {},
  rest: Partial<AuditEvent> = {},
) => event(1, { action, detail, ip: null, ...rest });
const people = envelope.recipients;
const said = (action: string, detail: AuditEvent["detail"] = {}) =>
  journalSentence(happened(action, detail), { recipients: people }).text;

test.each(Object.keys(EVENTS))("%s has a French sentence of its own", (action) => {
  const sentence = said(action, { recipient: "r1" });
  expect(sentence).toMatch(/^[A-ZÀ-Ý].* /u);
  expect(sentence).not.toContain("Action de");
  expect(sentence).not.toContain("_");
});

test("no two actions share a sentence", () => {
  const sentences = Object.keys(EVENTS).map((action) => said(action, { recipient: "r1" }));
  expect(new Set(sentences).size).toBe(sentences.length);
});

test("an event about a recipient names the recipient, not the actor", () => {
  expect(said("recipient_invited", { recipient: "r1" })).toBe(
    "Invitation préparée pour Théo Lenoir",
  );
  expect(
    journalSentence(happened("recipient_signed", { recipient: "r1" }), { recipients: people }).tone,
  ).toBe("done");
});

test("a removed recipient keeps the name in the journal", () => {
  expect(said("recipient_invited", { recipient: "r9", full_name: "Zoë Œuvrard" })).toBe(
    "Invitation préparée pour Zoë Œuvrard",
  );
});

test("an event names whoever had the step then", () => {
  const event = { ...happened("visa_given", { recipient: "r1" }), recipient_name: "Claire Roux" };
  expect(journalSentence(event, { recipients: people }).text).toBe("Claire Roux a donné son visa");
});

test("the journal names the channel and masked destination of each link and code", () => {
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

test("a message reads as prepared until a server has taken it", () => {
  const words = (action: string, state: string) =>
    journalSentence(happened(action, { recipient: "r1", message: "m2" }), {
      recipients: [
        {
          ...people[0],
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

test("a sending reads as sent unless no message reached anybody", () => {
  const words = (action: string, reached?: boolean) =>
    journalSentence(happened(action), {
      recipients: people,
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
  const renamed = { from_name: "Paul Morel", full_name: "Anne Roy" };
  expect(said("recipient_address_corrected", renamed)).toBe(
    "Coordonnées de Paul Morel corrigées\u00a0: Anne Roy",
  );
  expect(said("recipient_address_corrected", { ...renamed, replaced: true })).toBe(
    "Anne Roy remplace Paul Morel",
  );
  expect(said("link_frozen", { full_name: "Élodie Roy" })).toBe(
    "Lien d’Élodie Roy suspendu après trop d’erreurs",
  );
});

test("a sentence carries the event's facts", () => {
  expect(said("recipient_reminded", { recipient: "r1", automatic: true })).toBe(
    "Rappel automatique préparé pour Théo Lenoir",
  );
  expect(said("recipient_invited", { recipient: "r1", channel: "sms" })).toBe(
    "Invitation préparée pour Théo Lenoir par SMS",
  );
  expect(said("envelope_completed", { level: "B-LTA" })).toBe("Document scellé et horodaté");
  expect(said("deadline_extended", { to: "2026-12-05T22:59:59Z" })).toBe(
    "Échéance prolongée au 5\u00a0décembre 2026",
  );
  expect(said("deadline_changed", { from: null, to: "2026-12-05T22:59:59Z" })).toBe(
    "Échéance fixée au 5\u00a0décembre 2026",
  );
  expect(
    said("deadline_changed", { from: "2026-12-01T22:59:59Z", to: "2026-12-05T22:59:59Z" }),
  ).toBe("Échéance déplacée au 5\u00a0décembre 2026");
  expect(said("deadline_changed", { from: "2026-12-01T22:59:59Z", to: null })).toBe(
    "Échéance retirée",
  );
  expect(said("deadline_announced", { deadline: "2026-12-05T22:59:59Z" })).toBe(
    "Nouvelle échéance annoncée\u00a0: 5\u00a0décembre 2026",
  );
  expect(said("reminders_changed", { from: null, to: 3 })).toBe(
    "Rappels automatiques\u00a0: tous les 3\u00a0jours",
  );
  expect(said("reminders_changed", { from: 3, to: 1 })).toBe(
    "Rappels automatiques\u00a0: tous les jours",
  );
  expect(said("reminders_changed", { from: 3, to: null })).toBe("Rappels automatiques arrêtés");
});

test("a choice of circuit names it", () => {
  const words = "Circuit «\u00a0Baux\u00a0» appliqué";
  expect(said("envelope_updated", { circuit: "Baux" })).toBe(words);
  expect(said("envelope_updated", { circuit: null })).toBe("Aucun circuit choisi");
});

test("an action the client does not know is still shown", () => {
  for (const unknown of ["teleported", "toString", "__proto__"])
    expect(said(unknown)).toBe("Action de Clémence Aubry");
});

test("the note names an actor not yet named, and the reason of a refusal", () => {
  const sender = "Clémence Aubry";
  const changed = happened("envelope_updated", {}, { actor: "Paul Morel" });
  const words = { sender, sentence: "Enveloppe modifiée" };
  expect(journalNote(changed, words)).toBe("Par Paul Morel");
  expect(journalNote(happened("envelope_updated"), words)).toBe("");
  expect(journalNote(changed, { sender, sentence: "Paul Morel a ouvert le document" })).toBe("");
  const refusal = happened("envelope_declined", { reason: "Clause 4" });
  expect(journalNote(refusal, words)).toBe("Motif\u00a0: Clause 4");
});

test("technical details are the owner's view of the address, the signed hashes and the level", () => {
  const said = (shown: AuditEvent, isOwner = true) =>
    technicalNote(shown, { is_owner: isOwner }).replaceAll("\u00a0", " ");
  const hash = `9f2c${"0".repeat(58)}e1`;
  const signed = happened("recipient_signed", { documents: [`d1:${hash}`] }, { ip: "192.0.2.7" });
  expect(said(signed)).toBe("IP 192.0.2.7 · SHA-256 : 9f2c…e1");
  expect(said(signed, false)).toBe("SHA-256 : 9f2c…e1");
  expect(said(happened("envelope_completed", { level: "B-LTA" }))).toBe("PAdES B-LTA");
});

test("one consent for many documents says so in the journal of each", () => {
  expect(said("consent_given", { recipient: "r1", method: "bulk" })).toBe(
    "Théo Lenoir a donné son consentement, pour un lot de documents",
  );
  expect(said("consent_given", { recipient: "r1", method: "self" })).toBe(
    "Théo Lenoir a donné son consentement",
  );
});
