import { type Document, FIELD_KINDS } from "@paraphe/contracts";
import type { ReactNode, RefObject } from "react";
import { plural } from "../../../../lib/format/format-numbers.ts";
import { type Box, sizeOnPage } from "../../../../pdf/box.ts";
import type { FieldKeyAction } from "../../../../pdf/fields/field-keys.ts";
import {
  type FieldColor,
  type FieldTool,
  inReadingOrder,
} from "../../../../pdf/fields/layer-field.ts";
import layer from "../../../../pdf/field-layer.module.css";
import type { OpenedPdf } from "../../../../pdf/open-pdf.ts";
import { PdfViewer, type PdfViewerHandle } from "../../../../pdf/pdf-viewer.tsx";
import { PrepareFieldLayer } from "../../../../pdf/fields/prepare-field-layer.tsx";
import { initials } from "../../../../ui/avatar/avatar.tsx";
import { SelectField } from "../../../../ui/field/field.tsx";
import { Icon } from "../../../../ui/icon/icon.tsx";
import { describeField } from "./describe-field.ts";
import { type Draft, type DraftField, recipientName } from "../draft/draft.ts";
import { pdfSource } from "../load-document.ts";
import type { FieldEditor } from "./use-field-editor.ts";

/** Shows as much as the field has room for. */
function FieldFace({ field, person }: { field: DraftField; person: string }) {
  return (
    <span className={layer.fitted}>
      <span>
        <Icon name={FIELD_KINDS[field.type].icon} />
        <span className="truncate">{field.label ?? FIELD_KINDS[field.type].short}</span>
        <FieldLetters letters={initials(person)} />
      </span>
    </span>
  );
}

type FieldPagesProps = {
  readonly envelopeId: string;
  readonly draft: Draft;
  readonly documents: readonly Document[];
  readonly current: Document;
  readonly editor: FieldEditor;
  readonly tool: FieldTool | null;
  readonly tools: ReactNode;
  readonly colorOf: (recipientKey: string) => FieldColor;
  readonly onDocument: (id: string) => void;
  readonly onPlace: (page: number, box: Box) => void;
  readonly onRemove: (keys: readonly string[]) => void;
  readonly onPdf: (pdf: OpenedPdf | null) => void;
  readonly onPage: (pageNumber: number) => void;
  readonly viewer: RefObject<PdfViewerHandle | null>;
};

export function FieldPages(props: FieldPagesProps) {
  const { envelopeId, draft, documents, current, editor, tool, tools, viewer } = props;
  const { selection } = editor;
  const lead = selection.at(-1) ?? null;
  const selectedIds = new Set(selection.map((field) => field.key));
  const here = draft.fields.filter((field) => field.documentId === current.id);
  const choose = (id: string) => {
    props.onDocument(id);
    viewer.current?.goTo({ pageNumber: 1, y: 0, isAtOnce: true });
  };
  return (
    <PdfViewer
      ref={viewer}
      source={{ ...pdfSource({ envelopeId, documentId: current.id }), key: current.sha256 }}
      label="Document"
      pages={current.pages}
      onPdf={props.onPdf}
      onCurrentPage={props.onPage}
      layerPages={[...new Set(here.map((field) => field.page))]}
      heading={
        <DocumentChoice documents={documents} current={current} draft={draft} onChoose={choose} />
      }
      renderLayer={(pageNumber) => (
        <PrepareFieldLayer
          pageNumber={pageNumber}
          fields={layerFields(
            here.filter((field) => field.page === pageNumber),
            props,
          )}
          selectedIds={selectedIds}
          leadId={lead?.key ?? null}
          focus={editor.focus}
          selectedTag={lead ? recipientName(draft, lead.recipientKey) : ""}
          selectedTools={tools}
          tool={tool && { ...tool, size: sizeOnPage(tool.size, current.pages[pageNumber - 1]) }}
          onSelect={editor.select}
          onToggle={editor.toggle}
          onKey={fieldKeys(props)}
          onMove={editor.put}
          onPlace={props.onPlace}
        />
      )}
    />
  );
}

function layerFields(
  fields: readonly DraftField[],
  { draft, colorOf }: Pick<FieldPagesProps, "draft" | "colorOf">,
) {
  return inReadingOrder(fields).map((field) => {
    const person = recipientName(draft, field.recipientKey);
    return {
      id: field.key,
      pageNumber: field.page,
      box: field,
      color: colorOf(field.recipientKey),
      name: describeField(field, person),
      content: <FieldFace field={field} person={person} />,
    };
  });
}

function fieldKeys({ editor, onRemove }: Pick<FieldPagesProps, "editor" | "onRemove">) {
  return (id: string, action: FieldKeyAction) => {
    const selected = editor.selection.map((field) => field.key);
    const keys = selected.includes(id) ? selected : [id];
    if (action.kind === "move" || action.kind === "resize")
      editor.nudge(keys, action.kind, action.by);
    else if (action.kind === "delete") onRemove(keys);
    else if (action.kind === "duplicate") editor.duplicate(keys);
    else if (action.kind === "toggle") editor.toggle(id);
    else editor.select([]);
  };
}

type DocumentChoiceProps = {
  readonly documents: readonly Document[];
  readonly current: Document;
  readonly draft: Draft;
  readonly onChoose: (id: string) => void;
};

function DocumentChoice({ documents, current, draft, onChoose }: DocumentChoiceProps) {
  if (documents.length === 1) return <span title={current.name}>{current.name}</span>;
  const countOf = (id: string) => draft.fields.filter((field) => field.documentId === id).length;
  return (
    <SelectField
      label="Document affiché"
      hideLabel
      size="sm"
      value={current.id}
      onChange={(event) => onChoose(event.target.value)}
    >
      {documents.map((document) => (
        <option key={document.id} value={document.id}>
          {`${document.name} (${plural(countOf(document.id), "champ")})`}
        </option>
      ))}
    </SelectField>
  );
}

/** Decorative: the field's accessible name includes the person. */
function FieldLetters({ letters }: { letters: string }) {
  return <span className={layer.who} data-letters={letters} aria-hidden="true" />;
}
