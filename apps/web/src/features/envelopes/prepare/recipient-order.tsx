import type { PointerEvent } from "react";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import styles from "./recipients-step.module.css";

type RecipientOrderProps = {
  readonly rank: number;
  readonly number: number;
  readonly canRise: boolean;
  readonly canSink: boolean;
  readonly onMove: (direction: "up" | "down") => void;
  readonly onGrab: (event: PointerEvent<HTMLElement>) => void;
};

/** When somebody signs: the rank, buttons to move it, and a handle to drag it (the arrows move it too). */
export function RecipientOrder({ rank, number, canRise, canSink, onMove, onGrab }: RecipientOrderProps) {
  return (
    <span className={styles.rank}>
      <Button
        variant="ghost"
        size="sm"
        square
        aria-label={`Monter le destinataire ${number}`}
        disabled={!canRise}
        onClick={() => onMove("up")}
      >
        <Icon name="chevron-up" size="sm" />
      </Button>
      <span className={styles.number}>
        <span className="sr">Rang </span>
        {rank}
      </span>
      <Button
        variant="ghost"
        size="sm"
        square
        aria-label={`Descendre le destinataire ${number}`}
        disabled={!canSink}
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
