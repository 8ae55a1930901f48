import { type RefObject, useCallback, useMemo } from "react";
import { type DraftRecipient, isBlankRecipient, recipientErrors, recipientWarning } from "./draft.ts";
import type { DraftKeeper } from "./draft-keeper.ts";
import { rankGroups } from "./recipient-ranks.ts";
import { RecipientRow, type RowActions } from "./recipient-row.tsx";
import styles from "./recipients-step.module.css";
import { type Refusals, rowRefusals } from "./refusals.ts";
import { useRankDrag } from "./use-rank-drag.ts";
import type { useRecipientList } from "./use-recipient-list.ts";

type RecipientRowsProps = {
  readonly list: RefObject<HTMLOListElement | null>;
  readonly rows: readonly DraftRecipient[];
  readonly keeper: DraftKeeper;
  readonly people: ReturnType<typeof useRecipientList>;
  readonly refused: Refusals;
  readonly isOrdered: boolean;
  readonly showFaults: boolean;
  readonly add: () => void;
  readonly onPasteList: (text: string) => void;
};

/** The rows of the list: each is told what it shows, so that a letter typed in one draws that one alone. */
export function RecipientRows({ list, rows, keeper, people, refused, isOrdered, showFaults, add, onPasteList }: RecipientRowsProps) {
  const { drag, grab } = useRankDrag(people.place);
  const leave = useCallback(() => void keeper.flush(), [keeper]);
  const actions: RowActions = useMemo(
    () => ({ ...people, grab, add, leave, pasteList: onPasteList }),
    [people, grab, add, leave, onPasteList],
  );
  const groups = isOrdered ? rankGroups(rows) : [];
  const [first, last] = [groups[0], groups.at(-1)];
  return (
    <ol className={styles.rows} ref={list}>
      {rows.map((row, index) => {
        const before = rows[index - 1];
        const errors = isBlankRecipient(row) && rows.length > 1 ? {} : recipientErrors(row, rows);
        return (
          <RecipientRow
            key={row.key}
            {...{ row, index, isOrdered, showFaults, actions }}
            isLast={index === rows.length - 1}
            canRise={!isAlone(first, row)}
            canSink={!isAlone(last, row)}
            before={isOrdered && before ? before.fullName.trim() || `le destinataire ${index}` : null}
            isTogether={isOrdered && row.rank === before?.rank}
            nameError={errors.fullName}
            emailError={errors.email}
            emailWarning={recipientWarning(row, rows)}
            refused={rowRefusals(refused, row, rows)}
            landing={drag?.place?.key === row.key ? drag.place.where : null}
            isDragged={drag?.key === row.key}
          />
        );
      })}
    </ol>
  );
}

/** The first one alone at its rank cannot go up, nor the last one down. */
function isAlone(group: readonly DraftRecipient[] | undefined, row: DraftRecipient): boolean {
  return group?.length === 1 && group[0] === row;
}
