import { QueryClientProvider } from "@tanstack/react-query";
import { BrowserRouter, Route, Routes } from "react-router";
import { VerifyPage } from "../features/prints/verify-page.tsx";
import { createQueryClient } from "../lib/create-query-client.ts";
import { start } from "./start.tsx";

start(
  <QueryClientProvider client={createQueryClient()}>
    <BrowserRouter>
      <Routes>
        <Route path="verify/:uuid" element={<VerifyPage />} />
      </Routes>
    </BrowserRouter>
  </QueryClientProvider>,
);
