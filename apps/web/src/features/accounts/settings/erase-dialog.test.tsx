import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { sessionQuery } from "../use-session.ts";
import { DataCard } from "./data-card.tsx";
import { openPage, serve } from "./testing/open-page.tsx";
import { buttonNamed, press } from "../testing/forms.ts";

const ERASE = "DELETE /api/signature/me/";
let answers: Parameters<typeof serve>[0];
let calls: ReturnType<typeof serve>;

beforeEach(() => {
  act(clearToasts);
  answers = {};
  calls = serve(answers);
});
afterEach(() => vi.unstubAllGlobals());

async function openDialog() {
  const client = openPage(<DataCard />);
  await press("Supprimer");
  // The dialog is a chunk of its own.
  await screen.findByRole("alertdialog");
  return client;
}
const dialog = () =>
  within(screen.getByRole("alertdialog", { name: "Supprimer votre compte\u202f?" }));
const confirm = () =>
  userEvent.click(dialog().getByRole("button", { name: "Supprimer mon compte" }));
const asked = () => calls.filter(({ method }) => method === "DELETE").map(({ body }) => body);

test("says what goes, what stays and why, and asks for the password", async () => {
  await openDialog();
  const text = screen.getByRole("alertdialog").textContent ?? "";
  expect(text).toContain("vos brouillons et votre corbeille, avec leurs fichiers");
  expect(text).toContain(
    "10\u00a0ans après la dernière signature\u00a0: elles permettent à chaque partie de prouver qui a signé quoi, et quand",
  );
  expect(
    dialog()
      .getByRole("link", { name: /^Ce qui est conservé, et pourquoi/ })
      .getAttribute("href"),
  ).toBe("/confidentialite");
  expect(document.activeElement).toBe(dialog().getByLabelText("Mot de passe"));
  await confirm();
  expect(await dialog().findByText("Mot de passe requis")).toBeDefined();
  expect(asked()).toEqual([]);
});

test("cancelling returns the focus and calls nothing", async () => {
  await openDialog();
  await userEvent.keyboard("{Escape}");
  expect(screen.queryByRole("alertdialog")).toBeNull();
  expect(document.activeElement).toBe(buttonNamed("Supprimer"));
  expect(asked()).toEqual([]);
});

test("a wrong password says so under its field, and can be typed again", async () => {
  answers[ERASE] = {
    status: 400,
    body: {
      code: "validation",
      detail: "Vérifiez les champs.",
      errors: { password: ["Mot de passe incorrect"] },
    },
  };
  await openDialog();
  await userEvent.type(dialog().getByLabelText("Mot de passe"), "autre{Enter}");
  expect(await dialog().findByText("Mot de passe incorrect")).toBeDefined();
  expect(document.activeElement).toBe(dialog().getByLabelText("Mot de passe"));
});

test("envelopes that wait for signatures are named; cancelling them too is a choice of its own", async () => {
  answers[ERASE] = {
    status: 409,
    body: {
      code: "open_envelopes",
      detail: "Des enveloppes que vous avez envoyées attendent encore des signatures.",
      open_count: 7,
      open_envelopes: [1, 2, 3, 4, 5, 6, 7].map((number) => ({
        id: `${number}`,
        title: `Bail ${number}`,
      })),
    },
  };
  await openDialog();
  await userEvent.type(dialog().getByLabelText("Mot de passe"), "Plume-1852");
  await confirm();
  expect(
    await dialog().findByText(
      "Des enveloppes que vous avez envoyées attendent encore des signatures.",
    ),
  ).toBeDefined();
  expect(dialog().getByText("Bail 1")).toBeDefined();
  expect(dialog().getByText("et 2 autres")).toBeDefined();
  const choice = dialog().getByRole("checkbox", {
    name: "Annuler aussi ces 7 enveloppes. Leurs destinataires seront prévenus.",
  });
  expect((choice as HTMLInputElement).checked).toBe(false);
  await userEvent.click(choice);
  answers[ERASE] = { status: 204 };
  await confirm();
  expect(await screen.findByText("Arrivée")).toBeDefined();
  expect(asked()).toEqual([
    { password: "Plume-1852", cancel_open: false },
    { password: "Plume-1852", cancel_open: true },
  ]);
});

test("once erased, the session is forgotten, the login page opens and says so", async () => {
  answers[ERASE] = { status: 204 };
  const client = await openDialog();
  await userEvent.type(dialog().getByLabelText("Mot de passe"), "Plume-1852");
  await confirm();
  expect(await screen.findByText("Arrivée")).toBeDefined();
  expect(client.getQueryData(sessionQuery.queryKey)).toBeNull();
  expect(currentToasts().map(({ message }) => message)).toEqual(["Votre compte est supprimé"]);
});

test("another refusal is shown in the dialog, which stays", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  answers[ERASE] = { status: 500 };
  await openDialog();
  await userEvent.type(dialog().getByLabelText("Mot de passe"), "Plume-1852");
  await confirm();
  await waitFor(() =>
    expect(dialog().getByRole("alert").textContent).toBe("Impossible de supprimer le compte"),
  );
});
