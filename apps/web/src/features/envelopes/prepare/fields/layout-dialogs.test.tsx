import type { Layout } from "@paraphe/contracts";
import { act, cleanup, renderHook, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ToastRegion } from "../../../../ui/toast/toast-region.tsx";
import { clearToasts } from "../../../../ui/toast/toast-store.ts";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { makeDocument, makeEnvelope, makeRecipient } from "../testing/make-envelope.ts";
import { useFieldEditor } from "./use-field-editor.ts";
import { ApplyLayoutDialog, SaveLayoutDialog } from "./layout-dialogs.tsx";
import { press, pressFound, renderPart } from "../../testing/page.tsx";

const place = {
  document_rank: 0,
  person_rank: 0,
  type: "signature",
  page: 1,
  x: 0.1,
  y: 0.5,
  width: 0.3,
  height: 0.06,
} as const;
const layout = (part: Partial<Layout> = {}): Layout => ({
  id: "l1",
  name: "Bail",
  fields: [{ ...place, required: true, label: null, value: null }],
  created_at: "2026-11-21T10:00:00Z",
  ...part,
});
let kept: Layout[];
let calls: string[];
beforeEach(() => {
  kept = [layout(), layout({ id: "l2", name: "Mandat" })];
  calls = [];
  vi.stubGlobal(
    "fetch",
    async (url: string, { method = "GET", body }: { method?: string; body?: string } = {}) => {
      const { pathname } = new URL(url);
      if (!pathname.includes("/layouts/")) return Response.json({});
      if (method === "GET") return Response.json({ count: kept.length, results: kept });
      calls.push(`${method} ${pathname} ${body ?? ""}`);
      if (method === "DELETE") {
        kept = kept.filter(({ id }) => !pathname.includes(id));
        return new Response(null, { status: 204 });
      }
      const { name } = JSON.parse(body ?? "{}") as { name: string };
      if (name !== "Bail") return Response.json(layout({ name }), { status: 201 });
      const errors = { name: ["Une de vos dispositions porte déjà ce nom"] };
      return Response.json(
        { code: "validation", status: 400, title: "", detail: "", errors },
        { status: 400 },
      );
    },
  );
});
afterEach(() => {
  cleanup();
  clearToasts();
  vi.unstubAllGlobals();
});

const show = (children: ReactNode) =>
  renderPart(
    <>
      {children}
      <ToastRegion />
    </>,
  );

it("a layout is saved under a unique name", async () => {
  const onClose = vi.fn();
  show(<SaveLayoutDialog fields={layout().fields} onClose={onClose} />);
  const name = screen.getByLabelText("Nom de la disposition");
  await press("Enregistrer");
  expect(screen.getByText("Nom requis")).toBeTruthy();
  await userEvent.type(name, "Bail{Enter}");
  await screen.findByText("Une de vos dispositions porte déjà ce nom");
  expect(document.activeElement).toBe(name);
  await userEvent.type(name, " meublé{Enter}");
  await screen.findByText("Disposition « Bail meublé » enregistrée.");
  expect(onClose).toHaveBeenCalledOnce();
  expect(calls.at(-1)).toContain('"name":"Bail meublé"');
});

it("a layout needs a first field", () => {
  show(<SaveLayoutDialog fields={[]} onClose={() => undefined} />);
  expect(screen.getByText(/Placez au moins un champ/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Enregistrer" }).getAttribute("aria-disabled")).toBe(
    "true",
  );
});

it("layouts are listed, applied and deleted", async () => {
  const onApply = vi.fn();
  show(<ApplyLayoutDialog onApply={onApply} onClose={() => undefined} />);
  await pressFound("Appliquer Mandat");
  expect(onApply).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: "l2" }));
  await press("Supprimer Bail");
  await waitFor(() =>
    expect(
      within(screen.getByRole("list", { name: "Dispositions" })).getAllByRole("listitem"),
    ).toHaveLength(1),
  );
  await press("Supprimer Mandat");
  await screen.findByText(/^Aucune disposition\./);
});

it("layouts are searched and sorted without changing the page's address", async () => {
  kept = [
    layout(),
    layout({ id: "l2", name: "Mandat", created_at: "2026-11-22T10:00:00Z" }),
    layout({ id: "l3", name: "Congé à bail" }),
  ];
  show(<ApplyLayoutDialog onApply={() => undefined} onClose={() => undefined} />);
  const names = () =>
    within(screen.getByRole("list", { name: "Dispositions" }))
      .queryAllByRole("listitem")
      .map((row) => row.querySelector("b")?.textContent);
  const box = await screen.findByLabelText<HTMLInputElement>("Rechercher une disposition par nom");
  expect(screen.queryByRole("button", { name: /^Filtrer/ })).toBeNull();
  await userEvent.selectOptions(screen.getByLabelText("Trier par"), "Plus récentes");
  expect(names()[0]).toBe("Mandat");
  await userEvent.type(box, "CONGE{Enter}");
  expect([names(), location.search]).toEqual([["Congé à bail"], ""]);
  expect(screen.getByText("1 disposition")).toBeTruthy();
  await userEvent.type(box, "zzz{Enter}");
  expect(names()).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Effacer la recherche" }));
  expect([names().length, document.activeElement]).toEqual([3, box]);
});

it("a layout is applied in one undoable step and says which fields found no place", async () => {
  const envelope = makeEnvelope({
    recipients: [makeRecipient()],
    documents: [makeDocument({ page_count: 1 })],
    fields: [],
  });
  const keeper = new DraftKeeper(envelope, {
    patch: async () => envelope,
    load: async () => envelope,
    now: () => new Date(),
  });
  show(null);
  const { result } = renderHook(() => useFieldEditor(keeper, envelope.documents));
  const [field] = layout().fields;
  if (!field) throw new Error("no field");
  const wide = layout({
    fields: [field, { ...field, y: 0.7 }, { ...field, page: 9 }, { ...field, person_rank: 3 }],
  });
  act(() => result.current.applyLayout(wide));
  expect(keeper.state().draft.fields.map(({ y }) => y)).toEqual([0.5, 0.7]);
  await screen.findByText("Disposition appliquée : 2 champs placés.");
  expect(
    screen.getByText("2 champs laissés de côté : leur page ou leur destinataire n’existe pas ici."),
  ).toBeTruthy();
  act(() => result.current.applyLayout(layout()));
  await screen.findByText("Aucun champ à placer de cette disposition.");
  act(() => result.current.undo());
  expect(keeper.state().draft.fields).toEqual([]);
  keeper.stop();
});
