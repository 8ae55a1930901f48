import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { makeEnvelope, makeRecipient } from "../prepare/testing/make-envelope.ts";
import { RemindButton } from "./remind-button.tsx";
import { press, renderPart } from "../testing/page.tsx";

const COME = { email: "come@exemple.fr", full_name: "Côme Œuvrard" };
const recipients = [
  makeRecipient({ id: "r1", ...COME, status: "notified" }),
  makeRecipient({
    id: "r2",
    ...COME,
    full_name: "Comptabilité",
    role: "viewer",
    status: "waiting",
  }),
];
const NOW = new Date("2026-11-21T14:16:30Z");
let answer: { status: number; body: object; headers?: Record<string, string> };

beforeEach(() => {
  act(clearToasts);
  vi.setSystemTime(NOW);
  answer = { status: 200, body: { reminded: [COME.email] } };
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("fetch", async () => Response.json(answer.body, answer));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function show(remind_at: string | null = null) {
  renderPart(<RemindButton envelope={makeEnvelope({ recipients, remind_at })} />);
}
const button = () => screen.getByRole("button");
const remind = async () => {
  await press("Envoyer un rappel");
  await press("Envoyer");
};
const toasts = () => currentToasts().map(({ kind, message }) => [kind, message]);
const said = () =>
  document
    .getElementById(button().getAttribute("aria-describedby") ?? "")
    ?.textContent?.replaceAll("\u00a0", " ");

test("a reminder names its recipient, not others at that address, and the button rests", async () => {
  show();
  await remind();
  await vi.waitFor(() => expect(toasts()).toEqual([["ok", "Rappel envoyé à Côme Œuvrard"]]));
  expect(button().getAttribute("aria-disabled")).toBe("true");
});

test("a reminder says to whom it goes before it leaves", async () => {
  show();
  const asked = vi.spyOn(globalThis, "fetch");
  await press("Envoyer un rappel");
  const dialog = screen.getByRole("alertdialog", { name: "Envoyer un rappel\u202f?" });
  expect(dialog.textContent).toContain("Il part aussitôt, à Côme Œuvrard.");
  await press("Annuler");
  expect(asked).not.toHaveBeenCalled();
});

test("a resting button keeps the focus and says until when it rests", async () => {
  show();
  button().focus();
  await userEvent.keyboard("{Enter}");
  await userEvent.keyboard("{Enter}");
  await vi.waitFor(() => expect(button().getAttribute("aria-disabled")).toBe("true"));
  expect(document.activeElement).toBe(button());
  expect(said()).toMatch(/^Nouvel envoi possible dans \d+ s$/);
});

test.each([
  ["2026-11-21T15:12:10Z", "Nouvel envoi possible à 16 h 13"],
  ["2026-11-22T08:00:00Z", "Nouvel envoi possible le 22 nov. 2026 à 09 h 00"],
  ["2026-11-21T14:17:00Z", "Nouvel envoi possible dans 30 s"],
])("a page opened while the service takes no reminder before %s says so", (remind_at, sentence) => {
  show(remind_at);
  act(() => button().focus());
  expect([button().textContent, button().getAttribute("aria-disabled")]).toEqual([
    "Envoyer un rappel",
    "true",
  ]);
  expect(said()).toBe(sentence);
});

test("a past moment does not block a reminder", () => {
  show("2026-11-21T14:16:00Z");
  expect(button().getAttribute("aria-disabled")).not.toBe("true");
});

test.each([
  [500, {}, "Impossible de relancer l'enveloppe"],
  [
    429,
    { detail: "Un rappel a déjà été envoyé il y a moins d’une heure." },
    "Un rappel a déjà été envoyé il y a moins d’une heure.",
  ],
])("a reminder refused with %i %j says '%s'", async (status, body, sentence) => {
  answer = { status, body };
  show();
  await remind();
  await vi.waitFor(() => expect(toasts()).toEqual([["err", sentence]]));
});

test("a refusal with Retry-After lets the button rest until then", async () => {
  answer = {
    status: 429,
    body: { detail: "Un rappel a déjà été envoyé il y a moins d’une heure." },
    headers: { "Retry-After": "3000" },
  };
  show();
  await remind();
  await vi.waitFor(() => expect(button().getAttribute("aria-disabled")).toBe("true"));
  expect(said()).toBe("Nouvel envoi possible à 16 h 07");
  expect(currentToasts().map(({ detail }) => detail)).toEqual([
    "Nouvel envoi possible à 16\u00a0h\u00a007.",
  ]);
});
