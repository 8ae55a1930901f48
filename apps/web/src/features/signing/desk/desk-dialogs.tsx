import type { NewMark } from "@paraphe/contracts";
import { type FormEvent, useId, useRef, useState } from "react";
import { announce } from "../../../lib/browser/announce.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Dialog } from "../../../ui/dialog/dialog.tsx";
import { TextArea } from "../../../ui/field/field.tsx";
import type { ChosenMark, SavedMark } from "../marks/chosen-mark.ts";
import { MarkDialog } from "../marks/mark-dialog.tsx";
import styles from "../mention-dialog.module.css";
import { DeclineDialog } from "./decline-dialog.tsx";
import {
  type SigningField,
  fieldTitle,
  initialsLeft,
  keyboardOf,
  purposeOf,
} from "./field-walk.ts";
import { type Desk, type OpenedRequest, signerNameOf } from "./use-desk.ts";
import { useMention } from "./use-mention.tsx";

/** « J.-P. L. » for « Jean-Paul Lenoir ». */
export function initialsOf(name: string): string {
  const words = name.split(/\s+/u).filter((word) => word !== "");
  const initials = words.map((word) =>
    word
      .split("-")
      .filter((part) => part !== "")
      .map((part) => `${[...part][0]?.toLocaleUpperCase("fr")}.`)
      .join("-"),
  );
  return initials.join("\u00a0");
}

/** `forAll`: the mark goes to all fields of its kind. */
export type OpenDialog =
  | { readonly kind: "mark"; readonly field: SigningField; readonly forAll?: true }
  | { readonly kind: "value" | "mention"; readonly field: SigningField }
  | { readonly kind: "decline" }
  | { readonly kind: "help" }
  | { readonly kind: "initials" }
  | null;

type DeskDialogsProps = {
  readonly desk: Desk;
  readonly dialog: NonNullable<OpenDialog>;
  readonly request: OpenedRequest;
  readonly savedMarks: readonly SavedMark[] | null;
  readonly onSaveMark: ((mark: NewMark) => void) | undefined;
  readonly onDecline: (reason: string) => Promise<void>;
  readonly onMade: (field: SigningField) => void;
  readonly onClose: () => void;
};

export function DeskDialogs({
  desk,
  dialog,
  request,
  savedMarks,
  onSaveMark,
  onDecline,
  onMade,
  onClose,
}: DeskDialogsProps) {
  if (dialog.kind === "decline")
    return <DeclineDialog actor={request.recipient.role} {...{ onClose, onDecline }} />;
  if (dialog.kind === "help") return <HelpDialog request={request} onClose={onClose} />;
  if (dialog.kind === "initials")
    return (
      <ApplyInitialsDialog
        left={initialsLeft(desk.own, desk.answers)}
        onApply={desk.applyInitials}
        onClose={onClose}
      />
    );
  if (dialog.kind === "mark") {
    const purpose = purposeOf(dialog.field);
    const all = desk.own.filter((field) => field.type === dialog.field.type);
    const isInitials = purpose === "initials";
    const signerName = signerNameOf(request);
    const use = (mark: ChosenMark, everywhere: boolean) => {
      desk.useMark(mark, dialog.forAll || (everywhere && !isInitials) ? all : [dialog.field]);
      announce(isInitials ? "Paraphe posé" : "Signature posée");
      if (dialog.forAll) onClose();
      else onMade(dialog.field);
    };
    return (
      <MarkDialog
        purpose={purpose}
        signerName={isInitials ? initialsOf(signerName) : signerName}
        savedMarks={savedMarks}
        onSave={onSaveMark}
        fieldCount={isInitials ? 1 : all.length}
        isForAll={all.every(({ document_id }) => document_id === dialog.field.document_id)}
        onUse={use}
        onClose={onClose}
      />
    );
  }
  const { field } = dialog;
  const editor = {
    field,
    value: desk.values[field.id] ?? "",
    error: desk.errors[field.id],
    onSave: (value: string) => desk.setValue(field.id, value),
    onClose,
  };
  return dialog.kind === "mention" ? (
    <MentionDialog {...editor} />
  ) : (
    <FieldEditorDialog {...editor} />
  );
}

type FieldEditorDialogProps = {
  readonly field: SigningField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onSave: (value: string) => void;
  readonly onClose: () => void;
};

export function FieldEditorDialog({
  field,
  value,
  error,
  onSave,
  onClose,
}: FieldEditorDialogProps) {
  const form = useId();
  const [text, setText] = useState(value);
  const input = useRef<HTMLTextAreaElement>(null);
  const save = (event: FormEvent) => {
    event.preventDefault();
    onSave(text);
    onClose();
  };
  const common = {
    label: fieldTitle(field),
    value: text,
    error,
    ref: input,
    optional: !field.required,
    required: field.required,
  };
  return (
    <Dialog
      title={fieldTitle(field)}
      sheet
      onClose={onClose}
      initialFocus={input}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" type="submit" form={form}>
            Valider
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={save}>
        <TextArea
          {...common}
          inputMode={keyboardOf(field)}
          rows={field.height > 0.06 ? 4 : 2}
          maxLength={2000}
          onChange={(event) => setText(event.target.value)}
        />
      </form>
    </Dialog>
  );
}

type HelpDialogProps = {
  readonly request: Pick<OpenedRequest, "sender_name" | "recipient">;
  readonly onClose: () => void;
};

export function HelpDialog({ request, onClose }: HelpDialogProps) {
  return (
    <Dialog
      title="Aide"
      sheet
      onClose={onClose}
      actions={
        <Button variant="primary" onClick={onClose}>
          Fermer
        </Button>
      }
    >
      <p>{`Un seul bouton vous mène de champ en champ, puis à votre accord. Rien n’est signé avant «\u00a0${request.recipient.role === "approver" ? "Approuver" : "Signer"}\u00a0».`}</p>
      <p>
        Vos réponses sont gardées dans cet onglet{"\u00a0"}: vous pouvez recharger la page ou
        tourner votre téléphone.
      </p>
      <p>
        Pour agrandir, ouvrez le numéro de page, au-dessus du document{"\u202f"}; pour n’en lire que
        le texte, «{"\u00a0"}Lecture accessible
        {"\u00a0"}».
      </p>
      <p>{`Une question, une erreur dans le document\u202f? Écrivez à ${request.sender_name}, qui vous l’a envoyé, avant de signer.`}</p>
    </Dialog>
  );
}

type ApplyInitialsDialogProps = {
  readonly left: readonly SigningField[];
  readonly onApply: () => void;
  readonly onClose: () => void;
};

/** Shown once, after the first initials. */
export function ApplyInitialsDialog({ left, onApply, onClose }: ApplyInitialsDialogProps) {
  return (
    <Dialog
      title={`Appliquer ce paraphe ${whereLeft(left)}\u202f?`}
      onClose={onClose}
      withoutClose
      actions={
        <>
          <Button onClick={onClose}>Seulement ici</Button>
          <Button
            variant="primary"
            onClick={() => {
              onApply();
              onClose();
            }}
          >
            Appliquer partout
          </Button>
        </>
      }
    >
      <p className="ink2">Vous pourrez revenir en arrière avant de signer.</p>
    </Dialog>
  );
}

function whereLeft(left: readonly SigningField[]): string {
  const pages = new Set(left.map(({ document_id, page }) => `${document_id} ${page}`)).size;
  if (pages === left.length)
    return pages === 1
      ? "à la page restante"
      : `aux ${plural(pages, "page restante", "pages restantes")}`;
  return `aux ${plural(left.length, "emplacement restant", "emplacements restants")}`;
}

type MentionDialogProps = {
  readonly field: SigningField;
  readonly value: string;
  readonly error: string | undefined;
  readonly onSave: (value: string) => void;
  readonly onClose: () => void;
};

/** Closing keeps the draft. */
export function MentionDialog({ field, value, error, onSave, onClose }: MentionDialogProps) {
  const form = useId();
  const [text, setText] = useState(value);
  const { input, ref, check } = useMention({
    field,
    text,
    error,
    onType: setText,
    label: "Votre mention",
    rows: 3,
  });
  const leave = () => {
    if (text !== value) onSave(text);
    onClose();
  };
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (check()) leave();
  };
  return (
    <Dialog
      title={fieldTitle(field)}
      sheet
      onClose={leave}
      initialFocus={ref}
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
        {input}
      </form>
    </Dialog>
  );
}
