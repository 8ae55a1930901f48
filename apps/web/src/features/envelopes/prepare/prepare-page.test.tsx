import type { User } from "@paraphe/contracts";
import { screen } from "@testing-library/react";
import { MemoryRouter, Route, Routes } from "react-router";
import { expect, test, vi } from "vitest";
import { storeOnDevice } from "../../../lib/browser/tab-memory.ts";
import { sessionQuery } from "../../accounts/use-session.ts";
import { PreparePage } from "./prepare-page.tsx";
import { draftOf } from "./draft/draft.ts";
import { makeDocument, makeEnvelope, makeField, makeRecipient } from "./testing/make-envelope.ts";
import { openPreparePage } from "./testing/prepare-page.tsx";
import { reachedStep } from "./use-steps.ts";
import { newClient, renderPart } from "../testing/page.tsx";

test("a missing draft is announced in the main content, where the skip link leads", async () => {
  vi.spyOn(globalThis, "fetch").mockImplementation(async () =>
    Response.json({ status: 404, code: "not_found" }, { status: 404 }),
  );
  openPreparePage("/signature/workflow/01J0000000000000000000DONE");
  await screen.findByText("Ce brouillon n’existe plus.");
  expect(screen.getByRole("main").id).toBe("contenu");
});

test("a reader is told at once that the role only reads, without a place for a file", async () => {
  const client = newClient();
  client.setQueryData(sessionQuery.queryKey, { id: "u1", organisation_role: "reader" } as User);
  renderPart(
    <MemoryRouter>
      <PreparePage />
    </MemoryRouter>,
    client,
  );
  await screen.findByText("Votre rôle de lecteur permet seulement de consulter");
  expect(document.querySelector("input")).toBeNull();
});

test.each([
  ["gone", 404, { status: 404, code: "not_found" }, /n’existe plus/],
  ["sent", 200, makeEnvelope({ id: "e1", status: "sent" }), /./],
])(
  "edits of a draft that is %s are dropped in all the user's pages, not another user's",
  async (_what, status, answer, sentence) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json(answer, { status }));
    localStorage.clear();
    storeOnDevice("draft-edits.e1.autre", { owner: "u1", value: {} });
    storeOnDevice("draft-edits.e1.tierce", { owner: "u2", value: {} });
    storeOnDevice("draft-edits.e2.autre", { owner: "u1", value: {} });
    const client = newClient();
    client.setQueryData(sessionQuery.queryKey, { id: "u1" } as User);
    renderPart(
      <MemoryRouter initialEntries={["/signature/workflow/e1"]}>
        <Routes>
          <Route path="/signature/workflow/:id" element={<PreparePage />} />
          <Route path="*" element={<p>Détail</p>} />
        </Routes>
      </MemoryRouter>,
      client,
    );
    await screen.findByText(sentence);
    await vi.waitFor(() =>
      expect(Object.keys(localStorage).toSorted()).toEqual([
        "paraphe.kept.draft-edits.e1.tierce",
        "paraphe.kept.draft-edits.e2.autre",
      ]),
    );
  },
);

test.each([
  [0, { documents: [] }],
  [0, { recipients: [] }],
  [2, { fields: [] }],
  [3, {}],
  [0, { title: " " }],
])("step %i is the furthest of a draft with %j", (furthest, part) => {
  const envelope = makeEnvelope({
    documents: [makeDocument()],
    recipients: [makeRecipient()],
    fields: [makeField()],
    ...part,
  });
  const now = new Date("2026-11-21T14:00:00Z");
  expect(reachedStep(draftOf(envelope), envelope.documents, now)).toBe(furthest);
});
