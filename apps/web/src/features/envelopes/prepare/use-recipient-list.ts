import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { announce } from "../../../lib/announce.ts";
import { api } from "../../../lib/api.ts";
import { plural } from "../../../lib/format-numbers.ts";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { type Draft, type DraftRecipient, isBlankRecipient } from "./draft.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import type { PastedPerson } from "./parse-people.ts";
import {
  moveRank,
  nextRank,
  placeRank,
  type RankPlace,
  toggleTogether,
} from "./recipient-ranks.ts";

type Me = {
  readonly user: {
    readonly email: string;
    readonly first_name: string;
    readonly last_name: string;
  };
};

const ONE_BLANK = [blankRow("first", 1)];

/** The rows that a list shows: one to fill while there is nobody. */
export function rowsOf(draft: Draft): readonly DraftRecipient[] {
  return draft.recipients.length > 0 ? draft.recipients : ONE_BLANK;
}

/**
 * What is done to the list of recipients; every change is saved by the keeper, and said when it cannot be seen. The same for the life of the
 * list: a row is not drawn anew because another one changed.
 */
export function useRecipientList(keeper: DraftKeeper) {
  const client = useQueryClient();
  return useMemo(() => ({ ...peopleOf(keeper, client), ...ranksOf(keeper) }), [keeper, client]);
}

const save = (keeper: DraftKeeper, recipients: readonly DraftRecipient[]) =>
  keeper.update("recipients", { recipients });

function peopleOf(keeper: DraftKeeper, client: QueryClient) {
  const rows = () => rowsOf(keeper.state().draft);
  /** Blank rows make room for people who come with their names. */
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
        const me = await client.fetchQuery({
          queryKey: ["me-as-signer"],
          queryFn: () => api.get<Me>("/api/signature/me/"),
          staleTime: 60_000,
        });
        const { email, first_name, last_name } = me.user;
        if (rows().some((row) => row.email.trim().toLowerCase() === email.toLowerCase()))
          announce("Vous figurez déjà dans la liste.");
        else
          append([
            {
              fullName: `${first_name} ${last_name}`.trim(),
              email,
              phoneNumber: null,
              role: "signer",
            },
          ]);
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
      // The fields of somebody who is no longer invited go with them.
      if (fields.some((field) => field.recipientKey === key))
        keeper.update("fields", { fields: fields.filter((field) => field.recipientKey !== key) });
      save(
        keeper,
        rows().filter((row) => row.key !== key),
      );
    },
  };
}

function ranksOf(keeper: DraftKeeper) {
  const rows = () => rowsOf(keeper.state().draft);
  const reorder = (key: string, ordered: readonly DraftRecipient[]) => {
    save(keeper, ordered);
    const moved = ordered.find((row) => row.key === key);
    const beside = ordered.filter((row) => row.rank === moved?.rank && row.key !== key);
    const together =
      beside.length === 0 ? "" : `, en même temps que ${beside.map(nameOf).join(", ")}`;
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
