import {
  failure,
  problem,
  problemSentence,
  type Result,
  success,
  visibleText,
  isToCopy,
} from "@paraphe/contracts";
import {
  type Envelope,
  type EnvelopeField,
  type EnvelopeRecipient,
  mustSign,
  outcomeOf,
} from "./envelope.ts";

export type EnvelopeToSend = {
  readonly envelope: Pick<Envelope, "status" | "deadlineAt" | "flow">;
  readonly recipients: readonly Pick<EnvelopeRecipient, "role" | "fullName" | "order">[];
  readonly fields: readonly Pick<EnvelopeField, "type" | "value">[];
  readonly documents: readonly {
    readonly name: string;
    readonly control: { readonly result: "ok" | "fixable" };
    readonly normalisedAccepted: boolean;
  }[];
};

/** Errors: `invalid_state`; `not_ready_to_send` with its reason. */
export function checkSend(
  { envelope, recipients, fields, documents }: EnvelopeToSend,
  {
    now,
    firstMissing,
  }: { readonly now: Date; readonly firstMissing: (text: string) => string | null },
): Result<null> {
  const outcome = outcomeOf(envelope.status, "send");
  if (!outcome.ok) return outcome;
  if (documents.length === 0) return notReady("ajoutez au moins un fichier.");
  if (!recipients.some((recipient) => recipient.role === "signer"))
    return notReady("ajoutez au moins un signataire.");
  if (hasLateVisa(envelope.flow, recipients))
    return notReady("un visa se donne avant une signature. Activez l’ordre, et placez-le avant.");
  if (envelope.deadlineAt !== null && envelope.deadlineAt <= now)
    return notReady("l’échéance doit être dans le futur.");
  const pending = documents.find(
    (document) => document.control.result === "fixable" && !document.normalisedAccepted,
  );
  if (pending) return notReady(`acceptez d’abord la copie corrigée de « ${pending.name} ».`);
  const silent = fields.findIndex(
    (field) => isToCopy(field) && visibleText(field.value ?? "").trim() === "",
  );
  if (silent !== -1) return mentionWithoutSentence(silent);
  for (const [index, { role, fullName }] of recipients.entries()) {
    const character = mustSign({ role }) ? firstMissing(fullName) : null;
    if (character !== null) return unprintableName({ index, fullName, character });
  }
  return success(null);
}

/** Visas come before a signature, as only a signature completes the envelope. */
function hasLateVisa(flow: Envelope["flow"], recipients: EnvelopeToSend["recipients"]): boolean {
  const last = Math.max(...recipients.filter(mustSign).map(({ order }) => order));
  return recipients.some(
    ({ role, order }) => role === "visa" && (flow === "parallel" || order >= last),
  );
}

function mentionWithoutSentence(index: number): Result<null> {
  return failure(
    problem("not_ready_to_send", {
      params: { reason: "écrivez la phrase de chaque mention à recopier." },
      errors: { [`fields.${index}.value`]: ["Écrivez la phrase que le signataire recopiera."] },
    }),
  );
}

function unprintableName(name: {
  readonly index: number;
  readonly fullName: string;
  readonly character: string;
}): Result<null> {
  return failure(
    problem("not_ready_to_send", {
      params: {
        reason: `le caractère « ${name.character} » du nom « ${name.fullName} » ne peut pas être imprimé.`,
      },
      errors: {
        [`recipients.${name.index}.full_name`]: [
          problemSentence(problem("unsupported_character", { params: name })),
        ],
      },
    }),
  );
}

function notReady(reason: string): Result<null> {
  return failure(problem("not_ready_to_send", { params: { reason } }));
}
