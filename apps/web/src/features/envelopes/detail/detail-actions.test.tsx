import type { Envelope } from "@paraphe/contracts";
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { RouterProvider, createMemoryRouter } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { clearToasts } from "../../../ui/toast/toast-store.ts";
import { makeEnvelope } from "../prepare/testing/make-envelope.ts";
import { DetailActions } from "./detail-actions.tsx";
import { press, renderPart, toasts } from "../testing/page.tsx";

afterEach(() => {
  vi.unstubAllGlobals();
  act(clearToasts);
});

function show(rest: Partial<Envelope>) {
  const envelope = { ...makeEnvelope(), is_owner: true, ...rest } as Envelope;
  const routes = [{ path: "*", element: <DetailActions envelope={envelope} withQr /> }];
  const router = createMemoryRouter(routes);
  renderPart(<RouterProvider router={router} />);
  return { envelope, router };
}

test.each(["sent", "pending", "action_required"] as const)(
  "a sender may remind while an envelope is %s",
  (status) => {
    show({ status });
    expect(screen.getByRole("button", { name: "Envoyer un rappel" })).toBeDefined();
  },
);

test.each(["draft", "completed", "declined", "expired", "cancelled"] as const)(
  "nobody can be reminded of a %s envelope",
  (status) => {
    show({ status });
    expect(screen.queryByRole("button", { name: "Envoyer un rappel" })).toBeNull();
  },
);

const BACK = { by: null, at: null, reason: null };

test("a draft that was never sent has nothing to cancel", async () => {
  show({ status: "draft" });
  await press("Plus d’actions");
  expect(screen.queryByRole("menuitem", { name: /^Annuler/ })).toBeNull();
});

test.each([
  ["sent", "Annuler l’enveloppe", /^Annuler cette enveloppe/],
  ["draft", "Annuler l’enveloppe", /^Annuler cette enveloppe/],
  ["declined", "Supprimer", /^Supprimer ce document/],
  ["expired", "Supprimer", /^Supprimer ce document/],
] as const)("a %s envelope offers « %s »", async (status, label, title) => {
  show({ status, ...(status === "draft" ? { returned: BACK } : {}) });
  await press("Plus d’actions");
  const offered = screen
    .getAllByRole("menuitem", { name: /^(Annuler|Supprimer)/ })
    .map(({ textContent }) => textContent);
  expect(offered).toEqual([label]);
  await userEvent.click(screen.getByRole("menuitem", { name: label }));
  expect(await screen.findByRole("alertdialog", { name: title })).toBeDefined();
});

/** Answers each call, and lists the calls. */
function answering(status: number, body: object): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: string, { method }: RequestInit) => {
    asked.push(`${method} ${new URL(url).pathname}`);
    return Response.json(body, { status });
  });
  return asked;
}
async function duplicate() {
  await press("Plus d’actions");
  await userEvent.click(screen.getByRole("menuitem", { name: "Dupliquer" }));
}

test.each(["draft", "sent", "completed", "expired", "cancelled"] as const)(
  "a duplicate of a %s envelope opens as a draft",
  async (status) => {
    const asked = answering(201, makeEnvelope({ id: "copie" }));
    const { envelope, router } = show({ status });
    await duplicate();
    await vi.waitFor(() =>
      expect(router.state.location.pathname).toBe("/signature/workflow/copie"),
    );
    expect(asked).toContain(`POST /api/signature/envelopes/${envelope.id}/duplicate/`);
  },
);

test("the sender of a refused envelope corrects it in a draft", async () => {
  const asked = answering(201, makeEnvelope({ id: "copie" }));
  const { envelope, router } = show({ status: "declined" });
  await press("Corriger et renvoyer");
  await vi.waitFor(() => expect(router.state.location.pathname).toBe("/signature/workflow/copie"));
  expect(asked).toContain(`POST /api/signature/envelopes/${envelope.id}/duplicate/`);
});

test("a refused duplicate says why and stays on the page", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  answering(429, { detail: "Trop de demandes." });
  const { router } = show({ status: "sent" });
  const before = router.state.location.pathname;
  await duplicate();
  await vi.waitFor(() => expect(toasts()).toEqual(["Trop de demandes."]));
  expect(router.state.location.pathname).toBe(before);
});

test("only its owner may duplicate an envelope", () => {
  show({ status: "sent", is_owner: false });
  expect(screen.queryByRole("button", { name: "Plus d’actions" })).toBeNull();
});

test("once somebody has signed, printing asks where the code stands", async () => {
  show({ status: "completed", progress: { signed: 1, total: 1, percent: 100 } });
  await press("Plus d’actions");
  await userEvent.click(screen.getByRole("menuitem", { name: "Imprimer" }));
  await screen.findByRole("dialog", { name: "Imprimer" });
});
