import type { UpdateEnvelopeRequest } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useSyncExternalStore } from "react";
import { MemoryRouter } from "react-router";
import { expect, it, vi } from "vitest";
import { rememberServiceRules } from "../../../../lib/service-rules.ts";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { makeEnvelope, makeRecipient } from "../testing/make-envelope.ts";
import { SendStep } from "./send-step.tsx";

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
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter>
        <Step />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return {
    keeper,
    saves,
    choice: screen.getByRole<HTMLInputElement>("switch", {
      name: "Ne pas montrer le document sur la page publique",
    }),
  };
}

it("asks whether the public page shows the proof alone, says what that means, and saves it over the version shown", async () => {
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

it("begins with what the draft has", () => {
  expect(open({ proof_only: true }).choice.checked).toBe(true);
});

it("says before sending that no mail leaves, where none does", () => {
  act(() => rememberServiceRules({ registration: { kind: "open", domains: [] }, mail: false }));
  open();
  expect(screen.getByText("Ce service n’envoie pas d’email")).toBeDefined();
  expect(screen.getByText(/^Vous préviendrez vous-même/)).toBeDefined();
  act(() => rememberServiceRules({ registration: { kind: "open", domains: [] }, mail: true }));
  expect(screen.queryByText("Ce service n’envoie pas d’email")).toBeNull();
});
