import type { UpdateEnvelopeRequest } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { createMemoryRouter, RouterProvider } from "react-router";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { draftOf } from "./draft/draft.ts";
import { draftChanges } from "./draft/draft-keeper.ts";
import { PreparePage } from "./prepare-page.tsx";
import { makeEnvelope, makeField, makeRecipient } from "./testing/make-envelope.ts";

let stored = makeEnvelope();
// What a test leaves unsaved is given back to whoever opens the same draft again: each has one of its own.
let count = 0;
const make = (part: Parameters<typeof makeEnvelope>[0]) =>
  makeEnvelope({ id: `stops-${count}`, ...part });
let saves: UpdateEnvelopeRequest[] = [];
let refused: Record<string, string[]> | null = null;

// The steps are fetched when they are opened; here they are there already.
beforeAll(
  async () =>
    void (await Promise.all([
      import("./recipients/recipients-step.tsx"),
      import("./fields/fields-step.tsx"),
      import("./sending/send-step.tsx"),
    ])),
);
beforeEach(() => {
  count += 1;
  localStorage.clear();
  saves = [];
  refused = null;
  document.cookie = "csrftoken=jeton";
  window.scrollTo = () => undefined;
  // The network alone is replaced.
  vi.stubGlobal(
    "fetch",
    async (address: string, { method, body }: { method: string; body?: string }) => {
      const { pathname } = new URL(address);
      if (!pathname.startsWith(`/api/signature/envelopes/stops-${count}/`))
        return Response.json({ results: [] });
      if (pathname.includes("/documents/")) return new Promise<Response>(() => undefined);
      if (method !== "PATCH") return Response.json(stored);
      const change = JSON.parse(body ?? "{}") as UpdateEnvelopeRequest;
      saves.push(change);
      if (refused)
        return Response.json({ status: 400, code: "validation", errors: refused }, { status: 400 });
      return Response.json({ ...stored, version: stored.version + 1 });
    },
  );
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

async function open(step: string, title: string) {
  const router = createMemoryRouter(
    [{ path: "/signature/workflow/:id", element: <PreparePage /> }],
    {
      initialEntries: [`/signature/workflow/stops-${count}?etape=${step}`],
    },
  );
  render(
    <QueryClientProvider
      client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}
    >
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await screen.findByRole("heading", { level: 1, name: title });
  return { step: () => new URLSearchParams(router.state.location.search).get("etape") };
}

const goOn = () =>
  userEvent.click(screen.getAllByRole("button", { name: "Continuer" })[0] as HTMLElement);
/** By their label: the role of each control of a hundred rows takes seconds to work out. */
const names = () => screen.getAllByLabelText<HTMLInputElement>("Nom");
const faultOf = (input: HTMLElement) =>
  document.getElementById(`${input.id}-erreur`)?.textContent ?? null;
const two = () => [
  makeRecipient(),
  makeRecipient({ id: "r2", full_name: "Zoé", email: "zoe@exemple.fr", order: 2 }),
];
const crowd = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    makeRecipient({
      id: `r${index}`,
      full_name: `Personne ${index}`,
      email: `p${index}@exemple.fr`,
      order: index + 1,
    }),
  );

test("a name that cannot be printed is said as it is typed; nothing else waits for it, and the step is not left", async () => {
  stored = make({ recipients: two() });
  const { step } = await open("destinataires", "Destinataires");
  const name = names()[1] as HTMLElement;
  await userEvent.type(name, " 🌸");
  expect(faultOf(name)).toBe(
    "Le caractère «\u00a0🌸\u00a0» ne peut pas être imprimé dans le document. Remplacez-le.",
  );
  expect(screen.getByText("La ligne 2 n’est pas encore enregistrée : corrigez-la.")).toBeTruthy();
  await userEvent.type(screen.getByLabelText("Message aux destinataires (facultatif)"), "Bonjour");
  await goOn();
  expect(step()).toBe("destinataires");
  await waitFor(() => expect(document.activeElement).toBe(name));
  await waitFor(() => expect(saves).toEqual([{ message: "Bonjour" }]), { timeout: 2_000 });
  // A copy is printed nowhere.
  await userEvent.selectOptions(
    screen.getAllByRole("combobox", { name: "Rôle" })[1] as HTMLElement,
    "viewer",
  );
  expect(faultOf(name)).toBeNull();
});

test("what the service refuses of a row is said at that row, and stops the step there", async () => {
  stored = make({ recipients: two() });
  refused = { "recipients.1.full_name": ["Ce nom est refusé."] };
  const { step } = await open("destinataires", "Destinataires");
  const name = names()[1] as HTMLElement;
  fireEvent.change(name, { target: { value: "Zoé Petit" } });
  fireEvent.blur(name);
  await waitFor(() => expect(faultOf(name)).toBe("Ce nom est refusé."));
  expect(faultOf(names()[0] as HTMLElement)).toBeNull();
  await goOn();
  expect(step()).toBe("destinataires");
  await waitFor(() => expect(document.activeElement).toBe(name));
});

test.each([
  [
    "phone_number",
    "Ce numéro est refusé.",
    () => screen.getAllByLabelText<HTMLElement>(/^Téléphone/)[0] as HTMLElement,
  ],
  [
    "role",
    "Ce rôle est refusé.",
    () => screen.getAllByRole("combobox", { name: "Rôle" })[1] as HTMLElement,
  ],
])(
  "a row's %s that the service refuses is said in its box, which has the focus when one goes on",
  async (part, sentence, box) => {
    stored = make({ recipients: two() });
    refused = { [`recipients.1.${part}`]: [sentence] };
    const { step } = await open("destinataires", "Destinataires");
    fireEvent.change(names()[1] as HTMLElement, { target: { value: "Zoé Petit" } });
    fireEvent.blur(names()[1] as HTMLElement);
    await waitFor(() => expect(faultOf(box())).toBe(sentence));
    expect(
      screen.getByText("Les destinataires ne sont pas enregistrés : corrigez d’abord la ligne 2."),
    ).toBeTruthy();
    await goOn();
    expect(step()).toBe("destinataires");
    await waitFor(() => expect(document.activeElement).toBe(box()));
  },
);

test("a rank that the service refuses is said in its row, and has the focus when one goes on", async () => {
  stored = make({ flow: "sequential", recipients: two() });
  refused = { "recipients.1.order": ["Au plus 100"] };
  await open("destinataires", "Destinataires");
  fireEvent.change(names()[0] as HTMLElement, { target: { value: "Camille" } });
  fireEvent.blur(names()[0] as HTMLElement);
  const fault = await screen.findByText("Rang 2 : Au plus 100");
  expect(fault.closest("li")?.getAttribute("data-recipient")).toBe("r2");
  await goOn();
  await waitFor(() => expect(document.activeElement).toBe(fault));
});

test.each([
  [
    "title",
    "Titre : ce titre est refusé.",
    "Ce titre est refusé.",
    () => screen.getByLabelText("Titre de l’enveloppe"),
  ],
  [
    "deadline_at",
    "Échéance : cette date est refusée.",
    "Cette date est refusée.",
    () => screen.getByLabelText("Échéance (facultatif)"),
  ],
  [
    "reminders.every_days",
    "Rappel automatique : au plus 30",
    "Au plus 30",
    () => screen.getByLabelText("Rappel automatique"),
  ],
])(
  "%s refused at another step is said there with the way to its box, and keeps the first step from being left",
  async (part, line, sentence, box) => {
    stored = make({ recipients: two() });
    refused = { [part]: [sentence] };
    const { step } = await open("destinataires", "Destinataires");
    await userEvent.type(
      screen.getByLabelText("Message aux destinataires (facultatif)"),
      "Bonjour",
    );
    await userEvent.click(
      within(await screen.findByText(line, undefined, { timeout: 3_000 })).getByRole("button", {
        name: "Corriger les documents",
      }),
    );
    expect(step()).toBe("documents");
    await waitFor(() => expect(document.activeElement).toBe(box()));
    expect(box().getAttribute("aria-invalid")).toBe("true");
    await goOn();
    expect(step()).toBe("documents");
  },
);

test("what the service refused stands in the check list, and stops the sending", async () => {
  stored = make({ recipients: [makeRecipient()], fields: [makeField()] });
  await open("destinataires", "Destinataires");
  refused = {
    "fields.0.label": ["Ce nom de champ est refusé."],
    message: ["Ce message est refusé."],
  };
  await userEvent.type(screen.getByLabelText("Message aux destinataires (facultatif)"), "Bonjour");
  await userEvent.click(screen.getByRole("button", { name: /^Envoi/ }));
  const alert = (await screen.findByText("À corriger avant l’envoi")).closest(
    '[role="alert"]',
  ) as HTMLElement;
  expect(
    within(alert).getByText("Champ Signature de Camille Roux : ce nom de champ est refusé."),
  ).toBeTruthy();
  expect(screen.getAllByRole("button", { name: "Envoyer" })[0]?.getAttribute("aria-disabled")).toBe(
    "true",
  );
  await userEvent.click(
    within(within(alert).getByText("Message : ce message est refusé.")).getByRole("button"),
  );
  expect(faultOf(await screen.findByLabelText("Message aux destinataires (facultatif)"))).toBe(
    "Ce message est refusé.",
  );
});

test("the check list names the character and leads to the row", async () => {
  stored = make({
    recipients: [
      makeRecipient(),
      makeRecipient({ id: "r2", full_name: "Zoé 🌸", email: "zoe@exemple.fr", order: 2 }),
    ],
  });
  await open("envoi", "Vérifier et envoyer");
  const finding = screen.getByText(
    /^Zoé 🌸 : le caractère « 🌸 » ne peut pas être imprimé dans le document\./,
  );
  await userEvent.click(
    within(finding).getByRole("button", { name: "Corriger les destinataires" }),
  );
  await screen.findByRole("heading", { level: 1, name: "Destinataires" });
  await waitFor(() => expect(document.activeElement).toBe(names()[1]));
});

test("the list stops at a hundred, with words", async () => {
  stored = make({ recipients: crowd(100) });
  await open("destinataires", "Destinataires");
  const add = screen.getByRole("button", { name: "Ajouter un destinataire" });
  expect(add.getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByText("100 destinataires au maximum.")).toBeTruthy();
  expect(
    screen
      .getByRole("button", { name: "M’ajouter comme signataire" })
      .getAttribute("aria-disabled"),
  ).toBe("true");
  fireEvent.keyDown(screen.getAllByLabelText("Email").at(-1) as HTMLElement, { key: "Enter" });
  fireEvent.click(add);
  expect(names()).toHaveLength(100);
  fireEvent.click(screen.getByLabelText("Retirer le destinataire 100"));
  await waitFor(() => expect(add.getAttribute("aria-disabled")).toBeNull());
  expect(screen.queryByText("100 destinataires au maximum.")).toBeNull();
}, 20_000);

test("more than a hundred, made elsewhere, stop the step and the sending", async () => {
  stored = make({ recipients: crowd(101) });
  const { step } = await open("destinataires", "Destinataires");
  await goOn();
  expect(step()).toBe("destinataires");
});

test("the first step stops at a deadline that is no date, and takes a year of two figures", async () => {
  stored = make({ recipients: two() });
  const { step } = await open("documents", "Documents");
  const deadline = screen.getByLabelText("Échéance (facultatif)");
  await userEvent.type(deadline, "31/02/2027");
  await goOn();
  expect(step()).toBe("documents");
  await waitFor(() => expect(document.activeElement).toBe(deadline));
  expect(faultOf(deadline)).toBe("Date invalide");
  const year = new Date().getFullYear() + 1;
  await userEvent.clear(deadline);
  await userEvent.type(deadline, `1/1/${year % 100}`);
  await goOn();
  expect(step()).toBe("destinataires");
  await waitFor(() => expect(saves.at(-1)?.deadline_at).toContain(`${year}-01-01`));
});

test("the check list opens the fields on the person who has none", async () => {
  stored = make({ recipients: two(), fields: [makeField()] });
  await open("envoi", "Vérifier et envoyer");
  const finding = screen.getByText(/^Zoé n’a aucun champ à signer\./);
  // No step says that it is done while the list leads back to it; the check comes in a file of its own.
  const steps = () => within(screen.getByRole("list", { name: "Étapes" })).getAllByRole("button");
  await waitFor(() =>
    expect(steps().map(({ textContent }) => textContent?.replace(/^[!\d]/, ""))).toEqual([
      "Documents (terminée)",
      "Destinataires (terminée)",
      "Champs (à compléter)",
    ]),
  );
  await userEvent.click(within(finding).getByRole("button", { name: "Placer les champs" }));
  const chosen = (await screen.findAllByRole<HTMLSelectElement>("combobox")).find((box) =>
    box.textContent?.includes("Zoé"),
  );
  expect(chosen?.selectedOptions[0]?.textContent).toContain("Zoé");
});

test("a field's words that cannot be printed are said at the field, hold no recipient back, and stop the sending", async () => {
  stored = make({
    recipients: [makeRecipient()],
    fields: [makeField(), makeField({ id: "f2", type: "text", y: 0.2, label: "Ville 🌸" })],
  });
  const { step } = await open("envoi", "Vérifier et envoyer");
  const finding = screen.getByText(
    /^Champ Texte de Camille Roux : le caractère « 🌸 » ne peut pas être imprimé dans le document\./,
  );
  await userEvent.click(within(finding).getByRole("button", { name: "Placer les champs" }));
  expect(step()).toBe("champs");
  const draft = draftOf(stored);
  const dirty = new Set(["recipients", "fields"] as const);
  expect([...(draftChanges(draft, { dirty, now: new Date() })?.parts ?? [])]).toEqual([
    "recipients",
  ]);
  expect(draftChanges(draft, { dirty: new Set(["fields"] as const), now: new Date() })).toBeNull();
  const written = { ...draft, fields: draft.fields.map((field) => ({ ...field, label: null })) };
  expect(
    draftChanges(written, { dirty: new Set(["fields"] as const), now: new Date() })?.body.fields,
  ).toHaveLength(2);
});
