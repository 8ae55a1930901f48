import { type MentionComparison, compareMention, mentionInWords } from "@paraphe/contracts";
import {
  type ComponentProps,
  type ReactNode,
  type RefObject,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from "react";
import { TextArea } from "../../../ui/field/field.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import type { SigningField } from "./field-walk.ts";
import styles from "../mention-dialog.module.css";

const ICONS: Readonly<Record<MentionComparison["kind"], "check-circle" | "pen" | "alert">> = {
  same: "check-circle",
  unfinished: "pen",
  different: "alert",
};
const NO_PASTE =
  "Le collage ne sert pas ici\u00a0: écrivez la phrase vous-même, au clavier ou à la voix.";
/** Screen readers hear the help after a pause, not at each letter. */
const SPOKEN_AFTER_MS = 900;

type MentionOptions = {
  readonly field: SigningField;
  readonly text: string;
  readonly error: string | undefined;
  readonly onType: (text: string) => void;
} & Pick<ComponentProps<typeof TextArea>, "label" | "rows" | "enterKeyHint" | "onKeyDown">;

type Mention = {
  readonly input: ReactNode;
  readonly ref: RefObject<HTMLTextAreaElement | null>;
  /** True when complete; otherwise says what differs and takes the focus back. */
  readonly check: () => boolean;
};

/** Shows what is left to write, or differs, as the person types. */
export function useMention({ field, text, error, onType, ...own }: MentionOptions): Mention {
  const [refusal, setRefusal] = useState<string | null>(error ?? null);
  const ref = useRef<HTMLTextAreaElement>(null);
  const comparison = compareMention(field.value ?? "", text);
  const help = mentionInWords(comparison);
  const spoken = useSettled(refusal ?? help, SPOKEN_AFTER_MS);
  const check = () => {
    if (comparison.kind === "same") return true;
    setRefusal(help);
    ref.current?.focus();
    return false;
  };
  const input = (
    <>
      <CopiedSentence
        {...own}
        ref={ref}
        help={refusal === help ? undefined : <ComparisonHelp kind={comparison.kind} words={help} />}
        error={refusal ?? undefined}
        isRequired={field.required}
        value={text}
        onType={(typed) => {
          onType(typed);
          setRefusal(null);
        }}
        onPasted={() => setRefusal(NO_PASTE)}
      />
      {/* Inside the dialog: live regions outside a modal are inert. */}
      <p className="sr" role="status">
        {spoken}
      </p>
    </>
  );
  return { input, ref, check };
}

type CopiedSentenceProps = Omit<ComponentProps<typeof TextArea>, "value"> & {
  readonly isRequired: boolean;
  readonly value: string;
  readonly onType: (text: string) => void;
  readonly onPasted: () => void;
};

/** No completion, paste or drop: the signer copies the sentence by hand. */
function CopiedSentence({ isRequired, onType, onPasted, ...own }: CopiedSentenceProps) {
  const refuse = (event: SyntheticEvent) => {
    event.preventDefault();
    onPasted();
  };
  return (
    <TextArea
      {...own}
      required={isRequired}
      optional={!isRequired}
      maxLength={2000}
      spellCheck={false}
      autoComplete="off"
      autoCapitalize="off"
      autoCorrect="off"
      onChange={(event) => onType(event.target.value)}
      onPaste={refuse}
      onDrop={refuse}
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

function useSettled(text: string, afterMs: number): string {
  const [settled, setSettled] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), afterMs);
    return () => clearTimeout(timer);
  }, [text, afterMs]);
  return settled;
}
