import { describe, expect, test } from "vitest";
import {
  fileOf,
  isBetween,
  isNear,
  type JournalFacts,
  lastFileOf,
  readJournal,
  signaturesOf,
  signerInWords,
} from "./journal.ts";
import type { FactEvent } from "./reaches.ts";

const at = (sequence: number): string =>
  new Date(Date.UTC(2026, 10, 21, 10, sequence)).toISOString();

type Told = {
  readonly actor?: string;
  readonly detail?: Record<string, unknown>;
  readonly personal?: Record<string, unknown>;
};

type Entry = string | readonly [action: string, told: Told];

/** One event a minute. */
function journal(...told: readonly Entry[]): readonly FactEvent[] {
  return told.map((one, index) => {
    const [action, { actor = "system", detail = {}, personal = {} }] =
      typeof one === "string" ? [one, {} as Told] : one;
    const shown = Object.fromEntries(
      Object.entries(personal).map(([name, value]) => [name, { value }]),
    );
    return { sequence: index + 1, at: at(index + 1), actor, action, detail, personal: shown };
  });
}

const read = (...told: readonly Entry[]): JournalFacts => readJournal(journal(...told));

const CREATED = "envelope_created";
const SENT: readonly [string, Told] = [
  "envelope_sent",
  {
    detail: {
      documents: ["aa"],
      document_ids: ["d1"],
      signers: ["r1", "r2"],
      commitments: { title: "", document_names: "", signer_names: "" },
    },
    personal: {
      title: "Bail",
      document_names: ["d1:Bail.pdf"],
      signer_names: ["r1:Paul", "r2:Zoé: l’aînée"],
    },
  },
];
const signedBy = (
  recipient: string,
  file: string,
  rest: Record<string, unknown> = {},
): readonly [string, Told] => [
  "recipient_signed",
  {
    actor: `recipient:${recipient}`,
    detail: {
      recipient,
      documents: [`d1:${file}`],
      certificate_serial: "0A",
      signed: recipient === "r1" ? 1 : 2,
      total: 2,
      commitments: { actor_name: "" },
      ...rest,
    },
    personal: { actor_name: recipient === "r1" ? "Paul" : "Zoé: l’aînée" },
  },
];
const COMPLETED: readonly [string, Told] = [
  "envelope_completed",
  { detail: { documents: ["d1:f3"] } },
];
const DONE = [CREATED, SENT, signedBy("r1", "f1"), signedBy("r2", "f2"), COMPLETED] as const;

describe("the projection of a journal", () => {
  test("ignores an unknown event", () => {
    expect(read(CREATED, "__proto__", "constructor", SENT)).toEqual({
      ...read(CREATED, SENT),
      sentAt: at(4),
    });
  });

  test("is empty without events", () => {
    expect(read()).toMatchObject({
      state: "draft",
      completedAt: null,
      signers: [],
      documents: [],
      signatures: [],
      faults: [],
      closed: [],
    });
  });

  test("has signers, documents, names and signed files", () => {
    const facts = read(...DONE);
    expect(facts).toMatchObject({
      state: "completed",
      completedAt: at(5),
      completedSequence: 5,
      signers: ["r1", "r2"],
      documents: ["d1"],
      title: "Bail",
      closed: [],
      faults: [],
    });
    // Names may contain the separator.
    expect([...facts.names]).toEqual([
      ["r1", "Paul"],
      ["r2", "Zoé: l’aînée"],
    ]);
    expect([...facts.documentNames]).toEqual([["d1", "Bail.pdf"]]);
    expect([...facts.prepared]).toEqual([["d1", "aa"]]);
    expect(fileOf(read(CREATED, SENT), "d1")).toBe("aa");
    expect(facts.files.get("d1")).toEqual(["f1", "f2", "f3"]);
    expect([lastFileOf(facts, "d1"), lastFileOf(facts, "d2")]).toEqual(["f3", null]);
    expect(
      signaturesOf(facts, "d1").map(({ recipient, serial, name }) => [recipient, serial, name]),
    ).toEqual([
      ["r1", "0A", "Paul"],
      ["r2", "0A", "Zoé: l’aînée"],
    ]);
    expect(signaturesOf(facts, "d2")).toEqual([]);
  });

  test("names the delegate and the delegator, and faults a signature that its consent does not delegate", () => {
    const days = { delegation_from: "2026-11-21", delegation_to: "2026-11-27" };
    const consent = (detail: Record<string, unknown>): Entry => [
      "consent_given",
      {
        detail: { recipient: "r1", commitments: { delegate_email: "00" }, ...detail },
        personal: { delegate_name: "Anne", delegate_email: "anne@exemple.fr" },
      },
    ];
    const signed: Entry = [
      "recipient_signed",
      { ...signedBy("r1", "f1", { delegation: "x" })[1], personal: { actor_name: "Anne" } },
    ];
    const facts = read(CREATED, SENT, consent({ delegation: "x", ...days }), signed);
    expect([facts.faults, facts.signatures.map(signerInWords)]).toEqual([
      [],
      ["Anne, pour Paul, par délégation"],
    ]);
    expect(facts.parties.get("r1")?.consent?.delegate).toEqual({
      name: "Anne",
      email: "anne@exemple.fr",
      from: "2026-11-21",
      to: "2026-11-27",
      scope: null,
      circuit: null,
    });
    const fault =
      "L’événement n°\u00a04 de l’historique dit autrement que le consentement si la signature est déléguée.";
    expect(read(CREATED, SENT, consent({}), signed).faults).toEqual([fault]);
    expect(
      read(CREATED, SENT, consent({ delegation: "x", ...days }), signedBy("r1", "f1")).faults,
    ).toEqual([fault]);
    // Days that are none are no delegation.
    expect(read(CREATED, SENT, consent({ delegation: "x" }), signed).faults).toEqual([fault]);
  });

  test("has the state after each event", () => {
    const stateAfter = (...told: readonly Entry[]) => read(...told).state;
    expect(stateAfter(CREATED)).toBe("draft");
    expect(stateAfter(CREATED, SENT)).toBe("sent");
    expect(stateAfter(CREATED, SENT, signedBy("r1", "f1"))).toBe("pending");
    expect(stateAfter(CREATED, SENT, "envelope_declined")).toBe("declined");
    expect(stateAfter(CREATED, SENT, "envelope_expired")).toBe("expired");
    expect(stateAfter(CREATED, SENT, "envelope_expired", "deadline_extended")).toBe("sent");
    expect(
      stateAfter(CREATED, SENT, signedBy("r1", "f1"), "envelope_expired", "deadline_extended"),
    ).toBe("pending");
    expect(stateAfter(CREATED, SENT, "deadline_extended")).toBe("sent");
    expect(stateAfter(...DONE, "envelope_cancelled")).toBe("cancelled");
    expect(stateAfter(...DONE, "envelope_cancelled", "envelope_restored")).toBe("completed");
    const overdue: readonly [string, Told] = ["envelope_restored", { detail: { to: "expired" } }];
    expect(stateAfter(CREATED, SENT, "envelope_cancelled", overdue)).toBe("expired");
    expect(stateAfter(...DONE, "envelope_cancelled", overdue)).toBe("completed");
    expect(stateAfter(CREATED, SENT, "an_action_of_later")).toBe("sent");
  });

  test("dates consents by their stated moment, where it precedes the event", () => {
    const consent = (person: string, consented_at?: string): readonly [string, Told] => [
      "consent_given",
      { actor: person, detail: consented_at === undefined ? {} : { consented_at } },
    ];
    const since = (...told: readonly Entry[]) =>
      read(CREATED, SENT, ...told, signedBy("r1", "f1")).signatures.map((one) => one.since);
    expect(since(consent("recipient:r1", at(0)))).toEqual([at(0)]);
    expect(since(consent("recipient:r1", at(59)))).toEqual([at(3)]);
    expect(since(consent("recipient:r1"))).toEqual([at(3)]);
    // A member's consent names the recipient.
    expect(
      since(
        ["consent_given", { actor: "user:u1", detail: { recipient: "r1" } }],
        consent("user:u2"),
      ),
    ).toEqual([at(3)]);
    expect(
      since(consent("recipient:r1"), ["consent_void", { detail: { recipient: "r1" } }]),
    ).toEqual([at(5)]);
    expect(since()).toEqual([at(3)]);
  });

  test("has the parts of a self-signed document, which is never sent", () => {
    const own = {
      signers: ["r1"],
      document_ids: ["d1"],
      documents: ["aa"],
      commitments: { title: "" },
    };
    const created: readonly [string, Told] = [
      CREATED,
      { detail: own, personal: { title: "Devis" } },
    ];
    expect(read(created, signedBy("r1", "f1", { signed: 1, total: 1 }), COMPLETED)).toMatchObject({
      state: "completed",
      title: "Devis",
      documents: ["d1"],
      faults: [],
    });
  });

  test("has the recipients in order with their acts", () => {
    const party = (id: string, role: string, phone_number: string | null = null) =>
      JSON.stringify({ id, role, full_name: id, email: `${id}@exemple.fr`, phone_number });
    const [action, told] = SENT;
    const sent: readonly [string, Told] = [
      action,
      {
        detail: { ...told.detail, deadline_at: at(50), uploaded: ["d1:up"], originals: ["d1:or"] },
        personal: {
          ...told.personal,
          sender_email: "anne@exemple.fr",
          recipients: [
            party("r2", "approver"),
            party("r1", "signer", "+336"),
            party("r3", "viewer"),
          ],
        },
      },
    ];
    const invited: readonly [string, Told] = [
      "recipient_invited",
      { detail: { recipient: "r1" }, personal: { full_name: "Paul" } },
    ];
    const corrected: readonly [string, Told] = [
      "recipient_address_corrected",
      {
        detail: { recipient: "r1", email: true, commitments: { full_name: "" } },
        personal: { full_name: "Jeanne", email: "p@ailleurs.fr" },
      },
    ];
    const seen: readonly [string, Told] = ["recipient_viewed", { actor: "recipient:r1" }];
    const refused: readonly [string, Told] = [
      "envelope_declined",
      { actor: "recipient:r2", personal: { reason: "Non" } },
    ];
    const created: readonly [string, Told] = [CREATED, { personal: { actor_name: "Anne" } }];
    const facts = read(created, sent, invited, seen, refused);
    expect([...facts.parties.keys()]).toEqual(["r2", "r1", "r3"]);
    expect(facts.parties.get("r1")).toMatchObject({
      email: "r1@exemple.fr",
      phone: "+336",
      isInvited: true,
      viewedAt: at(4),
    });
    expect(facts.parties.get("r2")).toMatchObject({ declinedAt: at(5), declineReason: "Non" });
    expect(facts.parties.get("r3")).toMatchObject({ role: "viewer", isInvited: false });
    expect(facts).toMatchObject({
      createdAt: at(1),
      sentAt: at(2),
      deadlineAt: at(50),
      sender: { name: "Anne", email: "anne@exemple.fr" },
    });
    expect([facts.uploaded.get("d1"), facts.originals.get("d1")]).toEqual(["up", "or"]);
    // The number was removed, and the former address had opened it.
    expect(read(created, sent, invited, seen, corrected).parties.get("r1")).toMatchObject({
      name: "Jeanne",
      email: "p@ailleurs.fr",
      phone: null,
      viewedAt: null,
    });
  });

  test("has the last deadline and the current cancellation", () => {
    const moved: readonly [string, Told] = ["deadline_changed", { detail: { to: at(55) } }];
    const taken: readonly [string, Told] = ["deadline_changed", { detail: { to: null } }];
    expect(read(CREATED, SENT, moved).deadlineAt).toBe(at(55));
    expect(read(CREATED, SENT, moved, taken).deadlineAt).toBeNull();
    expect(read(CREATED, SENT, "envelope_cancelled").cancelledAt).toBe(at(3));
    expect(read(CREATED, SENT, "envelope_cancelled", "envelope_restored").cancelledAt).toBeNull();
  });

  test("has the origin of a consent: recorded, absent or erased", () => {
    const consent = (
      commitments: object,
      personal: Record<string, unknown>,
    ): readonly [string, Told] => [
      "consent_given",
      { actor: "recipient:r1", detail: { method: "guest", commitments }, personal },
    ];
    const given = (...told: readonly Entry[]) =>
      read(CREATED, SENT, ...told).parties.get("r1")?.consent;
    expect(given(consent({ ip: "", user_agent: "" }, { ip: "127.0.0.1" }))).toMatchObject({
      method: "guest",
      ip: "127.0.0.1",
      userAgent: undefined,
    });
    expect(given(consent({}, {}))).toMatchObject({ ip: null, userAgent: null });
  });

  test("lists committed values that are not shown any more", () => {
    const erased: readonly [string, Told] = [SENT[0], { ...SENT[1], personal: {} }];
    const nameless: readonly [string, Told] = [
      signedBy("r1", "f1")[0],
      { ...signedBy("r1", "f1")[1], personal: {} },
    ];
    expect(read(CREATED, erased, nameless).closed).toEqual([
      "le titre",
      "les noms des documents",
      "les noms des signataires",
      "le nom d’un signataire",
    ]);
  });

  test("has prints, visibility of the page, and purge", () => {
    const print: readonly [string, Told] = [
      "print_generated",
      { detail: { print: "p1", qr_type: "last" } },
    ];
    const facts = read(
      ...DONE,
      print,
      "print_generated",
      ["public_page_changed", { detail: { proof_only: true } }],
      "envelope_purged",
    );
    expect([...facts.prints]).toEqual([["p1", { qrType: "last", at: at(6) }]]);
    expect([facts.proofOnly, facts.purgedAt, facts.faults]).toEqual([true, at(9), []]);
    expect(read(...DONE).proofOnly).toBe(false);
    expect(
      read(
        ...DONE,
        ["public_page_changed", { detail: { proof_only: true } }],
        ["public_page_changed", { detail: {} }],
      ).proofOnly,
    ).toBe(false);
  });

  test("has each file of an archive renewal", () => {
    expect(
      read(...DONE, ["archive_renewed", { detail: { document: "d1:f4" } }]).files.get("d1"),
    ).toEqual(["f1", "f2", "f3", "f4"]);
  });
});

describe("a contradiction in a journal", () => {
  const PRINT: readonly [string, Told] = ["print_generated", { detail: { print: "p1" } }];
  test.each<[string, readonly Entry[], RegExp]>([
    ["a second creation", [CREATED, CREATED], /crée une seconde fois l’enveloppe/],
    ["a second sending", [CREATED, SENT, SENT], /envoie une enveloppe qui l’était déjà/],
    [
      "a sending of what somebody signed",
      [CREATED, signedBy("r1", "f1"), SENT],
      /envoie une enveloppe qui l’était déjà/,
    ],
    ["a signature too many", [...DONE, signedBy("r3", "f9")], /n’en attendait plus/],
    [
      "a signature by another than its author",
      [
        CREATED,
        SENT,
        [
          "recipient_signed",
          { actor: "recipient:r2", detail: { recipient: "r1", documents: ["d1:f"] } },
        ],
      ],
      /à quelqu’un d’autre que son auteur/,
    ],
    [
      "a person who signs twice",
      [CREATED, SENT, signedBy("r1", "f1"), signedBy("r1", "f2")],
      /fait signer deux fois la même personne/,
    ],
    [
      "somebody who was not asked",
      [CREATED, SENT, signedBy("r9", "f1")],
      /à qui ce n’était pas demandé/,
    ],
    [
      "a document left without a signature",
      [CREATED, SENT, ["recipient_signed", { actor: "recipient:r1", detail: { documents: [] } }]],
      /laisse un document de l’enveloppe sans signature/,
    ],
    [
      "another count of those who sign",
      [CREATED, SENT, signedBy("r1", "f1", { signed: 1, total: 3 })],
      /ne compte pas les signatures/,
    ],
    [
      "another count of signatures",
      [CREATED, SENT, signedBy("r1", "f1", { signed: 2, total: 2 })],
      /ne compte pas les signatures/,
    ],
    [
      "a completion before all have signed",
      [CREATED, SENT, signedBy("r1", "f1"), COMPLETED],
      /termine une enveloppe que tous n’avaient pas signée/,
    ],
    [
      "a completion of what nobody signed",
      [CREATED, SENT, COMPLETED],
      /termine une enveloppe que tous n’avaient pas signée/,
    ],
    [
      "a second completion",
      [...DONE, COMPLETED],
      /termine une enveloppe que tous n’avaient pas signée/,
    ],
    [
      "a renewal before the end",
      [CREATED, SENT, signedBy("r1", "f1"), ["archive_renewed", { detail: { document: "d1:f2" } }]],
      /prolonge l’archivage/,
    ],
    [
      "a file of no document of it",
      [...DONE, ["archive_renewed", { detail: { document: "d9:f4" } }]],
      /nomme un document qui n’est pas de l’enveloppe/,
    ],
    [
      "a refusal of what is complete",
      [...DONE, "envelope_declined"],
      /clôt une enveloppe qui l’était déjà/,
    ],
    [
      "a second expiry",
      [CREATED, SENT, "envelope_expired", "envelope_expired"],
      /clôt une enveloppe qui l’était déjà/,
    ],
    [
      "a second cancellation",
      [CREATED, SENT, "envelope_cancelled", "envelope_cancelled"],
      /annule une enveloppe qui l’était déjà/,
    ],
    [
      "a restoration of what was not cancelled",
      [CREATED, SENT, "envelope_restored"],
      /rétablit une enveloppe qui n’était pas annulée/,
    ],
    ["no end once all have signed", DONE.slice(0, -1), /ne termine pas l’enveloppe que tous/],
    ["one print twice", [...DONE, PRINT, PRINT], /crée une seconde fois la même impression/],
  ])("is reported with its event's number: %s", (_what, told, said) => {
    const { faults } = read(...told);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.every((fault) => /^L’événement n°\u00a0\d+ de l’historique /.test(fault))).toBe(
      true,
    );
    expect(faults.join("\n")).toMatch(said);
  });
});

test("compares moments within the clock margin, and places a signature between consent and event", () => {
  const [ten, eleven] = ["2026-11-21T10:00:00.000Z", "2026-11-21T11:00:00.000Z"];
  expect([isNear(null, null), isNear(ten, null), isNear(null, ten)]).toEqual([true, false, false]);
  expect(isNear(ten, "2026-11-21T10:10:00.000Z")).toBe(true);
  expect(isNear(ten, "2026-11-21T10:10:00.001Z")).toBe(false);
  expect(isBetween("2026-11-21T09:50:00.000Z", ten, eleven)).toBe(true);
  expect(isBetween("2026-11-21T09:49:59.999Z", ten, eleven)).toBe(false);
  expect(isBetween("2026-11-21T11:10:00.000Z", ten, eleven)).toBe(true);
  expect(isBetween("2026-11-21T11:10:00.001Z", ten, eleven)).toBe(false);
});
