import type { Proof } from "@paraphe/contracts";
import { useLoaded } from "../../../lib/use-loaded.ts";
import { checkStatement, type PaperCheck } from "./check-statement.ts";

/** What is known of the paper that somebody came from: `none` when the address bears no code of a page, `away` when what checks it did not come. */
export type PaperState = { readonly state: "none" | "checking" | "away" } | PaperCheck;

/** Checks what the code of a printed page says, here, with the keys of the proof. */
export function usePaperCheck(uuid: string, fragment: string, proof: Proof): PaperState {
  const checked = useLoaded(`${uuid} ${fragment}`, async () =>
    fragment === "" ? null : checkStatement(uuid, fragment, proof),
  );
  if (fragment === "") return { state: "none" };
  if (checked.status === "failed") return { state: "away" };
  return checked.status === "ready" && checked.value !== null
    ? checked.value
    : { state: "checking" };
}
