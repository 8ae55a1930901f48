import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { VerifierPage } from "../features/proof/verifier/verifier-page.tsx";
import { followAccessibility } from "../lib/browser/accessibility.ts";
import { followSystemTheme } from "../lib/browser/theme.ts";
import { ErrorBoundary } from "../ui/error-boundary/error-boundary.tsx";
import { preserveFocus } from "../ui/focus/preserve-focus.ts";
import "../ui/styles/verifier-fonts.css";
import "../ui/styles/tokens.css";
import "../ui/styles/themes.css";
import "../ui/styles/base.css";
import "../ui/styles/layout.css";

const container = document.getElementById("application");
if (!container) throw new Error("the page has no #application");
followSystemTheme();
followAccessibility();
preserveFocus(document);
createRoot(container).render(
  <StrictMode>
    <ErrorBoundary>
      <VerifierPage fragment={location.hash.slice(1)} isFile={location.protocol === "file:"} />
    </ErrorBoundary>
  </StrictMode>,
);
