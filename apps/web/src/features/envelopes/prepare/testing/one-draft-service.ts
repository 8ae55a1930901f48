import type { Envelope, UpdateEnvelopeRequest } from "@paraphe/contracts";
import { ApiError } from "../../../../lib/api/api-error.ts";
import { makeField, makeRecipient } from "./make-envelope.ts";

/** A service with one draft; it refuses an old version as the contract says. */
export function oneDraftService(start: Envelope) {
  let stored = start;
  const calls: UpdateEnvelopeRequest[] = [];
  return {
    calls,
    stored: () => stored,
    changeElsewhere: (change: Partial<Envelope>) => {
      stored = { ...stored, ...change, version: stored.version + 1 };
    },
    ports: {
      now: () => new Date("2026-11-21T11:34:00Z"),
      load: async () => stored,
      patch: async (envelope: Envelope, body: UpdateEnvelopeRequest) => {
        if (envelope.version !== stored.version)
          throw new ApiError({ status: 409, code: "version_conflict" });
        calls.push(body);
        stored = {
          ...stored,
          version: stored.version + 1,
          ...(body.title === undefined ? {} : { title: body.title }),
          ...(body.recipients
            ? {
                recipients: body.recipients.map((row, index) =>
                  makeRecipient({ ...row, order: row.order ?? 1, id: row.id ?? `r-new-${index}` }),
                ),
              }
            : {}),
          ...(body.fields
            ? {
                fields: body.fields.map((field, index) =>
                  makeField({ ...field, id: field.id ?? `f-new-${index}` }),
                ),
              }
            : {}),
        };
        return stored;
      },
    },
  };
}
