import { act, cleanup, render, renderHook, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it } from "vitest";
import type { OpenedPdf } from "../../../pdf/open-pdf.ts";
import { findBlankPlace } from "../../../pdf/fields/find-blank-place.ts";
import { OwnFieldsPanel } from "./place-side.tsx";
import { askedFields, useOwnFields } from "./use-own-fields.ts";
import type { Placed, PlacementDesk } from "./use-placement.ts";
import { useWordsUnder } from "./place-signature.tsx";

afterEach(cleanup);
const SIGNATURE: Placed = { page: 2, box: { x: 0.6, y: 0.85, width: 0.3, height: 0.07 } };
const A4 = { width: 595, height: 842 };
const pdf = { pageCount: 2 } as OpenedPdf;
const desk = { pdf, placed: SIGNATURE } as PlacementDesk;

it("adds, writes and removes a date, a name and a text without a drag", async () => {
  const user = userEvent.setup();
  let asked: ReturnType<typeof askedFields> = [];
  let blank: string | null = null;
  const Page = () => {
    const own = useOwnFields();
    asked = askedFields(own.fields);
    blank = own.blank?.type ?? null;
    return (
      <>
        <OwnFieldsPanel own={own} desk={desk} />
        <button type="button" onClick={own.showMissing}>
          Signer
        </button>
      </>
    );
  };
  render(<Page />);
  for (const kind of ["Date", "Nom", "Texte"])
    await user.click(screen.getByRole("button", { name: `Ajouter\u00a0: ${kind}` }));
  expect(asked.map(({ type, page, value }) => [type, page, value])).toEqual([
    ["date", 2, null],
    ["name", 2, null],
    ["text", 2, ""],
  ]);
  const bottoms = asked.map(({ y, height }) => y + height);
  expect(bottoms[0]).toBeLessThan(SIGNATURE.box.y);
  expect(bottoms[1]).toBeLessThan(asked[0]?.y ?? 0);
  expect(bottoms[2]).toBeLessThan(asked[1]?.y ?? 0);
  expect(blank).toBe("text");
  await user.click(screen.getByRole("button", { name: "Signer" }));
  expect(screen.getByText("Écrivez le texte, ou retirez ce champ.")).toBeTruthy();
  await user.type(screen.getByLabelText("Texte, page 2"), "Lu et approuvé");
  expect([asked[2]?.value, blank]).toEqual(["Lu et approuvé", null]);
  await user.click(screen.getByRole("button", { name: "Retirer\u00a0: Date, page 2" }));
  expect(asked.map(({ type }) => type)).toEqual(["name", "text"]);
});

it("a field added with the keyboard has the focus: a text takes what is typed next", async () => {
  const user = userEvent.setup();
  const Page = () => <OwnFieldsPanel own={useOwnFields()} desk={desk} />;
  render(<Page />);
  screen.getByRole("button", { name: "Ajouter\u00a0: Texte" }).focus();
  await user.keyboard("{Enter}");
  const text = await screen.findByLabelText<HTMLInputElement>("Texte, page 2");
  await waitFor(() => expect(document.activeElement).toBe(text));
  await user.keyboard("Fait à Nancy");
  expect(text.value).toBe("Fait à Nancy");
  for (const [kind, source] of [
    ["Date", "le jour de la signature"],
    ["Nom", "le vôtre"],
  ]) {
    screen.getByRole("button", { name: `Ajouter\u00a0: ${kind}` }).focus();
    await user.keyboard("{Enter}");
    await waitFor(() => expect(document.activeElement?.textContent).toBe(`${kind}, ${source}`));
    await user.keyboard(" {Enter}");
  }
  expect(screen.getAllByRole("listitem")).toHaveLength(3);
});

it("proposes a place with room for the date under it", () => {
  const grid = { columns: 149, rows: 211, cellPt: 4, cells: new Uint8Array(149 * 211) };
  const plain = findBlankPlace(grid, []);
  const roomy = findBlankPlace(grid, [], 0.04);
  expect(roomy?.height).toBeCloseTo(plain?.height ?? 0, 1);
  const foot = (box: typeof plain) => (box?.y ?? 0) + (box?.height ?? 0);
  expect(foot(plain) - foot(roomy)).toBeGreaterThanOrEqual(0.035);
});

it("moves a field by points with the arrows, within its page", () => {
  const { result } = renderHook(() => useOwnFields());
  let key = "";
  act(() => {
    key = result.current.add("date", SIGNATURE);
  });
  const before = result.current.fields[0]?.box.x ?? 0;
  act(() =>
    result.current.nudge(
      key,
      { kind: "move", by: { dx: 59.5, dy: 0 } },
      { width: 595, height: 842 },
    ),
  );
  expect(result.current.fields[0]?.box.x).toBeCloseTo(before + 0.1, 3);
  act(() =>
    result.current.nudge(
      key,
      { kind: "move", by: { dx: 9_999, dy: 0 } },
      { width: 595, height: 842 },
    ),
  );
  expect((result.current.fields[0]?.box.x ?? 0) + 0.18).toBeCloseTo(1, 3);
});

it("a date takes as much paper on a turned page as on A4", () => {
  const { result } = renderHook(() => useOwnFields([A4, { width: 842, height: 595 }]));
  act(() => {
    result.current.add("date", { ...SIGNATURE, page: 1 });
    result.current.add("date", SIGNATURE);
  });
  const [upright, turned] = result.current.fields.map(({ box }) => box);
  expect((turned?.width ?? 0) * 842).toBeCloseTo((upright?.width ?? 0) * 595, 1);
  expect((turned?.height ?? 0) * 595).toBeCloseTo((upright?.height ?? 0) * 842, 1);
});

it("warns while a placed item covers text, reading each page once", async () => {
  const read: number[] = [];
  const opened = {
    textBoxes: async (page: number) => {
      read.push(page);
      return [{ x: 0.65, y: 0.88, width: 0.1, height: 0.02 }];
    },
    pageSize: async () => ({ width: 595, height: 842 }),
  };
  const { result, rerender } = renderHook(({ placed }) => useWordsUnder(opened, placed), {
    initialProps: { placed: [SIGNATURE] },
  });
  await waitFor(() => expect(result.current).toBe(true));
  rerender({ placed: [{ page: 2, box: { ...SIGNATURE.box, y: 0.7 } }] });
  expect(result.current).toBe(false);
  expect(read).toEqual([2]);
});

it("lets the signer go on when a page's words cannot be read", async () => {
  const broken = {
    textBoxes: () => Promise.reject(new Error("unreadable")),
    pageSize: async () => ({ width: 595, height: 842 }),
  };
  const { result } = renderHook(() => useWordsUnder(broken, [SIGNATURE]));
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(result.current).toBe(false);
});
