import type { Result, SelfSignRequest } from "@paraphe/contracts";
import { type Actor, type EnvelopeAggregate, limitAction } from "../../envelopes/public.ts";
import type { SigningDeps } from "../create-signing.ts";
import { readMark } from "../read-mark.ts";
import { signOwnDocument } from "../sign-own-document.ts";

export type SelfSigning = {
  readonly actor: Actor;
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  readonly request: SelfSignRequest;
};

/**
 * Signs a person's own PDF for them, at B-LTA at once.
 * Errors: those of `readMark`, `signOwnDocument` and `writeOwnFields`; `too_many_requests`.
 */
export async function selfSign(deps: SigningDeps, { actor, file, request }: SelfSigning): Promise<Result<EnvelopeAggregate>> {
  const { platform } = deps;
  const limited = await limitAction(platform, { kind: "create", id: actor.user.id });
  if (!limited.ok) return limited;
  const mark = await readMark({ platform, userId: actor.user.id }, request.signature);
  if (!mark.ok) return mark;
  return signOwnDocument(deps, {
    actor,
    file,
    title: request.title ?? null,
    placement: request.placement ?? null,
    written: request.fields,
    ifFixable: request.accept_normalised ? "accept" : "refuse",
    method: "self",
    ...mark.value,
  });
}
