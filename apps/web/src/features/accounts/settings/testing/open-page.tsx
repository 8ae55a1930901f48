import type { User } from "@paraphe/contracts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { Link, MemoryRouter, Route, Routes } from "react-router";
import { vi } from "vitest";
import { sessionQuery } from "../../use-session.ts";

export const clemence: User = {
  id: "0192f0c1-0000-7000-8000-000000000001",
  username: "clemence",
  email: "clemence@exemple.fr",
  first_name: "Clémence",
  last_name: "Aubry-Lefèvre",
  birth_date: "1984-03-14",
  phone_number: "+33612345678",
  email_confirmed: true,
  phone_verified: true,
  gender: "Femme",
  address: "27, quai du Havre\n76000 Rouen",
  avatar: null,
  notifications: { email: true, sms: false, push: false },
  unread_actions: 0,
};

type Answer = { readonly status: number; readonly body?: unknown };
export type Call = { readonly method: string; readonly path: string; readonly body: unknown };

/** Replaces the network: answers by method and path. Gives the calls made. */
export function serve(answers: Record<string, Answer>): Call[] {
  const calls: Call[] = [];
  vi.stubGlobal(
    "fetch",
    async (url: string, { method, body }: { method: string; body: unknown }) => {
      const path = new URL(url).pathname;
      calls.push({ method, path, body: typeof body === "string" ? JSON.parse(body) : body });
      const { status, body: answer } = answers[`${method} ${path}`] ?? {
        status: path === "/api/verify-token/" ? 200 : 404,
        body: {},
      };
      return status === 204
        ? new Response(null, { status })
        : Response.json(answer ?? {}, { status });
    },
  );
  return calls;
}

/**
 * Opens a settings page beside a link that leads elsewhere. Gives the cache, which has the session.
 */
export function openPage(
  page: ReactNode,
  user: User = clemence,
  path: string = "/ici",
): QueryClient {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  client.setQueryData(sessionQuery.queryKey, user);
  render(
    <QueryClientProvider client={client}>
      <MemoryRouter initialEntries={[path]}>
        <Link to="/ailleurs">Ailleurs</Link>
        <Routes>
          <Route path={path} element={page} />
          <Route path="*" element={<p>Arrivée</p>} />
        </Routes>
      </MemoryRouter>
    </QueryClientProvider>,
  );
  return client;
}
