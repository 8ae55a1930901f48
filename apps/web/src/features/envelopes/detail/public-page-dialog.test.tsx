import type { Envelope } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { makeEnvelope } from "../prepare/testing/make-envelope.ts";
import { PublicPageDialog } from "./setting-dialogs.tsx";

let calls: { method: string | undefined; path: string; body: unknown }[];
let status: number;

beforeEach(() => {
  act(clearToasts);
  [calls, status] = [[], 200];
  // The network alone is replaced.
  vi.stubGlobal(
    "fetch",
    async (address: string, { method, body }: { method?: string; body?: string }) => {
      const asked = JSON.parse(body ?? "null") as { proof_only: boolean };
      calls.push({ method, path: new URL(address).pathname, body: asked });
      return Response.json(status === 200 ? makeEnvelope({ status: "completed", ...asked }) : {}, {
        status,
      });
    },
  );
});
afterEach(() => vi.unstubAllGlobals());

function show(part: Partial<Envelope>) {
  const onClose = vi.fn();
  const client = new QueryClient();
  render(
    <QueryClientProvider client={client}>
      <PublicPageDialog
        envelope={makeEnvelope({ status: "completed", ...part })}
        onClose={onClose}
      />
    </QueryClientProvider>,
  );
  return {
    onClose,
    shown: () => client.getQueryData<Envelope>(["envelopes", "detail", "e1"])?.proof_only,
  };
}
const radio = (name: RegExp) => screen.getByRole<HTMLInputElement>("radio", { name });
const save = () => userEvent.click(screen.getByRole("button", { name: "Enregistrer" }));
const said = () => currentToasts().map(({ message }) => message);

test.each([
  [false, /^Ne pas montrer le document/, true, "La page publique ne montre que la preuve"],
  [true, /^Document visible/, false, "La page publique montre le document"],
])(
  "what the public page shows is changed from %s, said, and shown at once",
  async (before, choice, after, sentence) => {
    const { onClose, shown } = show({ proof_only: before });
    expect([
      radio(/^Ne pas montrer le document/).checked,
      radio(/^Document visible/).checked,
    ]).toEqual([before, !before]);
    await userEvent.click(radio(choice));
    await save();
    await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
    expect(calls.filter(({ method }) => method !== "GET")).toEqual([
      {
        method: "PUT",
        path: "/api/signature/envelopes/e1/public-page/",
        body: { proof_only: after },
      },
    ]);
    expect([said(), shown()]).toEqual([[sentence], after]);
  },
);

test("each choice says what whoever comes from the paper sees, and does not", () => {
  show({ proof_only: false });
  expect(radio(/voit le document signé et sa preuve\.$/).value).toBe("false");
  expect(radio(/voit la preuve, mais pas le document\.$/).value).toBe("true");
});

test("a failure is said, keeps the choice, and may be tried again", async () => {
  const { onClose, shown } = show({ proof_only: false });
  await userEvent.click(radio(/^Ne pas montrer le document/));
  status = 500;
  await save();
  expect((await screen.findByRole("alert")).textContent).toContain(
    "La page publique n’a pas été changée. Réessayez.",
  );
  expect([
    onClose.mock.calls.length,
    radio(/^Ne pas montrer le document/).checked,
    shown(),
  ]).toEqual([0, true, undefined]);
  status = 200;
  await save();
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});
