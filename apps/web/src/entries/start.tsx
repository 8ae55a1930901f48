import { type ReactNode, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "@fontsource-variable/instrument-sans/wght.css";
import "@fontsource/spectral/latin-400.css";
import "@fontsource/spectral/latin-400-italic.css";
import "@fontsource/spectral/500.css";
import "@fontsource/spectral/latin-600.css";
import "@fontsource/ibm-plex-mono/latin-400.css";
import "@fontsource/ibm-plex-mono/latin-500.css";
import { listenToApi, startRefusal } from "../lib/api/api.ts";
import { followAccessibility } from "../lib/browser/accessibility.ts";
import { followSystemTheme } from "../lib/browser/theme.ts";
import { ErrorBoundary } from "../ui/error-boundary/error-boundary.tsx";
import { preserveFocus } from "../ui/focus/preserve-focus.ts";
import { PageHeading } from "../ui/page-heading/page-heading.tsx";
import "../ui/styles/base.css";
import "../ui/styles/layout.css";
import "../ui/styles/themes.css";
import "../ui/styles/tokens.css";
import { ToastRegion } from "../ui/toast/toast-region.tsx";
import { showToast } from "../ui/toast/toast-store.ts";

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

/** Specification §7: the base is missing, or is not HTTPS. */
export function StartRefusal({ reason }: { readonly reason: string }) {
  return (
    <main className="main" id="contenu">
      <div className="stack" role="alert">
        <PageHeading title="Démarrage impossible">Paraphe ne peut pas démarrer</PageHeading>
        <p className="ink2">{reason}</p>
        <p className="ink2">
          Vos documents et vos identifiants ne circulent que par une connexion chiffrée. Vérifiez
          que l’adresse commence par https://, ou prévenez la personne qui administre ce service.
        </p>
      </div>
    </main>
  );
}

// Interface, titles, hashes. The four handwriting fonts load when first shown.

// Latin Extended, for names of all of Europe, loads at its first character.
