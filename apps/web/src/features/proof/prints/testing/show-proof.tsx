import type { Proof } from "@paraphe/contracts";
import { configure, render } from "@testing-library/react";
import { vi } from "vitest";
import "../certificate-card.tsx";
import "../log-card.tsx";
import "../own-files.tsx";
import "../paper-card.tsx";
import { ProofView } from "../proof-view.tsx";
import { sampleProof } from "./sample-proof.ts";
// Files of their own, which the page asks for: read and compiled at the first display, they take longer than one waits for a word.

// Codes and inclusion are checked for good: on a busy machine that is more than the second that one waits for a word.
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

/** All that the page says, its no-break spaces as plain ones. */
export function words(): string {
  return document.body.textContent?.replaceAll(/[\u00a0\u202f]/g, " ") ?? "";
}

/** No window in these tests: whatever is looked for is in sight, or nothing is. */
export function placeNear(isIntersecting = true): void {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      readonly #told: (entries: readonly { readonly isIntersecting: boolean }[]) => void;
      constructor(told: (entries: readonly { readonly isIntersecting: boolean }[]) => void) {
        this.#told = told;
      }
      observe() {
        queueMicrotask(() => this.#told([{ isIntersecting }]));
      }
      disconnect() {}
    },
  );
}
