import { compareMention, type MentionComparison, mentionInWords } from "@paraphe/contracts";
import { type ComponentProps, type FormEvent, type SyntheticEvent, useEffect, useId, useRef, useState } from "react";
import { Button } from "../../ui/button/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { TextArea } from "../../ui/field/text-area.tsx";
import { Icon } from "../../ui/icon/icon.tsx";
import { fieldTitle, type SigningField } from "./field-walk.ts";
import styles from "./mention-dialog.module.css";

type MentionDialogProps = {
  readonly field: SigningField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onSave: (value: string) => void;
  readonly onClose: () => void;
};
const ICONS: Readonly<Record<MentionComparison["kind"], "check-circle" | "pen" | "alert">> = {
  same: "check-circle",
  unfinished: "pen",
  different: "alert",
};
const NO_PASTE = "Le collage ne sert pas ici\u00a0: écrivez la phrase vous-même, au clavier ou à la voix.";
/** A screen reader hears the help once the hand stops, not at each letter. */
const SPOKEN_AFTER_MS = 900;

/** Copies the sender's sentence: what is left, or what differs, is said as it is typed. Left half-way, what is written is kept. */
export function MentionDialog({ field, value, error, onSave, onClose }: MentionDialogProps) {
  const form = useId();
  const [text, setText] = useState(value);
  const [refusal, setRefusal] = useState<string | null>(error ?? null);
  const input = useRef<HTMLTextAreaElement>(null);
  const comparison = compareMention(field.value ?? "", text);
  const help = mentionInWords(comparison);
  const spoken = useSettled(refusal ?? help, SPOKEN_AFTER_MS);
  const leave = () => {
    if (text !== value) onSave(text);
    onClose();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (comparison.kind === "same") leave();
    else {
      setRefusal(help);
      input.current?.focus();
    }
  };
  return (
    <Dialog
      title={fieldTitle(field)}
      sheet
      onClose={leave}
      initialFocus={input}
      actions={
        <>
          <Button onClick={leave}>Plus tard</Button>
          <Button variant="primary" type="submit" form={form}>
            Valider
          </Button>
        </>
      }
    >
      <form id={form} className={styles.mention} onSubmit={save}>
        <p className="muted small" id={`${form}-phrase`}>
          Recopiez cette phrase, lettre par lettre{"\u00a0"}:
        </p>
        <blockquote className={styles.sentence}>{field.value}</blockquote>
        <CopiedSentence
          ref={input}
          help={refusal === help ? undefined : <ComparisonHelp kind={comparison.kind} words={help} />}
          error={refusal ?? undefined}
          isRequired={field.required}
          value={text}
          onType={(typed) => {
            setText(typed);
            setRefusal(null);
          }}
          onPasted={() => setRefusal(NO_PASTE)}
        />
        {/* Inside the dialog: what lies outside a modal one is inert, its live regions too. */}
        <p className="sr" role="status">
          {spoken}
        </p>
      </form>
    </Dialog>
  );
}

type CopiedSentenceProps = Pick<ComponentProps<typeof TextArea>, "ref" | "help" | "error"> & {
  readonly isRequired: boolean;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly onPasted: () => void;
};

/** Where the sentence is copied: nothing completes, corrects or capitalises it in the hand's place, and what is pasted or dropped stays out. */
function CopiedSentence({ isRequired, onType, onPasted, ...own }: CopiedSentenceProps) {
  const keepOut = (event: SyntheticEvent) => {
    event.preventDefault();
    onPasted();
  };
  return (
    <TextArea
      {...own}
      label="Votre mention"
      required={isRequired}
      optional={!isRequired}
      rows={3}
      maxLength={2000}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      autoCorrect="off"
      onChange={(event) => onType(event.target.value)}
      onPaste={keepOut}
      onDrop={keepOut}
    />
  );
}

function ComparisonHelp({ kind, words }: { kind: MentionComparison["kind"]; words: string }) {
  return (
    <span className={styles.help} data-kind={kind}>
      <Icon name={ICONS[kind]} size="sm" />
      {words}
    </span>
  );
}

/** Gives a text once it has stayed the same for a while. */
function useSettled(text: string, afterMs: number): string {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), afterMs);
    return () => clearTimeout(timer);
  }, [text, afterMs]);
  return settled;
}
