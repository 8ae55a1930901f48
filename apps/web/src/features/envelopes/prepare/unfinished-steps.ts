import type { Document } from "@paraphe/contracts";
import type { Draft } from "./draft/draft.ts";
import { checkBeforeSending } from "./sending/send-check.ts";
import { PREPARE_STEPS } from "./steps.ts";

/** Gives the indexes of the steps that the check before the sending would lead back to. */
export function unfinishedSteps(draft: Draft, documents: readonly Document[]): ReadonlySet<number> {
  const blocking = checkBeforeSending(draft, documents, new Date()).filter(
    ({ kind }) => kind === "blocking",
  );
  return new Set(
    blocking.map((finding) => PREPARE_STEPS.findIndex(({ step }) => step === finding.step)),
  );
}
