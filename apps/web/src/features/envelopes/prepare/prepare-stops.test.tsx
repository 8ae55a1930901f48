import type { Envelope, UpdateEnvelopeRequest } from "@paraphe/contracts";
import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { ConflictBanner } from "./draft/conflict-banner.tsx";
import { draftOf } from "./draft/draft.ts";
import { draftChanges } from "./draft/draft-keeper.ts";
import { makeEnvelope, makeField, makeRecipient } from "./testing/make-envelope.ts";
import { press } from "../testing/page.tsx";
import { goOn, openPreparePage, stepTitle } from "./testing/prepare-page.tsx";

let stored = makeEnvelope();
// Each test has its own draft: unsaved edits return with the draft they belong to.
let count = 0;
const make = (part: Parameters<typeof makeEnvelope>[0]) =>
  makeEnvelope({ id: `stops-${count}`, ...part });
let saves: UpdateEnvelopeRequest[] = [];
let refused: Record<string, string[]> | null = null;

// The chunks of the steps are loaded beforehand.
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
  stored = make({ recipients: two() });
  localStorage.clear();
  saves = [];
  refused = null;
  document.cookie = "csrftoken=jeton";
  window.scrollTo = () => undefined;
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

async function open(step = "destinataires", title = "Destinataires") {
  const { router } = openPreparePage(`/signature/workflow/stops-${count}?etape=${step}`);
  await stepTitle(title);
  return { step: () => new URLSearchParams(router.state.location.search).get("etape") };
}

/** Found by label, because the roles of a hundred rows take seconds to compute. */
const names = () => screen.getAllByLabelText<HTMLInputElement>("Nom");
const nameOf = (index: number) => names()[index] as HTMLElement;
function fill(box: HTMLElement, value: string) {
  fireEvent.change(box, { target: { value } });
  fireEvent.blur(box);
}
const faultOf = (input: HTMLElement) =>
  document.getElementById(`${input.id}-erreur`)?.textContent ?? null;
const MESSAGE = "Message aux destinataires (facultatif)";
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

test("an unprintable name is marked while typed, blocks the step, and lets other changes be saved", async () => {
  const { step } = await open();
  const name = nameOf(1);
  await userEvent.type(name, " 🌸");
  expect(faultOf(name)).toBe(
    "Le caractère «\u00a0🌸\u00a0» ne peut pas être imprimé dans le document. Remplacez-le.",
  );
  expect(screen.getByText("La ligne 2 n’est pas encore enregistrée : corrigez-la.")).toBeTruthy();
  await userEvent.type(screen.getByLabelText(MESSAGE), "Bonjour");
  await goOn();
  expect(step()).toBe("destinataires");
  await waitFor(() => expect(document.activeElement).toBe(name));
  await waitFor(() => expect(saves).toEqual([{ message: "Bonjour" }]), { timeout: 2_000 });
  // A viewer's name is not printed.
  await userEvent.selectOptions(
    screen.getAllByRole("combobox", { name: "Rôle" })[1] as HTMLElement,
    "viewer",
  );
  expect(faultOf(name)).toBeNull();
});

test("the service's refusal of a row stands at the row and blocks the step", async () => {
  refused = { "recipients.1.full_name": ["Ce nom est refusé."] };
  const { step } = await open();
  const name = nameOf(1);
  fill(name, "Zoé Petit");
  await waitFor(() => expect(faultOf(name)).toBe("Ce nom est refusé."));
  expect(faultOf(nameOf(0))).toBeNull();
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
])("a refused %s stands at its box, which « Continuer » focuses", async (part, sentence, box) => {
  refused = { [`recipients.1.${part}`]: [sentence] };
  const { step } = await open();
  fill(nameOf(1), "Zoé Petit");
  await waitFor(() => expect(faultOf(box())).toBe(sentence));
  expect(
    screen.getByText("Les destinataires ne sont pas enregistrés : corrigez d’abord la ligne 2."),
  ).toBeTruthy();
  await goOn();
  expect(step()).toBe("destinataires");
  await waitFor(() => expect(document.activeElement).toBe(box()));
});

test("a refused rank stands in its row, and « Continuer » focuses it", async () => {
  stored = make({ flow: "sequential", recipients: two() });
  refused = { "recipients.1.order": ["Au plus 100"] };
  await open();
  fill(nameOf(0), "Camille");
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
  "a refusal of %s leads from another step to its box and blocks the first step",
  async (part, line, sentence, box) => {
    refused = { [part]: [sentence] };
    const { step } = await open();
    await userEvent.type(screen.getByLabelText(MESSAGE), "Bonjour");
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

test("the service's refusals stand in the check list and stop the sending", async () => {
  stored = make({ recipients: [makeRecipient()], fields: [makeField()] });
  await open();
  refused = {
    "fields.0.label": ["Ce nom de champ est refusé."],
    message: ["Ce message est refusé."],
  };
  await userEvent.type(screen.getByLabelText(MESSAGE), "Bonjour");
  await press(/^Envoi/);
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
  expect(faultOf(await screen.findByLabelText(MESSAGE))).toBe("Ce message est refusé.");
});

test("the check list names an unprintable character and leads to its row", async () => {
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
  await stepTitle("Destinataires");
  await waitFor(() => expect(document.activeElement).toBe(names()[1]));
});

test("the list says that it stops at a hundred recipients", async () => {
  stored = make({ recipients: crowd(100) });
  await open();
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

test("more than a hundred recipients, added elsewhere, block the step", async () => {
  stored = make({ recipients: crowd(101) });
  const { step } = await open();
  await goOn();
  expect(step()).toBe("destinataires");
});

test("the first step refuses an invalid deadline and reads a two-digit year", async () => {
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

test("the check list opens the fields for the person without any", async () => {
  stored = make({ recipients: two(), fields: [makeField()] });
  await open("envoi", "Vérifier et envoyer");
  const finding = screen.getByText(/^Zoé n’a aucun champ à signer\./);
  const ready = within(screen.getByRole("list", { name: "Ce qui est prêt" }));
  expect(ready.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    "1 document prêt",
    "1 destinataire complet",
  ]);
  // The check is a chunk of its own.
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

test("a field's unprintable text stops the sending and the fields' save, not the recipients'", async () => {
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

test.each([
  ["L’article 3 est à revoir", false],
  ["L’article 3 est à revoir. ".repeat(19), true],
])("a returner's long reason is cut, and read whole on request: %#", (reason, isCut) => {
  const opened = {
    returned: { by: "Awa Diop, pour Paul Morel, par délégation", at: null, reason },
  };
  const { container } = render(
    <ConflictBanner
      status={{ kind: "idle" } as never}
      keeper={{} as never}
      opened={opened as Envelope}
      refused={[]}
      onFix={() => undefined}
    />,
  );
  expect(container.textContent).toContain("par délégation, vous renvoie ce document");
  expect(container.textContent).toContain(reason);
  expect(container.querySelector("details") !== null).toBe(isCut);
});
