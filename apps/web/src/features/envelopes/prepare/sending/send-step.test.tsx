import type { UpdateEnvelopeRequest } from "@paraphe/contracts";
import { act, cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useSyncExternalStore } from "react";
import { MemoryRouter } from "react-router";
import { expect, it, vi } from "vitest";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { makeEnvelope, makeRecipient } from "../testing/make-envelope.ts";
import { SendStep } from "./send-step.tsx";
import { offer, renderPart } from "../../testing/page.tsx";

function open(part: Parameters<typeof makeEnvelope>[0] = {}) {
  const saves: { readonly over: number; readonly body: UpdateEnvelopeRequest }[] = [];
  const start = makeEnvelope({ recipients: [makeRecipient()], ...part });
  const keeper = new DraftKeeper(start, {
    patch: async (envelope, body) => {
      saves.push({ over: envelope.version, body });
      return { ...envelope, version: envelope.version + 1, proof_only: body.proof_only ?? false };
    },
    load: async () => start,
    now: () => new Date(),
  });
  function Step() {
    const { draft } = useSyncExternalStore(keeper.subscribe, keeper.state);
    return (
      <SendStep
        {...{ envelope: start, keeper, draft }}
        documents={start.documents}
        refused={[]}
        onChecked={vi.fn()}
        onEdit={vi.fn()}
      />
    );
  }
  renderPart(
    <MemoryRouter>
      <Step />
    </MemoryRouter>,
  );
  return {
    keeper,
    saves,
    choice: screen.getByRole<HTMLInputElement>("switch", {
      name: "Ne pas montrer le document sur la page publique",
    }),
  };
}

it("offers to show the proof alone on the public page and saves the choice", async () => {
  const { keeper, saves, choice } = open({ proof_only: false });
  expect(choice.checked).toBe(false);
  expect(document.getElementById(choice.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
    "Une personne qui scanne le QR code voit la preuve, mais pas le document. Désactivé\u00a0: elle voit aussi le document.",
  );
  await userEvent.click(choice);
  expect(choice.checked).toBe(true);
  await keeper.flush();
  await userEvent.click(choice);
  await keeper.flush();
  expect(saves).toEqual([
    { over: 1, body: { proof_only: true } },
    { over: 2, body: { proof_only: false } },
  ]);
});

it("names the kind of document and its circuit", () => {
  const circuit = { name: "Arrêtés du maire", imposed: true, open: [] };
  open({ document_kind: "Arrêté", circuit });
  expect(screen.getByText("Arrêté")).toBeTruthy();
  expect(screen.getByText("Arrêtés du maire, fixé par l’organisation")).toBeTruthy();
});

it("asks for the circuit that the kind of document imposes, unless it is applied", async () => {
  const imposed = {
    id: "c",
    name: "Arrêtés du maire",
    use: "imposed",
    kinds: ["Arrêté"],
    steps: [],
  };
  const fetched = vi.fn(async () => Response.json({ circuits: [imposed] }));
  vi.stubGlobal("fetch", fetched);
  const asked = /l’organisation fixe le circuit « Arrêtés du maire »/;
  open({ document_kind: "Arrêté" });
  await screen.findByText(asked);
  cleanup();
  fetched.mockClear();
  open({ document_kind: "Arrêté", circuit: { name: imposed.name, imposed: true, open: [] } });
  await vi.waitFor(() => expect(fetched).toHaveBeenCalled());
  await act(async () => {});
  expect(screen.queryByText(asked)).toBeNull();
});

it("asks for the other party of an imposed circuit when nobody holds its place", async () => {
  const circuits = [{ id: "c", name: "Baux", use: "imposed", kinds: ["Bail"], steps: [] }];
  vi.stubGlobal(
    "fetch",
    vi.fn(async () => Response.json({ circuits })),
  );
  const circuit = { name: "Baux", imposed: true, open: [2] };
  const asked = /^Indiquez l’autre partie du circuit « Baux »\./;
  open({ document_kind: "Bail", circuit });
  await screen.findByText(asked);
  cleanup();
  open({ document_kind: "Bail", circuit, recipients: [makeRecipient({ order: 2 })] });
  await act(async () => {});
  expect(screen.queryByText(asked)).toBeNull();
});

it("shows the draft's own choice for the public page", () => {
  expect(open({ proof_only: true }).choice.checked).toBe(true);
});

it("says before the sending that the service sends no mail", () => {
  act(() => offer({ mail: false }));
  open();
  expect(screen.getByText("Ce service n’envoie pas d’email")).toBeDefined();
  expect(screen.getByText(/^Vous préviendrez vous-même/)).toBeDefined();
  act(() => offer({ mail: true }));
  expect(screen.queryByText("Ce service n’envoie pas d’email")).toBeNull();
});
