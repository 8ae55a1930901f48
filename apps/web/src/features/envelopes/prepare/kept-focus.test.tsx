import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { preserveFocus } from "../../../ui/focus/preserve-focus.ts";
import { draftOf } from "./draft/draft.ts";
import { FieldListDialog } from "./fields/field-list-dialog.tsx";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "./testing/make-envelope.ts";
import { openPreparePage } from "./testing/prepare-page.tsx";

let stop: () => void;
let stored = makeEnvelope();
let refusal: { status: number; code: string } | null = null;

beforeEach(() => {
  stop = preserveFocus(document);
  refusal = null;
  const documents = ["Bail.pdf", "Annexe.pdf", "Plan.pdf"].map((name, index) =>
    makeDocument({ id: `d${index + 1}`, name }),
  );
  const recipients = ["Camille Roux", "Théo Lenoir", "Maëlys N'Guessan"].map((full_name, index) =>
    makeRecipient({
      id: `r${index + 1}`,
      full_name,
      email: `r${index + 1}@exemple.fr`,
      order: index + 1,
    }),
  );
  stored = makeEnvelope({ documents, recipients });
  document.cookie = "csrftoken=jeton";
  window.scrollTo = () => undefined;
  vi.stubGlobal(
    "fetch",
    async (address: string, { method, body }: { method: string; body?: string }) => {
      if (!new URL(address).pathname.startsWith("/api/signature/envelopes/e1/"))
        return Response.json({ results: [] });
      if (method !== "GET" && refusal) return Response.json(refusal, { status: refusal.status });
      const { remove_documents: removed = [] } = JSON.parse(body ?? "{}") as {
        remove_documents?: string[];
      };
      stored = {
        ...stored,
        version: stored.version + 1,
        documents: stored.documents.filter(({ id }) => !removed.includes(id)),
      };
      return Response.json(stored);
    },
  );
});
afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

async function open(step: string) {
  openPreparePage(`/signature/workflow/e1?etape=${step}`);
  await screen.findByRole("heading", { level: 1 });
}
async function pressKey(name: string) {
  (await screen.findByRole("button", { name })).focus();
  await userEvent.keyboard("{Enter}");
}
const focused = () =>
  document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent;
const lands = (name: string) => waitFor(() => expect(focused()).toBe(name));

test("removing a file moves the focus to the next « Retirer », else to the previous one", async () => {
  await open("documents");
  await pressKey("Retirer Annexe.pdf");
  await lands("Retirer Plan.pdf");
  await userEvent.keyboard("{Enter}");
  await lands("Remplacer Bail.pdf");
});

test("removing a person moves the focus to the next one", async () => {
  await open("destinataires");
  await pressKey("Retirer le destinataire 2");
  await lands("Retirer le destinataire 2");
  expect(screen.getAllByRole("button", { name: /^Retirer le destinataire/ })).toHaveLength(2);
});

test("« Ajouter un téléphone » focuses the box it opens", async () => {
  await open("destinataires");
  (await screen.findAllByRole("button", { name: /^Ajouter un téléphone/ }))[0]?.focus();
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/^Téléphone/)));
});

test.each(["Recharger", "Garder ma version"])(
  "« %s » closes the banner and moves the focus to the step's title",
  async (name) => {
    await open("documents");
    refusal = { status: 409, code: "version_conflict" };
    const title = await screen.findByLabelText("Titre de l’enveloppe");
    fireEvent.change(title, { target: { value: "Bail" } });
    fireEvent.blur(title);
    await screen.findByText(/modifié ailleurs/);
    refusal = null;
    await pressKey(name);
    await lands("Documents");
    expect(screen.queryByText(/modifié ailleurs/)).toBeNull();
  },
);

function Fields() {
  const [fields, setFields] = useState([
    makeField(),
    makeField({ id: "f2", y: 0.7 }),
    makeField({ id: "f3", page: 2 }),
  ]);
  const draft = draftOf(makeEnvelope({ recipients: [makeRecipient()], fields }));
  const remove = (key: string) => setFields((before) => before.filter(({ id }) => id !== key));
  const nothing = () => undefined;
  return (
    <FieldListDialog
      draft={draft}
      documents={[makeDocument()]}
      onEdit={nothing}
      onRemove={remove}
      onOpen={nothing}
      onClose={nothing}
    />
  );
}

test("deleting a field moves the focus to the next « Supprimer », at last to the dialog", async () => {
  render(<Fields />);
  const dialog = screen.getByRole("dialog", { name: "Liste des champs" });
  const removals = () => within(dialog).queryAllByRole("button", { name: /^Supprimer/ });
  act(() => removals()[1]?.focus());
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(document.activeElement).toBe(removals()[1]));
  expect(removals()).toHaveLength(2);
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(document.activeElement).toBe(removals()[0]));
  await userEvent.keyboard("{Enter}");
  await waitFor(() => expect(removals()).toHaveLength(0));
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true));
});
