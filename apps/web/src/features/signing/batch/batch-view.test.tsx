import type { BatchJob } from "@paraphe/contracts";
import { cleanup, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { act } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { clearToasts } from "../../../ui/toast/toast-store.ts";
import { openPage, serve } from "../../accounts/settings/testing/open-page.tsx";
import { BatchView } from "./batch-view.tsx";

const ID = "01990000-0000-7000-8000-000000000001";
const JOBS = "/api/signature/batch-jobs/";
type Item = BatchJob["items"][number];
/** Each item: name, status, reason, code. */
type Row = readonly [string, Item["status"], (string | null)?, (string | null)?];
const job = (status: BatchJob["status"], ...rows: readonly Row[]) => {
  const count = (wanted: Item["status"]) => rows.filter(([, state]) => state === wanted).length;
  const items = rows.map(([name, state, detail = null, code = null]) => ({
    name,
    status: state,
    detail,
    code,
    envelope_id: state === "done" ? ID : null,
  }));
  const body = { id: ID, status, total: rows.length, done: count("done"), failed: count("failed") };
  return { status: 200, body: { ...body, items } };
};
const list = {
  status: 200,
  body: {
    count: 1,
    page: 1,
    page_size: 5,
    results: [
      {
        id: ID,
        title: null,
        status: "partial",
        total: 3,
        done: 1,
        failed: 1,
        created_at: "2026-11-21T11:40:00Z",
        finished_at: "2026-11-21T11:41:00Z",
        available_until: "2026-11-28T11:41:00Z",
      },
    ],
  },
};
const posted = (calls: ReturnType<typeof serve>) =>
  calls.find(({ method }) => method === "POST")?.body;
/** Opens the batch's page; later changes of `answers` are served too. */
function open(now: Parameters<typeof serve>[0]) {
  const answers: Parameters<typeof serve>[0] = { [`GET ${JOBS}`]: list, ...now };
  const calls = serve(answers);
  openPage(<BatchView id={ID} />);
  return { answers, calls };
}

afterEach(() => {
  cleanup();
  act(clearToasts);
  vi.unstubAllGlobals();
});

it("shows a running batch's progress, each file's state, and how to stop it", async () => {
  const user = userEvent.setup();
  const items: readonly Row[] = [
    ["a.pdf", "done"],
    ["b.pdf", "running"],
    ["c.pdf", "queued"],
    ["d.pdf", "queued"],
  ];
  const stopped = job(
    "cancelled",
    ["a.pdf", "done"],
    ["b.pdf", "done"],
    ["c.pdf", "cancelled"],
    ["d.pdf", "cancelled"],
  );
  const { answers, calls } = open({
    [`GET ${JOBS}${ID}/`]: job("running", ...items),
    [`DELETE ${JOBS}${ID}/`]: stopped,
  });
  expect(await screen.findByRole("heading", { name: "Signature en cours" })).toBeTruthy();
  expect(screen.getByText("Vous pouvez quitter cette page, la signature continue")).toBeTruthy();
  expect(screen.getByText("1 document signé sur 4")).toBeTruthy();
  expect(screen.getByRole("progressbar").getAttribute("aria-valuenow")).toBe("25");
  const rows = within(screen.getByRole("list", { name: "Documents" })).getAllByRole("listitem");
  expect(rows.map((row) => /Signé|En cours|En file/.exec(row.textContent)?.[0])).toEqual([
    "Signé",
    "En cours",
    "En file",
    "En file",
  ]);
  answers[`GET ${JOBS}${ID}/`] = stopped;
  await user.click(screen.getByRole("button", { name: "Arrêter la signature" }));
  expect(await screen.findByRole("heading", { name: "2 documents signés sur 4" })).toBeTruthy();
  expect(calls.map(({ method }) => method)).toContain("DELETE");
});

it("retries everything stopped or failed", async () => {
  const user = userEvent.setup();
  const ended = job(
    "partial",
    ["a.pdf", "failed", "Protégé par un mot de passe"],
    ["b.pdf", "cancelled"],
    ["c.pdf", "cancelled"],
  );
  const again = job("queued", ["a.pdf", "failed"], ["b.pdf", "queued"], ["c.pdf", "queued"]);
  const { calls } = open({
    [`GET ${JOBS}${ID}/`]: ended,
    [`POST ${JOBS}${ID}/retry/`]: { ...again, status: 202 },
  });
  expect(await screen.findByText("2 documents arrêtés avant la signature.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Reprendre la signature" }));
  await waitFor(() => expect(posted(calls)).toEqual({ items: [1, 2] }));
});

it("shows failures first with their reason, and tries them again", async () => {
  const user = userEvent.setup();
  const reason = "Ce document n’a que 1 page";
  const ended = job(
    "partial",
    ["a.pdf", "done"],
    ["b.pdf", "failed", reason],
    ["c.pdf", "cancelled"],
  );
  const again = job("queued", ["a.pdf", "done"], ["b.pdf", "queued"], ["c.pdf", "cancelled"]);
  const { answers, calls } = open({
    [`GET ${JOBS}${ID}/`]: ended,
    [`POST ${JOBS}${ID}/retry/`]: { ...again, status: 202 },
  });
  expect(await screen.findByRole("heading", { name: "1 document signé sur 3" })).toBeTruthy();
  expect(screen.getByText("1 document n’a pas pu être signé.")).toBeTruthy();
  expect(await screen.findByText("Archive disponible jusqu’au 28 novembre 2026.")).toBeTruthy();
  const [first] = within(screen.getByRole("list", { name: "Documents" })).getAllByRole("listitem");
  expect(first?.textContent).toContain(`b.pdf`);
  expect(first?.textContent).toContain(reason);
  answers[`GET ${JOBS}${ID}/`] = again;
  await user.click(screen.getByRole("button", { name: "Réessayer ce document\u00a0: b.pdf" }));
  expect(await screen.findByRole("heading", { name: "Signature en cours" })).toBeTruthy();
  expect(posted(calls)).toEqual({ items: [1] });
});

it("offers what each failure allows: the corrected copy, another try, or nothing", async () => {
  const user = userEvent.setup();
  const ended = job(
    "failed",
    ["a.pdf", "failed", "Ce PDF est protégé par un mot de passe.", "pdf_encrypted"],
    ["b.pdf", "failed", "Ce PDF doit être corrigé avant d’être signé.", "copy_to_accept"],
    ["c.pdf", "failed", "Ce document n’a pas pu être signé.", "document_not_signed"],
  );
  const { calls } = open({
    [`GET ${JOBS}${ID}/`]: ended,
    [`POST ${JOBS}${ID}/retry/`]: { ...ended, status: 202 },
  });
  await screen.findByText("3 documents n’ont pas pu être signés.");
  expect(screen.queryByRole("button", { name: /a\.pdf/ })).toBeNull();
  expect(screen.getByRole("button", { name: "Réessayer ce document\u00a0: c.pdf" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: /Réessayer les/ })).toBeNull();
  await user.click(
    screen.getByRole("button", { name: "Accepter et signer la copie corrigée\u00a0: b.pdf" }),
  );
  expect(posted(calls)).toEqual({
    items: [1],
    accept_copies: true,
  });
});

it("compares a copy that looks different before signing it", async () => {
  const user = userEvent.setup();
  const ended = job("failed", [
    "a.pdf",
    "failed",
    "La copie corrigée de ce PDF n’a pas le même aspect.",
    "copy_differs",
  ]);
  const { calls } = open({
    [`GET ${JOBS}${ID}/`]: ended,
    [`POST ${JOBS}${ID}/retry/`]: { ...ended, status: 202 },
    [`GET ${JOBS}${ID}/items/0/correction/`]: {
      status: 200,
      body: {
        page_count: 1,
        next: null,
        unread: [],
        difference: {
          page: 1,
          place: { x: 0, y: 0, width: 1, height: 1 },
          original: "AA",
          corrected: "BB",
        },
      },
    },
  });
  await screen.findByText(/comparez-la avec l’original, sous le nom du fichier/);
  expect(screen.queryByRole("button", { name: /Accepter et signer/ })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Comparer avec l’original\u00a0: a.pdf" }));
  await user.click(await screen.findByRole("button", { name: "Comparer les pages" }));
  expect(
    screen.getByRole<HTMLButtonElement>("button", { name: "Signer la copie corrigée" }).disabled,
  ).toBe(true);
  await user.click(await screen.findByRole("button", { name: "J’ai comparé" }));
  await user.click(screen.getByRole("checkbox", { name: "J’accepte de signer la copie corrigée" }));
  await user.click(screen.getByRole("button", { name: "Signer la copie corrigée" }));
  expect(posted(calls)).toEqual({
    items: [0],
    accept_copies: true,
  });
});

it("says where the documents of a removed batch are", async () => {
  open({
    [`GET ${JOBS}${ID}/`]: {
      status: 404,
      body: { code: "not_found", detail: "Élément introuvable." },
    },
  });
  expect(await screen.findByText("Ce lot n’existe plus.")).toBeTruthy();
  expect(screen.getByRole("link", { name: "Voir les documents signés" }).getAttribute("href")).toBe(
    "/signature/envelopes/completed",
  );
});
