import type { DraftRecipient } from "./draft.ts";

type Rows = readonly DraftRecipient[];
/** Where a dragged row lands: alone before or after the rank of another, or at that one's rank. */
export type RankPlace = { readonly key: string; readonly where: "before" | "with" | "after" };

/** Gives the rows in groups that sign at the same time, in the order of signing. */
export function rankGroups(rows: Rows): readonly Rows[] {
  const ranks = [...new Set(rows.map((row) => row.rank))].sort((a, b) => a - b);
  return ranks.map((rank) => rows.filter((row) => row.rank === rank));
}

/** Gives the rows in the order of signing, their ranks counted from 1 without a gap. */
export function withRanks(groups: readonly Rows[]): DraftRecipient[] {
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => group.map((row) => ({ ...row, rank: index + 1 })));
}

/** The rank after everybody else's. */
export function nextRank(rows: Rows): number {
  return Math.max(0, ...rows.map((row) => row.rank)) + 1;
}

/** Says whether a row can go further up or down: the first one alone at its rank cannot go up. */
export function canMove(rows: Rows, key: string, direction: "up" | "down"): boolean {
  const groups = rankGroups(rows);
  const edge = direction === "up" ? groups[0] : groups.at(-1);
  return !(edge?.length === 1 && edge[0]?.key === key);
}

/** Moves a row one step: out of a shared rank to one of its own beside it, or past the neighbouring rank. */
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

/** Puts a row at the rank of the one before it, or, when it is there already, gives it and those after it in the group a rank of their own. */
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

/** Puts a row where it was dropped. */
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
