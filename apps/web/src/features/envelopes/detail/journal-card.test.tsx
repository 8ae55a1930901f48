import type { AuditEvent, ChainAnswer, Envelope } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { JournalCard } from "./journal-card.tsx";

const HEAD = "ab".repeat(32);
const envelope = {
  id: "e1",
  status: "sent",
  is_owner: true,
  recipients: [
    { id: "r1", full_name: "Théo Lenoir", role: "signer", status: "notified", signed: false },
  ],
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
  // The network alone is replaced.
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
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <JournalCard envelope={shown} />
    </QueryClientProvider>,
  );
}

test("each event has its sentence, who did it and when; what is technical comes on demand", async () => {
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
  expect(within(first).getByText("15 h 16 min 04 s · IP 192.0.2.7")).toBeDefined();
  await userEvent.click(details);
  expect(screen.queryByText(/192\.0\.2\.7/)).toBeNull();
});

test("under whom one waits for stands when the next reminder leaves", async () => {
  open({
    ...envelope,
    reminders: { every_days: 3, business_days: true, next_at: "2026-11-24T08:00:00Z" },
  });
  expect(await screen.findByText("Prochain rappel mardi 24 novembre 2026")).toBeDefined();
});

test("the unfolded journal begins at its sixth line for who reads on, and its heading once folded again", async () => {
  open();
  await userEvent.click(
    await screen.findByRole("button", { name: "Tout afficher (25 événements)" }),
  );
  await vi.waitFor(() =>
    expect(document.activeElement).toBe(screen.getAllByRole("listitem")[6] as HTMLElement),
  );
  await userEvent.click(screen.getByRole("button", { name: "Envois" }));
  await screen.findByText("Enveloppe envoyée");
  await userEvent.click(screen.getByRole("button", { name: "Replier" }));
  await vi.waitFor(() =>
    expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Historique" })),
  );
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(5);
  expect(screen.queryByRole("button", { name: "Envois" })).toBeNull();
});

test("a long journal is folded to its last five events, then comes twenty at a time", async () => {
  open();
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(5);
  await userEvent.click(screen.getByRole("button", { name: "Tout afficher (25 événements)" }));
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(20);
  await userEvent.click(
    screen.getByRole("button", { name: "Afficher les événements plus anciens" }),
  );
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(25);
  expect(screen.queryByRole("button", { name: "Afficher les événements plus anciens" })).toBeNull();
});

test("on paper a journal is whole as far as it was loaded, and says which part it is", async () => {
  open();
  expect(await screen.findAllByText("Clémence Aubry a ouvert le document")).toHaveLength(5);
  fireEvent(window, new Event("beforeprint"));
  expect(screen.getAllByText("Clémence Aubry a ouvert le document")).toHaveLength(20);
  expect(screen.getAllByText(/IP 192\.0\.2\.7/)).toHaveLength(20);
  expect(screen.getByText("Imprimé : les 20 derniers événements sur 25")).toBeDefined();
  fireEvent(window, new Event("afterprint"));
  expect(screen.getAllByText("Clémence Aubry a ouvert le document")).toHaveLength(5);
  await userEvent.click(screen.getByRole("button", { name: /^Tout afficher/ }));
  await userEvent.click(screen.getByRole("button", { name: "Envois" }));
  expect(await screen.findByText("Imprimé : « Envois » seulement")).toBeDefined();
});

test("changes that follow each other are one line, with when they began and ended", async () => {
  events = [
    event(3),
    event(2, { at: "2026-11-21T14:10:00Z" }),
    event(1, { at: "2026-11-20T09:00:00Z" }),
  ];
  open();
  expect(await screen.findByText("Enveloppe modifiée 2 fois")).toBeDefined();
  const line = screen.getByText(/depuis/).textContent?.replaceAll("\u00a0", " ");
  expect(line).toBe("21 nov. 2026 à 15 h 16, depuis 15 h 10");
});

test("the events of one kind are asked of the service", async () => {
  open();
  await userEvent.click(await screen.findByRole("button", { name: /^Tout afficher/ }));
  await userEvent.click(screen.getByRole("button", { name: "Envois" }));
  expect(await screen.findByText("Enveloppe envoyée")).toBeDefined();
  expect(asked.at(-1)?.searchParams.get("kind")).toBe("sends");
  expect(screen.queryByText("En attente de Théo Lenoir")).toBeNull();
});

test("the whole is recomputed when the journal is opened and when it is asked for, not for older events or a filter", async () => {
  open();
  await userEvent.click(await screen.findByRole("button", { name: /^Tout afficher/ }));
  await userEvent.click(
    screen.getByRole("button", { name: "Afficher les événements plus anciens" }),
  );
  await userEvent.click(screen.getByRole("button", { name: "Envois" }));
  await screen.findByText("Enveloppe envoyée");
  await userEvent.click(screen.getByRole("button", { name: "Non modifié" }));
  await userEvent.click(screen.getByRole("button", { name: "Vérifier à nouveau" }));
  const told = asked.map(({ searchParams }) => [
    searchParams.get("page"),
    searchParams.get("kind"),
    searchParams.get("verify"),
  ]);
  expect(told).toEqual([
    ["1", null, "now"],
    ["2", null, null],
    ["1", "sends", null],
    ["1", "sends", "now"],
  ]);
});

test("who is awaited is named as French has it", async () => {
  const [theo] = envelope.recipients;
  open({ ...envelope, recipients: [{ ...theo, full_name: "Anne Roy" }] } as Envelope);
  expect(await screen.findByText("En attente d’Anne Roy")).toBeDefined();
});

test("a kind without any event says so", async () => {
  open({ ...envelope, status: "cancelled" });
  await userEvent.click(await screen.findByRole("button", { name: /^Tout afficher/ }));
  await userEvent.click(await screen.findByRole("button", { name: "Signatures" }));
  expect(await screen.findByText("Aucun événement de ce genre.")).toBeDefined();
});

test("a whole journal says « Non modifié », what that means, and the head to compare with", async () => {
  open();
  await userEvent.click(await screen.findByRole("button", { name: "Non modifié" }));
  expect(
    screen.getByText(/Les 25 événements de l’historique viennent d’être recalculés/),
  ).toBeDefined();
  expect(screen.getByText(HEAD, { exact: false })).toBeDefined();
  const before = asked.length;
  await userEvent.click(screen.getByRole("button", { name: "Vérifier à nouveau" }));
  expect(asked.length).toBe(before + 1);
});

test("an altered journal says « Modifié », from which event on, and what to do", async () => {
  chain = { ok: false, count: 3, head: null, broken_at: 3 };
  open();
  await userEvent.click(await screen.findByRole("button", { name: "Modifié" }));
  expect(
    screen.getByText(/L’événement n°\s3 ne correspond plus à l’empreinte qui le scelle/),
  ).toBeDefined();
  expect(screen.getByText(/prévenez la personne qui administre le service/)).toBeDefined();
});

test("a journal that is gone is altered", async () => {
  chain = { ok: false, count: 0, head: null, broken_at: 1 };
  events = [];
  open();
  await userEvent.click(await screen.findByRole("button", { name: "Modifié" }));
  expect(screen.getByText(/ne contient plus aucun événement/)).toBeDefined();
});

test("a failure says so and may be tried again", async () => {
  down = true;
  open();
  expect(await screen.findByText("Impossible de charger l’historique.")).toBeDefined();
  down = false;
  await userEvent.click(screen.getByRole("button", { name: "Réessayer" }));
  expect(await screen.findByRole("button", { name: "Non modifié" })).toBeDefined();
});
