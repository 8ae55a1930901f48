import type { Envelope, User } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, vi } from "vitest";
import { sessionQuery } from "../../../accounts/use-session.ts";
import { clearToasts } from "../../../../ui/toast/toast-store.ts";
import { useDraft } from "../draft/use-draft.ts";
import { makeEnvelope } from "./make-envelope.ts";

/**
 * A new browser for each test, in which « u1 » prepares envelopes; only its network is replaced.
 */
export function useDraftPage() {
  const page = {
    /** In the order of the requests. */
    sent: [] as { body: unknown; keepalive: boolean | undefined }[],
    answer: (): Promise<Response> => Promise.resolve(Response.json(makeEnvelope({ version: 2 }))),
    client: new QueryClient(),
    signIn: (id: string) => void page.client.setQueryData(sessionQuery.queryKey, { id } as User),
    /** Clears the memory as a reload does; the tab's and device's storage stays. */
    forget: () => {
      page.client = new QueryClient();
      page.signIn("u1");
    },
    openDraft: (initial: Envelope | null) =>
      renderHook(() => useDraft(initial), {
        wrapper: ({ children }: { children: ReactNode }) => (
          <QueryClientProvider client={page.client}>{children}</QueryClientProvider>
        ),
      }),
  };
  const { answer } = page;
  beforeEach(() => {
    page.sent.length = 0;
    page.forget();
    sessionStorage.clear();
    localStorage.clear();
    document.cookie = "csrftoken=jeton";
    page.answer = answer;
    vi.stubGlobal(
      "fetch",
      (_url: string, { body, keepalive }: { body: string; keepalive?: boolean }) => {
        page.sent.push({ body: JSON.parse(body), keepalive });
        return page.answer();
      },
    );
  });
  afterEach(() => {
    cleanup();
    clearToasts();
    vi.unstubAllGlobals();
  });
  return page;
}

/** Asks to leave as a reload does; true when the browser would ask the person. */
export function reload(): boolean {
  const event = new Event("beforeunload", { cancelable: true });
  act(() => void window.dispatchEvent(event));
  return event.defaultPrevented;
}
