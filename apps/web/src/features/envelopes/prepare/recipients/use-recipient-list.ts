import { ofName } from "@paraphe/kernel/french-words";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { announce } from "../../../../lib/browser/announce.ts";
import { api } from "../../../../lib/api/api.ts";
import { plural } from "../../../../lib/format/format-numbers.ts";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import { type Draft, type DraftRecipient, isBlankRecipient } from "../draft/draft.ts";
import type { PastedPerson } from "./parse-people.ts";

type Me = {
  readonly user: {
    readonly email: string;
    readonly first_name: string;
    readonly last_name: string;
  };
};

const ONE_BLANK = [blankRow("first", 1)];

export function rowsOf(draft: Draft): readonly DraftRecipient[] {
  return draft.recipients.length > 0 ? draft.recipients : ONE_BLANK;
}

/** The same object for the list's life: an unchanged row is not drawn again. */
export function useRecipientList(keeper: DraftKeeper) {
  const client = useQueryClient();
  return useMemo(() => ({ ...peopleOf(keeper, client), ...ranksOf(keeper) }), [keeper, client]);
}

const save = (keeper: DraftKeeper, recipients: readonly DraftRecipient[]) =>
  keeper.update("recipients", { recipients });

async function loadMe(client: QueryClient): Promise<Pick<DraftRecipient, "fullName" | "email">> {
  const { user } = await client.fetchQuery({
    queryKey: ["me-as-signer"],
    queryFn: () => api.get<Me>("/api/signature/me/"),
    staleTime: 60_000,
  });
  return { fullName: `${user.first_name} ${user.last_name}`.trim(), email: user.email };
}

function peopleOf(keeper: DraftKeeper, client: QueryClient) {
  const rows = () => rowsOf(keeper.state().draft);
  const append = (people: readonly Omit<DraftRecipient, "key" | "rank">[]) => {
    const kept = rows().filter((row) => !isBlankRecipient(row));
    save(
      keeper,
      people.reduce(
        (list, person) => [...list, { ...person, key: crypto.randomUUID(), rank: nextRank(list) }],
        kept,
      ),
    );
  };
  return {
    rows,
    add: () => save(keeper, [...rows(), blankRow(crypto.randomUUID(), nextRank(rows()))]),
    addMe: async () => {
      try {
        const me = await loadMe(client);
        if (rows().some((row) => row.email.trim().toLowerCase() === me.email.toLowerCase()))
          announce("Vous figurez déjà dans la liste.");
        else append([{ ...me, phoneNumber: null, role: "signer" }]);
      } catch {
        showToast("err", "Vos informations n’ont pas pu être lues. Saisissez-les dans une ligne.");
      }
    },
    addPasted: (people: readonly PastedPerson[]) => {
      append(
        people.map(({ fullName, email, phoneNumber, role }) => ({
          fullName,
          email,
          phoneNumber,
          role,
        })),
      );
      announce(plural(people.length, "destinataire ajouté", "destinataires ajoutés"));
    },
    change: (key: string, part: Partial<DraftRecipient>) =>
      save(
        keeper,
        rows().map((row) => (row.key === key ? { ...row, ...part } : row)),
      ),
    remove: (key: string) => {
      const { fields } = keeper.state().draft;
      if (fields.some((field) => field.recipientKey === key))
        keeper.update("fields", { fields: fields.filter((field) => field.recipientKey !== key) });
      save(
        keeper,
        rows().filter((row) => row.key !== key),
      );
    },
  };
}

/** « que Paul », « qu’Henri ». */
export function thanName(name: string): string {
  return ofName(name).replace(/^d/, "qu");
}

function ranksOf(keeper: DraftKeeper) {
  const rows = () => rowsOf(keeper.state().draft);
  const reorder = (key: string, ordered: readonly DraftRecipient[]) => {
    save(keeper, ordered);
    const moved = ordered.find((row) => row.key === key);
    const beside = ordered.filter((row) => row.rank === moved?.rank && row.key !== key);
    const together =
      beside.length === 0 ? "" : `, en même temps ${thanName(beside.map(nameOf).join(", "))}`;
    if (moved) announce(`${nameOf(moved)}\u00a0: rang ${moved.rank}${together}`);
  };
  return {
    move: (key: string, direction: "up" | "down") => reorder(key, moveRank(rows(), key, direction)),
    together: (key: string) => reorder(key, toggleTogether(rows(), key)),
    place: (key: string, place: RankPlace) => reorder(key, placeRank(rows(), key, place)),
  };
}

function nameOf(row: DraftRecipient): string {
  return row.fullName.trim() || row.email.trim() || "Destinataire";
}

function blankRow(key: string, rank: number): DraftRecipient {
  return { key, fullName: "", email: "", phoneNumber: null, role: "signer", rank };
}

type Rows = readonly DraftRecipient[];
export type RankPlace = { readonly key: string; readonly where: "before" | "with" | "after" };

/** Groups that sign at the same time, in signing order. */
export function rankGroups(rows: Rows): readonly Rows[] {
  const ranks = [...new Set(rows.map((row) => row.rank))].sort((a, b) => a - b);
  return ranks.map((rank) => rows.filter((row) => row.rank === rank));
}

/** Ranks count from 1 without a gap. */
function withRanks(groups: readonly Rows[]): DraftRecipient[] {
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => group.map((row) => ({ ...row, rank: index + 1 })));
}

export function nextRank(rows: Rows): number {
  return Math.max(0, ...rows.map((row) => row.rank)) + 1;
}

/** The first rank's only row cannot go up. */
export function canMove(rows: Rows, key: string, direction: "up" | "down"): boolean {
  const groups = rankGroups(rows);
  const edge = direction === "up" ? groups[0] : groups.at(-1);
  return !(edge?.length === 1 && edge[0]?.key === key);
}

/** Moves out of a shared rank, or past the neighbouring one. */
export function moveRank(rows: Rows, key: string, direction: "up" | "down"): DraftRecipient[] {
  const groups = rankGroups(rows).map((group) => [...group]);
  const at = groups.findIndex((group) => group.some((row) => row.key === key));
  const own = groups[at];
  const row = own?.find((candidate) => candidate.key === key);
  if (!own || !row || !canMove(rows, key, direction)) return withRanks(groups);
  groups[at] = own.filter((candidate) => candidate.key !== key);
  const isAlone = own.length === 1;
  const place = direction === "up" ? at - (isAlone ? 1 : 0) : at + 1 + (isAlone ? 1 : 0);
  groups.splice(place, 0, [row]);
  return withRanks(groups);
}

/** Joins the rank of the row before; a row already there splits the group from here. */
export function toggleTogether(rows: Rows, key: string): DraftRecipient[] {
  const ordered = withRanks(rankGroups(rows));
  const index = ordered.findIndex((row) => row.key === key);
  const [row, before] = [ordered[index], ordered[index - 1]];
  if (!row || !before) return ordered;
  if (row.rank === before.rank)
    return withRanks(
      rankGroups(
        ordered.map((other, at) => (at >= index ? { ...other, rank: other.rank + 1 } : other)),
      ),
    );
  return withRanks(
    rankGroups(
      ordered.map((other) => (other.rank === row.rank ? { ...other, rank: before.rank } : other)),
    ),
  );
}

export function placeRank(rows: Rows, key: string, place: RankPlace): DraftRecipient[] {
  const row = rows.find((candidate) => candidate.key === key);
  if (!row || place.key === key) return withRanks(rankGroups(rows));
  const groups = rankGroups(rows).map((group) =>
    group.filter((candidate) => candidate.key !== key),
  );
  const at = groups.findIndex((group) => group.some((candidate) => candidate.key === place.key));
  if (place.where === "with")
    return withRanks(
      groups.map((group, index) =>
        index === at
          ? group.flatMap((other) => (other.key === place.key ? [other, row] : [other]))
          : group,
      ),
    );
  groups.splice(place.where === "before" ? at : at + 1, 0, [row]);
  return withRanks(groups);
}
