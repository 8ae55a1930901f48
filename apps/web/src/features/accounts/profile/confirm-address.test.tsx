import type { User } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { MemoryRouter } from "react-router";
import { afterEach, expect, test, vi } from "vitest";
import { clemence, serve } from "../settings/testing/open-page.tsx";
import { ConfirmAddress } from "./contact-cards.tsx";
import { buttonNamed } from "../testing/forms.ts";

afterEach(() => vi.unstubAllGlobals());

function show(path: string) {
  const onChanged = vi.fn<(user: User) => void>();
  render(
    <QueryClientProvider client={new QueryClient()}>
      <MemoryRouter initialEntries={[path]}>
        <ConfirmAddress onChanged={onChanged} />
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return onChanged;
}
const CONFIRM = "POST /api/signature/me/email/confirm/";
const press = () => userEvent.click(buttonNamed("Confirmer cette adresse"));

test("the link of a new address confirms it only when the button is pressed", async () => {
  const calls = serve({ [CONFIRM]: { status: 200, body: { user: clemence } } });
  const onChanged = show("/profile?email=jeton");
  expect(calls).toEqual([]);
  await press();
  await waitFor(() => expect(onChanged).toHaveBeenCalledWith(clemence));
  expect(calls.at(-1)?.body).toEqual({ token: "jeton" });
  await waitFor(() => expect(screen.queryByRole("button")).toBeNull());
});

test("an expired link says so", async () => {
  const detail = "Ce lien n’est plus valable.";
  serve({ [CONFIRM]: { status: 400, body: { code: "address_link_expired", detail } } });
  show("/profile?email=jeton");
  await press();
  expect(await screen.findByText(detail)).toBeDefined();
});

test("shows nothing without a link", () => {
  show("/profile");
  expect(document.body.textContent).toBe("");
});
