import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { rememberServiceRules } from "../../../lib/api/service-rules.ts";
import { currentToasts } from "../../../ui/toast/toast-store.ts";

/** A client that shows a failure at once. */
export const newClient = () => new QueryClient({ defaultOptions: { queries: { retry: false } } });

export function renderPart(part: ReactNode, client = newClient()) {
  return render(<QueryClientProvider client={client}>{part}</QueryClientProvider>);
}

export const press = (name: string | RegExp) =>
  userEvent.click(screen.getByRole("button", { name }));
/** Presses a button that appears after an answer. */
export const pressFound = async (name: string | RegExp) =>
  userEvent.click(await screen.findByRole("button", { name }));

export const toasts = () => currentToasts().map(({ message }) => message);

/** Sets what the service offers; a test that turns mail off turns it on again. */
export const offer = (rules: { readonly mail: boolean; readonly sms?: boolean }) =>
  rememberServiceRules({ registration: { kind: "open", domains: [] }, ...rules });
