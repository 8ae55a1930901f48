import { type FormAnswer, MAX_FIELDS } from "@paraphe/contracts";
import { cleanup, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { press, pressFound, renderPart } from "../../testing/page.tsx";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "../testing/make-envelope.ts";
import { fieldPeople } from "./field-layout.ts";
import { FormProposal } from "./form-proposal.tsx";

type Found = FormAnswer["documents"][number];
const field = (part: Partial<Found["fields"][number]> = {}): Found["fields"][number] => ({
  ...makeField(),
  source: "tag",
  name: "signature",
  role: null,
  max_length: null,
  ...part,
});
const found = (part: Partial<Found> = {}): Found => ({
  document_id: "d1",
  refused: null,
  findings: [],
  fields: [],
  ...part,
});

let documents: Found[];
let bodies: unknown[];
let refuses: boolean;
beforeEach(() => {
  sessionStorage.clear();
  [documents, bodies, refuses] = [[], [], false];
  vi.stubGlobal("fetch", async (url: string, { method = "GET", body = "" } = {}) => {
    if (url.endsWith("/form/")) return Response.json({ documents });
    if (method !== "PATCH") return Response.json(makeEnvelope({ version: 3 }));
    bodies.push(JSON.parse(body));
    return refuses
      ? Response.json({ code: "pdf_damaged", detail: "Ce PDF est abîmé." }, { status: 422 })
      : Response.json(makeEnvelope({ version: 2 }));
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(placed = 0) {
  const envelope = makeEnvelope({
    recipients: [
      makeRecipient(),
      makeRecipient({ id: "r2", full_name: "Paul Morel", email: "paul@exemple.fr", order: 2 }),
    ],
    fields: Array.from({ length: placed }, (_, index) => makeField({ id: `f${index}` })),
  });
  const keeper = new DraftKeeper(envelope, {
    patch: async () => envelope,
    load: async () => makeEnvelope({ version: 3 }),
    now: () => new Date(),
  });
  renderPart(
    <FormProposal
      envelopeId="e1"
      documents={[makeDocument()]}
      keeper={keeper}
      people={fieldPeople(keeper.state().draft)}
    />,
  );
}

it("gives each role to a signer in turn, and the rest to the first", async () => {
  documents = [
    found({ fields: [field({ role: "bailleur" }), field({ role: "locataire" }), field()] }),
  ];
  show();
  await pressFound("Voir la proposition");
  await userEvent.click(screen.getByRole("checkbox"));
  await press(/^Utiliser 3\s+champs$/);
  expect(bodies).toEqual([
    {
      use_forms: [
        {
          document_id: "d1",
          erase_tags: false,
          recipients: [
            { role: "bailleur", recipient_id: "r1" },
            { role: "locataire", recipient_id: "r2" },
            { role: null, recipient_id: "r1" },
          ],
        },
      ],
    },
  ]);
});

it("says a refusal in the dialog, which stays", async () => {
  documents = [found({ fields: [field({ source: "form" })] })];
  refuses = true;
  show();
  await pressFound("Voir la proposition");
  expect(screen.queryByRole("checkbox")).toBeNull();
  await press(/^Utiliser 1\s+champ$/);
  expect((await screen.findByRole("alert")).textContent).toBe("Ce PDF est abîmé.");
  expect(screen.getByRole("dialog", { hidden: true })).toBeDefined();
});

it("names the tags that are misspelt, with the proposal or alone", async () => {
  const findings = [{ code: "tags_unread", detail: "« {{signatur:client}} » (attendu…)." }];
  documents = [found({ findings, fields: [field()] })];
  show();
  expect(await screen.findByText(/signatur:client/)).toBeDefined();
  expect(screen.getByRole("button", { name: "Voir la proposition" })).toBeDefined();
  cleanup();
  documents = [found({ findings })];
  show();
  expect(await screen.findByText(/signatur:client/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Voir la proposition" })).toBeNull();
  await press("J’ai compris");
  expect(screen.queryByText(/signatur:client/)).toBeNull();
});

it.each([
  ["too many in the file", 0, found({ refused: "too_many" })],
  ["too many with those placed", MAX_FIELDS, found({ fields: [field()] })],
])("says %s, and proposes none", async (_what, placed, one) => {
  documents = [one];
  show(placed);
  expect(await screen.findByText(/500 au maximum/)).toBeDefined();
  expect(screen.queryByRole("button", { name: "Voir la proposition" })).toBeNull();
  await press("J’ai compris");
  expect(screen.queryByText(/500 au maximum/)).toBeNull();
});
