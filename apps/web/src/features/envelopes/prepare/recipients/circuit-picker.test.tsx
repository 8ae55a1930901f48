import type { Circuit } from "@paraphe/contracts/circuit";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useSyncExternalStore } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { sessionQuery } from "../../../accounts/use-session.ts";
import { newClient, renderPart } from "../../testing/page.tsx";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { makeEnvelope, makeRecipient } from "../testing/make-envelope.ts";
import { CircuitPicker } from "./circuit-picker.tsx";

afterEach(() => vi.unstubAllGlobals());

const rights = { together: false, may_return: true, may_reassign: true, days: null, remind: null };
const MAYOR = { who: "person", email: "maire@ville.fr", full_name: "Hélène Guérin" } as const;
const imposed = (name: string, kind: string, by: Circuit["steps"][number]["by"]): Circuit => ({
  id: name,
  name,
  use: "imposed",
  kinds: [kind],
  steps: [{ ...rights, kind: "signature", by }],
  version: 1,
  running: 0,
});
const CIRCUITS = [
  imposed("Arrêtés du maire", "Arrêté", MAYOR),
  imposed("Baux", "Bail", { who: "other_party" }),
  { ...imposed("Notes", "Note", MAYOR), use: "free" },
] satisfies readonly Circuit[];

const WITHOUT = { name: "Se passer de circuit" };

const PARTY_CIRCUIT = {
  ...imposed("Marchés publics", "Marché", MAYOR),
  steps: [
    { ...rights, kind: "signature", by: MAYOR },
    { ...rights, kind: "signature", by: { who: "owner" } },
    { ...rights, kind: "signature", by: { who: "other_party" } },
  ],
} satisfies Circuit;
const HELENE = makeRecipient({ id: "r1", full_name: "Hélène Guérin", email: MAYOR.email });
const LEO = makeRecipient({ id: "r2", full_name: "Léo", email: "leo@ville.fr", order: 2 });
const JEAN = makeRecipient({ id: "r3", full_name: "Jean", email: "jean@exemple.fr", order: 3 });

function open(
  part: Parameters<typeof makeEnvelope>[0] = {},
  circuits: readonly Circuit[] = CIRCUITS,
) {
  const asked: unknown[] = [];
  const kept: unknown[] = [];
  let stored = makeEnvelope({ recipients: [], ...part });
  vi.stubGlobal("fetch", async (address: string, init: { method?: string; body?: string }) => {
    if (!address.endsWith("/circuit/")) return Response.json({ circuits });
    const { kind, circuit_id } = JSON.parse(init.body ?? "");
    asked.push(JSON.parse(init.body ?? ""));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { circuit: _former, document_kind: _kind, ...rest } = stored;
    const found =
      circuits.find(({ use, kinds }) => use === "imposed" && kinds.includes(kind)) ??
      circuits.find(({ id }) => id === circuit_id);
    stored = {
      ...rest,
      ...(kind === null ? {} : { document_kind: kind }),
      ...(found
        ? { circuit: { name: found.name, imposed: found.use === "imposed", open: [] } }
        : {}),
    };
    return Response.json(stored);
  });
  const keeper = new DraftKeeper(stored, {
    patch: async (envelope, { document_kind: kind }) => {
      const { document_kind: _former, ...rest } = envelope;
      kept.push(kind);
      const freed = rest.circuit && { circuit: { ...rest.circuit, imposed: false } };
      stored = { ...rest, ...freed, ...(kind ? { document_kind: kind } : {}) };
      return stored;
    },
    load: async () => stored,
    now: () => new Date(),
  });
  const client = newClient();
  const user = { organisation_role: "member" };
  client.setQueryData(sessionQuery.queryKey, user as never);
  function Part() {
    useSyncExternalStore(keeper.subscribe, keeper.state);
    return <CircuitPicker keeper={keeper} />;
  }
  renderPart(<Part />, client);
  return { asked, kept };
}

it("the kind brings the imposed circuit at once, and takes it away; another party is named first", async () => {
  const { asked, kept } = open();
  const choose = async (kind: string) =>
    userEvent.selectOptions(await screen.findByLabelText("Genre de document"), kind);
  await choose("Arrêté");
  await screen.findByText(/Circuit appliqué.*Arrêtés du maire/);
  await choose("Autre");
  await vi.waitFor(() => expect(screen.queryByText(/Circuit appliqué/)).toBeNull());
  expect(asked).toEqual([
    { kind: "Arrêté", circuit_id: null, other_party: [] },
    { kind: null, circuit_id: null, other_party: [] },
  ]);
  await choose("Bail");
  expect(await screen.findByLabelText(/^Nom de l’autre partie/)).toBeDefined();
  expect(screen.getByRole("button", { name: "Appliquer le circuit" })).toBeDefined();
  expect(screen.getByText(/^Pas encore appliqué.*Baux/)).toBeDefined();
  await vi.waitFor(() => expect(kept).toEqual(["Arrêté", null, "Bail"]));
  expect(asked).toHaveLength(2);
});

it("offers to do without a circuit only where there is one; a kind without a circuit is kept at once", async () => {
  const { asked, kept } = open();
  const circuit = await screen.findByRole("combobox", { name: "Circuit" });
  expect(screen.queryByRole("button", WITHOUT)).toBeNull();
  await userEvent.selectOptions(screen.getByLabelText("Genre de document"), "Note");
  await vi.waitFor(() => expect(kept).toEqual(["Note"]));
  expect(asked).toEqual([]);
  await userEvent.selectOptions(circuit, "Notes");
  await screen.findByText(/Circuit appliqué.*Notes/);
  await userEvent.selectOptions(screen.getByRole("combobox", { name: "Circuit" }), "Aucun");
  await vi.waitFor(() => expect(screen.queryByRole("button", WITHOUT)).toBeNull());
  expect(asked.at(-1)).toEqual({ kind: "Note", circuit_id: null, other_party: [] });
});

const chooseKind = async (kind: string) =>
  userEvent.selectOptions(await screen.findByLabelText("Genre de document"), kind);
const applyNow = () =>
  userEvent.click(screen.getByRole("button", { name: "Appliquer le circuit" }));

it("keeps as the other party whom no circuit brought, also after the kind went and came back", async () => {
  const { asked } = open(
    {
      flow: "sequential",
      document_kind: "Marché",
      circuit: { name: "Marchés publics", imposed: true, open: [3] },
      recipients: [HELENE, LEO, JEAN],
    },
    [PARTY_CIRCUIT],
  );
  await screen.findByText(/^Circuit appliqué/);
  await chooseKind("Autre");
  await chooseKind("Marché");
  await screen.findByText("Vides, ces deux champs gardent Jean.");
  expect(screen.getByRole("button", { name: "Appliquer le circuit" })).toBeDefined();
  await applyNow();
  await vi.waitFor(() => expect(asked).toHaveLength(2));
  expect(asked[1]).toEqual({
    kind: "Marché",
    circuit_id: "Marchés publics",
    other_party: [{ full_name: "Jean", email: "jean@exemple.fr" }],
  });
});

it("asks for the other party when nobody can be kept, and for the rest of half a person", async () => {
  const { asked } = open({ recipients: [HELENE] }, [PARTY_CIRCUIT]);
  await chooseKind("Marché");
  const name = await screen.findByLabelText("Nom de l’autre partie");
  await applyNow();
  screen.getByText("Nom requis");
  expect(name.getAttribute("aria-describedby")).not.toMatch(/aide/);
  await vi.waitFor(() => expect(document.activeElement).toBe(name));
  await userEvent.type(name, "Jean");
  await applyNow();
  screen.getByText("Email requis");
  expect(asked).toEqual([]);
  await userEvent.type(screen.getByLabelText("Email de l’autre partie"), "jean@exemple.fr");
  await applyNow();
  await vi.waitFor(() => expect(asked).toHaveLength(1));
  expect(asked[0]).toMatchObject({ other_party: [{ full_name: "Jean" }] });
});

it("keeps showing the kind and the circuit of a document whose circuit is gone", async () => {
  open({
    document_kind: "Marché",
    circuit: { name: "Marchés publics", imposed: false, open: [3] },
    returned: { by: "Léo", at: null, reason: null },
    recipients: [HELENE, JEAN],
  });
  const kind = await screen.findByLabelText<HTMLSelectElement>("Genre de document");
  expect([kind.value, kind.disabled]).toEqual(["Marché", true]);
  const circuit = screen.getByRole("combobox", { name: "Circuit" }) as HTMLSelectElement;
  expect(circuit.selectedOptions[0]?.textContent).toBe("Marchés publics (modifié ou supprimé)");
  screen.getByText(/^Circuit appliqué.*Marchés publics, modifié ou supprimé depuis/);
  expect(screen.queryByText(/L’appliquer de nouveau/)).toBeNull();
  screen.getByRole("button", WITHOUT);
});
