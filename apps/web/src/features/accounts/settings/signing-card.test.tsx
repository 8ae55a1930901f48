import { act, renderHook, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, expect, test, vi } from "vitest";
import {
  chooseSigningPreferences,
  readSigningPreferences,
} from "../../../lib/browser/signing-preferences.ts";
import { clearToasts, currentToasts } from "../../../ui/toast/toast-store.ts";
import { usePlacing } from "../../signing/batch/placing.ts";
import { useDateUnderSignature } from "../../signing/own/place-signature.tsx";
import { useOwnFields } from "../../signing/own/use-own-fields.ts";
import { usePlacement } from "../../signing/own/use-placement.ts";
import { useMarkMaker } from "../../signing/marks/use-mark-maker.ts";
import { SignaturePage, SigningCard } from "./signature-page.tsx";
import { openPage, serve } from "./testing/open-page.tsx";

const SAVED = "/api/signature/saved-signatures/";
const signature = (id: string, name: string, is_default: boolean) => ({
  id,
  name,
  is_default,
  kind: "typed",
  text: name,
  font: "caveat",
  image: `${SAVED}${id}/image/`,
  created_at: "2026-11-21T10:00:00Z",
  last_used_at: null,
});

beforeEach(() => {
  act(clearToasts);
  localStorage.clear();
  sessionStorage.clear();
});

const choose = (label: string, option: string) =>
  userEvent.selectOptions(screen.getByRole("combobox", { name: label }), option);
const makerOf = (savedMarks: Parameters<typeof useMarkMaker>[0]["savedMarks"]) =>
  renderHook(() => useMarkMaker({ signerName: "Camille Roux", savedMarks })).result.current;
/** Auto-signature's placement once its file of three pages is open. */
function placed(taken: readonly { x: number; y: number; width: number; height: number }[] = []) {
  const placement = { page: 3, x: 0.1, y: 0.1, width: 0.3, height: 0.07 };
  const { result } = renderHook(() => usePlacement({ taken: [...taken], placement }));
  act(() => result.current.setPdf({ pageCount: 3 } as never));
  return result;
}

test("'Ma signature' names its choices as the signing pages do, and says once how many signatures are saved", async () => {
  serve({ [`GET ${SAVED}`]: { status: 200, body: { count: 0, results: [] } } });
  openPage(<SignaturePage />);
  const kept = within(screen.getByRole("region", { name: "Signatures enregistrées" }));
  const card = within(screen.getByRole("region", { name: "Quand vous signez" }));
  expect(await screen.findAllByText("Aucune signature enregistrée")).toHaveLength(1);
  expect(kept.getAllByRole("button").map((button) => button.textContent)).toEqual([
    "Nouvelle signature",
  ]);
  const options = (name: string) =>
    [...card.getByRole<HTMLSelectElement>("combobox", { name }).options].map(({ text }) => text);
  expect(options("Emplacement par défaut")).toHaveLength(10);
  expect(options("Emplacement par défaut").slice(0, 2)).toEqual([
    "Sur un espace libre",
    "En haut, à gauche",
  ]);
  expect(options("Façon de signer")).toEqual([
    "La dernière utilisée",
    "Mes signatures",
    "Dessiner",
    "Saisir",
    "Importer",
  ]);
  expect(options("Écriture")).toEqual(["Vive", "Lettre", "Cahier", "Notaire"]);
  expect(options("QR code à l’impression")).toEqual([
    "Sur chaque page",
    "Sur la dernière page",
    "Sur une page de preuve ajoutée",
    "Aucun",
  ]);
});

test("the menu of a kept signature makes it the default, which the default one does not offer", async () => {
  const results = [signature("s1", "Nom entier", true), signature("s2", "Paraphe court", false)];
  const calls = serve({
    [`GET ${SAVED}`]: { status: 200, body: { count: 2, results } },
    [`PATCH ${SAVED}s2/`]: { status: 200, body: signature("s2", "Paraphe court", true) },
  });
  openPage(<SignaturePage />);
  const entries = async (name: string) => {
    await userEvent.click(await screen.findByRole("button", { name: `Actions pour ${name}` }));
    return (await screen.findAllByRole("menuitem")).map((entry) => entry.textContent);
  };
  expect(await entries("Nom entier")).toEqual(["Renommer", "Supprimer"]);
  await userEvent.keyboard("{Escape}");
  expect(await entries("Paraphe court")).toEqual(["Définir par défaut", "Renommer", "Supprimer"]);
  await userEvent.click(screen.getByRole("menuitem", { name: "Définir par défaut" }));
  await waitFor(() =>
    expect(calls.find(({ method }) => method === "PATCH")?.body).toEqual({ is_default: true }),
  );
});

test("the refusal of another default signature is shown with the service's words", async () => {
  const results = [signature("s1", "Nom entier", true), signature("s2", "Paraphe court", false)];
  serve({
    [`GET ${SAVED}`]: { status: 200, body: { count: 2, results } },
    [`PATCH ${SAVED}s2/`]: { status: 404, body: { detail: "Introuvable." } },
  });
  openPage(<SignaturePage />);
  await userEvent.click(await screen.findByRole("button", { name: "Actions pour Paraphe court" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Définir par défaut" }));
  await waitFor(() =>
    expect(currentToasts().map(({ message }) => message)).toEqual([
      "La signature n’a pas pu être modifiée.",
    ]),
  );
});

test("the dialog begins with the preferred method and hand, and with saved signatures only where there are some", async () => {
  serve({ [`GET ${SAVED}`]: { status: 200, body: { count: 0, results: [] } } });
  openPage(<SigningCard />);
  // The way used last in this tab.
  sessionStorage.setItem("paraphe.mark-method", "draw");
  expect(makerOf(null)).toMatchObject({ method: "draw", hand: "caveat" });
  await choose("Façon de signer", "Saisir");
  await choose("Écriture", "Notaire");
  expect(makerOf(null)).toMatchObject({
    method: "type",
    mark: { mark: { kind: "typed", text: "Camille Roux", font: "herr-von-muellerhoff" } },
  });
  await choose("Façon de signer", "Mes signatures");
  expect(makerOf([])).toMatchObject({ method: "draw" });
  expect(makerOf([signature("s1", "Nom", true) as never])).toMatchObject({ method: "saved" });
});

test("the date goes under the signature, above it where the page ends, and away when it is removed", async () => {
  serve({ [`GET ${SAVED}`]: { status: 200, body: { count: 0, results: [] } } });
  openPage(<SigningCard />);
  await userEvent.click(screen.getByRole("switch", { name: "Ajouter la date sous la signature" }));
  expect(readSigningPreferences().date).toBe(true);
  const placed = (y: number) => ({ page: 2, box: { x: 0.6, y, width: 0.3, height: 0.07 } });
  const open = () =>
    renderHook(
      ({ place }: { place: ReturnType<typeof placed> | null }) => {
        const own = useOwnFields();
        useDateUnderSignature(own, place);
        return own;
      },
      { initialProps: { place: null as ReturnType<typeof placed> | null } },
    );
  for (const [y, isUnder] of [
    [0.5, true],
    [0.92, false],
  ] as const) {
    const { result, rerender } = open();
    expect(result.current.fields).toEqual([]);
    rerender({ place: placed(y) });
    expect(result.current.fields).toMatchObject([{ type: "date", page: 2, box: { x: 0.6 } }]);
    expect((result.current.fields[0]?.box.y ?? 0) > y).toBe(isUnder);
    act(() => result.current.remove(result.current.fields[0]?.key ?? ""));
    rerender({ place: placed(y - 0.1) });
    expect(result.current.fields).toEqual([]);
  }
  await userEvent.click(screen.getByRole("switch", { name: "Ajouter la date sous la signature" }));
  const { result, rerender } = open();
  rerender({ place: placed(0.5) });
  expect(result.current.fields).toEqual([]);
});

test("signing in bulk begins with the preferred place", async () => {
  serve({ [`GET ${SAVED}`]: { status: 200, body: { count: 0, results: [] } } });
  openPage(<SigningCard />);
  await choose("Emplacement par défaut", "En bas, à gauche");
  const { box } = renderHook(() => usePlacing()).result.current.common;
  expect([box.x, box.y + box.height]).toEqual([expect.closeTo(0.06), expect.closeTo(0.94)]);
});

test("Auto-signature proposes the preferred place on the last page unless it is occupied, else blank space", async () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  chooseSigningPreferences({ place: "haut-droite" });
  const chosen = placed();
  await waitFor(() => expect(chosen.current.placed?.page).toBe(3));
  expect(chosen.current.placed?.box).toMatchObject({
    x: expect.closeTo(0.64),
    y: expect.closeTo(0.06),
  });
  const covered = placed([{ x: 0.7, y: 0.05, width: 0.1, height: 0.1 }]);
  await waitFor(() => expect(covered.current.placed?.box).toMatchObject({ x: 0.1, y: 0.1 }));
  chooseSigningPreferences({ place: "free" });
  const free = placed();
  await waitFor(() => expect(free.current.placed?.box).toMatchObject({ x: 0.1, y: 0.1 }));
});
