import {
  type CorrectionAnswer,
  failure,
  problem,
  type Result,
  type SelfSignControl,
  type SelfSignRequest,
  success,
} from "@paraphe/contracts";
import type { Platform } from "../../../platform/platform.ts";
import {
  compareCopy,
  pdfAccess,
  presentFindings,
  receiveDocument,
} from "../../documents/public.ts";
import {
  type Actor,
  type EnvelopeAggregate,
  freePlace,
  limitAction,
} from "../../envelopes/public.ts";
import type { SigningDeps } from "../seal/create-sealing.ts";
import { readMark } from "../marks/saved-signatures.ts";
import { signOwnDocument } from "../sign-own-document.ts";

type File = { readonly field: string; readonly name: string; readonly bytes: Uint8Array };
type Form = { readonly fields: Readonly<Record<string, string>>; readonly files: readonly File[] };
const JSON_FIELDS = {
  placement: "Emplacement illisible",
  signature: "Signature illisible",
  fields: "Champs illisibles",
} as const;

/** Errors: `validation` for invalid JSON. */
export function readOwnFields({ fields }: Pick<Form, "fields">): Result<Record<string, unknown>> {
  const body: Record<string, unknown> = { ...fields };
  for (const [name, unreadable] of Object.entries(JSON_FIELDS)) {
    const text = fields[name];
    if (text === undefined) continue;
    try {
      body[name] = JSON.parse(text) as unknown;
    } catch {
      return invalid(name, unreadable);
    }
  }
  return success(body);
}

function invalid(field: string, message: string) {
  return failure(problem("validation", { errors: { [field]: [message] } }));
}

/**
 * Proposes a free place on the last page. Stores nothing.
 * Errors: those of `receiveDocument`; `too_many_requests`.
 */
export async function controlDocument(
  platform: Platform,
  {
    actor,
    file,
  }: {
    readonly actor: Actor;
    readonly file: { readonly name: string; readonly bytes: Uint8Array };
  },
): Promise<Result<SelfSignControl>> {
  const limited = await limitAction(platform, { kind: "upload", id: actor.user.id });
  if (!limited.ok) return limited;
  const received = await receiveDocument(pdfAccess(platform, { actor, haste: "patient" }), file);
  if (!received.ok) return received;
  const { name, pageCount, pages, control } = received.value;
  const place = freePlace(received.value);
  return success({
    name,
    page_count: pageCount,
    pages: pages.map(({ width, height, rotation }) => ({ width, height, rotation })),
    control: { result: control.result, findings: [...presentFindings(control.findings)] },
    taken: (pages.at(-1)?.taken ?? []).map(({ x, y, width, height }) => ({ x, y, width, height })),
    placement: place.ok ? { ...place.value, page: -1 } : null,
  });
}

type OwnCopyToCompare = {
  readonly actor: Actor;
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  readonly from: number;
};

/** Stores nothing. Errors: those of `receiveDocument` and `compareCopy`; `too_many_requests`. */
export async function compareOwnCopy(
  platform: Platform,
  { actor, file, from }: OwnCopyToCompare,
): Promise<Result<CorrectionAnswer>> {
  const limited = await limitAction(platform, { kind: "upload", id: actor.user.id });
  if (!limited.ok) return limited;
  const access = pdfAccess(platform, { actor, haste: "patient" });
  const received = await receiveDocument(access, file);
  if (!received.ok) return received;
  const { name, bytes, pageCount } = received.value;
  return compareCopy(access, { name, bytes, pageCount, from, member: "file" });
}

type SelfSigning = {
  readonly actor: Actor;
  readonly file: { readonly name: string; readonly bytes: Uint8Array };
  readonly request: SelfSignRequest;
};

/**
 * Signs at B-LTA at once.
 * Errors: those of `readMark`, `signOwnDocument` and `writeOwnFields`; `too_many_requests`.
 */
export async function selfSign(
  deps: SigningDeps,
  { actor, file, request }: SelfSigning,
): Promise<Result<EnvelopeAggregate>> {
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
