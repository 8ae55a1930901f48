import { QueryClientProvider } from "@tanstack/react-query";
import { BrowserRouter, Route, Routes } from "react-router";
import { GuestSignPage } from "../features/signing/guest/guest-sign-page.tsx";
import { createQueryClient } from "../lib/api/create-query-client.ts";
import { lazyStep } from "../ui/lazy-step/lazy-step.tsx";
import { OfflineBanner } from "../ui/offline-banner/offline-banner.tsx";
import { SkipLink } from "../ui/skip-link/skip-link.tsx";
import { start } from "./start.tsx";

const GuestSuccessPage = lazyStep(
  async () => (await import("../features/signing/guest/guest-success-page.tsx")).GuestSuccessPage,
  "Chargement…",
);

start(
  <QueryClientProvider client={createQueryClient()}>
    <SkipLink />
    <OfflineBanner>{"Gardez cette page ouverte\u00a0: vos réponses y restent."}</OfflineBanner>
    <BrowserRouter>
      <Routes>
        <Route path="sign/:id" element={<GuestSignPage />} />
        <Route path="signature/guest/success" element={<GuestSuccessPage />} />
      </Routes>
    </BrowserRouter>
  </QueryClientProvider>,
);
