import { act, cleanup, fireEvent, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useSyncExternalStore } from "react";
import { MemoryRouter } from "react-router";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { rememberServiceRules } from "../../../../lib/api/service-rules.ts";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { makeEnvelope, makeRecipient } from "../testing/make-envelope.ts";
import { RecipientsStep } from "./recipients-step.tsx";
import { offer, renderPart } from "../../testing/page.tsx";

const asked: string[] = [];
beforeEach(() => {
  asked.length = 0;
  vi.stubGlobal("fetch", async (address: string) => {
    const { pathname, searchParams } = new URL(address);
    if (pathname.endsWith("/suggestions/")) {
      asked.push(searchParams.get("search") ?? "");
      return Response.json({
        results: [
          { full_name: "Camille Roux", email: "camille@exemple.fr", phone_number: null },
          {
            full_name: "Maëlys N'Guessan",
            email: "maelys@exemple.fr",
            phone_number: "+33612345678",
          },
        ],
      });
    }
    if (pathname.endsWith("/domains/"))
      return Response.json({ results: [{ domain: "cabinet-durand.fr", people: 3 }] });
    return Response.json({}, { status: 404 });
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function open(part: Parameters<typeof makeEnvelope>[0] = {}) {
  const saves: unknown[] = [];
  const keeper = new DraftKeeper(makeEnvelope({ recipients: [makeRecipient()], ...part }), {
    patch: async (envelope, body) => {
      saves.push(body);
      return envelope;
    },
    load: async () => makeEnvelope(),
    now: () => new Date(),
  });
  function Step() {
    const state = useSyncExternalStore(keeper.subscribe, keeper.state);
    return <RecipientsStep draft={state.draft} keeper={keeper} showFaults={false} />;
  }
  renderPart(
    <MemoryRouter>
      <Step />
    </MemoryRouter>,
  );
  return { keeper, people: () => keeper.state().draft.recipients };
}

it("leaves to edit, in an imposed circuit, whom the preparer names alone", () => {
  open({
    flow: "sequential",
    circuit: { name: "Arrêtés du maire", imposed: true, open: [2] },
    recipients: [
      makeRecipient({ id: "r1", full_name: "Léo Marchand", role: "visa", order: 1 }),
      makeRecipient({ id: "r2", full_name: "Paul Martin", email: "paul@exemple.fr", order: 2 }),
      makeRecipient({ id: "r3", full_name: "Zoé Petit", order: 3, given_by: "Hélène Guérin" }),
    ],
  });
  const [fixed, open2, given] = screen.getAllByRole("listitem");
  expect(fixed?.textContent).toContain("Léo Marchand");
  expect(fixed?.textContent).toContain("Fixé par le circuit");
  expect(within(fixed as HTMLElement).queryByRole("textbox")).toBeNull();
  expect(within(fixed as HTMLElement).queryByRole("button")).toBeNull();
  expect(within(open2 as HTMLElement).getByDisplayValue("Paul Martin")).toBeTruthy();
  expect(within(open2 as HTMLElement).queryByLabelText("Rôle")).toBeNull();
  expect(open2?.textContent).toContain("Rang 2");
  expect(open2?.textContent).toContain("Signataire · Rôle fixé par le circuit");
  expect(given?.textContent).toContain("Étape confiée par Hélène Guérin");
  expect(given?.textContent).not.toContain("Fixé par le circuit");
  expect(screen.queryByRole("button", { name: "Ajouter un destinataire" })).toBeNull();
});

it("proposes earlier recipients not yet listed, and fills the whole row", async () => {
  const user = userEvent.setup();
  const { people } = open();
  await user.click(screen.getByRole("button", { name: "Ajouter un destinataire" }));
  const name = screen.getAllByRole("combobox", { name: "Nom" })[1] as HTMLElement;
  expect(asked).toEqual([]);
  await user.type(name, "ma");
  const option = await screen.findByRole("option", { name: /Maëlys/ });
  expect(within(screen.getByRole("listbox")).getAllByRole("option")).toEqual([option]);
  await user.keyboard("{ArrowDown}{Enter}");
  expect(people()[1]).toMatchObject({
    fullName: "Maëlys N'Guessan",
    email: "maelys@exemple.fr",
    phoneNumber: "+33612345678",
    rank: 2,
  });
  expect((screen.getByLabelText(/^Téléphone/) as HTMLInputElement).value).toBe("+33612345678");
});

it("fills a row from a pasted « Nom <adresse> », and opens the list dialog for several", async () => {
  const user = userEvent.setup();
  const { people } = open({ recipients: [] });
  await user.click(screen.getByRole("combobox", { name: "Nom" }));
  await user.paste("Théo Lenoir <theo@exemple.fr>");
  expect(people()[0]).toMatchObject({ fullName: "Théo Lenoir", email: "theo@exemple.fr" });
  await user.paste("Zoé <zoe@exemple.fr>\nThéo Lenoir <theo@exemple.fr>\nPaul");
  const dialog = screen.getByRole("dialog", { name: "Coller une liste" });
  expect(within(dialog).getByText("zoe@exemple.fr")).toBeTruthy();
  expect(within(dialog).getByText(/Ligne 2 : figure déjà parmi les destinataires\./)).toBeTruthy();
  expect(within(dialog).getByText(/Ligne 3 : aucune adresse email\./)).toBeTruthy();
  await user.click(within(dialog).getByRole("button", { name: "Ajouter 1 destinataire" }));
  expect(people().map((row) => [row.fullName, row.rank])).toEqual([
    ["Théo Lenoir", 1],
    ["Zoé", 2],
  ]);
  expect(screen.queryByRole("dialog")).toBeNull();
});

it("opens the list dialog for one person beside a line that cannot be read", async () => {
  const user = userEvent.setup();
  open({ recipients: [] });
  await user.click(screen.getByRole("combobox", { name: "Nom" }));
  await user.paste("Théo Lenoir <theo@exemple.fr>\nPaul");
  const dialog = screen.getByRole("dialog", { name: "Coller une liste" });
  expect(within(dialog).getByText(/Ligne 2 : aucune adresse email\./)).toBeTruthy();
});

it("marks a pasted person already listed and a shared address", async () => {
  const user = userEvent.setup();
  const { people } = open({
    recipients: [makeRecipient({ full_name: "Zoé Petit", email: "zoe@exemple.fr" })],
  });
  await user.click(screen.getByRole("button", { name: "Coller une liste" }));
  const dialog = screen.getByRole("dialog", { name: "Coller une liste" });
  await user.click(within(dialog).getByLabelText("Noms et adresses"));
  await user.paste("zoe@exemple.fr\nLuc Petit <zoe@exemple.fr>");
  expect(within(dialog).getByText(/Ligne 1 : figure déjà parmi les destinataires\./)).toBeTruthy();
  expect(
    within(dialog).getByText("adresse déjà dans la liste").closest("li")?.textContent,
  ).toContain("Luc Petit");
  await user.click(within(dialog).getByRole("button", { name: "Ajouter 1 destinataire" }));
  expect(people().map((row) => row.fullName)).toEqual(["Zoé Petit", "Luc Petit"]);
});

it("names unprintable names of a pasted list above it and in it", async () => {
  const user = userEvent.setup();
  open();
  await user.click(screen.getByRole("button", { name: "Coller une liste" }));
  const dialog = screen.getByRole("dialog", { name: "Coller une liste" });
  await user.click(within(dialog).getByLabelText("Noms et adresses"));
  await user.paste("Zoé 🌸 <zoe@exemple.fr>\nThéo <theo@exemple.fr>");
  await within(dialog).findByText("1 nom ne peut pas être imprimé dans le document : Zoé 🌸");
  expect(within(dialog).getByText(/^Le caractère « 🌸 » ne peut pas être imprimé/)).toBeTruthy();
  await user.click(within(dialog).getByRole("button", { name: "Ajouter 2 destinataires" }));
});

it("says why an empty list adds nobody", async () => {
  const user = userEvent.setup();
  open();
  await user.click(screen.getByRole("button", { name: "Coller une liste" }));
  await user.type(screen.getByLabelText("Noms et adresses"), "Paul Morel");
  const add = screen.getByRole("button", { name: "Ajouter" });
  expect(add.getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByText("Lignes écartées (1)")).toBeTruthy();
});

it("sets ranks by buttons, arrows and « en même temps », and hides them in parallel mode", async () => {
  const user = userEvent.setup();
  const { people, keeper } = open({
    flow: "sequential",
    recipients: [
      makeRecipient(),
      makeRecipient({ id: "r2", full_name: "Théo", email: "t@exemple.fr", order: 2 }),
      makeRecipient({ id: "r3", full_name: "Zoé", email: "z@exemple.fr", order: 3 }),
    ],
  });
  const order = () => people().map((row) => `${row.fullName} ${row.rank}`);
  await user.click(screen.getByRole("checkbox", { name: "En même temps que Camille Roux" }));
  expect(order()).toEqual(["Camille Roux 1", "Théo 1", "Zoé 2"]);
  screen.getByRole("button", { name: "Déplacer le destinataire 3" }).focus();
  await user.keyboard("{ArrowUp}");
  expect(order()).toEqual(["Zoé 1", "Camille Roux 2", "Théo 2"]);
  await user.click(screen.getByRole("button", { name: "Descendre le destinataire 2" }));
  expect(order()).toEqual(["Zoé 1", "Théo 2", "Camille Roux 3"]);
  expect(
    screen.getByRole("button", { name: "Monter le destinataire 1" }).hasAttribute("disabled"),
  ).toBe(true);
  await user.click(screen.getByRole("switch"));
  expect(keeper.state().draft.isSequential).toBe(false);
  expect(screen.queryByRole("button", { name: "Déplacer le destinataire 1" })).toBeNull();
  expect(screen.queryByRole("checkbox")).toBeNull();
});

it("proposes the probable address once the box is left, without imposing it", async () => {
  const user = userEvent.setup();
  const { people } = open({ recipients: [] });
  const email = screen.getByRole("combobox", { name: "Email" });
  await user.type(screen.getByRole("combobox", { name: "Nom" }), "Anne Petit");
  await user.type(email, "anne@gmial.com");
  expect(screen.queryByText(/Vouliez-vous dire/)).toBeNull();
  await user.tab();
  expect(screen.getByText(/Vouliez-vous dire/).textContent).toBe(
    "Vouliez-vous dire anne@gmail.com\u202f?",
  );
  expect(email.getAttribute("aria-describedby")).toContain("attention");
  expect(email.getAttribute("aria-invalid")).toBeNull();
  await user.click(screen.getByRole("button", { name: "Remplacer par anne@gmail.com" }));
  expect(people()[0]).toMatchObject({ fullName: "Anne Petit", email: "anne@gmail.com" });
  expect(screen.queryByText(/Vouliez-vous dire/)).toBeNull();
  await user.clear(email);
  await user.type(email, "anne@cabinet-durnad.fr");
  await user.tab();
  await screen.findByRole("button", { name: "Remplacer par anne@cabinet-durand.fr" });
  // The proposal is not imposed.
  expect(people()[0]?.email).toBe("anne@cabinet-durnad.fr");
});

it("says once which fields are required, and marks each for assistive technology", () => {
  open();
  expect(screen.getAllByText(/^Les champs sont obligatoires, sauf ceux marqués/)).toHaveLength(1);
  for (const name of ["Nom", "Email"])
    expect(screen.getByRole("combobox", { name }).getAttribute("aria-required")).toBe("true");
  expect(
    screen.getByLabelText("Message aux destinataires (facultatif)").hasAttribute("aria-required"),
  ).toBe(false);
});

it("draws only the row that is typed in, of a hundred", async () => {
  const recipients = Array.from({ length: 100 }, (_, index) =>
    makeRecipient({
      id: `r${index}`,
      full_name: `Personne ${index}`,
      email: `p${index}@exemple.fr`,
      order: index + 1,
    }),
  );
  const { keeper } = open({ recipients });
  // A row's number is read only when the row is drawn.
  let drawn = 0;
  const watched = keeper.state().draft.recipients.map((row) =>
    Object.defineProperty({ ...row }, "phoneNumber", {
      enumerable: false,
      get: () => ((drawn += 1), null),
    }),
  );
  act(() => keeper.update("recipients", { recipients: watched }));
  expect(drawn).toBeGreaterThanOrEqual(100);
  drawn = 0;
  fireEvent.change(screen.getAllByRole("combobox", { name: "Nom" })[40] as HTMLElement, {
    target: { value: "Personne quarante" },
  });
  expect(screen.getByDisplayValue("Personne quarante")).toBeTruthy();
  // The typed row is a new object, without the counter.
  expect(drawn).toBe(0);
  keeper.stop();
}, 20_000);

it("asks for no telephone number without SMS", () => {
  const rules = { registration: { kind: "open", domains: [] }, mail: true } as const;
  act(() => rememberServiceRules({ ...rules, sms: false }));
  open();
  expect(screen.queryByRole("button", { name: /Ajouter un téléphone/ })).toBeNull();
  act(() => rememberServiceRules({ ...rules, sms: true }));
  expect(screen.getAllByRole("button", { name: /Ajouter un téléphone/ })[0]).toBeDefined();
});

it("promises no link without mail", () => {
  act(() => offer({ mail: false }));
  open();
  expect(screen.getByText("Chacun signe quand le précédent a signé.")).toBeDefined();
  act(() => offer({ mail: true }));
  expect(screen.getByText("Chacun reçoit son lien quand le précédent a signé.")).toBeDefined();
});
