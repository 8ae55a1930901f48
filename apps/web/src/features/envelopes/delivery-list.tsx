import type { Envelope, Recipient } from "@paraphe/contracts";
import { useState } from "react";
import { lazyDialog } from "../../ui/dialog/lazy-dialog.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { isUnsent } from "./recipient-state.ts";
import styles from "./delivery-list.module.css";

const DeliverySheet = lazyDialog(async () => (await import("./delivery-sheet.tsx")).DeliverySheet);
const CorrectDialog = lazyDialog(async () => (await import("./correct-dialog.tsx")).CorrectDialog);

type Open = "sheet" | { readonly correct: Recipient } | undefined;

/** The row that opens the messages to all recipients on a sheet: on the page they would push the document out of sight. */
export function DeliveryList({ envelope }: { readonly envelope: Envelope }) {
  const [open, setOpen] = useState<Open>();
  const sent = envelope.recipients.flatMap(({ deliveries = [] }) => deliveries);
  if (sent.length === 0) return null;
  const title = sent.every(isUnsent) ? "Messages" : "Messages envoyés";
  const close = () => setOpen(undefined);
  return (
    <>
      <button
        type="button"
        className={`off-paper ${styles["open"] ?? ""}`}
        aria-haspopup="dialog"
        onClick={() => setOpen("sheet")}
      >
        <Icon name="mail" size="sm" />
        <b>{title}</b>
        <span className="num">{sent.length}</span>
        <Icon name="chevron-right" size="sm" />
      </button>
      {open === "sheet" && (
        <DeliverySheet
          {...{ envelope, title }}
          onCorrect={(correct) => setOpen({ correct })}
          onClose={close}
        />
      )}
      {typeof open === "object" && (
        <CorrectDialog envelopeId={envelope.id} recipient={open.correct} onClose={close} />
      )}
    </>
  );
}
