import type { Role } from "@paraphe/contracts";
import { type RefObject, useId, useRef, useState } from "react";
import { callMessage } from "../../../lib/api/api-error.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { Checkbox, Radio } from "../../../ui/checkbox/checkbox.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { TextArea } from "../../../ui/field/field.tsx";
import { deedOf } from "../request-standing.ts";
import styles from "./decline-dialog.module.css";

const QUICK_REASONS = [
  "Erreur dans le document",
  "Je ne suis pas la bonne personne",
  "Désaccord",
  "Autre",
] as const;
type DeclineDialogProps = {
  readonly actor: Role;
  readonly onDecline: (reason: string) => Promise<void>;
  readonly onClose: () => void;
};

export function DeclineDialog({ actor, onDecline, onClose }: DeclineDialogProps) {
  const { quick, setQuick, words, setWords, isSure, setIsSure, ...answer } = useAnswer();
  const { reason, isReasonAsked, sure, details } = answer;
  const deed = deedOf(actor);
  const missingId = useId();
  const { decline, isBusy, error } = useDecline(onDecline);
  const press = () => {
    // In a low window, what is missing may be out of sight.
    if (!isSure) return sure.current?.focus();
    if (reason !== "") return void decline(reason);
    answer.askReason();
    return details.current?.focus();
  };
  return (
    <Dialog
      title={`Refuser ${deed}\u202f?`}
      sheet
      locked={isBusy}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} blocked={isBusy}>
            Revenir
          </Button>
          <Button
            variant="danger"
            loading={isBusy}
            aria-disabled={!isSure || undefined}
            aria-describedby={isSure ? undefined : missingId}
            onClick={press}
          >
            {`Refuser ${deed}`}
          </Button>
        </>
      }
    >
      <p>
        La demande sera close pour tous. L’expéditeur lira votre motif, et pourra envoyer une
        version corrigée.
      </p>
      <ReasonFields
        {...{ quick, words, details }}
        error={isReasonAsked && reason === "" ? "Indiquez le motif de votre refus" : undefined}
        onQuick={setQuick}
        onWords={setWords}
      />
      <Checkbox
        ref={sure}
        label={`Je confirme que je refuse ${deed} ce document.`}
        checked={isSure}
        onChange={(event) => setIsSure(event.target.checked)}
      />
      {isSure ? null : (
        <p id={missingId} className="muted small">
          Cochez la case de confirmation avant de refuser.
        </p>
      )}
      {error ? <Alert tone="danger">{error}</Alert> : null}
    </Dialog>
  );
}

function useAnswer() {
  const [quick, setQuick] = useState<string | null>(null);
  const [words, setWords] = useState("");
  const [isSure, setIsSure] = useState(false);
  const [isReasonAsked, setIsReasonAsked] = useState(false);
  const details = useRef<HTMLTextAreaElement>(null);
  const sure = useRef<HTMLInputElement>(null);
  return {
    quick,
    setQuick,
    words,
    setWords,
    isSure,
    setIsSure,
    isReasonAsked,
    askReason: () => setIsReasonAsked(true),
    reason: declineReason(quick, words),
    details,
    sure,
  };
}

function declineReason(quick: string | null, words: string): string {
  return [quick === "Autre" ? null : quick, words.trim() || null]
    .filter(Boolean)
    .join(" : ")
    .slice(0, 500);
}

type ReasonFieldsProps = {
  readonly quick: string | null;
  readonly words: string;
  readonly details: RefObject<HTMLTextAreaElement | null>;
  readonly error: string | undefined;
  readonly onQuick: (reason: string) => void;
  readonly onWords: (words: string) => void;
};

function ReasonFields({ quick, words, details, error, onQuick, onWords }: ReasonFieldsProps) {
  return (
    <>
      <fieldset className={styles.reasons}>
        <legend>Motif</legend>
        {QUICK_REASONS.map((choice) => (
          <Radio
            key={choice}
            name="decline-reason"
            label={choice}
            checked={quick === choice}
            onChange={() => onQuick(choice)}
          />
        ))}
      </fieldset>
      <TextArea
        ref={details}
        label="Précisez"
        error={error}
        optional={quick !== null && quick !== "Autre"}
        required={quick === null || quick === "Autre"}
        rows={3}
        maxLength={400}
        value={words}
        onChange={(event) => onWords(event.target.value)}
      />
    </>
  );
}

/** After a refusal the page changes: only a failure ends the wait. */
function useDecline(onDecline: DeclineDialogProps["onDecline"]) {
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const decline = async (reason: string) => {
    setIsBusy(true);
    setError(null);
    try {
      await onDecline(reason);
    } catch (cause) {
      setError(callMessage(cause, "Votre refus n’a pas été enregistré. Réessayez."));
      setIsBusy(false);
    }
  };
  return { decline, isBusy, error };
}
