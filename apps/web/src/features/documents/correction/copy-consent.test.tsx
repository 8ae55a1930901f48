import type { CorrectionAnswer } from "@paraphe/contracts";
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import {
  comparisonSentence,
  ComparedConsent,
  CopyConsent,
  useComparedCopy,
} from "./copy-consent.tsx";

const PLACE = { x: 0.1, y: 0.2, width: 0.3, height: 0.1 };
const differing = (page: number) => ({ page, place: PLACE, original: "AA", corrected: "BB" });
const answer = (part: Partial<CorrectionAnswer>): CorrectionAnswer => ({
  page_count: 3,
  next: null,
  unread: [],
  difference: null,
  ...part,
});
type Ask = Parameters<typeof useComparedCopy>[0];
const box = () => screen.getByRole<HTMLInputElement>("checkbox", { name: "J’accepte" });

/** Answers page after page with `answers`; returns the pages asked for. */
function open(...answers: (CorrectionAnswer | Error)[]) {
  const asked: number[] = [];
  const accepted: boolean[] = [];
  const ask = async (from: number) => {
    asked.push(from);
    const next = answers.shift();
    if (next === undefined || next instanceof Error) throw next ?? new Error("too many questions");
    return next;
  };
  render(
    <CopyConsent
      ask={ask}
      label="J’accepte"
      checked={false}
      onChange={(accepts) => accepted.push(accepts)}
    />,
  );
  return { asked, accepted };
}

test("accepts a copy that looks the same once every page is compared", async () => {
  const { asked, accepted } = open(answer({ next: 3 }), answer({}));
  expect(box().disabled).toBe(true);
  await screen.findByText("La copie corrigée a le même aspect que l’original.");
  expect(asked).toEqual([1, 3]);
  await userEvent.click(box());
  expect(accepted).toEqual([true]);
});

test("shows changed pages side by side before the copy can be accepted", async () => {
  open(answer({ next: 2, difference: differing(1) }), answer({ difference: differing(3) }));
  await screen.findByText(/^Les pages 1 et 3 changent d’aspect dans la copie corrigée/);
  expect(box().disabled).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: "Comparer les pages" }));
  await screen.findByRole("dialog", { name: "Original et copie corrigée" });
  for (const name of [
    "Original, page 1",
    "Copie corrigée, page 1",
    "Original, page 3",
    "Copie corrigée, page 3",
  ])
    expect(screen.getByRole("img", { name })).toBeTruthy();
  await userEvent.click(screen.getByRole("switch", { name: "Grandeur réelle" }));
  expect(screen.getByRole("region", { name: "Original, page 1" }).tabIndex).toBe(0);
  await userEvent.click(screen.getByRole("button", { name: "J’ai comparé" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(box().disabled).toBe(false);
});

test("does not count the differences seen in one file for another", async () => {
  const asking = (page: number) => async () =>
    answer({ page_count: 1, difference: differing(page) });
  const props = { label: "J’accepte", checked: false, onChange: () => {} };
  const { rerender } = render(<CopyConsent ask={asking(1)} {...props} />);
  await userEvent.click(await screen.findByRole("button", { name: "Comparer les pages" }));
  await userEvent.click(await screen.findByRole("button", { name: "J’ai comparé" }));
  expect(box().disabled).toBe(false);
  rerender(<CopyConsent ask={asking(2)} {...props} />);
  await screen.findByText(/^La page 2 change d’aspect/);
  expect(box().disabled).toBe(true);
});

function Turning({ ask, isWide }: { readonly ask: Ask; readonly isWide: boolean }) {
  const copy = useComparedCopy(ask);
  const consent = (
    <ComparedConsent {...{ copy }} label="J’accepte" checked={false} onChange={vi.fn()} />
  );
  return (
    <>
      {isWide ? <aside>{consent}</aside> : consent}
      {copy.dialog}
    </>
  );
}

test("a page drawn at another width compares nothing again and leaves the dialog open", async () => {
  const ask = vi.fn(async () => answer({ page_count: 1, difference: differing(1) }));
  const { rerender } = render(<Turning ask={ask} isWide />);
  await userEvent.click(await screen.findByRole("button", { name: "Comparer les pages" }));
  const dialog = await screen.findByRole("dialog");
  rerender(<Turning ask={ask} isWide={false} />);
  expect(screen.getByRole("dialog")).toBe(dialog);
  expect(box().disabled).toBe(false);
  expect(ask).toHaveBeenCalledOnce();
});

test("asks after twenty changed pages whether to go on", async () => {
  const first = Array.from({ length: 20 }, (_, index) =>
    answer({ page_count: 21, next: index + 2, difference: differing(index + 1) }),
  );
  const { asked } = open(...first, answer({ page_count: 21, difference: differing(21) }));
  await userEvent.click(await screen.findByRole("button", { name: "Comparer la suite" }));
  await waitFor(() => expect(asked).toHaveLength(21));
  await waitFor(() =>
    expect(screen.queryByRole("button", { name: "Comparer la suite" })).toBeNull(),
  );
});

test("says why a comparison failed, offers another, and accepts nothing", async () => {
  const { asked } = open(new Error("no network"), answer({}));
  await screen.findByText("La copie corrigée n’a pas pu être comparée avec l’original. Réessayez.");
  expect(box().disabled).toBe(true);
  await userEvent.click(screen.getByRole("button", { name: "Réessayer" }));
  await screen.findByText("La copie corrigée a le même aspect que l’original.");
  expect(asked).toEqual([1, 1]);
});

test("names pages that could not be compared", () => {
  const done = { state: "done", differences: [], from: 3, pageCount: 3, reason: null } as const;
  expect(comparisonSentence({ ...done, unread: [2] })).toBe(
    "Les pages comparées ont le même aspect que l’original. La page 2 n’a pas pu être comparée\u00a0: relisez-la une fois la copie acceptée.",
  );
  expect(comparisonSentence({ ...done, unread: [1, 2, 3] })).toMatch(
    /^Les pages 1, 2 et 3 n’ont pas pu être comparées/,
  );
  expect(comparisonSentence({ ...done, state: "comparing", unread: [] })).toContain(
    "page 3 sur 3…",
  );
});
