import type { Hand } from "@paraphe/contracts";
import { useEffect } from "react";
import { HANDS, loadHands } from "./hands.ts";

/** A sentence in the signer's hand, as it will be printed. */
export function HandWords({ text, hand }: { readonly text: string; readonly hand: Hand }) {
  useEffect(() => void loadHands(), []);
  return (
    <span
      className="truncate"
      style={{ fontFamily: HANDS.find((entry) => entry.hand === hand)?.family, fontSize: "1.3em" }}
    >
      {text}
    </span>
  );
}
