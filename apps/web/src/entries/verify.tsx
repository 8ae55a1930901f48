import { VerifyPage } from "../features/proof/prints/verify-page.tsx";
import { lazyStep } from "../ui/lazy-step/lazy-step.tsx";
import { start } from "./start.tsx";

const LogPage = lazyStep(
  async () => (await import("../features/journal/log-page.tsx")).LogPage,
  "Chargement du journal",
);

// The two pages never link to each other, so they need no router.
start(
  window.location.pathname.startsWith("/journal-de-transparence") ? (
    <LogPage />
  ) : (
    <VerifyPage address={new URL(window.location.href)} />
  ),
);
