import { useState } from "react";
import { suggestAddress } from "./suggest-address.ts";
import { useKnownDomains } from "./use-known-domains.ts";

/** Gives the address that was probably meant, once this one was left as it stands (`look`): nothing blinks while it is typed. */
export function useMeantAddress(value: string) {
  const [looked, setLooked] = useState<string | null>(null);
  const isLooked = value !== "" && looked === value;
  const known = useKnownDomains(isLooked);
  return { address: isLooked ? suggestAddress(value, known) : null, look: () => setLooked(value) };
}
