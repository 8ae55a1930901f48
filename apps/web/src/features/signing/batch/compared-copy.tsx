import { useMemo, useState } from "react";
import { Button } from "../../../ui/button/button.tsx";
import { LinkAction } from "../../../ui/link/link-action.tsx";
import { CopyConsent } from "../../documents/correction/copy-consent.tsx";
import { batchCalls } from "./batch-calls.ts";

type ComparedCopyProps = {
  readonly batchId: string;
  readonly position: number;
  readonly name: string;
  /** Signs the copy as it is. */
  readonly onAccept: () => void;
};

/** Compares a corrected copy that looks different with its file, then asks whether to sign it. */
export function ComparedCopy({ batchId, position, name, onAccept }: ComparedCopyProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [accepts, setAccepts] = useState(false);
  const ask = useMemo(
    () => (from: number, signal: AbortSignal) => batchCalls.compare(batchId, { position, from }, signal),
    [batchId, position],
  );
  if (!isOpen)
    return (
      <LinkAction onClick={() => setIsOpen(true)} aria-label={`Comparer avec l’original\u00a0: ${name}`}>
        Comparer avec l’original
      </LinkAction>
    );
  return (
    <div className="stack stack--sm">
      <CopyConsent ask={ask} label="J’accepte de signer la copie corrigée" checked={accepts} onChange={setAccepts} />
      <div>
        <Button size="sm" disabled={!accepts} onClick={onAccept}>
          Signer la copie corrigée
        </Button>
      </div>
    </div>
  );
}
