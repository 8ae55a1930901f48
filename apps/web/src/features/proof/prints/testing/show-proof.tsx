import type { Proof } from "@paraphe/contracts";
import { configure, render } from "@testing-library/react";
import { vi } from "vitest";
import "../certificate-card.tsx";
import "../fingerprints-card.tsx";
import "../log-card.tsx";
import "../own-files.tsx";
import "../page-choice.tsx";
import "../paper-card.tsx";
import { ProofView } from "../proof-view.tsx";
import { sampleProof } from "./sample-proof.ts";
// These parts are loaded here: at their first display it takes longer than a query waits.

// Codes and inclusion are really verified: over a second on a busy machine.
configure({ asyncUtilTimeout: 5_000 });

/** Shows a proof as the page does once it is loaded. */
export function showProof(
  part: Partial<Proof> = {},
  at: { readonly uuid?: string; readonly fragment?: string } = {},
) {
  return render(
    <ProofView
      uuid={at.uuid ?? "p1"}
      sig="s"
      proof={sampleProof(part)}
      fragment={at.fragment ?? ""}
    />,
  );
}

/** The page's text, no-break spaces as plain ones. */
export function words(): string {
  return document.body.textContent?.replaceAll(/[\u00a0\u202f]/g, " ") ?? "";
}

/** The test has no window, so it says whether parts are in sight. */
export function placeNear(isIntersecting = true): void {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      readonly #notify: (entries: readonly { readonly isIntersecting: boolean }[]) => void;
      constructor(notify: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
        this.#notify = notify;
      }
      observe() {
        queueMicrotask(() => this.#notify([{ isIntersecting }]));
      }
      disconnect() {}
    },
  );
}

/** Queries of a minimum width are true on a wide screen; all others are false. */
export function stubViewport(width: "small" | "wide" = "small"): void {
  vi.stubGlobal("matchMedia", (query: string) => ({
    matches: width === "wide" && query.includes("min-width"),
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }));
}
