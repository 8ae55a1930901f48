import { QueryClientProvider } from "@tanstack/react-query";
import { BrowserRouter, Route, Routes } from "react-router";
import { VerifyPage } from "../features/prints/verify-page.tsx";
import { createQueryClient } from "../lib/create-query-client.ts";
import { lazyStep } from "../ui/lazy-step/lazy-step.tsx";
import { start } from "./start.tsx";

const LogPage = lazyStep(async () => (await import("../features/transparency/log-page.tsx")).LogPage, "Chargement du journal");

start(
  <QueryClientProvider client={createQueryClient()}>
    <BrowserRouter>
      <Routes>
        <Route path="verify/:uuid" element={<VerifyPage />} />
        <Route path="journal-de-transparence" element={<LogPage />} />
      </Routes>
    </BrowserRouter>
  </QueryClientProvider>,
);
