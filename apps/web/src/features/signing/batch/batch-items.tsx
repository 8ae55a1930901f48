import type { BatchJob } from "@paraphe/contracts";
import type { ReactNode } from "react";
import { FileItem } from "../../../ui/file-item/file-item.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { TextLink } from "../../../ui/link/text-link.tsx";
import type { BatchRetry } from "./batch-calls.ts";
import styles from "./bulk.module.css";
import { ComparedCopy } from "./compared-copy.tsx";
import { retryOf } from "./retry-of.ts";

type Item = BatchJob["items"][number];
type BatchItemsProps = {
  readonly batchId: string;
  readonly items: readonly Item[];
  readonly onRetry?: ((asked: BatchRetry) => void) | undefined;
};

/** Each file of a batch with its state: those that failed first, then in their order. */
export function BatchItems({ batchId, items, onRetry }: BatchItemsProps) {
  const rows = items.map((item, index) => ({ item, index }));
  const ordered = [...rows.filter(({ item }) => item.status === "failed"), ...rows.filter(({ item }) => item.status !== "failed")];
  return (
    <ul className={styles["files"]} aria-label="Documents">
      {ordered.map(({ item, index }) => (
        <FileItem
          key={index}
          name={item.name}
          error={item.detail ?? undefined}
          meta={itemLink(item, onRetry && { batchId, index, onRetry })}
          actions={
            <span className={styles["state"]}>
              <ItemState status={item.status} />
            </span>
          }
        />
      ))}
    </ul>
  );
}

type Again = { readonly batchId: string; readonly index: number; readonly onRetry: (asked: BatchRetry) => void };

/** To the envelope of a signed document; to another try of one that was not, where it may succeed. */
function itemLink(item: Item, again: Again | undefined): ReactNode | undefined {
  if (item.envelope_id !== null)
    return (
      <TextLink to={`/signature/detail/${item.envelope_id}`} aria-label={`Ouvrir ${item.name}`}>
        Ouvrir
      </TextLink>
    );
  const way = retryOf(item);
  if (again === undefined || way === null) return undefined;
  const retry = (acceptsCopies: boolean) => again.onRetry({ items: [again.index], acceptsCopies });
  if (way === "compared")
    return <ComparedCopy batchId={again.batchId} position={again.index} name={item.name} onAccept={() => retry(true)} />;
  const words = way === "corrected" ? "Accepter et signer la copie corrigée" : "Réessayer ce document";
  return (
    <LinkAction onClick={() => retry(way === "corrected")} aria-label={`${words}\u00a0: ${item.name}`}>
      {words}
    </LinkAction>
  );
}

function ItemState({ status }: { readonly status: Item["status"] }) {
  switch (status) {
    case "done":
      return (
        <span className={styles["done"]}>
          <Icon name="check" />
          Signé
        </span>
      );
    case "failed":
      return (
        <span className={styles["failed"]}>
          <Icon name="alert" />
          Échec
        </span>
      );
    case "running":
      return <span className={styles["running"]}>En cours</span>;
    case "cancelled":
      return <span className="muted">Annulé</span>;
    case "queued":
      return <span className="muted">En file</span>;
  }
}
