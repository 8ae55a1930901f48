import { useQueryClient } from "@tanstack/react-query";
import { announce } from "../../lib/announce.ts";
import { api } from "../../lib/api.ts";
import { plural } from "../../lib/format-numbers.ts";
import { showToast } from "../../ui/toast/toast-store.ts";
import { type Draft, type DraftRecipient, isBlankRecipient } from "./draft.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import type { PastedPerson } from "./parse-people.ts";
import { moveRank, nextRank, placeRank, type RankPlace, toggleTogether } from "./recipient-ranks.ts";

type Me = { readonly user: { readonly email: string; readonly first_name: string; readonly last_name: string } };

/** What is done to the list of recipients; every change is saved by the keeper, and said when it cannot be seen. */
export function useRecipientList(draft: Draft, keeper: DraftKeeper) {
  const client = useQueryClient();
  const rows = draft.recipients.length > 0 ? draft.recipients : [blankRow("first", 1)];
  const save = (recipients: readonly DraftRecipient[]) => keeper.update("recipients", { recipients });
  /** Blank rows make room for people who come with their names. */
  const append = (people: readonly Omit<DraftRecipient, "key" | "rank">[]) => {
    const kept = rows.filter((row) => !isBlankRecipient(row));
    save(people.reduce((list, person) => [...list, { ...person, key: crypto.randomUUID(), rank: nextRank(list) }], kept));
  };
  const reorder = (key: string, ordered: readonly DraftRecipient[]) => {
    save(ordered);
    const moved = ordered.find((row) => row.key === key);
    const beside = ordered.filter((row) => row.rank === moved?.rank && row.key !== key);
    const together = beside.length === 0 ? "" : `, en même temps que ${beside.map(nameOf).join(", ")}`;
    if (moved) announce(`${nameOf(moved)}\u00a0: rang ${moved.rank}${together}`);
  };
  return {
    rows,
    add: () => save([...rows, blankRow(crypto.randomUUID(), nextRank(rows))]),
    addMe: async () => {
      try {
        const me = await client.fetchQuery({
          queryKey: ["me-as-signer"],
          queryFn: () => api.get<Me>("/api/signature/me/"),
          staleTime: 60_000,
        });
        const { email, first_name, last_name } = me.user;
        if (rows.some((row) => row.email.trim().toLowerCase() === email.toLowerCase())) announce("Vous figurez déjà dans la liste.");
        else append([{ fullName: `${first_name} ${last_name}`.trim(), email, phoneNumber: null, role: "signer" }]);
      } catch {
        showToast("err", "Vos informations n’ont pas pu être lues. Saisissez-les dans une ligne.");
      }
    },
    addPasted: (people: readonly PastedPerson[]) => {
      append(people.map(({ fullName, email, phoneNumber, role }) => ({ fullName, email, phoneNumber, role })));
      announce(plural(people.length, "destinataire ajouté", "destinataires ajoutés"));
    },
    change: (key: string, part: Partial<DraftRecipient>) => save(rows.map((row) => (row.key === key ? { ...row, ...part } : row))),
    remove: (key: string) => {
      // The fields of somebody who is no longer invited go with them.
      if (draft.fields.some((field) => field.recipientKey === key))
        keeper.update("fields", { fields: draft.fields.filter((field) => field.recipientKey !== key) });
      save(rows.filter((row) => row.key !== key));
    },
    move: (key: string, direction: "up" | "down") => reorder(key, moveRank(rows, key, direction)),
    together: (key: string) => reorder(key, toggleTogether(rows, key)),
    place: (key: string, place: RankPlace) => reorder(key, placeRank(rows, key, place)),
  };
}

function nameOf(row: DraftRecipient): string {
  return row.fullName.trim() || row.email.trim() || "Destinataire";
}

function blankRow(key: string, rank: number): DraftRecipient {
  return { key, fullName: "", email: "", phoneNumber: null, role: "signer", rank };
}
