import { STATUS_LABELS, type StoredStatus } from "@paraphe/contracts";
import { describe, expect, it } from "vitest";
import { decideTransition, type EnvelopeAction, type EnvelopeActor, type Outcome, outcomeOf, TRANSITIONS } from "./transitions.ts";

const STATUSES = Object.keys(STATUS_LABELS) as StoredStatus[];
const ACTIONS = Object.keys(TRANSITIONS) as EnvelopeAction[];
const ACTORS: readonly EnvelopeActor[] = ["sender", "signer", "copy", "service", "stranger"];

/** The refusals, as the table below has them. */
const REFUSALS = {
  "404": "not_found",
  "403": "not_allowed",
  sig: "not_a_signer",
  copy: "viewer_cannot_sign",
  "409": "invalid_state",
} as const;

/**
 * Every cell, written out beside the code's own table: for each action and status, what the five actors get, in the order
 * sender, signer, copy, service, stranger. Contract §4.
 */
const CELLS: Readonly<Record<EnvelopeAction, Readonly<Record<StoredStatus, string>>>> = {
  update: {
    draft: "same 404 404 403 404",
    sent: "409 403 403 403 404",
    pending: "409 403 403 403 404",
    completed: "409 403 403 403 404",
    declined: "409 403 403 403 404",
    expired: "409 403 403 403 404",
    cancelled: "409 404 404 403 404",
  },
  send: {
    draft: "sent 404 404 403 404",
    sent: "409 403 403 403 404",
    pending: "409 403 403 403 404",
    completed: "409 403 403 403 404",
    declined: "409 403 403 403 404",
    expired: "409 403 403 403 404",
    cancelled: "409 404 404 403 404",
  },
  remind: {
    draft: "409 404 404 409 404",
    sent: "same 403 403 same 404",
    pending: "same 403 403 same 404",
    completed: "409 403 403 409 404",
    declined: "409 403 403 409 404",
    expired: "409 403 403 409 404",
    cancelled: "409 404 404 409 404",
  },
  extend: {
    draft: "409 404 404 403 404",
    sent: "same 403 403 403 404",
    pending: "same 403 403 403 404",
    completed: "409 403 403 403 404",
    declined: "409 403 403 403 404",
    expired: "open 403 403 403 404",
    cancelled: "409 404 404 403 404",
  },
  adjust: {
    draft: "409 404 404 403 404",
    sent: "same 403 403 403 404",
    pending: "same 403 403 403 404",
    completed: "409 403 403 403 404",
    declined: "409 403 403 403 404",
    expired: "409 403 403 403 404",
    cancelled: "409 404 404 403 404",
  },
  request_extension: {
    draft: "sig 404 404 sig 404",
    sent: "sig same copy sig 404",
    pending: "sig same copy sig 404",
    completed: "sig 409 copy sig 404",
    declined: "sig 409 copy sig 404",
    expired: "sig same copy sig 404",
    cancelled: "sig 404 404 sig 404",
  },
  sign: {
    draft: "sig 404 404 sig 404",
    sent: "sig progress copy sig 404",
    pending: "sig progress copy sig 404",
    completed: "sig 409 copy sig 404",
    declined: "sig 409 copy sig 404",
    expired: "sig 409 copy sig 404",
    cancelled: "sig 404 404 sig 404",
  },
  decline: {
    draft: "sig 404 404 sig 404",
    sent: "sig declined copy sig 404",
    pending: "sig declined copy sig 404",
    completed: "sig 409 copy sig 404",
    declined: "sig 409 copy sig 404",
    expired: "sig 409 copy sig 404",
    cancelled: "sig 404 404 sig 404",
  },
  expire: {
    draft: "403 404 404 409 404",
    sent: "403 403 403 expired 404",
    pending: "403 403 403 expired 404",
    completed: "403 403 403 409 404",
    declined: "403 403 403 409 404",
    expired: "403 403 403 409 404",
    cancelled: "403 404 404 409 404",
  },
  cancel: {
    draft: "cancelled 404 404 403 404",
    sent: "cancelled 403 403 403 404",
    pending: "cancelled 403 403 403 404",
    completed: "cancelled 403 403 403 404",
    declined: "cancelled 403 403 403 404",
    expired: "cancelled 403 403 403 404",
    cancelled: "409 404 404 403 404",
  },
  restore: {
    draft: "409 404 404 403 404",
    sent: "409 403 403 403 404",
    pending: "409 403 403 403 404",
    completed: "409 403 403 403 404",
    declined: "409 403 403 403 404",
    expired: "409 403 403 403 404",
    cancelled: "before 404 404 403 404",
  },
  purge: {
    draft: "409 404 404 409 404",
    sent: "409 403 403 409 404",
    pending: "409 403 403 409 404",
    completed: "409 403 403 409 404",
    declined: "409 403 403 409 404",
    expired: "409 403 403 409 404",
    cancelled: "purged 404 404 purged 404",
  },
  erase: {
    draft: "403 404 404 409 404",
    sent: "403 403 403 409 404",
    pending: "403 403 403 409 404",
    completed: "403 403 403 purged 404",
    declined: "403 403 403 purged 404",
    expired: "403 403 403 purged 404",
    cancelled: "403 404 404 409 404",
  },
  erase_account: {
    draft: "403 404 404 purged 404",
    sent: "403 403 403 purged 404",
    pending: "403 403 403 purged 404",
    completed: "403 403 403 409 404",
    declined: "403 403 403 purged 404",
    expired: "403 403 403 purged 404",
    cancelled: "403 404 404 purged 404",
  },
};

describe("the state machine", () => {
  it("knows every stored status", () => {
    expect(STATUSES.toSorted()).toEqual(["cancelled", "completed", "declined", "draft", "expired", "pending", "sent"]);
  });

  for (const action of ACTIONS)
    for (const status of STATUSES) {
      const row = CELLS[action][status].split(" ");
      for (const [index, actor] of ACTORS.entries()) {
        const cell = row[index] ?? "";
        const code = (REFUSALS as Readonly<Record<string, string>>)[cell];
        it(`${code === undefined ? `makes ${cell} of` : `answers ${code} of`} ${action} by ${actor} on an envelope that is ${status}`, () => {
          const decided = decideTransition({ status, action, actor });
          if (code === undefined) expect(decided).toEqual({ ok: true, value: cell as Outcome });
          else expect(decided).toMatchObject({ ok: false, error: { code } });
        });
      }
    }

  it("names the state in French when it forbids an action", () => {
    expect(outcomeOf("expired", "sign")).toEqual({
      ok: false,
      error: { code: "invalid_state", params: { state: "Expiré" }, extensions: { state: "expired" } },
    });
  });

  it("calls each status as the specification does", () => {
    expect(STATUS_LABELS).toMatchObject({
      draft: "Brouillon",
      sent: "En cours",
      pending: "En cours",
      completed: "Terminé",
      cancelled: "Annulé",
    });
  });
});
