import type { Layout } from "@paraphe/contracts";
import { act, cleanup, renderHook, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import type { Box } from "../../../pdf/box.ts";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { openPage, serve } from "../../accounts/settings/testing/open-page.tsx";
import type { ReadyFile } from "./batch-file.ts";
import { layoutOfPlace, placeOfLayout, PlacingLayouts } from "./placing-side.tsx";
import { PreviewMatrix, useCoveredText } from "./position-step.tsx";
import { usePlacing } from "./placing.ts";

const LAYOUTS = "/api/signature/layouts/";
const A4 = { width: 595, height: 842 };
const file = (key: string, pageCount = 1): ReadyFile => ({
  key,
  file: new File([key], `${key}.pdf`),
  state: { kind: "ready", pageCount, first: A4, last: A4 },
});
const WORDS: Box = { x: 0.62, y: 0.84, width: 0.2, height: 0.02 };
const place = {
  document_rank: 0,
  person_rank: 0,
  type: "signature",
  page: -1,
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

afterEach(() => {
  cleanup();
  clearToasts();
  vi.unstubAllGlobals();
});

it("warns of each file whose text the place covers, reading each page once", async () => {
  const files = [file("avec"), file("sans"), file("illisible")];
  const read: string[] = [];
  const readWords = async (of: File): Promise<readonly (readonly Box[])[]> => {
    read.push(of.name);
    if (of.name === "illisible.pdf") throw new Error("unreadable");
    return [of.name === "avec.pdf" ? [WORDS] : []];
  };
  const { result } = renderHook(() => {
    const placing = usePlacing();
    return { placing, covered: useCoveredText(files, placing, readWords) };
  });
  await waitFor(() => expect(read).toHaveLength(3));
  await waitFor(() => expect([...result.current.covered]).toEqual(["avec"]));
  act(() =>
    result.current.placing.setBox(files[0] as ReadyFile, {
      x: 0.1,
      y: 0.1,
      width: 0.3,
      height: 0.08,
    }),
  );
  expect([...result.current.covered]).toEqual([]);
  expect(read).toEqual(["avec.pdf", "sans.pdf", "illisible.pdf"]);
});

it("shows which results cover text, and lets the signer go on", async () => {
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      observe() {}
      disconnect() {}
    },
  );
  serve({});
  const files = [file("avec"), file("sans")];
  const placing = renderHook(() => usePlacing()).result.current;
  openPage(
    <PreviewMatrix
      {...{ files, placing }}
      mark={null}
      covered={new Set(["avec"])}
      onOpen={() => {}}
      onExclude={() => {}}
    />,
  );
  expect(await screen.findByText("Sur 1 fichier, la signature recouvre du texte.")).toBeTruthy();
  expect(screen.getByRole("button", { name: /avec\.pdf Recouvre du texte/ })).toBeTruthy();
  expect(screen.getByRole("button", { name: /sans\.pdf$/ })).toBeTruthy();
});

it("turns a place into a layout and back, the last page staying the last", () => {
  const box = { x: 0.1, y: 0.5, width: 0.3, height: 0.06 };
  for (const rule of [{ kind: "last" }, { kind: "first" }, { kind: "number", number: 7 }] as const)
    expect(placeOfLayout({ fields: [...layoutOfPlace({ rule, box })] })).toEqual({ rule, box });
  expect(layoutOfPlace({ rule: { kind: "all" }, box })[0]?.page).toBe(-1);
  const other = { ...place, required: true, label: null, value: null };
  expect(placeOfLayout({ fields: [{ ...other, type: "date" }] })).toBeNull();
  expect(
    placeOfLayout({
      fields: [
        { ...other, person_rank: 1, page: 3 },
        { ...other, page: 2 },
      ],
    })?.rule,
  ).toEqual({ kind: "number", number: 2 });
});

it("applies a prepared layout to a batch, refuses one without a signature, and saves the place", async () => {
  const user = userEvent.setup();
  const dated = layout({
    id: "l2",
    name: "Dates",
    fields: [{ ...place, type: "date", required: true, label: null, value: null }],
  });
  const calls = serve({
    [`GET ${LAYOUTS}`]: { status: 200, body: { count: 2, results: [layout(), dated] } },
    [`POST ${LAYOUTS}`]: { status: 201, body: layout({ name: "Bas de page" }) },
  });
  const shown = file("a");
  const Placed = () => {
    const placing = usePlacing();
    return (
      <>
        <PlacingLayouts file={shown} placing={placing} />
        <output>{JSON.stringify(placing.placeOf(shown))}</output>
      </>
    );
  };
  openPage(<Placed />);
  await user.click(screen.getByRole("button", { name: "Appliquer une disposition" }));
  await user.click(await screen.findByRole("button", { name: "Appliquer Dates" }));
  expect(currentToasts().map(({ message }) => message)).toContain(
    "Cette disposition ne place aucune signature.",
  );
  await user.click(screen.getByRole("button", { name: "Appliquer Bail" }));
  expect(screen.getByText(/"x":0.1,"y":0.5,"width":0.3,"height":0.06/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Enregistrer cette disposition" }));
  await user.type(await screen.findByLabelText(/Nom de la disposition/), "Bas de page");
  await user.click(screen.getByRole("button", { name: "Enregistrer" }));
  const saved = () => calls.find(({ method }) => method === "POST");
  await waitFor(() => expect(saved()).toBeTruthy());
  expect(saved()?.body).toMatchObject({
    name: "Bas de page",
    fields: [{ type: "signature", page: -1, x: 0.1, y: 0.5 }],
  });
});
