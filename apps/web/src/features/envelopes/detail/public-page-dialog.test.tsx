import type { Envelope } from "@paraphe/contracts";
import { QueryClient } from "@tanstack/react-query";
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts } from "../../../ui/toast/toast-store.ts";
import { makeEnvelope } from "../prepare/testing/make-envelope.ts";
import { PublicPageDialog } from "./setting-dialogs.tsx";
import { press, renderPart, toasts } from "../testing/page.tsx";

let calls: { method: string | undefined; path: string; body: unknown }[];
let status: number;

beforeEach(() => {
  act(clearToasts);
  [calls, status] = [[], 200];
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
  renderPart(
    <PublicPageDialog
      envelope={makeEnvelope({ status: "completed", ...part })}
      onClose={onClose}
    />,
    client,
  );
  return {
    onClose,
    shown: () => client.getQueryData<Envelope>(["envelopes", "detail", "e1"])?.proof_only,
  };
}
const radio = (name: RegExp) => screen.getByRole<HTMLInputElement>("radio", { name });
const save = () => press("Enregistrer");

test.each([
  [false, /^Ne pas montrer le document/, true, "La page publique ne montre que la preuve"],
  [true, /^Document visible/, false, "La page publique montre le document"],
])(
  "a change of the public page from %s is confirmed and shown at once",
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
    expect([toasts(), shown()]).toEqual([[sentence], after]);
  },
);

test("each choice says what a reader of the paper sees", () => {
  show({ proof_only: false });
  expect(radio(/voit le document signé et sa preuve\.$/).value).toBe("false");
  expect(radio(/voit la preuve, mais pas le document\.$/).value).toBe("true");
});

test("a failure leaves the choice in place and can be retried", async () => {
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
