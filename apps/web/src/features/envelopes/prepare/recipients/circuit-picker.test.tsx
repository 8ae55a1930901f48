import type { Circuit } from "@paraphe/contracts/circuit";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useSyncExternalStore } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { sessionQuery } from "../../../accounts/use-session.ts";
import { newClient, renderPart } from "../../testing/page.tsx";
import { DraftKeeper } from "../draft/draft-keeper.ts";
import { makeEnvelope } from "../testing/make-envelope.ts";
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

function open() {
  const asked: unknown[] = [];
  const kept: unknown[] = [];
  let stored = makeEnvelope({ recipients: [] });
  vi.stubGlobal("fetch", async (address: string, init: { method?: string; body?: string }) => {
    if (!address.endsWith("/circuit/")) return Response.json({ circuits: CIRCUITS });
    const { kind, circuit_id } = JSON.parse(init.body ?? "");
    asked.push(JSON.parse(init.body ?? ""));
    const { circuit: _former, document_kind: _kind, ...rest } = stored;
    const found =
      CIRCUITS.find(({ use, kinds }) => use === "imposed" && kinds.includes(kind)) ??
      CIRCUITS.find(({ id }) => id === circuit_id);
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
      stored = { ...rest, ...(kind ? { document_kind: kind } : {}) };
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
