import { StrictMode, type ReactNode } from "react";
import { createRoot } from "react-dom/client";
import { followAccessibility } from "../lib/browser/accessibility.ts";
import { listenToApi, startRefusal } from "../lib/api/api.ts";
import { followSystemTheme } from "../lib/browser/theme.ts";
import { ErrorBoundary } from "../ui/error-boundary/error-boundary.tsx";
import { preserveFocus } from "../ui/focus/preserve-focus.ts";
import { StartRefusal } from "../ui/start-refusal/start-refusal.tsx";
import { ToastRegion } from "../ui/toast/toast-region.tsx";
import { showToast } from "../ui/toast/toast-store.ts";
import "../ui/styles/fonts.ts";
import "../ui/styles/tokens.css";
import "../ui/styles/themes.css";
import "../ui/styles/base.css";
import "../ui/styles/layout.css";

export function start(application: ReactNode): void {
  const container = document.getElementById("application");
  if (!container) throw new Error("the page has no #application");
  followSystemTheme();
  followAccessibility();
  preserveFocus(document);
  listenToApi({
    onUnreachable: () => {
      showToast("err", "Erreur réseau ou serveur injoignable");
    },
  });
  const content = startRefusal === undefined ? application : <StartRefusal reason={startRefusal} />;
  createRoot(container).render(
    <StrictMode>
      <ErrorBoundary>{content}</ErrorBoundary>
      <ToastRegion />
    </StrictMode>,
  );
}
