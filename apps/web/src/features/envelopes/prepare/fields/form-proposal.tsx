import {
  type Document,
  type Envelope,
  FIELD_KINDS,
  type FormAnswer,
  MAX_FIELDS,
  type UpdateEnvelopeRequest,
} from "@paraphe/contracts";
import { andList } from "@paraphe/kernel/french-words";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callMessage } from "../../../../lib/api/api-error.ts";
import { api } from "../../../../lib/api/api.ts";
import { storeInTab, keptInTab } from "../../../../lib/browser/tab-memory.ts";
import { plural } from "../../../../lib/format/format-numbers.ts";
import { Alert } from "../../../../ui/alert/alert.tsx";
import { Button } from "../../../../ui/button/button.tsx";
import { Checkbox } from "../../../../ui/checkbox/checkbox.tsx";
import { Dialog } from "../../../../ui/dialog/dialog.tsx";
import { SelectField } from "../../../../ui/field/field.tsx";
import { showToast } from "../../../../ui/toast/toast-store.ts";
import { useSession } from "../../../accounts/use-session.ts";
import type { DraftKeeper } from "../draft/draft-keeper.ts";
import type { DraftRecipient } from "../draft/draft.ts";
import styles from "../field-properties.module.css";

type Found = FormAnswer["documents"][number];

type FormProposalProps = {
  readonly envelopeId: string;
  readonly documents: readonly Document[];
  readonly keeper: DraftKeeper;
  readonly people: readonly DraftRecipient[];
};

const ENVELOPES = "/api/signature/envelopes/";
const TIMEOUT_MS = 60_000;
const LEFT = "form-left";

/** Asks whether to use the fields that the files already have. */
export function FormProposal({ envelopeId, documents, keeper, people }: FormProposalProps) {
  const files = documents.map(({ sha256 }) => sha256);
  const form = useQuery({
    queryKey: ["form", envelopeId, ...files],
    queryFn: () =>
      api.get<FormAnswer>(`${ENVELOPES}${envelopeId}/form/`, { timeoutMs: TIMEOUT_MS }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const session = useSession();
  const owner = session.state === "member" ? session.user.id : "";
  const key = [envelopeId, ...files].join(" ");
  const [left, setLeft] = useState(() => keptInTab(LEFT, owner));
  const [isOpen, setIsOpen] = useState(false);
  const all = form.data?.documents ?? [];
  const found = all.filter(({ refused, fields }) => refused === null && fields.length > 0);
  const count = found.reduce((sum, { fields }) => sum + fields.length, 0);
  const isTooMuch =
    all.some(({ refused }) => refused === "too_many") ||
    count + keeper.state().draft.fields.length > MAX_FIELDS;
  const unread = all.filter(({ findings = [] }) => findings.length > 0);
  const isAsked = count > 0 && !isTooMuch;
  if (left === key || (count === 0 && !isTooMuch && unread.length === 0)) return null;
  const leave = () => {
    storeInTab(LEFT, { owner, value: key });
    setLeft(key);
    focusStep();
  };
  return (
    <aside className={styles.proposal} aria-label="Champs déjà dans les documents">
      <Alert
        tone={isAsked || isTooMuch ? "info" : "warning"}
        title={isTooMuch ? TOO_MUCH : isAsked ? question(found.length, count) : undefined}
      >
        {unread.map(({ document_id: id, findings }) => (
          <p key={id}>
            {documents.length > 1 ? `${nameOf(documents, id)}\u00a0: ` : ""}
            {findings.map(({ detail }) => detail).join(" ")}
          </p>
        ))}
        <div className="row">
          {isAsked ? (
            <Button size="sm" onClick={() => setIsOpen(true)}>
              Voir la proposition
            </Button>
          ) : null}
          <Button size="sm" variant="ghost" onClick={leave}>
            {isAsked ? "Ne pas les utiliser" : "J’ai compris"}
          </Button>
        </div>
      </Alert>
      {isOpen ? (
        <FormDialog
          {...{ found, count, documents, keeper, people }}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </aside>
  );
}

const nameOf = (documents: readonly Document[], id: string): string =>
  documents.find((one) => one.id === id)?.name ?? "";

const TOO_MUCH = `Le formulaire a trop de champs\u00a0: une enveloppe en a ${MAX_FIELDS} au maximum. Placez les vôtres.`;

const question = (documents: number, count: number): string =>
  documents > 1
    ? `Ces documents contiennent ${plural(count, "champ")}\u00a0: les utiliser\u00a0?`
    : `Ce document contient ${plural(count, "champ")}\u00a0: les utiliser\u00a0?`;

function focusStep(): void {
  requestAnimationFrame(() => document.querySelector<HTMLElement>("main h1")?.focus());
}

type FormDialogProps = Pick<FormProposalProps, "documents" | "keeper" | "people"> & {
  readonly found: readonly Found[];
  readonly count: number;
  readonly onClose: () => void;
};

function FormDialog({ found, count, documents, keeper, people, onClose }: FormDialogProps) {
  const use = useForms({ found, keeper, people, onClose });
  const tags = found
    .flatMap(({ fields }) => fields)
    .filter(({ source }) => source === "tag").length;
  return (
    <Dialog
      title="Champs déjà dans les documents"
      size="lg"
      sheet
      locked={use.isBusy}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annuler</Button>
          <Button variant="primary" loading={use.isBusy} onClick={() => void use.take()}>
            {`Utiliser ${plural(count, "champ")}`}
          </Button>
        </>
      }
    >
      <div className="stack">
        {use.fault === null ? null : <Alert tone="danger">{use.fault}</Alert>}
        <p>
          {tags < count ? "Le formulaire du PDF est remplacé par ces champs. " : ""}
          Vous pourrez les déplacer, les changer ou les supprimer. Le fichier déposé est conservé.
        </p>
        {use.roles.map((role) => (
          <SelectField
            key={role ?? ""}
            label={role === null ? "Champs pour" : `Champs de «\u00a0${role}\u00a0» pour`}
            value={use.holders.get(role) ?? ""}
            onChange={(event) => use.choose(role, event.target.value)}
          >
            {people.map((row) => (
              <option key={row.key} value={row.key}>
                {row.fullName || row.email}
              </option>
            ))}
          </SelectField>
        ))}
        {tags === 0 ? null : (
          <TagConsent count={tags} checked={use.isErasing} onChange={use.setIsErasing} />
        )}
        {found.map((one) => (
          <FoundList key={one.document_id} found={one} name={nameOf(documents, one.document_id)} />
        ))}
      </div>
    </Dialog>
  );
}

type TagConsentProps = {
  readonly count: number;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
};

function TagConsent({ count, checked, onChange }: TagConsentProps) {
  const which = count > 1 ? `des ${count} balises` : "de la balise";
  return (
    <div className="stack stack--sm">
      <Checkbox
        label={`Recouvrir le texte ${which} dans le document à signer`}
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
      />
      <p className="muted">
        Le texte recouvert ne se voit plus, mais reste dans le fichier, où il peut être copié.
      </p>
    </div>
  );
}

function useForms({
  found,
  keeper,
  people,
  onClose,
}: Pick<FormDialogProps, "found" | "keeper" | "people" | "onClose">) {
  const roles = rolesOf(found);
  const [holders, setHolders] = useState<ReadonlyMap<string | null, string>>(
    () => new Map(roles.map((role, index) => [role, holderFor(role, { index, people })])),
  );
  const [isErasing, setIsErasing] = useState(true);
  const [isBusy, setIsBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const take = async () => {
    if (isBusy) return;
    setIsBusy(true);
    try {
      await keeper.flush();
      const rows = keeper.state().draft.recipients;
      const recipients = [...holders].flatMap(([role, key]) => {
        const id = rows.find((row) => row.key === key)?.id;
        return id === undefined ? [] : [{ role, recipient_id: id }];
      });
      const use_forms = found.map(({ document_id }) => ({
        document_id,
        recipients,
        erase_tags: isErasing,
      }));
      await keeper.exclusively((envelope) => {
        if (!envelope) throw new Error("no envelope to change");
        const body: UpdateEnvelopeRequest = { use_forms };
        const { id, version } = envelope;
        return api.patch<Envelope>(`${ENVELOPES}${id}/`, { body, version, timeoutMs: TIMEOUT_MS });
      });
      await keeper.reload();
      onClose();
      const count = found.reduce((sum, { fields }) => sum + fields.length, 0);
      showToast("ok", `${plural(count, "champ")} sur les documents`);
      focusStep();
    } catch (error) {
      setFault(callMessage(error, "Les champs n’ont pas pu être utilisés. Réessayez."));
    } finally {
      setIsBusy(false);
    }
  };
  const choose = (role: string | null, key: string) =>
    setHolders((all) => new Map(all).set(role, key));
  return { roles, holders, choose, isErasing, setIsErasing, isBusy, fault, take };
}

/** By first appearance; those without one last. */
function rolesOf(found: readonly Found[]): readonly (string | null)[] {
  const named = new Set(found.flatMap(({ fields }) => fields.map(({ role }) => role)));
  return [...named].toSorted((one, other) => Number(one === null) - Number(other === null));
}

function holderFor(
  role: string | null,
  { index, people }: { readonly index: number; readonly people: readonly DraftRecipient[] },
): string {
  const number = role === null ? 1 : Number(/(\d{1,3})$/.exec(role)?.[1] ?? index + 1);
  return (people[number - 1] ?? people.at(-1))?.key ?? "";
}

function FoundList({ found, name }: { readonly found: Found; readonly name: string }) {
  const kinds = Map.groupBy(found.fields, ({ type }) => type);
  const tally = [...kinds].map(([type, { length }]) => `${FIELD_KINDS[type].short} (${length})`);
  return (
    <details className={styles.found}>
      <summary>
        <b>{name}</b>
        {`\u00a0: ${andList(tally)}`}
      </summary>
      <ul>
        {found.fields.map(({ type, label, page, role }, index) => (
          <li key={index}>
            <span className="grow">
              {label ?? FIELD_KINDS[type].title}
              {role === null ? null : <span className="muted">{` (${role})`}</span>}
            </span>
            <span className="muted nowrap">{`${FIELD_KINDS[type].short}, page ${page}`}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
