import { consentText } from "@paraphe/contracts";
import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useEffect, useState } from "react";
import { useSearchParams } from "react-router";
import { callMessage } from "../../../lib/api/api-error.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { ConfirmDialog } from "../../../ui/dialog/confirm-dialog.tsx";
import { lazyStep } from "../../../ui/lazy-step/lazy-step.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { fullName, useSession } from "../../accounts/use-session.ts";
import { type ChosenMark, savedChoice } from "../marks/chosen-mark.ts";
import { MarkDialog } from "../marks/mark-dialog.tsx";
import { useSavedMarks } from "../marks/use-saved-signatures.ts";
import { markRefusal } from "../sign-outcome.ts";
import { batchCalls } from "./batch-calls.ts";
import { BatchView } from "./batch-view.tsx";
import { FilesStep } from "./files-step.tsx";
import { placementOf } from "./batch-file.ts";
import { useBatchFiles } from "./use-batch-files.ts";
import { usePlacing } from "./placing.ts";

const PositionStep = lazyStep(
  async () => (await import("./position-step.tsx")).PositionStep,
  "Ouverture des pages",
);

const LOT = "lot";

/** `/signature/bulk-same`; `?lot=` names a batch already sent. */
export function BulkPage() {
  const [search, setSearch] = useSearchParams();
  const id = search.get(LOT);
  if (id !== null) return <BatchView key={id} id={id} />;
  return <BatchEditor onSent={(sent) => setSearch({ [LOT]: sent }, { replace: true })} />;
}

/** `mark-first`: signing was pressed without a mark. */
type Open = "mark" | "mark-first" | "consent" | null;

function BatchEditor({ onSent }: { readonly onSent: (id: string) => void }) {
  const chosen = useBatchFiles();
  const placing = usePlacing();
  const [step, setStep] = useState<"files" | "position">("files");
  const saved = useSavedMarks();
  const [mark, setMark] = useDefaultMark(saved.marks);
  const [ifFixable, setIfFixable] = useState<"accept" | "refuse">("refuse");
  const [open, setOpen] = useState<Open>(null);
  const sending = useSending({ chosen, placing, mark, ifFixable, onSent });
  const { data: recent } = useQuery({ queryKey: ["batches"], queryFn: batchCalls.list });
  const { ready } = chosen;
  const hasFiles = ready.length > 0;
  useEffect(() => {
    // The step shows its own failure.
    if (hasFiles) PositionStep.preload();
  }, [hasFiles]);
  if (step === "files" || !hasFiles)
    return (
      <FilesStep
        chosen={chosen}
        recent={recent?.results ?? []}
        onNext={() => setStep("position")}
      />
    );
  return (
    <>
      <PositionStep
        {...{ placing, mark, ifFixable }}
        files={ready}
        sending={sending.fraction}
        onMark={() => setOpen("mark")}
        onFixable={setIfFixable}
        onExclude={chosen.remove}
        onBack={() => setStep("files")}
        onSign={() => setOpen(mark === null ? "mark-first" : "consent")}
      />
      {open === "mark" || open === "mark-first" ? (
        <BatchMarkDialog
          saved={saved}
          {...(open === "mark-first" ? { reason: missingMark(ready.length) } : {})}
          onUse={(used) => {
            setMark(used);
            setOpen(open === "mark-first" ? "consent" : null);
          }}
          onClose={() => setOpen(null)}
        />
      ) : null}
      {open === "consent" ? (
        <ConsentDialog
          count={ready.length}
          onConfirm={() => {
            setOpen(null);
            sending.send();
          }}
          onCancel={() => setOpen(null)}
        />
      ) : null}
    </>
  );
}

type BatchMarkDialogProps = Pick<ComponentProps<typeof MarkDialog>, "onUse" | "onClose"> & {
  readonly saved: ReturnType<typeof useSavedMarks>;
  readonly reason?: string;
};

function BatchMarkDialog({ saved, ...dialog }: BatchMarkDialogProps) {
  const session = useSession();
  return (
    <MarkDialog
      {...dialog}
      signerName={session.state === "member" ? fullName(session.user) : ""}
      savedMarks={saved.marks}
      fieldCount={1}
      onSave={saved.save}
    />
  );
}

function missingMark(count: number): string {
  return `Il manque votre signature\u00a0: choisissez-la pour signer ${count > 1 ? "les documents" : "le document"}.`;
}

type ConsentDialogProps = {
  readonly count: number;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
};

function ConsentDialog({ count, onConfirm, onCancel }: ConsentDialogProps) {
  const act = `Je signe ${plural(count, "document")}`;
  return (
    <ConfirmDialog
      title={`${act}.`}
      message={consentText(count)}
      secondary={"Chaque document devient une enveloppe complétée, dans «\u00a0Complété(s)\u00a0»."}
      confirmLabel={act}
      onConfirm={onConfirm}
      onCancel={onCancel}
    />
  );
}

function useDefaultMark(saved: ReturnType<typeof useSavedMarks>["marks"]) {
  const [mark, setMark] = useState<ChosenMark | null>(null);
  const standard = saved.find((one) => one.is_default);
  useEffect(() => {
    if (standard) setMark((chosen) => chosen ?? savedChoice(standard));
  }, [standard]);
  return [mark, setMark] as const;
}

type Sending = {
  readonly chosen: ReturnType<typeof useBatchFiles>;
  readonly placing: ReturnType<typeof usePlacing>;
  readonly mark: ChosenMark | null;
  readonly ifFixable: "accept" | "refuse";
  readonly onSent: (id: string) => void;
};

/** A second press, or one after a failure, sends the same idempotency key. */
function useSending({ chosen, placing, mark, ifFixable, onSent }: Sending) {
  const [fraction, setFraction] = useState<number | null>(null);
  const [key] = useState(() => crypto.randomUUID());
  const send = () => {
    if (mark === null || fraction !== null) return;
    setFraction(0);
    const files = chosen.ready;
    batchCalls
      .send(
        {
          files: files.map(({ file }) => file),
          placement: placementOf(placing.common),
          overrides: files.flatMap((file, file_index) => {
            const own = placing.own.get(file.key);
            return own === undefined ? [] : [{ file_index, placement: placementOf(own) }];
          }),
          mark: mark.mark,
          title: null,
          ifFixable,
        },
        {
          key: `${key}-${files.map((file) => file.key).join("")}`.slice(0, 200),
          onProgress: setFraction,
        },
      )
      .then(({ id }) => onSent(id))
      .catch((error: unknown) =>
        showToast(
          "err",
          markRefusal(error) ?? callMessage(error, "Impossible de signer les documents"),
        ),
      )
      .finally(() => setFraction(null));
  };
  return { fraction, send };
}
