import type { Contact, ContactImport } from "@paraphe/contracts";
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { openPage, serve } from "../../accounts/settings/testing/open-page.tsx";
import { press } from "../../accounts/testing/forms.ts";
import { ContactsPage } from "./contacts-page.tsx";

const CONTACTS = "/api/signature/contacts/";
const THEO: Contact = {
  id: "0192f0c1-0000-7000-8000-0000000000c1",
  full_name: "Théo Lenoir",
  email: "theo@atelier.fr",
  second_email: null,
  phone_number: null,
  company: "Atelier Lenoir",
  origin: "sent",
  sent_count: 4,
  last_sent_at: "2026-11-21T10:00:00Z",
  created_at: "2026-03-03T10:00:00Z",
};
const READ: ContactImport = {
  file_name: "clients.csv",
  format: "csv",
  separator: ";",
  encoding: "utf-8",
  state: "ready",
  line_count: 213,
  new_count: 196,
  known_count: 15,
  refused_count: 1,
  written_count: 0,
  lines: [
    { line: 12, full_name: "", email: "anais@", state: "refused", note: "Adresse incomplète" },
    { line: 104, full_name: "Théo", email: "theo@atelier.fr", state: "known", note: null },
  ],
};

let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;
const listOf = (...results: readonly Contact[]) => ({
  status: 200,
  body: { count: results.length, page: 1, page_size: 20, results },
});
beforeEach(() => {
  act(clearToasts);
  answers = {
    [`GET ${CONTACTS}`]: listOf(THEO),
    [`GET ${CONTACTS}settings/`]: { status: 200, body: { keeps_sent: true } },
    [`GET ${CONTACTS}doubles/`]: { status: 200, body: { count: 0, results: [] } },
    [`GET ${CONTACTS}import/`]: { status: 200, body: { import: null } },
  };
  calls = serve(answers);
});
afterEach(() => vi.unstubAllGlobals());

const bodies = (method: string, path: string) =>
  calls.filter((call) => call.method === method && call.path === path).map(({ body }) => body);
const messages = () => currentToasts().map(({ message }) => message.replaceAll("\u00a0", " "));

test("an import's button counts what the choice for known contacts will write", async () => {
  answers[`GET ${CONTACTS}import/`] = { status: 200, body: { import: READ } };
  const done = { ...READ, state: "done", written_count: 196, lines: [] };
  answers[`POST ${CONTACTS}import/start/`] = { status: 200, body: done };
  openPage(<ContactsPage />);
  await screen.findByText("Théo Lenoir");
  await press("Importer");
  const dialog = within(await screen.findByRole("dialog", { name: "Importer des contacts" }));
  expect(dialog.getByRole("button", { name: /^Importer 211\scontacts$/ })).toBeDefined();
  expect(dialog.getByText("(sans nom)")).toBeDefined();
  expect(dialog.getByText("complétés")).toBeDefined();
  const figures = ["nouveaux", "complétés", "en double, réuni", "refusé"].map((label) =>
    Number(dialog.getByText(label).previousSibling?.textContent),
  );
  expect(figures).toEqual([196, 15, 1, 1]);
  await userEvent.selectOptions(dialog.getByLabelText("Si le contact existe"), "skip");
  expect(dialog.getByText("laissés")).toBeDefined();
  await userEvent.click(dialog.getByRole("button", { name: /^Importer 196\scontacts$/ }));
  await waitFor(() => expect(messages()).toEqual(["196 contacts importés"]));
  expect(bodies("POST", `${CONTACTS}import/start/`)).toEqual([{ existing: "skip" }]);
});

test("a file that was read once and not imported can be dropped", async () => {
  answers[`GET ${CONTACTS}import/`] = { status: 200, body: { import: READ } };
  answers[`DELETE ${CONTACTS}import/`] = { status: 204 };
  openPage(<ContactsPage />);
  await screen.findByText("Théo Lenoir");
  await press("Importer");
  await screen.findByText(/Rien n’est encore importé/);
  answers[`GET ${CONTACTS}import/`] = { status: 200, body: { import: null } };
  await press("Oublier ce fichier");
  await waitFor(() => expect(messages()).toEqual(["Fichier oublié, rien n’a été importé"]));
  expect(bodies("DELETE", `${CONTACTS}import/`)).toHaveLength(1);
  await press("Importer");
  expect(await screen.findByText("Déposez un fichier CSV ou vCard")).toBeDefined();
});

test("an import that ends while its dialog is open closes it with the same toast as a short one", async () => {
  answers[`GET ${CONTACTS}import/`] = { status: 200, body: { import: READ } };
  const running = { ...READ, state: "running", written_count: 0, lines: [] };
  answers[`POST ${CONTACTS}import/start/`] = { status: 200, body: running };
  openPage(<ContactsPage />);
  await screen.findByText("Théo Lenoir");
  await press("Importer");
  await press(/^Importer 211\scontacts$/);
  await screen.findByText(/L’import continue si vous fermez cette page/);
  const done = { ...running, state: "done", written_count: 211 };
  answers[`GET ${CONTACTS}import/`] = { status: 200, body: { import: done } };
  await waitFor(() => expect(messages()).toEqual(["211 contacts importés"]), { timeout: 5_000 });
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("an import in the background says how far it is", async () => {
  const running = { ...READ, state: "running", written_count: 100, lines: [] };
  answers[`GET ${CONTACTS}import/`] = { status: 200, body: { import: running } };
  openPage(<ContactsPage />);
  expect(await screen.findByText(/clients\.csv en cours.*100 contacts sur 211/)).toBeDefined();
});

test("a choice that cannot be saved goes back", async () => {
  openPage(<ContactsPage />);
  const choice = await screen.findByRole<HTMLInputElement>("switch");
  await waitFor(() => expect(choice.disabled).toBe(false));
  await userEvent.click(choice);
  await waitFor(() => expect(messages()).toHaveLength(1));
  expect(bodies("PUT", `${CONTACTS}settings/`)).toEqual([{ keeps_sent: false }]);
  expect(choice.checked).toBe(true);
});

test("an address that another contact has leads to their comparison, with what was typed", async () => {
  const zoe = { ...THEO, id: "0192f0c1-0000-7000-8000-0000000000c3", email: "t@perso.fr" };
  answers[`GET ${CONTACTS}`] = listOf(THEO, { ...zoe, full_name: "T. Lenoir" });
  const errors = { second_email: ["Un autre de vos contacts a déjà cette adresse."] };
  const refusal = { code: "validation", detail: "", errors };
  answers[`PUT ${CONTACTS}${THEO.id}/`] = { status: 400, body: refusal };
  answers[`POST ${CONTACTS}doubles/merge/`] = { status: 200, body: THEO };
  openPage(<ContactsPage />);
  await userEvent.click(await screen.findByRole("button", { name: "Actions pour Théo Lenoir" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Modifier" }));
  await userEvent.type(await screen.findByLabelText(/^Seconde adresse/), "T@perso.fr");
  await userEvent.type(screen.getByLabelText(/^Société/), " SARL");
  await press("Enregistrer");
  await press("Comparer avec T. Lenoir");
  const dialog = within(await screen.findByRole("dialog", { name: "Le même contact\u202f?" }));
  expect(dialog.getByText("Garder t@perso.fr comme seconde adresse")).toBeDefined();
  await userEvent.click(dialog.getByRole("button", { name: "Fusionner" }));
  await waitFor(() => expect(messages()).toEqual(["Contacts fusionnés"]));
  expect(bodies("POST", `${CONTACTS}doubles/merge/`)).toMatchObject([
    {
      first: THEO.id,
      second: zoe.id,
      contact: { email: THEO.email, second_email: "t@perso.fr", company: "Atelier Lenoir SARL" },
    },
  ]);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("two contacts become one with the chosen parts, or stay two", async () => {
  const other = {
    ...THEO,
    id: "0192f0c1-0000-7000-8000-0000000000c2",
    email: "t.lenoir@atelier.fr",
    phone_number: "+33612345678",
    company: null,
  };
  const pair = { count: 1, results: [{ first: THEO, second: other }] };
  answers[`GET ${CONTACTS}doubles/`] = { status: 200, body: pair };
  answers[`POST ${CONTACTS}doubles/merge/`] = { status: 200, body: THEO };
  openPage(<ContactsPage />);
  await screen.findByText("2 contacts semblent n’en faire qu’un.", { exact: false });
  await press("Les comparer");
  const dialog = within(await screen.findByRole("dialog", { name: /^Le même contact/ }));
  await userEvent.click(dialog.getByRole("radio", { name: "t.lenoir@atelier.fr" }));
  expect(dialog.getByText("Garder theo@atelier.fr comme seconde adresse")).toBeDefined();
  await userEvent.click(dialog.getByRole("button", { name: "Fusionner" }));
  await waitFor(() => expect(messages()).toEqual(["Contacts fusionnés"]));
  const [merge] = bodies("POST", `${CONTACTS}doubles/merge/`);
  expect(merge).toMatchObject({
    first: THEO.id,
    second: other.id,
    contact: {
      full_name: "Théo Lenoir",
      email: "t.lenoir@atelier.fr",
      second_email: "theo@atelier.fr",
      company: "Atelier Lenoir",
    },
  });
  await userEvent.click(dialog.getByRole("button", { name: "Ce sont deux personnes" }));
  expect(bodies("POST", `${CONTACTS}doubles/apart/`)).toEqual([
    { first: THEO.id, second: other.id },
  ]);
  expect(await dialog.findByRole("alert")).toBeDefined();
});
