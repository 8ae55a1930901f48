import { QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { I18nProvider, RouterProvider } from "react-aria-components";
import { BrowserRouter, useHref, useNavigate } from "react-router";
import { expireSession, followSession } from "../features/accounts/use-session.ts";
import { MemberRoutes, preloadPage } from "../shell/member-routes.tsx";
import { listenToApi } from "../lib/api/api.ts";
import { createQueryClient } from "../lib/api/create-query-client.ts";
import { forgetOverdue } from "../lib/browser/tab-memory.ts";
import { start } from "./start.tsx";

const client = createQueryClient();
listenToApi({ onSessionLost: (reason) => expireSession(client, reason) });
followSession(client);
forgetOverdue();
preloadPage(location);

function AriaRouter({ children }: { readonly children: ReactNode }) {
  const navigate = useNavigate();
  return (
    <RouterProvider navigate={(path) => void navigate(path)} useHref={useHref}>
      <I18nProvider locale="fr-FR">{children}</I18nProvider>
    </RouterProvider>
  );
}

start(
  <QueryClientProvider client={client}>
    <BrowserRouter>
      <AriaRouter>
        <MemberRoutes />
      </AriaRouter>
    </BrowserRouter>
  </QueryClientProvider>,
);
