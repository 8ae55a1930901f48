import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter, Route, Routes, useLocation } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { rememberPasswordMinimum } from "./password-minimum.ts";
import { ResetPasswordPage } from "./reset-password-page.tsx";
import { buttonNamed, fill, linkTo, press } from "./testing/forms.ts";

let answer: { status: number; body: unknown };
let sent: unknown[];

function Arrival() {
  const { pathname, search } = useLocation();
  return <p>{pathname + search}</p>;
}

beforeEach(() => {
  answer = { status: 200, body: {} };
  sent = [];
  vi.spyOn(console, "error").mockImplementation(() => {});
  // The network alone is replaced.
  vi.stubGlobal("fetch", async (url: string, { body }: { body?: unknown }) => {
    if (new URL(url).pathname !== "/api/signature/change-password/") return Response.json({});
    sent.push(JSON.parse(String(body)));
    return Response.json(answer.body, { status: answer.status });
  });
  render(
    <MemoryRouter initialEntries={["/reset-password/dXNlcg/jeton-1"]}>
      <Routes>
        <Route path="/reset-password/:uid/:token" element={<ResetPasswordPage />} />
        <Route path="*" element={<Arrival />} />
      </Routes>
    </MemoryRouter>,
  );
});
afterEach(() => vi.unstubAllGlobals());

async function choose(password: string, confirmation = password) {
  await fill("Nouveau mot de passe", password);
  await fill("Confirmation", confirmation);
  await press("Changer le mot de passe");
}

test("sends the link's own proof with the password, then goes to /login?reset=1", async () => {
  await choose("Cahier-vert-77");
  expect(await screen.findByText("/login?reset=1")).toBeDefined();
  expect(sent).toEqual([{ uid: "dXNlcg", token: "jeton-1", password: "Cahier-vert-77" }]);
});

test("the confirmation must equal the password, and nothing is sent before", async () => {
  expect(buttonNamed("Changer le mot de passe").getAttribute("aria-disabled")).toBe("true");
  await choose("Cahier-vert-77", "Cahier-vert-78");
  expect(await screen.findByText("Les mots de passe ne correspondent pas.")).toBeDefined();
  expect(buttonNamed("Changer le mot de passe").getAttribute("aria-disabled")).toBe("true");
  expect(sent).toEqual([]);
});

test("a password has at least 5 characters, in the schema and in the inputs", async () => {
  await choose("abcd");
  expect(await screen.findByText("Minimum 5 caractères")).toBeDefined();
  for (const label of ["Nouveau mot de passe", "Confirmation"])
    expect(screen.getByLabelText(label).getAttribute("minlength")).toBe("5");
  expect(sent).toEqual([]);
});

test("a service that asks for more says so in the lede, the inputs and the schema", async () => {
  act(() => rememberPasswordMinimum({ password_min_length: 8 }));
  try {
    expect(screen.getByText("Choisissez un mot de passe d’au moins 8 caractères.")).toBeDefined();
    await choose("sept-78");
    expect(await screen.findByText("Minimum 8 caractères")).toBeDefined();
    for (const label of ["Nouveau mot de passe", "Confirmation"])
      expect(screen.getByLabelText(label).getAttribute("minlength")).toBe("8");
    expect(sent).toEqual([]);
  } finally {
    act(() => rememberPasswordMinimum({ password_min_length: 5 }));
  }
});

test.each([
  [
    { status: 500, body: {} },
    "Impossible de changer le mot de passe. Le lien est peut-être expiré.",
  ],
  [{ status: 400, body: { detail: "Ce lien a déjà servi." } }, "Ce lien a déjà servi."],
  [
    {
      status: 400,
      body: {
        detail: "Données invalides.",
        errors: { password: ["Ce mot de passe est trop courant."] },
      },
    },
    "Ce mot de passe est trop courant.",
  ],
])("a refusal %j says '%s'", async (refusal, sentence) => {
  answer = refusal;
  await choose("Cahier-vert-77");
  expect((await screen.findByRole("alert")).textContent).toBe(sentence);
});

test("each field shows and hides its own text; a link restarts the procedure", async () => {
  const [first, second] = screen.getAllByRole("button", { name: "Afficher le mot de passe" });
  await userEvent.click(second!);
  expect(screen.getByLabelText("Confirmation").getAttribute("type")).toBe("text");
  expect(screen.getByLabelText("Nouveau mot de passe").getAttribute("type")).toBe("password");
  expect(buttonNamed("Masquer le mot de passe").getAttribute("aria-pressed")).toBe("true");
  expect(first!.getAttribute("aria-pressed")).toBe("false");
  expect(linkTo("Recommencer la procédure")).toBe("/password-reset");
});
