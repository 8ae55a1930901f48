import type { Counts, LiveEnvelopeEvent } from "@paraphe/contracts";

/** What a tab is told, by the stream or by the tab that holds it. `refresh`: something may have been missed. */
export type LiveSignal =
  | { readonly kind: "envelope"; readonly event: LiveEnvelopeEvent }
  | { readonly kind: "counts"; readonly counts: Counts }
  | { readonly kind: "refresh" };
