import type { Evidence } from "../src/validate/types.ts";

/** Evidence of somebody who trusts these for signers and for time-stamps alike, as the test PKI's root is. */
export const trusting = (anchors: readonly Uint8Array[]): Evidence => ({
  trustAnchors: { signers: anchors, timestamps: anchors },
});
