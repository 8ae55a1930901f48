import type { Envelope } from "@paraphe/contracts";
import { act, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, describe, expect, it, test, vi } from "vitest";
import { clearToasts } from "../../../ui/toast/toast-store.ts";
import { extendedDay } from "./deadline-dialog.tsx";
import { DetailActions } from "./detail-actions.tsx";
import { RemindersFact } from "./facts-card.tsx";
import { renderPart, toasts } from "../testing/page.tsx";

const ENVELOPE = {
  id: "e1",
  version: 3,
  title: "Bail",
  status: "expired",
  is_owner: true,
  deadline_at: "2026-11-20T22:59:59Z",
  documents: [],
  recipients: [],
  reminders: { every_days: 3, business_days: true, next_at: null },
} as unknown as Envelope;
let calls: { call: string; body: unknown }[];
let answer: { status: number; body: object };

beforeEach(() => {
  act(clearToasts);
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-11-21T10:00:00Z") });
  calls = [];
  answer = {
    status: 200,
    body: { ...ENVELOPE, status: "sent", deadline_at: "2026-11-28T22:59:59Z" },
  };
  vi.stubGlobal(
    "fetch",
    async (address: string, { body, method = "GET" }: { body?: string; method?: string }) => {
      const { pathname } = new URL(address);
      const call = /^\/api\/signature\/envelopes\/e1\/(extend|deadline|reminders)\/$/u.exec(
        pathname,
      )?.[1];
      if (call !== undefined)
        calls.push({ call: `${method} ${call}`, body: JSON.parse(body ?? "null") });
      return Response.json(answer.body, { status: answer.status });
    },
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function show(envelope: Partial<Envelope> = {}) {
  renderPart(
    <MemoryRouter>
      <DetailActions envelope={{ ...ENVELOPE, ...envelope }} withQr />
    </MemoryRouter>,
  );
}
const user = userEvent.setup();
const press = (name: string | RegExp) => user.click(screen.getByRole("button", { name }));
const choose = async (name: string) => {
  await press("Plus d’actions");
  await user.click(screen.getByRole("menuitem", { name }));
};
/** The dialog is a chunk of its own. */
const open = async (name: string) => {
  await choose(name);
  return screen.findByRole("dialog");
};
const EXTEND = "Prolonger de 7\u00a0jours";

test("an expired envelope gets a week more in one press, and the toast names the day", async () => {
  show();
  await press(EXTEND);
  expect(calls).toEqual([{ call: "POST extend", body: {} }]);
  await vi.waitFor(() =>
    expect(toasts()).toEqual(["Échéance prolongée au samedi 28\u00a0novembre 2026"]),
  );
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a coming deadline gets a week more in one press of the menu, or shows the refusal", async () => {
  answer = {
    status: 429,
    body: {
      status: 429,
      code: "too_many_requests",
      detail: "Trop de demandes. Réessayez dans une heure.",
    },
  };
  show({ status: "sent", deadline_at: "2026-11-25T22:59:59Z" });
  expect(screen.queryByRole("button", { name: EXTEND })).toBeNull();
  await choose(EXTEND);
  expect(calls).toEqual([{ call: "POST extend", body: {} }]);
  await vi.waitFor(() => expect(toasts()).toEqual(["Trop de demandes. Réessayez dans une heure."]));
});

test("an expired envelope is extended to a date, under which the service's refusal stands", async () => {
  const year = new Date().getUTCFullYear() + 1;
  show();
  const dialog = await open("Prolonger à une autre date");
  expect(within(dialog).getByRole("heading", { name: "Prolonger l’échéance" })).toBeDefined();
  expect(within(dialog).getByText(/Les liens déjà envoyés fonctionneront à nouveau/)).toBeDefined();
  expect(within(dialog).queryByRole("button", { name: "Aucune" })).toBeNull();
  await press("Une date");
  await press("Prolonger");
  expect(screen.getByText("Date invalide")).toBeDefined();
  answer = {
    status: 400,
    body: {
      code: "validation",
      detail: "…",
      errors: { deadline_at: ["L’échéance doit être après l’actuelle"] },
    },
  };
  await user.type(screen.getByRole("textbox", { name: "Nouvelle échéance" }), `01/02/${year}`);
  await press("Prolonger");
  await screen.findByText("L’échéance doit être après l’actuelle");
  expect(calls).toEqual([
    { call: "POST extend", body: { deadline_at: `${year}-02-01T22:59:59.000Z` } },
  ]);
});

test("an envelope without a deadline gets one counted from today", async () => {
  show({ status: "sent", deadline_at: null });
  await open("Modifier l’échéance");
  await press("14\u00a0jours");
  expect(screen.getByText("samedi 5 décembre 2026")).toBeDefined();
  await press("Enregistrer");
  expect(calls).toEqual([
    { call: "PUT deadline", body: { deadline_at: "2026-12-05T22:59:59.000Z" } },
  ]);
  await vi.waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a deadline moves earlier or later, but not into the past nor beyond two years", async () => {
  show({ status: "pending", deadline_at: "2026-12-25T22:59:59Z" });
  await open("Modifier l’échéance");
  await press("Une date");
  const date = screen.getByRole("textbox", { name: "Nouvelle échéance" });
  for (const [typed, fault] of [
    ["20/11/2026", "L'échéance doit être dans le futur"],
    ["01/02/2030", "L’échéance doit être dans les deux ans"],
  ] as const) {
    await user.clear(date);
    await user.type(date, typed);
    expect(screen.getByText(fault)).toBeDefined();
    expect(screen.queryByText(/À signer avant/)).toBeNull();
    await press("Enregistrer");
    expect(screen.getByText(fault)).toBeDefined();
    expect(document.activeElement).toBe(date);
  }
  await user.clear(date);
  await user.type(date, "01/12/2026");
  await press("Enregistrer");
  expect(calls).toEqual([
    { call: "PUT deadline", body: { deadline_at: "2026-12-01T22:59:59.000Z" } },
  ]);
});

test("a deadline is removed without notifying anybody", async () => {
  answer = { status: 200, body: { ...ENVELOPE, status: "sent", deadline_at: null } };
  show({ status: "sent", deadline_at: "2026-12-25T22:59:59Z" });
  await open("Modifier l’échéance");
  await press("Aucune");
  expect(
    screen.getByText("Les liens déjà envoyés restent valables. Personne n’est prévenu."),
  ).toBeDefined();
  await press("Enregistrer");
  expect(calls).toEqual([{ call: "PUT deadline", body: { deadline_at: null } }]);
  await vi.waitFor(() => expect(toasts()).toEqual(["Échéance retirée"]));
});

test("reminders change or stop after the sending, and a failure leaves the choice in place", async () => {
  show({ status: "sent", deadline_at: null });
  await open("Modifier les rappels");
  const select = screen.getByRole<HTMLSelectElement>("combobox", { name: "Rappel automatique" });
  expect(select.selectedOptions[0]?.text).toBe("Tous les 3 jours");
  expect(document.activeElement).toBe(select);
  await user.selectOptions(select, "Toutes les semaines");
  answer = { status: 500, body: {} };
  await press("Enregistrer");
  await screen.findByText("Les rappels n’ont pas été changés. Réessayez.");
  answer = { status: 200, body: ENVELOPE };
  await press("Enregistrer");
  await vi.waitFor(() => expect(toasts()).toEqual(["Rappels automatiques enregistrés"]));
  expect(calls.map(({ body }) => body)).toEqual([{ every_days: 7 }, { every_days: 7 }]);
  await open("Modifier les rappels");
  await user.selectOptions(screen.getByRole("combobox", { name: "Rappel automatique" }), "Aucun");
  await press("Enregistrer");
  await vi.waitFor(() =>
    expect(calls.at(-1)).toEqual({ call: "PUT reminders", body: { every_days: null } }),
  );
});

test("a completed envelope, or another user's, offers no change of deadline or reminders", async () => {
  show({ is_owner: false });
  expect(screen.queryByRole("button", { name: EXTEND })).toBeNull();
  expect(screen.queryByRole("button", { name: "Plus d’actions" })).toBeNull();
  show({ status: "completed" });
  await press("Plus d’actions");
  for (const name of [EXTEND, "Modifier l’échéance", "Modifier les rappels"])
    expect(screen.queryByRole("menuitem", { name })).toBeNull();
});

test("the sender sees when the next reminder leaves, in Paris time", () => {
  const { container } = render(
    <RemindersFact
      reminders={{ every_days: 3, business_days: true, next_at: "2026-11-24T08:00:00Z" }}
    />,
  );
  expect(container.textContent?.replaceAll("\u00a0", " ")).toBe(
    "Tous les 3 jours, les jours ouvrésProchain rappel le 24 novembre 2026 à 09 h 00",
  );
});

const now = new Date("2026-11-21T10:00:00Z");

describe("the extended deadline", () => {
  it("the extended day counts from a coming deadline, or from today once it has passed", () => {
    expect(extendedDay("2026-11-28T22:59:59Z", { days: 7, now })).toBe("2026-12-05");
    expect(extendedDay("2026-11-20T22:59:59Z", { days: 7, now })).toBe("2026-11-28");
    expect(extendedDay(null, { days: 30, now })).toBe("2026-12-21");
  });
  it("the extended day is a Paris day, over midnight and the change of hour", () => {
    expect(extendedDay("2027-03-27T23:30:00Z", { days: 7, now })).toBe("2027-04-04");
  });
});
