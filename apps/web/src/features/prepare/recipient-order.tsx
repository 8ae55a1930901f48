import type { PointerEvent } from "react";
import { Button } from "../../ui/button/button.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import type { DraftRecipient } from "./draft.ts";
import { canMove } from "./recipient-ranks.ts";
import styles from "./recipients-step.module.css";

type RecipientOrderProps = {
  readonly row: DraftRecipient;
  readonly rows: readonly DraftRecipient[];
  readonly number: number;
  readonly onMove: (direction: "up" | "down") => void;
  readonly onGrab: (event: PointerEvent<HTMLElement>) => void;
};

/** When somebody signs: the rank, buttons to move it, and a handle to drag it (the arrows move it too). */
export function RecipientOrder({ row, rows, number, onMove, onGrab }: RecipientOrderProps) {
  return (
    <span className={styles.rank}>
      <Button
        variant="ghost"
        size="sm"
        square
        aria-label={`Monter le destinataire ${number}`}
        disabled={!canMove(rows, row.key, "up")}
        onClick={() => onMove("up")}
      >
        <Icon name="chevron-up" size="sm" />
      </Button>
      <span className={styles.number}>
        <span className="sr">Rang </span>
        {row.rank}
      </span>
      <Button
        variant="ghost"
        size="sm"
        square
        aria-label={`Descendre le destinataire ${number}`}
        disabled={!canMove(rows, row.key, "down")}
        onClick={() => onMove("down")}
      >
        <Icon name="chevron-down" size="sm" />
      </Button>
      <button
        type="button"
        className={styles.handle}
        aria-label={`Déplacer le destinataire ${number}`}
        title="Glissez, ou appuyez sur les flèches"
        onPointerDown={onGrab}
        onKeyDown={(event) => {
          if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
          event.preventDefault();
          onMove(event.key === "ArrowUp" ? "up" : "down");
        }}
      >
        <Icon name="grip" />
      </button>
    </span>
  );
}
