import type { Checkpoint, CheckpointListAnswer } from "@paraphe/contracts";
import type { ReactNode } from "react";
import { formatInstant, formatLongDay, formatTime } from "../../lib/format-dates.ts";
import { formatCount, plural } from "../../lib/format-numbers.ts";
import { Button } from "../../ui/button/button.tsx";
import { Card } from "../../ui/card/card.tsx";
import { type Column, DataTable } from "../../ui/data-table/data-table.tsx";
import { Pager } from "../../ui/pager/pager.tsx";
import styles from "./log-page.module.css";

type Props = {
  readonly answer: CheckpointListAnswer;
  readonly latest: Checkpoint;
  readonly onPage: (page: number) => void;
  readonly onCheck: (checkpoint: Checkpoint) => void;
  /** What came of the last one that was asked about. */
  readonly outcome: ReactNode;
};

/** Every checkpoint, newest first, each of which the log of today can be held against. */
export function CheckpointList({ answer, latest, onPage, onCheck, outcome }: Props) {
  const action = (checkpoint: Checkpoint) =>
    checkpoint.size === latest.size ? (
      <span className="muted">Le dernier</span>
    ) : (
      <Button size="sm" aria-label={`Contrôler le point du ${formatInstant(checkpoint.at)}`} onClick={() => onCheck(checkpoint)}>
        Contrôler
      </Button>
    );
  const date = ({ at }: Checkpoint) => (
    <>
      <b>{formatLongDay(at)}</b>{" "}
      <span className="ink2 num nowrap">
        à{"\u00a0"}
        {formatTime(at)}
      </span>
    </>
  );
  const columns: readonly Column<Checkpoint>[] = [
    { key: "at", header: "Date", wide: true, cell: date },
    { key: "size", header: "Empreintes", cell: ({ size }) => <span className="num">{formatCount(size)}</span> },
    { key: "check", header: "Contrôle", cell: action },
  ];
  return (
    <Card id="points" title="Points de contrôle">
      <p className="muted small">
        Le registre est complété au moins toutes les heures, puis figé, signé et horodaté. «{"\u00a0"}Contrôler{"\u00a0"}» vérifie qu’il
        commence encore par ce point.
      </p>
      {outcome}
      <div className={styles["rows"]}>
        <DataTable
          caption="Points de contrôle, du plus récent au plus ancien"
          rows={answer.results}
          rowKey={({ size }) => String(size)}
          columns={columns}
          renderCard={(checkpoint) => (
            <div className={styles["row"]}>
              <span className="stack stack--sm">
                <span>{date(checkpoint)}</span>
                <span className="ink2">{plural(checkpoint.size, "empreinte")}</span>
              </span>
              {action(checkpoint)}
            </div>
          )}
        />
      </div>
      <Pager page={answer.page} pageSize={answer.page_size} count={answer.count} onPage={onPage} />
    </Card>
  );
}

/** The roots of the checkpoints that are shown, for whoever compares them. */
export function RootList({ answer }: Pick<Props, "answer">) {
  return (
    <Card id="racines" title="Racine de chaque point" isInner>
      <ul className="stack stack--sm">
        {answer.results.map(({ size, at, root }) => (
          <li key={size}>
            <span className="ink2">{formatInstant(at)}</span>
            <code className={styles["root"]}>{root}</code>
          </li>
        ))}
      </ul>
    </Card>
  );
}
