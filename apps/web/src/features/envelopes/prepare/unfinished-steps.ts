import type { Document } from "@paraphe/contracts";
import type { Draft } from "./draft/draft.ts";
import { checkBeforeSending } from "./sending/send-check.ts";
import { PREPARE_STEPS } from "./steps.ts";

/** The steps that the check before sending would lead back to. */
export function unfinishedSteps(draft: Draft, documents: readonly Document[]): ReadonlySet<number> {
  const blocking = checkBeforeSending(draft, documents, new Date()).filter(
    ({ kind }) => kind === "blocking",
  );
  return new Set(
    blocking.map((finding) => PREPARE_STEPS.findIndex(({ step }) => step === finding.step)),
  );
}
