import type { Checkpoint, CheckpointListAnswer } from "@paraphe/contracts";
import { formatShortInstant } from "../../lib/format-dates.ts";
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
};

/** Every checkpoint, newest first, each of which the log of today can be held against. */
export function CheckpointList({ answer, latest, onPage, onCheck }: Props) {
  const action = (checkpoint: Checkpoint) =>
    checkpoint.size === latest.size ? (
      <span className="muted">Le dernier</span>
    ) : (
      <Button size="sm" aria-label={`Vérifier la suite depuis ${plural(checkpoint.size, "empreinte")}`} onClick={() => onCheck(checkpoint)}>
        Vérifier la suite
      </Button>
    );
  const columns: readonly Column<Checkpoint>[] = [
    { key: "size", header: "Empreintes", cell: ({ size }) => <span className="num">{formatCount(size)}</span> },
    { key: "at", header: "Établi le", cell: ({ at }) => formatShortInstant(at) },
    { key: "root", header: "Racine", wide: true, cell: ({ root }) => <code className={styles["root"]}>{root}</code> },
    { key: "check", header: "Continuité", cell: action },
  ];
  return (
    <Card id="points" title="Points de contrôle">
      <DataTable
        caption="Points de contrôle, du plus récent au plus ancien"
        rows={answer.results}
        rowKey={({ size }) => String(size)}
        columns={columns}
        renderCard={(checkpoint) => (
          <div className="stack stack--sm">
            <div className={styles["row"]}>
              <strong>{plural(checkpoint.size, "empreinte")}</strong>
              {action(checkpoint)}
            </div>
            <span className="ink2">{formatShortInstant(checkpoint.at)}</span>
            <code className={styles["root"]}>{checkpoint.root}</code>
          </div>
        )}
      />
      <Pager page={answer.page} pageSize={answer.page_size} count={answer.count} onPage={onPage} />
    </Card>
  );
}
