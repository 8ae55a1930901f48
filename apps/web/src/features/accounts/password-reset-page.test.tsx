import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { PasswordResetPage } from "./password-reset-page.tsx";
import { buttonNamed, fill, linkTo } from "./testing/forms.ts";

const open = () =>
  render(
    <MemoryRouter>
      <PasswordResetPage />
    </MemoryRouter>,
  );

let status: number;
let asked: unknown[];

beforeEach(() => {
  status = 200;
  asked = [];
  vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (url: string, { body }: { body?: unknown }) => {
    if (new URL(url).pathname === "/api/signature/password-reset/")
      asked.push(JSON.parse(String(body)));
    return Response.json({}, { status });
  });
  sessionStorage.clear();
  open();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const send = () => buttonNamed("Envoyer le lien");

test("the email is required and must be valid; the button waits for it", async () => {
  expect(send().getAttribute("aria-disabled")).toBe("true");
  await userEvent.click(screen.getByLabelText("Email"));
  await userEvent.tab();
  expect(await screen.findByText("Email requis")).toBeDefined();
  await fill("Email", "pauline@");
  expect(await screen.findByText("Email invalide")).toBeDefined();
  await userEvent.click(send());
  expect(asked).toEqual([]);
});

test("the answer does not reveal an account, and sending again waits 60 seconds", async () => {
  await fill("Email", "pauline@exemple.fr");
  await userEvent.click(send());
  expect(
    await screen.findByText(
      "Si un compte existe pour cet email, un lien de réinitialisation a été envoyé.",
    ),
  ).toBeDefined();
  const again = buttonNamed("Renvoyer l'email");
  expect(again.getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByRole("timer").textContent).toBe("Nouvel envoi possible dans 60 s");
  fireEvent.click(again);
  expect(asked).toEqual([{ email: "pauline@exemple.fr" }]);

  const sentAt = Date.now();
  const clock = vi.spyOn(Date, "now").mockReturnValue(sentAt + 58_000);
  expect(await screen.findByText(/^Nouvel envoi possible dans [12] s$/)).toBeDefined();
  clock.mockReturnValue(sentAt + 61_000);
  await vi.waitFor(() => expect(again.getAttribute("aria-disabled")).toBeNull());
  await act(async () => fireEvent.click(again));
  await vi.waitFor(() => expect(asked).toHaveLength(2));
});

test("the wait outlives a reload, and ends in time", async () => {
  await fill("Email", "pauline@exemple.fr");
  await userEvent.click(send());
  await screen.findByRole("timer");
  cleanup();
  open();
  expect(screen.getByRole("timer").textContent).toMatch(
    /^Nouvel envoi possible dans (60|59|58) s$/,
  );
  await fill("Email", "pauline@exemple.fr");
  await userEvent.click(send());
  expect(asked).toHaveLength(1);
  cleanup();
  const sentAt = Date.now();
  vi.spyOn(Date, "now").mockReturnValue(sentAt + 61_000);
  open();
  expect(screen.queryByRole("timer")).toBeNull();
});

test.each(["demain", "99999999999999"])(
  "a kept wait that cannot be, %s, holds nobody",
  async (kept) => {
    cleanup();
    sessionStorage.setItem("paraphe-reset-again-at", kept);
    open();
    expect(screen.queryByRole("timer")).toBeNull();
  },
);

test("a failure says 'Erreur lors de la demande.' and leaves the button", async () => {
  status = 500;
  await fill("Email", "pauline@exemple.fr");
  await userEvent.click(send());
  expect((await screen.findByRole("alert")).textContent).toBe("Erreur lors de la demande.");
  expect(send().getAttribute("aria-disabled")).toBeNull();
});

test("the help is closed at first and says that the link is valid 24 hours; a link leads back to login", async () => {
  const help = screen.getByText(/^Vous ne recevez rien/).closest("details");
  expect(help?.open).toBe(false);
  expect(help?.textContent).toContain("Le lien de réinitialisation est valable 24 heures.");
  expect(linkTo("Retour à la connexion")).toBe("/login");
});
