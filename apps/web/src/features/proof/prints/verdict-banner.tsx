import type { Proof } from "@paraphe/contracts";
import { Verdict } from "../../../ui/verdict/verdict.tsx";
import type { Band } from "./band-of.ts";
import { purgedSaid } from "./band-of.ts";

/** The verdict, why, and what is noted beside. */
export function VerdictBanner({ proof, band }: { readonly proof: Proof; readonly band: Band }) {
  return (
    <Verdict {...band}>
      {proof.warnings.map((warning) => (
        <p key={warning}>
          <strong>À noter.</strong> {warning}
        </p>
      ))}
      {proof.purged && band.seal !== "gone" ? <p>{purgedSaid(proof)}</p> : null}
    </Verdict>
  );
}
