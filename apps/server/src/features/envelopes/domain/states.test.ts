import { type Role, STATUS_LABELS, type StoredStatus } from "@paraphe/contracts";
import { describe, expect, test } from "vitest";
import { recipientOf } from "../../../../testing/recipient.ts";
import { checkSend, type EnvelopeToSend } from "./check-send.ts";
import { decideDecline, decideRestore, decideSignature, isUpdateRecorded } from "./decisions.ts";
import { ranksOf } from "./draft-checks.ts";
import {
  awaitedRecipients,
  type EnvelopeRecipient,
  isStuck,
  type EnvelopeAction,
  type EnvelopeActor,
  type Outcome,
  TRANSITIONS,
  checkActor,
  outcomeOf,
  stepTerms,
} from "./envelope.ts";
import { decideReminders, remindableAt } from "./reminders.ts";
import { viewerOf } from "./viewer.ts";

const now = new Date("2026-11-21T10:00:00Z");

const STATUSES = Object.keys(STATUS_LABELS) as StoredStatus[];
const ACTIONS = Object.keys(TRANSITIONS) as EnvelopeAction[];
const ACTORS: readonly EnvelopeActor[] = ["sender", "signer", "copy", "service"];

/** The table below names these refusals. */
const REFUSALS = {
  "404": "not_found",
  "403": "not_allowed",
  sig: "not_a_signer",
  copy: "viewer_cannot_sign",
  "409": "invalid_state",
} as const;

/**
 * Every cell, written out beside the code's own table: for each action and status, what the four
 * actors get, in the order sender, signer, copy, service. Source: contract §4.
 */
const CELLS: Readonly<Record<EnvelopeAction, Readonly<Record<StoredStatus, string>>>> = {
  update: {
    draft: "same 404 404 403",
    sent: "409 403 403 403",
    pending: "409 403 403 403",
    completed: "409 403 403 403",
    declined: "409 403 403 403",
    expired: "409 403 403 403",
    cancelled: "409 404 404 403",
  },
  send: {
    draft: "sent 404 404 403",
    sent: "409 403 403 403",
    pending: "409 403 403 403",
    completed: "409 403 403 403",
    declined: "409 403 403 403",
    expired: "409 403 403 403",
    cancelled: "409 404 404 403",
  },
  remind: {
    draft: "409 404 404 409",
    sent: "same 403 403 same",
    pending: "same 403 403 same",
    completed: "409 403 403 409",
    declined: "409 403 403 409",
    expired: "409 403 403 409",
    cancelled: "409 404 404 409",
  },
  extend: {
    draft: "409 404 404 403",
    sent: "same 403 403 403",
    pending: "same 403 403 403",
    completed: "409 403 403 403",
    declined: "409 403 403 403",
    expired: "open 403 403 403",
    cancelled: "409 404 404 403",
  },
  adjust: {
    draft: "409 404 404 403",
    sent: "same 403 403 403",
    pending: "same 403 403 403",
    completed: "409 403 403 403",
    declined: "409 403 403 403",
    expired: "409 403 403 403",
    cancelled: "409 404 404 403",
  },
  request_extension: {
    draft: "sig 404 404 sig",
    sent: "sig same copy sig",
    pending: "sig same copy sig",
    completed: "sig 409 copy sig",
    declined: "sig 409 copy sig",
    expired: "sig same copy sig",
    cancelled: "sig 404 404 sig",
  },
  sign: {
    draft: "sig 404 404 sig",
    sent: "sig progress copy sig",
    pending: "sig progress copy sig",
    completed: "sig 409 copy sig",
    declined: "sig 409 copy sig",
    expired: "sig 409 copy sig",
    cancelled: "sig 404 404 sig",
  },
  send_back: {
    draft: "sig 404 404 sig",
    sent: "sig back copy sig",
    pending: "sig back copy sig",
    completed: "sig 409 copy sig",
    declined: "sig 409 copy sig",
    expired: "sig 409 copy sig",
    cancelled: "sig 404 404 sig",
  },
  reassign: {
    draft: "sig 404 404 sig",
    sent: "sig same copy sig",
    pending: "sig same copy sig",
    completed: "sig 409 copy sig",
    declined: "sig 409 copy sig",
    expired: "sig 409 copy sig",
    cancelled: "sig 404 404 sig",
  },
  give_visa: {
    draft: "sig 404 404 sig",
    sent: "sig same copy sig",
    pending: "sig same copy sig",
    completed: "sig 409 copy sig",
    declined: "sig 409 copy sig",
    expired: "sig 409 copy sig",
    cancelled: "sig 404 404 sig",
  },
  decline: {
    draft: "sig 404 404 sig",
    sent: "sig declined copy sig",
    pending: "sig declined copy sig",
    completed: "sig 409 copy sig",
    declined: "sig 409 copy sig",
    expired: "sig 409 copy sig",
    cancelled: "sig 404 404 sig",
  },
  expire: {
    draft: "403 404 404 409",
    sent: "403 403 403 expired",
    pending: "403 403 403 expired",
    completed: "403 403 403 409",
    declined: "403 403 403 409",
    expired: "403 403 403 409",
    cancelled: "403 404 404 409",
  },
  cancel: {
    draft: "cancelled 404 404 403",
    sent: "cancelled 403 403 403",
    pending: "cancelled 403 403 403",
    completed: "cancelled 403 403 403",
    declined: "cancelled 403 403 403",
    expired: "cancelled 403 403 403",
    cancelled: "409 404 404 403",
  },
  restore: {
    draft: "409 404 404 403",
    sent: "409 403 403 403",
    pending: "409 403 403 403",
    completed: "409 403 403 403",
    declined: "409 403 403 403",
    expired: "409 403 403 403",
    cancelled: "before 404 404 403",
  },
  purge: {
    draft: "409 404 404 409",
    sent: "409 403 403 409",
    pending: "409 403 403 409",
    completed: "409 403 403 409",
    declined: "409 403 403 409",
    expired: "409 403 403 409",
    cancelled: "purged 404 404 purged",
  },
  erase: {
    draft: "403 404 404 409",
    sent: "403 403 403 409",
    pending: "403 403 403 409",
    completed: "403 403 403 purged",
    declined: "403 403 403 purged",
    expired: "403 403 403 purged",
    cancelled: "403 404 404 409",
  },
  erase_account: {
    draft: "403 404 404 purged",
    sent: "403 403 403 purged",
    pending: "403 403 403 purged",
    completed: "403 403 403 409",
    declined: "403 403 403 purged",
    expired: "403 403 403 purged",
    cancelled: "403 404 404 purged",
  },
};

test("the state machine knows every stored status", () => {
  expect(STATUSES.toSorted()).toEqual([
    "cancelled",
    "completed",
    "declined",
    "draft",
    "expired",
    "pending",
    "sent",
  ]);
});

for (const action of ACTIONS)
  for (const status of STATUSES) {
    const row = CELLS[action][status].split(" ");
    for (const [index, actor] of ACTORS.entries()) {
      const cell = row[index] ?? "";
      const code = (REFUSALS as Readonly<Record<string, string>>)[cell];
      test(`the state machine ${code === undefined ? `makes ${cell} of` : `answers ${code} of`} ${action} by ${actor} on an envelope that is ${status}`, () => {
        const admitted = checkActor({ status, action, actor });
        const decided = admitted.ok ? outcomeOf(status, action) : admitted;
        if (code === undefined) expect(decided).toEqual({ ok: true, value: cell as Outcome });
        else expect(decided).toMatchObject({ ok: false, error: { code } });
      });
    }
  }

test("the state machine names the state in French when it forbids an action", () => {
  expect(outcomeOf("expired", "sign")).toEqual({
    ok: false,
    error: {
      code: "invalid_state",
      params: { state: "Expiré" },
      extensions: { state: "expired" },
    },
  });
});

test("the state machine calls each status as the specification does", () => {
  expect(STATUS_LABELS).toMatchObject({
    draft: "Brouillon",
    sent: "En cours",
    pending: "En cours",
    completed: "Terminé",
    cancelled: "Annulé",
  });
});

describe("whose signature is awaited", () => {
  const person = (
    id: string,
    order: number,
    rest: {
      role?: Role;
      status?: "waiting" | "notified" | "approved" | "signed" | "declined";
    } = {},
  ) => ({
    id,
    order,
    role: rest.role ?? ("signer" as const),
    status: rest.status ?? ("waiting" as const),
  });

  test("the awaited signature is everybody's at once in a parallel flow, whatever their rank", () => {
    expect(
      awaitedRecipients("parallel", [person("a", 2), person("b", 1, { role: "approver" })]),
    ).toEqual(new Set(["a", "b"]));
  });

  test("the awaited signature is the first rank's only in a sequential flow, equal ranks together", () => {
    const people = [person("c", 5), person("a", 2), person("b", 2)];
    expect(awaitedRecipients("sequential", people)).toEqual(new Set(["a", "b"]));
  });

  test("the awaited signature moves to the next rank once every one of the rank has signed", () => {
    const people = [person("a", 1, { status: "signed" }), person("b", 1), person("c", 2)];
    expect(awaitedRecipients("sequential", people)).toEqual(new Set(["b"]));
    expect(
      awaitedRecipients("sequential", [
        people[0] as never,
        { ...(people[1] as ReturnType<typeof person>), status: "signed" },
        people[2] as never,
      ]),
    ).toEqual(new Set(["c"]));
  });

  test("the awaited signature is never a viewer's, and a viewer's rank blocks nobody", () => {
    expect(
      awaitedRecipients("sequential", [person("v", 1, { role: "viewer" }), person("a", 2)]),
    ).toEqual(new Set(["a"]));
    expect(awaitedRecipients("parallel", [person("v", 1, { role: "viewer" })])).toEqual(new Set());
  });

  test("a visa is awaited at its rank, and opens the next once given", () => {
    const people = [person("v", 1, { role: "visa" }), person("a", 2)];
    expect(awaitedRecipients("sequential", people)).toEqual(new Set(["v"]));
    people[0] = person("v", 1, { role: "visa", status: "approved" });
    expect(awaitedRecipients("sequential", people)).toEqual(new Set(["a"]));
  });

  test("the awaited signature is nobody's once all have signed", () => {
    expect(awaitedRecipients("parallel", [person("a", 1, { status: "signed" })])).toEqual(
      new Set(),
    );
  });
});

const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const person = (rest: Partial<EnvelopeRecipient> = {}) =>
  recipientOf({ notifiedAt: minutesAgo(120), ...rest });
const codeOf = (result: { ok: boolean; error?: { code: string } }) =>
  result.ok ? "ok" : result.error?.code;

const ready: EnvelopeToSend = {
  envelope: { status: "draft", deadlineAt: null, flow: "sequential" },
  recipients: [{ role: "signer", fullName: "Paul Morel", order: 2 }],
  fields: [],
  documents: [{ name: "bail.pdf", control: { result: "ok" }, normalisedAccepted: false }],
};
const reason = (rest: Partial<EnvelopeToSend>) => {
  const result = checkSend(
    { ...ready, ...rest },
    { now, firstMissing: (text) => (text.includes("李") ? "李" : null) },
  );
  return result.ok
    ? "ok"
    : `${result.error.code}: ${result.error.params?.["reason"] ?? result.error.params?.["state"]}`;
};

test("sending needs a signer: an approver or a viewer is not one", () => {
  expect(reason({})).toBe("ok");
  expect(
    reason({
      recipients: [
        { role: "approver", fullName: "Zoé", order: 1 },
        { role: "viewer", fullName: "Léo", order: 1 },
      ],
    }),
  ).toBe("not_ready_to_send: ajoutez au moins un signataire.");
});
test("sending needs each visa before a signature", () => {
  const [paul] = ready.recipients;
  const zoe = { role: "visa", fullName: "李雷", order: 1 } as const;
  const recipients = [zoe, ...(paul ? [paul] : [])];
  const late =
    "not_ready_to_send: un visa se donne avant une signature. Activez l’ordre, et placez-le avant.";
  expect(reason({ recipients })).toBe("ok");
  expect(reason({ recipients: [{ ...zoe, order: 2 }, ...recipients.slice(1)] })).toBe(late);
  expect(reason({ recipients, envelope: { ...ready.envelope, flow: "parallel" } })).toBe(late);
});
test("sending needs a document", () =>
  expect(reason({ documents: [] })).toBe("not_ready_to_send: ajoutez au moins un fichier."));
test("sending needs a deadline that is still to come", () => {
  expect(reason({ envelope: { ...ready.envelope, deadlineAt: now } })).toBe(
    "not_ready_to_send: l’échéance doit être dans le futur.",
  );
});
test("sending needs each corrected copy to be accepted", () => {
  const fixable = {
    name: "bail.pdf",
    control: { result: "fixable" as const },
    normalisedAccepted: false,
  };
  expect(reason({ documents: [fixable] })).toBe(
    "not_ready_to_send: acceptez d’abord la copie corrigée de « bail.pdf ».",
  );
  expect(reason({ documents: [{ ...fixable, normalisedAccepted: true }] })).toBe("ok");
});
test("sending needs names that can be printed, of those who sign", () => {
  const [paul, li] = [
    { role: "signer", fullName: "Paul Morel", order: 2 } as const,
    { role: "approver", fullName: "李雷", order: 2 } as const,
  ];
  expect(reason({ recipients: [paul, li] })).toBe(
    "not_ready_to_send: le caractère « 李 » du nom « 李雷 » ne peut pas être imprimé.",
  );
  expect(reason({ recipients: [paul, { ...li, role: "viewer" }] })).toBe("ok");
});
test("sending needs the sentence of each mention to copy", () => {
  const mention = { type: "mention", value: "Lu et approuvé" } as const;
  expect(reason({ fields: [mention, { type: "text", value: null }] })).toBe("ok");
  for (const value of [null, " \n", "\u200b \u00ad"])
    expect(reason({ fields: [mention, { ...mention, value }] })).toBe(
      "not_ready_to_send: écrivez la phrase de chaque mention à recopier.",
    );
});
test("sending is for drafts", () =>
  expect(reason({ envelope: { ...ready.envelope, status: "sent" } })).toBe(
    "invalid_state: En cours",
  ));

const envelope = {
  status: "sent",
  flow: "sequential",
  signerCount: 2,
  signedCount: 0,
} as const;
const second = person({
  id: "b",
  order: 2,
  status: "waiting",
  awaited: false,
  notifiedAt: null,
});

test("a signature makes the envelope pending and asks the next in turn", () => {
  expect(decideSignature({ envelope, recipients: [person(), second] }, "a")).toEqual({
    ok: true,
    value: {
      status: "pending",
      signedCount: 1,
      awaited: new Set(["b"]),
      toInvite: new Set(["b"]),
    },
  });
});
test("a signature completes the envelope when it is the last", () => {
  const recipients = [person({ status: "signed", awaited: false }), person({ id: "b", order: 2 })];
  expect(
    decideSignature(
      { envelope: { ...envelope, status: "pending", signedCount: 1 }, recipients },
      "b",
    ),
  ).toMatchObject({
    value: { status: "completed", signedCount: 2, awaited: new Set() },
  });
});
test("a signature asks nobody twice", () => {
  expect(
    decideSignature(
      {
        envelope: { ...envelope, flow: "parallel" },
        recipients: [person(), person({ id: "b" })],
      },
      "a",
    ),
  ).toMatchObject({
    value: { awaited: new Set(["b"]), toInvite: new Set() },
  });
});
test("a signature is refused twice, from a viewer, from nobody, and in a closed envelope", () => {
  expect(
    codeOf(decideSignature({ envelope, recipients: [person({ status: "signed" })] }, "a")),
  ).toBe("already_signed");
  expect(codeOf(decideSignature({ envelope, recipients: [person({ role: "viewer" })] }, "a"))).toBe(
    "not_found",
  );
  expect(codeOf(decideSignature({ envelope, recipients: [] }, "a"))).toBe("not_found");
  for (const status of ["draft", "completed", "declined", "expired", "cancelled"] as const) {
    expect(
      codeOf(decideSignature({ envelope: { ...envelope, status }, recipients: [person()] }, "a")),
    ).toBe("invalid_state");
  }
});

describe("a refusal to sign", () => {
  const envelope = { status: "sent", deadlineAt: null, flow: "sequential", circuit: null } as const;
  const decide = (
    recipient: EnvelopeRecipient,
    rest: Partial<{ status: "sent" | "completed" | "cancelled"; deadlineAt: Date | null }> = {},
  ) =>
    codeOf(
      decideDecline(
        { envelope: { ...envelope, ...rest }, recipients: [recipient] },
        { recipientId: "a", now },
      ),
    );

  test("is for whoever is awaited", () => {
    expect(decide(person())).toBe("ok");
    expect(decide(person({ awaited: false, status: "waiting" }))).toBe("not_your_turn");
    expect(decide(person({ status: "signed", awaited: false }))).toBe("already_signed");
    expect(decide(person({ role: "viewer" }))).toBe("viewer_cannot_sign");
  });
  test("is refused once the envelope is closed or its deadline has passed", () => {
    expect(decide(person(), { status: "cancelled" })).toBe("invalid_state");
    expect(decide(person(), { deadlineAt: now })).toBe("deadline_passed");
  });
});

describe("a reminder", () => {
  const SENDER = "anne@exemple.fr";
  const envelope = { status: "pending", deadlineAt: null } as const;
  const decide = (...recipients: EnvelopeRecipient[]) =>
    decideReminders({ envelope, recipients, consenting: new Set(), senderKey: SENDER }, now);
  const remindable = (...recipients: EnvelopeRecipient[]) =>
    remindableAt({ recipients, senderKey: SENDER }, now);

  test("goes to those awaited, at most once an hour each", () => {
    const ids = decide(
      person(),
      person({ id: "b", remindedAt: minutesAgo(30) }),
      person({ id: "c", remindedAt: minutesAgo(60) }),
      person({ id: "d", awaited: false, status: "signed" }),
    );
    expect(ids).toMatchObject({ ok: true, value: [{ id: "a" }, { id: "c" }] });
  });
  test("says how long to wait when all were reminded within the hour", () => {
    expect(
      decide(
        person({ remindedAt: minutesAgo(30) }),
        person({ id: "b", remindedAt: minutesAgo(50) }),
      ),
    ).toEqual({
      ok: false,
      error: { code: "remind_cooldown", retryAfterS: 600 },
    });
  });
  test("may leave again from when the first of those awaited has rested for an hour", () => {
    const [half, ten] = [
      person({ remindedAt: minutesAgo(30) }),
      person({ id: "b", remindedAt: minutesAgo(50) }),
    ];
    expect(remindable(half, ten)).toEqual(minutesAgo(-10));
    expect(remindable(half, ten, person({ id: "c", awaited: false }))).toEqual(minutesAgo(-10));
    expect(remindable(half, person({ id: "c" }))).toBeNull();
    expect(remindable(person({ remindedAt: minutesAgo(60) }))).toBeNull();
    expect(remindable(person({ awaited: false, remindedAt: minutesAgo(1) }))).toBeNull();
  });
  test("leaves out the sender, who asks for it, as long as others are awaited", () => {
    const self = person({ id: "self", emailKey: SENDER });
    expect(decide(self, person())).toMatchObject({ ok: true, value: [{ id: "a" }] });
    expect(decide(self, person({ awaited: false, status: "signed" }))).toMatchObject({
      ok: true,
      value: [{ id: "self" }],
    });
    const resting = person({ remindedAt: minutesAgo(50) });
    expect([codeOf(decide(self, resting)), remindable(self, resting)]).toEqual([
      "remind_cooldown",
      minutesAgo(-10),
    ]);
  });
  test("is refused once the deadline has passed", () => {
    const late = {
      envelope: { ...envelope, deadlineAt: now },
      recipients: [person()],
      consenting: new Set<string>(),
      senderKey: SENDER,
    };
    expect(codeOf(decideReminders(late, now))).toBe("deadline_passed");
  });
  test("leaves alone who has agreed and waits for the seal, and says so when that is everybody", () => {
    const recipients = [person(), person({ id: "b" })];
    const agreed = (...ids: string[]) =>
      decideReminders({ envelope, recipients, consenting: new Set(ids), senderKey: SENDER }, now);
    expect(agreed("a")).toMatchObject({ ok: true, value: [{ id: "b" }] });
    expect(agreed("a", "b")).toEqual({
      ok: false,
      error: { code: "signature_in_progress", retryAfterS: 5 },
    });
  });
});

const cancelled = {
  status: "cancelled",
  statusBeforeCancel: "sent",
  cancelledAt: minutesAgo(60),
  deadlineAt: null,
} as const;

test("a restored envelope gets back the status it had", () => {
  for (const status of ["draft", "sent", "pending", "completed", "declined", "expired"] as const) {
    expect(decideRestore({ ...cancelled, statusBeforeCancel: status }, now)).toEqual({
      ok: true,
      value: status,
    });
  }
});
test("a restored envelope is expired when it was open and its deadline has passed since", () => {
  expect(decideRestore({ ...cancelled, deadlineAt: now }, now)).toEqual({
    ok: true,
    value: "expired",
  });
  expect(
    decideRestore({ ...cancelled, statusBeforeCancel: "completed", deadlineAt: now }, now),
  ).toEqual({
    ok: true,
    value: "completed",
  });
});
test("a restored envelope is refused after ten whole days, and when it is not cancelled", () => {
  expect(
    codeOf(decideRestore({ ...cancelled, cancelledAt: new Date("2026-11-11T10:00:00Z") }, now)),
  ).toBe("invalid_state");
  expect(
    codeOf(decideRestore({ ...cancelled, cancelledAt: new Date("2026-11-11T10:00:01Z") }, now)),
  ).toBe("ok");
  expect(codeOf(decideRestore({ ...cancelled, status: "sent" }, now))).toBe("invalid_state");
});

const user = { id: "u", email_key: "a@exemple.fr", recipient_key: "a@exemple.fr", teams: [] };
const subject = (
  ownerId: string,
  recipients: EnvelopeRecipient[],
  status: "sent" | "draft" | "cancelled" = "sent",
) => ({
  envelope: { ownerId, team: null, status, circuit: null },
  recipients,
});

test("everybody in an envelope's team sees it as its owner does; nobody of another team does", () => {
  const { envelope, recipients } = subject("another", [], "draft");
  const ofTeam = { envelope: { ...envelope, team: { id: "t", name: "Marchés" } }, recipients };
  expect(viewerOf(ofTeam, { ...user, teams: [{ id: "t" }] })).toEqual({
    ok: true,
    value: { kind: "owner" },
  });
  expect(codeOf(viewerOf(ofTeam, { ...user, teams: [{ id: "o" }] }))).toBe("not_found");
  expect(codeOf(viewerOf(ofTeam, user))).toBe("not_found");
});

test("the owner sees an envelope as its owner, even when a recipient too", () => {
  expect(viewerOf(subject("u", [person()]), user)).toEqual({
    ok: true,
    value: { kind: "owner" },
  });
});
test("a recipient sees an envelope once invited, by the confirmed address", () => {
  expect(viewerOf(subject("x", [person()]), user)).toEqual({
    ok: true,
    value: { kind: "recipient", recipientId: "a" },
  });
  expect(codeOf(viewerOf(subject("x", [person({ notifiedAt: null })]), user))).toBe("not_found");
  expect(codeOf(viewerOf(subject("x", [person({ emailKey: "b@exemple.fr" })]), user))).toBe(
    "not_found",
  );
});
test("by an address that nobody has confirmed, only the owner sees what is theirs", () => {
  const unconfirmed = { ...user, recipient_key: null };
  expect(codeOf(viewerOf(subject("x", [person()]), unconfirmed))).toBe("address_unconfirmed");
  expect(codeOf(viewerOf(subject("x", [person({ emailKey: "b@exemple.fr" })]), unconfirmed))).toBe(
    "not_found",
  );
  expect(viewerOf(subject("u", [person()]), unconfirmed)).toEqual({
    ok: true,
    value: { kind: "owner" },
  });
});
test("when one address stands for two people, the awaited one sees the envelope", () => {
  expect(
    viewerOf(
      subject("x", [person({ awaited: false, status: "signed" }), person({ id: "b" })]),
      user,
    ),
  ).toMatchObject({
    value: { recipientId: "b" },
  });
});
test("no recipient sees a draft or a cancelled envelope", () => {
  expect(codeOf(viewerOf(subject("x", [person()], "draft"), user))).toBe("not_found");
  expect(codeOf(viewerOf(subject("x", [person()], "cancelled"), user))).toBe("not_found");
});

const signedAt = new Date("2026-11-21T10:00:00Z");
const after = (ms: number) => new Date(signedAt.getTime() + ms);
const act = (failedTries: number, lastFailure = "TimestampUnavailableError") => ({
  id: "a",
  recipientId: "r",
  signedAt,
  failedTries,
  lastFailure,
});

test("an act is stuck after twenty failures, three of its file, or a whole day", () => {
  expect(isStuck(act(2, "UnsoundSignatureError"), after(1_000))).toBe(false);
  expect(isStuck(act(3, "UnsoundSignatureError"), after(1_000))).toBe(true);
  expect(isStuck(act(19), after(1_000))).toBe(false);
  expect(isStuck(act(20), after(1_000))).toBe(true);
  expect(isStuck(act(0), after(86_399_999))).toBe(false);
  expect(isStuck(act(0), after(86_400_000))).toBe(true);
});

test("each recipient's rank follows the list in a sequential flow without given ranks, and the given rank otherwise", () => {
  expect(ranksOf("sequential", [{}, {}, {}])).toEqual([1, 2, 3]);
  expect(ranksOf("sequential", [{ order: 2 }, {}, { order: 2 }])).toEqual([2, 1, 2]);
  expect(ranksOf("sequential", [{ order: 1 }, { order: 1 }])).toEqual([1, 1]);
  expect(ranksOf("parallel", [{}, {}])).toEqual([1, 1]);
});

const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
const quiet = {
  parts: ["fields", "title"],
  lastRecordedAt: ago(14.99),
} as const;

test("the journal of a draft records texts and fields once a quarter of an hour", () => {
  expect(isUpdateRecorded(quiet, now)).toBe(false);
  expect(isUpdateRecorded({ ...quiet, lastRecordedAt: ago(15) }, now)).toBe(true);
  expect(isUpdateRecorded({ ...quiet, lastRecordedAt: null }, now)).toBe(true);
});

test("the journal of a draft records files and people each time", () => {
  for (const part of [
    "files",
    "remove_documents",
    "order",
    "accept_normalised",
    "recipients",
  ] as const)
    expect(isUpdateRecorded({ ...quiet, parts: ["title", part] }, now)).toBe(true);
});

test("a delegate sees an awaited recipient's envelope while the delegation stands, then what they signed", () => {
  const delegation = {
    id: "d",
    emailKey: "a@exemple.fr",
    name: "A",
    scope: "all",
    circuitId: null,
    circuit: null,
    startsOn: "2026-11-21",
    endsOn: "2026-11-27",
    overAt: null,
  } as const;
  const other = { id: "v", email_key: "v@exemple.fr", recipient_key: "v@exemple.fr", teams: [] };
  const delegate = { ...other, delegations: [delegation] };
  const asked = subject("x", [person({ awaited: true })]);
  const seen = { ok: true, value: { kind: "recipient", recipientId: "a" } };
  expect(viewerOf(asked, delegate)).toEqual(seen);
  expect(viewerOf(asked, { ...delegate, recipient_key: null })).toEqual(seen);
  expect(codeOf(viewerOf(subject("x", [person({ awaited: false })]), delegate))).toBe("not_found");
  expect(codeOf(viewerOf(asked, { ...other, delegations: [{ ...delegation, overAt: now }] }))).toBe(
    "not_found",
  );
  const signed = {
    user_id: "v",
    delegation_id: "d",
    full_name: "V",
    email: null,
    starts_on: "2026-11-21",
    ends_on: "2026-11-27",
    scope: "all" as const,
    circuit: null,
  };
  const done = [person({ awaited: false, delegate: signed })];
  expect(viewerOf(subject("x", done), other)).toEqual(seen);
  expect(codeOf(viewerOf(subject("x", done), { ...other, key_id: "k" }))).toBe("not_found");
  expect(codeOf(viewerOf(subject("x", done, "cancelled"), other))).toBe("not_found");
});

test("a step's limit begins when it is asked for again after a return", () => {
  const envelope = {
    circuit: {
      id: "c1",
      name: "Délibérations",
      imposed: true,
      brought: [],
      steps: [
        {
          role: "visa",
          order: 1,
          who: "person",
          may_return: true,
          may_reassign: true,
          days: 2,
          remind: null,
        },
      ],
    },
  } as const;
  const asked = recipientOf({ role: "visa", notifiedAt: now });
  const dueOf = (status: EnvelopeRecipient["status"]) =>
    stepTerms(envelope, { ...asked, status })?.dueDay;
  expect([dueOf("notified"), dueOf("waiting")]).toEqual(["2026-11-24", null]);
});
