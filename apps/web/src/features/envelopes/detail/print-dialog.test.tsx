import type { Envelope } from "@paraphe/contracts";
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { chooseSigningPreferences } from "../../../lib/browser/signing-preferences.ts";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { makeEnvelope } from "../prepare/testing/make-envelope.ts";
import { PrintDialog } from "./print-dialog.tsx";
import { QrDialog } from "./qr-dialog.tsx";
import { press, renderPart, toasts } from "../testing/page.tsx";

const PRINTABLE = "/api/signature/prints/p1/printable/?sig=s1";
let tab: {
  location: { href: string; replace: (url: string) => void };
  document: { readyState: string };
  closed: boolean;
  print: () => void;
  close: () => void;
};
let asked: { method: string; path: string; body: unknown }[];
let status = 201;

beforeEach(() => {
  act(clearToasts);
  localStorage.clear();
  [asked, status] = [[], 201];
  const location = { href: "about:blank", replace: (url: string) => void (location.href = url) };
  tab = {
    location,
    document: { readyState: "complete" },
    closed: false,
    print: vi.fn(),
    close: vi.fn(),
  };
  vi.stubGlobal("open", () => tab);
  vi.stubGlobal("fetch", async (url: string, { method, body }: RequestInit) => {
    asked.push({
      method: method ?? "GET",
      path: new URL(url).pathname,
      body: typeof body === "string" ? JSON.parse(body) : undefined,
    });
    return Response.json(
      status === 201 ? { id: "p1", printable_url: PRINTABLE } : { detail: "Trop de demandes." },
      { status },
    );
  });
});
afterEach(() => vi.unstubAllGlobals());

function show(rest: Partial<Envelope> = {}) {
  const onClose = vi.fn();
  const envelope = {
    ...makeEnvelope({ id: "e1" }),
    status: "completed",
    is_owner: true,
    ...rest,
  } as Envelope;
  renderPart(<PrintDialog envelope={envelope} onClose={onClose} />);
  return { envelope, onClose };
}
const print = () => press("Imprimer");
const radio = (name: RegExp) => screen.getByRole<HTMLInputElement>("radio", { name });

test("the copy bears its code at the chosen place and is printed from a new tab: 'Ouverture de l'impression'", async () => {
  const { onClose } = show();
  await userEvent.click(radio(/^Sur la dernière page/));
  await print();
  await vi.waitFor(() => expect(toasts()).toEqual(["Ouverture de l'impression"]));
  expect(asked.filter(({ method }) => method === "POST")).toEqual([
    {
      method: "POST",
      path: "/api/signature/prints/generate/",
      body: { envelope: "e1", qr_type: "last" },
    },
  ]);
  expect(tab.location.href).toBe(new URL(PRINTABLE, location.origin).href);
  await vi.waitFor(() => expect(tab.print).toHaveBeenCalled());
  expect(onClose).toHaveBeenCalled();
});

test("without settings the code stands on each page", () => {
  show();
  expect(radio(/^Sur chaque page/).checked).toBe(true);
});

test("the choice of the settings is preselected", () => {
  chooseSigningPreferences({ print: "certificate" });
  show();
  expect(radio(/^Sur une page de preuve ajoutée/).checked).toBe(true);
});

test("without a code the signed file is printed, and no print is made", async () => {
  const { envelope } = show();
  await userEvent.click(radio(/^Aucun/));
  await print();
  await vi.waitFor(() => expect(tab.print).toHaveBeenCalled());
  expect(asked).toEqual([]);
  expect(tab.location.href).toContain(
    `/api/signature/envelopes/e1/documents/${envelope.documents[0]?.id}/file/`,
  );
});

test("one of several documents is chosen", async () => {
  const [document] = makeEnvelope().documents;
  show({
    documents: [document, { ...document, id: "d2", name: "Annexe.pdf" }] as Envelope["documents"],
  });
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Document" }), "Annexe.pdf");
  await print();
  await vi.waitFor(() =>
    expect(tab.location.href).toBe(new URL(`${PRINTABLE}&document=d2`, location.origin).href),
  );
});

test("a failed print says 'Échec de l'impression' with its reason and leaves no empty tab", async () => {
  status = 429;
  const { onClose } = show();
  await print();
  await vi.waitFor(() =>
    expect(currentToasts()[0]).toMatchObject({
      message: "Échec de l'impression",
      detail: "Trop de demandes.",
    }),
  );
  expect(tab.close).toHaveBeenCalled();
  expect(onClose).not.toHaveBeenCalled();
});

test("the QR dialog makes a code, without asking where a copy bears it", () => {
  renderPart(
    <QrDialog envelope={{ id: "e1", progress: { signed: 1 } } as never} onClose={() => {}} />,
  );
  expect(screen.getByText("Créer le QR code")).toBeDefined();
  expect(screen.queryAllByRole("radio")).toEqual([]);
});
