import { type Document, FIELD_KINDS } from "@paraphe/contracts";
import type { ReactNode } from "react";
import { useMediaQuery } from "../../../../lib/browser/use-media-query.ts";
import { usePageTitle } from "../../../../ui/page-heading/page-heading.tsx";
import { PageThumbs } from "../../../../pdf/page-thumbs.tsx";
import { ToolButton, toolLook } from "../../../../pdf/fields/tool-button.tsx";
import { Button } from "../../../../ui/button/button.tsx";
import { BottomDock, SideHeading, SidePanel } from "../../../../ui/editor-frame/editor-frame.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { Menu } from "../../../../ui/menu/menu.tsx";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import type { Draft, DraftField, DraftRecipient } from "../draft/draft.ts";
import { type StepActions, StepButtons } from "./edit-bar.tsx";
import { FieldDialogs } from "./field-dialogs.tsx";
import { ALIGN_LEFT, ARRANGEMENTS, fieldPeople } from "./field-layout.ts";
import { FieldPages } from "./field-pages.tsx";
import { FieldPalette, RecipientSelect } from "./field-palette.tsx";
import { FieldProperties, FieldSelectionProperties } from "./field-properties.tsx";
import { type FieldChoice, FieldHistoryButtons, FieldSide } from "./field-side.tsx";
import styles from "../fields-step.module.css";
import { FormProposal } from "./form-proposal.tsx";
import type { Aim } from "../sending/send-check.ts";
import { useFieldDesk } from "./use-field-desk.ts";
import type { FieldEditor } from "./use-field-editor.ts";

type FieldsStepProps = {
  readonly envelopeId: string;
  readonly draft: Draft;
  readonly keeper: DraftKeeper;
  readonly documents: readonly Document[];
  readonly actions: StepActions;
  readonly onAddRecipient: () => void;
  /** The field or person named by the check list. */
  readonly aim: Aim;
};

export function FieldsStep(props: FieldsStepProps) {
  usePageTitle("Placer les champs");
  const people = fieldPeople(props.draft);
  const [first] = props.documents;
  if (!first) return null;
  if (people.length === 0) return <NobodyYet onAddRecipient={props.onAddRecipient} />;
  return (
    <>
      <FormProposal {...props} people={people} />
      <FieldDesk {...props} people={people} first={first} />
    </>
  );
}

type FieldDeskProps = FieldsStepProps & {
  readonly people: Draft["recipients"];
  readonly first: Document;
};

function FieldDesk({
  envelopeId,
  draft,
  keeper,
  documents,
  actions,
  people,
  first,
  aim,
}: FieldDeskProps) {
  const isWide = useMediaQuery("(min-width: 1024px)");
  const desk = useFieldDesk({ draft, keeper, documents, people, first, isWide, aim });
  const { viewer, editor, current, armed, recipientKey, colorOf } = desk;
  const properties =
    editor.selection.length === 0 ? null : (
      <SelectionProperties {...{ draft, keeper, people, desk }} />
    );
  const show = (field: DraftField) => desk.show(field, isWide ? "side" : "dialog");
  const choice = {
    draft,
    documents,
    covered: keeper.state().envelope?.warnings,
    people,
    recipientKey,
    palette: <DeskPalette desk={desk} layout={isWide ? "column" : "strip"} />,
    editor,
    armed,
    onShow: show,
    onRecipient: desk.setChosenRecipient,
    onOpen: desk.setDialog,
    onPutDown: () => desk.arm(null),
    onAddFor: desk.addFor,
  };
  return (
    <main className={styles.editor} id="contenu">
      <h1 className="sr" tabIndex={-1}>
        Placer les champs
      </h1>
      {isWide ? <FieldSide {...choice} color={colorOf(recipientKey)} /> : null}
      <DeskPages {...{ desk, envelopeId, draft, documents, people, isWide }} />
      {isWide ? (
        <Inspector desk={desk}>{properties}</Inspector>
      ) : (
        <FieldDock {...choice} actions={actions} />
      )}
      <FieldDialogs
        open={desk.dialog}
        {...{ draft, documents, people, editor, recipientKey, properties }}
        start={{ documentId: current.id, page: viewer.current?.currentPage() ?? 1 }}
        onOpen={desk.setDialog}
        onAdd={desk.addAt}
        onEdit={show}
      />
    </main>
  );
}

type Desk = ReturnType<typeof useFieldDesk>;

type DeskPagesProps = Pick<FieldDeskProps, "envelopeId" | "draft" | "documents" | "people"> & {
  readonly desk: Desk;
  readonly isWide: boolean;
};

function DeskPages({ desk, envelopeId, draft, documents, people, isWide }: DeskPagesProps) {
  const { viewer, editor, current, armed, recipientKey, colorOf, remove } = desk;
  return (
    <FieldPages
      {...{ viewer, envelopeId, draft, documents, current, editor, colorOf }}
      tool={
        armed
          ? {
              size: FIELD_KINDS[armed].size,
              color: colorOf(recipientKey),
              label: FIELD_KINDS[armed].short,
            }
          : null
      }
      tools={
        <FieldTools
          {...{ editor, people, isWide }}
          pageCount={current.page_count}
          onProperties={() => desk.setDialog("properties")}
          onRemove={remove}
        />
      }
      onPdf={desk.setPdf}
      onPage={desk.setPage}
      onDocument={desk.chooseDocument}
      onPlace={desk.placeBox}
      onRemove={remove}
    />
  );
}

function DeskPalette({
  desk,
  layout,
}: {
  readonly desk: Desk;
  readonly layout: "column" | "strip";
}) {
  return (
    <FieldPalette
      color={desk.colorOf(desk.recipientKey)}
      armed={desk.armed}
      layout={layout}
      onArm={desk.arm}
      onDrop={desk.drop}
      onPlaceCentered={desk.placeInSight}
    />
  );
}

function SelectionProperties({
  draft,
  keeper,
  people,
  desk,
}: Pick<FieldDeskProps, "draft" | "keeper" | "people"> & { readonly desk: Desk }) {
  const { editor, current, change, remove } = desk;
  const [single, ...others] = editor.selection;
  if (single === undefined || others.length > 0)
    return <FieldSelectionProperties editor={editor} people={people} onRemove={remove} />;
  return (
    <FieldProperties
      draft={draft}
      field={single}
      pageCount={current.page_count}
      onChange={(part) => change(single, part)}
      onLeave={() => void keeper.flush()}
      onRemove={() => remove([single.key])}
    />
  );
}

function Inspector({ desk, children }: { readonly desk: Desk; readonly children: ReactNode }) {
  return (
    <SidePanel edge="end" label="Propriétés du champ" ref={desk.side}>
      {children ?? (
        <p className="muted">
          Sélectionnez un champ pour régler sa position, sa taille et son destinataire.
        </p>
      )}
      <section className="stack stack--sm" aria-labelledby="pages-du-document">
        <SideHeading id="pages-du-document">Pages</SideHeading>
        <PageThumbs
          pdf={desk.pdf}
          pages={desk.current.pages}
          current={desk.page}
          onGo={(pageNumber) => desk.viewer.current?.goTo({ pageNumber, y: 0 })}
        />
      </section>
    </SidePanel>
  );
}

function NobodyYet({ onAddRecipient }: { onAddRecipient: () => void }) {
  return (
    <main className="main main--form stack" id="contenu">
      <h1 className="h1" tabIndex={-1}>
        Placer les champs
      </h1>
      <p>Ajoutez au moins un destinataire pour placer des champs.</p>
      <Button onClick={onAddRecipient}>Ajouter un destinataire</Button>
    </main>
  );
}

type FieldToolsProps = {
  readonly editor: FieldEditor;
  readonly people: readonly DraftRecipient[];
  readonly pageCount: number;
  readonly isWide: boolean;
  readonly onProperties: () => void;
  readonly onRemove: (keys: readonly string[]) => void;
};

/** On a small screen the tools that need room stand in the properties. */
export function FieldTools({
  editor,
  people,
  pageCount,
  isWide,
  onProperties,
  onRemove,
}: FieldToolsProps) {
  const keys = editor.selection.map((field) => field.key);
  return (
    <>
      {isWide ? null : (
        <ToolButton label="Propriétés du champ" icon="settings" onPress={onProperties} />
      )}
      {isWide && people.length > 1 ? (
        <Menu
          label="Changer de destinataire"
          triggerLabel="Changer de destinataire"
          triggerClassName={toolLook}
          trigger={<Icon name="user" size="sm" />}
          align="start"
          entries={people.map((row) => ({
            id: row.key,
            label: row.fullName || row.email,
            onAction: () => editor.change(keys, { recipientKey: row.key }),
          }))}
        />
      ) : null}
      {isWide && keys.length > 1 ? (
        <Menu
          label="Aligner"
          triggerLabel="Aligner"
          triggerClassName={toolLook}
          trigger={<Icon name={ALIGN_LEFT} size="sm" />}
          align="start"
          entries={ARRANGEMENTS.map(({ how, label, icon, least }) => ({
            id: how,
            label,
            icon,
            disabled: keys.length < least,
            onAction: () => editor.arrange(how),
          }))}
        />
      ) : null}
      <ToolButton label="Dupliquer" icon="copy" onPress={() => editor.duplicate(keys)} />
      {pageCount > 1 ? (
        <ToolButton
          label="Dupliquer sur toutes les pages"
          icon="layers"
          onPress={() => editor.copyToAllPages(keys)}
        />
      ) : null}
      <ToolButton label="Supprimer" icon="trash" onPress={() => onRemove(keys)} />
    </>
  );
}

export function FieldDock(props: FieldChoice & { readonly actions: StepActions }) {
  const { people, recipientKey, palette, editor, armed, onRecipient, onOpen, onPutDown, actions } =
    props;
  return (
    <BottomDock place="editor">
      {armed ? (
        <div className={styles.dockHead} data-placing="">
          <b className="grow truncate">{`Placez «\u00a0${FIELD_KINDS[armed].short}\u00a0» sur la page`}</b>
          <Button size="sm" onClick={onPutDown}>
            Annuler
          </Button>
        </div>
      ) : (
        <div className={styles.dockHead}>
          {people.length > 1 ? (
            <div className="grow">
              <RecipientSelect
                people={people}
                value={recipientKey}
                onChange={onRecipient}
                look="compact"
              />
            </div>
          ) : (
            <span className="grow truncate muted">{people[0]?.fullName}</span>
          )}
          <FieldHistoryButtons editor={editor} />
          {/* Short: the name needs the room. */}
          <Button variant="ghost" aria-label="Liste des champs" onClick={() => onOpen("list")}>
            Liste
          </Button>
        </div>
      )}
      {palette}
      {/* On a phone on its side they stand in the bar. */}
      <div className={styles.way}>
        <StepButtons actions={actions} />
      </div>
    </BottomDock>
  );
}
