import type { Envelope } from "@paraphe/contracts";
import type { QueryClient } from "@tanstack/react-query";
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { MemoryRouter, Route, Routes, useLocation, useNavigate } from "react-router";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { CompletedPage } from "./completed-page.tsx";
import { DraftsPage } from "./drafts-page.tsx";
import { newClient, press, pressFound, renderPart } from "../testing/page.tsx";

const ROW = {
  id: "e1",
  title: "Bail commercial",
  status: "draft",
  is_owner: true,
  created_at: "2026-11-20T09:00:00Z",
  updated_at: "2026-11-20T09:00:00Z",
  created_by_name: "Clémence Aubry",
  recipients: [],
  documents: [],
  fields: [],
  progress: { signed: 0, total: 0, percent: 0 },
} as unknown as Envelope;

const pageOf = (page: number) => ({
  count: 23,
  page,
  page_size: 10,
  results: [{ ...ROW, id: `p${page}` }],
});
let answer: (query: URLSearchParams) => Response | Promise<Response>;
let client: QueryClient;

beforeEach(() => {
  act(clearToasts);
  client = newClient();
  answer = (query) => Response.json(pageOf(Number(query.get("page"))));
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.stubGlobal("fetch", async (address: string) => {
    const { pathname, searchParams } = new URL(address);
    if (pathname.endsWith("/counts/"))
      return Response.json({ draft: 1, sent: 1, completed: 48, action_required: 1, cancelled: 1 });
    return pathname.endsWith("/envelopes/") ? answer(searchParams) : Response.json({});
  });
});
afterEach(() => vi.unstubAllGlobals());

function Surroundings() {
  const { pathname, search } = useLocation();
  const go = useNavigate();
  return (
    <>
      <output data-testid="address">{`${pathname}${search}`}</output>
      <button type="button" onClick={() => go("/liste")}>
        Rail
      </button>
      <button type="button" onClick={() => go(-1)}>
        Back
      </button>
    </>
  );
}

function standAt(page: ReactNode, query = "") {
  renderPart(
    <MemoryRouter initialEntries={["/avant", `/liste${query}`]}>
      <Routes>
        <Route path="/liste" element={page} />
        <Route path="*" element={null} />
      </Routes>
      <Surroundings />
    </MemoryRouter>,
    client,
  );
}

const address = () => screen.getByTestId("address").textContent;

test("a chosen order is asked for and stands in the address, from the first page", async () => {
  const asked: (string | null)[] = [];
  answer = (query) => {
    asked.push(query.get("ordering"));
    return Response.json(pageOf(Number(query.get("page"))));
  };
  standAt(<DraftsPage />, "?page=2");
  await userEvent.selectOptions(await screen.findByLabelText("Trier par"), "Titre, de A à Z");
  await vi.waitFor(() => expect(asked.at(-1)).toBe("title"));
  expect(asked[0]).toBeNull();
  expect(address()).toBe("/liste?tri=titre");
});

test("a link without a search empties the box for good", async () => {
  standAt(<CompletedPage />, "?search=devis");
  const box = await screen.findByLabelText<HTMLInputElement>(
    "Rechercher par titre, signataire ou créateur",
  );
  expect(box.value).toBe("devis");
  await press("Rail");
  expect(box.value).toBe("");
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(address()).toBe("/liste");
});

test("a page past the end shows the last one, and Back leaves the list", async () => {
  standAt(<DraftsPage />, "?page=99999999");
  await vi.waitFor(() => expect(address()).toBe("/liste?page=3"));
  await press("Back");
  await vi.waitFor(() => expect(address()).toBe("/avant"));
});

test("while a page loads the pager describes the rows on show and the list is busy", async () => {
  let release = () => {};
  answer = async (query) => {
    const page = Number(query.get("page"));
    if (page === 2) await new Promise<void>((resolve) => (release = resolve));
    return Response.json(pageOf(page));
  };
  standAt(<DraftsPage />);
  await pressFound("Page 2");
  expect(screen.getByText("1–10 sur 23").closest("[aria-busy]")?.getAttribute("aria-busy")).toBe(
    "true",
  );
  release();
  expect(
    (await screen.findByText("11–20 sur 23")).closest("[aria-busy]")?.getAttribute("aria-busy"),
  ).toBe("false");
});

test("rows on show stay when they cannot be read again", async () => {
  standAt(<DraftsPage />);
  await screen.findByText("Bail commercial");
  answer = () => Response.json({}, { status: 500 });
  await act(() => client.invalidateQueries());
  await vi.waitFor(() =>
    expect(currentToasts()[0]?.message).toBe("Échec du chargement des brouillons"),
  );
  expect(screen.getByText("Bail commercial")).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
});
