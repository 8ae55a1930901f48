import { QueryClientProvider } from "@tanstack/react-query";
import { BrowserRouter, Route, Routes } from "react-router";
import { GuestSignPage, readAhead } from "../features/signing/guest/guest-sign-page.tsx";
import { createQueryClient } from "../lib/api/create-query-client.ts";
import { lazyStep } from "../ui/lazy-step/lazy-step.tsx";
import { OfflineBanner } from "../ui/offline-banner/offline-banner.tsx";
import { SkipLink } from "../ui/skip-link/skip-link.tsx";
import { start } from "./start.tsx";

const GuestSuccessPage = lazyStep(
  async () => (await import("../features/signing/guest/guest-success-page.tsx")).GuestSuccessPage,
  "Chargement…",
);
const EmbeddedSigning = lazyStep(
  async () => (await import("../features/signing/guest/embedded-signing.tsx")).EmbeddedSigning,
  "Chargement…",
);

const client = createQueryClient();
// Before React starts, because on a slow phone that takes as long as the answer.
readAhead(client, window);
for (const font of ["1em 'Instrument Sans Variable'", "500 1em Spectral"])
  void document.fonts.load(font);
const routes = (
  <Routes>
    <Route path="sign/:id" element={<GuestSignPage />} />
    <Route path="signature/guest/success" element={<GuestSuccessPage />} />
  </Routes>
);
const [, id, ticket] = /^\/sign\/([^/]+)\/embed\/([^/]+)\//.exec(location.pathname) ?? [];
start(
  <QueryClientProvider client={client}>
    <SkipLink />
    <OfflineBanner>{"Gardez cette page ouverte\u00a0: vos réponses y restent."}</OfflineBanner>
    {id !== undefined && ticket !== undefined ? (
      <EmbeddedSigning {...{ id, ticket }}>{routes}</EmbeddedSigning>
    ) : (
      <BrowserRouter>{routes}</BrowserRouter>
    )}
  </QueryClientProvider>,
);
