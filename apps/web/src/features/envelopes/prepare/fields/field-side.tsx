import type { Document, EnvelopeWarning, FieldType } from "@paraphe/contracts";
import { type ReactNode, useEffect, useState } from "react";
import { plural } from "../../../../lib/format/format-numbers.ts";
import type { FieldColor } from "../../../../pdf/fields/layer-field.ts";
import { Avatar } from "../../../../ui/avatar/avatar.tsx";
import { Button } from "../../../../ui/button/button.tsx";
import { SideHeading, SidePanel } from "../../../../ui/editor-frame/editor-frame.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { LinkAction } from "../../../../ui/link/link-action.tsx";
import type { Draft, DraftField, DraftRecipient } from "../draft/draft.ts";
import { type FieldWarning, coveredPlaces, fieldWarnings } from "./field-warnings.ts";
import styles from "../fields-step.module.css";
import { RecipientSelect } from "./field-palette.tsx";
import type { FieldEditor } from "./use-field-editor.ts";
import type { OpenDialog } from "./field-dialogs.tsx";

export function FieldHistoryButtons({ editor }: { editor: Pick<FieldEditor, "undo" | "redo"> }) {
  return (
    <>
      <Button
        variant="ghost"
        square
        aria-label="Annuler la dernière modification"
        title="Annuler (Ctrl + Z)"
        onClick={editor.undo}
      >
        <Icon name="undo" />
      </Button>
      <Button
        variant="ghost"
        square
        aria-label="Rétablir la modification"
        title="Rétablir (Ctrl + Y)"
        onClick={editor.redo}
      >
        <Icon name="redo" />
      </Button>
    </>
  );
}

type FieldWarningListProps = {
  readonly draft: Draft;
  readonly documents: readonly Document[];
  /** What the service found in the files' own forms. */
  readonly covered: readonly EnvelopeWarning[] | undefined;
  readonly onShow: (field: DraftField) => void;
  readonly onAddFor: (recipientKey: string) => void;
};

/** Warnings wait, so that they do not flicker while a field moves. */
const WAIT_MS = 300;

function FieldWarningList({ draft, documents, covered, onShow, onAddFor }: FieldWarningListProps) {
  const [warnings, setWarnings] = useState(() => allWarnings({ draft, documents, covered }));
  useEffect(() => {
    const timer = setTimeout(
      () => setWarnings(allWarnings({ draft, documents, covered })),
      WAIT_MS,
    );
    return () => clearTimeout(timer);
  }, [draft, documents, covered]);
  if (warnings.length === 0) return null;
  return (
    <ul className={styles.warnings} aria-label="À vérifier">
      {warnings.map((warning) => (
        <li key={warning.text}>
          {warning.text}{" "}
          {warning.kind === "overlap" ? (
            <LinkAction
              aria-label={`Voir\u00a0: ${warning.text}`}
              onClick={() => onShow(warning.field)}
            >
              Voir
            </LinkAction>
          ) : (
            <LinkAction
              aria-label={`Ajouter\u00a0: ${warning.text}`}
              onClick={() => onAddFor(warning.recipientKey)}
            >
              Ajouter
            </LinkAction>
          )}
        </li>
      ))}
    </ul>
  );
}

function allWarnings({
  draft,
  documents,
  covered,
}: Pick<FieldWarningListProps, "draft" | "documents" | "covered">): readonly FieldWarning[] {
  const places = coveredPlaces(draft, documents, covered).map(
    ({ text, field }) => ({ kind: "overlap", text, field }) as const,
  );
  return [...fieldWarnings(draft, documents), ...places];
}

export type FieldChoice = {
  readonly draft: Draft;
  readonly documents: readonly Document[];
  readonly covered: readonly EnvelopeWarning[] | undefined;
  readonly editor: FieldEditor;
  readonly armed: FieldType | null;
  readonly people: readonly DraftRecipient[];
  readonly recipientKey: string;
  readonly palette: ReactNode;
  readonly onRecipient: (key: string) => void;
  readonly onOpen: (dialog: OpenDialog) => void;
  readonly onPutDown: () => void;
  readonly onShow: (field: DraftField) => void;
  readonly onAddFor: (recipientKey: string) => void;
};

function SideActions({ editor, onOpen }: Pick<FieldChoice, "editor" | "onOpen">) {
  return (
    <div className="stack stack--sm">
      <Button onClick={() => onOpen("add")}>Ajouter sur la page…</Button>
      <Button variant="ghost" onClick={() => onOpen("list")}>
        Liste des champs
      </Button>
      <Button variant="ghost" onClick={() => onOpen("save-layout")}>
        Enregistrer cette disposition
      </Button>
      <Button variant="ghost" onClick={() => onOpen("apply-layout")}>
        Appliquer une disposition
      </Button>
      <div className={styles.history}>
        <FieldHistoryButtons editor={editor} />
        <Button
          variant="ghost"
          square
          aria-label="Raccourcis clavier"
          title="Raccourcis clavier (?)"
          onClick={() => onOpen("keys")}
        >
          <Icon name="keyboard" />
        </Button>
      </div>
    </div>
  );
}

export function FieldSide(props: FieldChoice & { readonly color: FieldColor }) {
  const {
    draft,
    documents,
    covered,
    people,
    recipientKey,
    palette,
    editor,
    onRecipient,
    onOpen,
    onShow,
    onAddFor,
    color,
  } = props;
  return (
    <SidePanel edge="start" label="Champs à placer">
      <div className={`${styles.who} c${color}`}>
        <RecipientSelect people={people} value={recipientKey} onChange={onRecipient} look="full" />
      </div>
      <div className="stack stack--sm">
        <SideHeading>Glissez un champ, ou choisissez-le puis cliquez sur la page</SideHeading>
        {palette}
      </div>
      <SideActions editor={editor} onOpen={onOpen} />
      <div className="stack stack--sm">
        <SideHeading>Récapitulatif</SideHeading>
        <ul className="stack stack--sm">
          {people.map((row) => (
            <li key={row.key} className={styles.tally}>
              <Avatar name={row.fullName} size="sm" color={draft.recipients.indexOf(row) + 1} />
              <span className="grow truncate">{row.fullName || row.email}</span>
              <span className="muted num nowrap">
                {plural(
                  draft.fields.filter((field) => field.recipientKey === row.key).length,
                  "champ",
                )}
              </span>
            </li>
          ))}
        </ul>
        <FieldWarningList {...{ draft, documents, covered, onShow, onAddFor }} />
      </div>
    </SidePanel>
  );
}
