import { QueryClientProvider } from "@tanstack/react-query";
import { Suspense, lazy } from "react";
import { BrowserRouter, Route, Routes } from "react-router";
import { GuestSignPage } from "../features/signing/guest-sign-page.tsx";
import { createQueryClient } from "../lib/create-query-client.ts";
import { FullLoader } from "../ui/full-loader/full-loader.tsx";
import { OfflineBanner } from "../ui/offline-banner/offline-banner.tsx";
import { SkipLink } from "../ui/skip-link/skip-link.tsx";
import { start } from "./start.tsx";

const GuestSuccessPage = lazy(async () => ({ default: (await import("../features/signing/guest-success-page.tsx")).GuestSuccessPage }));

start(
  <QueryClientProvider client={createQueryClient()}>
    <SkipLink />
    <OfflineBanner>{"Gardez cette page ouverte\u00a0: vos réponses y restent."}</OfflineBanner>
    <BrowserRouter>
      <Suspense fallback={<FullLoader />}>
        <Routes>
          <Route path="sign/:id" element={<GuestSignPage />} />
          <Route path="signature/guest/success" element={<GuestSuccessPage />} />
        </Routes>
      </Suspense>
    </BrowserRouter>
  </QueryClientProvider>,
);
