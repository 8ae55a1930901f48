import {
  MAX_SAVED_SIGNATURES,
  MAX_SIGNATURE_NAME_LENGTH,
  type SavedSignature,
} from "@paraphe/contracts";
import { foldText } from "@paraphe/kernel/french-words";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Suspense, lazy, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { announce } from "../../../lib/browser/announce.ts";
import { serverSentence } from "../../../lib/api/api-error.ts";
import { formatLongDay } from "../../../lib/format/format-dates.ts";
import { plural } from "../../../lib/format/format-numbers.ts";
import { useDelayed } from "../../../lib/use-delayed.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Badge } from "../../../ui/badge/badge.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { DeleteDialog } from "../../../ui/dialog/delete-dialog.tsx";
import { NameDialog } from "../../../ui/dialog/name-dialog.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { FilterBar, NothingFound } from "../../../ui/filter-bar/filter-bar.tsx";
import type { Filter } from "../../../ui/filter-bar/filters.ts";
import {
  type ListAddress,
  type Order,
  useListAddress,
} from "../../../ui/filter-bar/use-list-address.ts";
import { focusOnceDrawn } from "../../../ui/focus/preserve-focus.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { fullName } from "../../accounts/own-identity.ts";
import { useSession } from "../../accounts/use-session.ts";
import { savedLook } from "./chosen-mark.ts";
import { HANDS } from "./hands.ts";
import { MarkPicture } from "./mark-picture.tsx";
import styles from "./saved-signatures.module.css";
import {
  nextName,
  savedSignatureCalls,
  savedSignaturesQuery,
  useSavedSignatures,
} from "./use-saved-signatures.ts";

export function describeSignature({
  kind,
  font,
  created_at: createdAt,
  last_used_at: lastUsedAt,
}: SavedSignature): string {
  const made = `${MADE[kind]}${kind === "typed" ? handName(font) : ""} le ${formatLongDay(createdAt)}`;
  return lastUsedAt === null ? made : `${made} · utilisée le ${formatLongDay(lastUsedAt)}`;
}

const MADE = { drawn: "Dessinée", typed: "Saisie", uploaded: "Importée" } as const;

function handName(font: SavedSignature["font"]): string {
  const hand = HANDS.find((entry) => entry.hand === font);
  return hand ? ` (${hand.name})` : "";
}

type SignatureCardProps = {
  readonly signature: SavedSignature;
  readonly isBusy: boolean;
  readonly onDefault: () => void;
  readonly onRename: () => void;
  readonly onDelete: () => void;
};

export function SignatureCard({
  signature,
  isBusy,
  onDefault,
  onRename,
  onDelete,
}: SignatureCardProps) {
  const { name, is_default: isDefault } = signature;
  return (
    <li className={styles.card} data-signature={signature.id}>
      <div className={styles.view}>
        <div className={styles.mark}>
          <MarkPicture look={savedLook(signature)} />
        </div>
      </div>
      <div className={styles.meta}>
        <div className={styles.words}>
          <b className="truncate">{name}</b>
          <small>{describeSignature(signature)}</small>
        </div>
        {isDefault ? <Badge tone="info">Par défaut</Badge> : null}
      </div>
      <div className={styles.actions}>
        {isDefault ? null : (
          <Button
            size="sm"
            variant="ghost"
            disabled={isBusy}
            aria-label={`Définir par défaut, ${name}`}
            onClick={onDefault}
          >
            Définir par défaut
          </Button>
        )}
        <span className={styles.right}>
          <Button
            size="sm"
            square
            variant="ghost"
            aria-label={`Renommer ${name}`}
            title="Renommer"
            onClick={onRename}
          >
            <Icon name="edit" />
          </Button>
          <Button
            size="sm"
            square
            variant="ghost"
            aria-label={`Supprimer ${name}`}
            title="Supprimer"
            onClick={onDelete}
          >
            <Icon name="trash" />
          </Button>
        </span>
      </div>
    </li>
  );
}

/** The service's order first. */
export const SIGNATURE_ORDERS: readonly [Order, ...Order[]] = [
  { slug: "defaut", label: "Plus récentes" },
  { slug: "nom", label: "Nom, de A à Z" },
  { slug: "utilisees", label: "Dernières utilisées" },
];
export const SIGNATURE_FILTERS: readonly Filter[] = [
  {
    name: "sorte",
    label: "Sorte",
    choices: [
      { slug: "", label: "Toutes" },
      { slug: "drawn", label: "Dessinées" },
      { slug: "typed", label: "Saisies" },
      { slug: "uploaded", label: "Importées" },
    ],
  },
];

export function narrowSignatures(
  signatures: readonly SavedSignature[],
  { search, values, order }: Pick<ListAddress, "search" | "values" | "order">,
): readonly SavedSignature[] {
  const kind = values["sorte"];
  const found = signatures.filter(
    (signature) =>
      foldText(signature.name).includes(foldText(search.trim())) &&
      (kind === undefined || signature.kind === kind),
  );
  if (order.slug === "nom") return found.toSorted((a, b) => a.name.localeCompare(b.name, "fr"));
  return order.slug === "utilisees"
    ? found.toSorted((a, b) => (b.last_used_at ?? "").localeCompare(a.last_used_at ?? ""))
    : found;
}

const NewSignatureDialog = lazy(async () => ({
  default: (await import("./new-signature-dialog.tsx")).NewSignatureDialog,
}));

type Asked =
  | { readonly kind: "new" }
  | { readonly kind: "rename" | "delete"; readonly signature: SavedSignature };

export function SavedSignaturesPage() {
  const list = useSavedSignatures();
  const [asked, setAsked] = useState<Asked | null>(null);
  const slow = useDelayed(list.isPending, 200);
  const signatures = list.data?.results ?? [];
  const isFull = signatures.length >= MAX_SAVED_SIGNATURES;
  return (
    <main className="main" id="contenu">
      <div className="page-head">
        <div>
          <PageHeading title="Mes signatures">Mes signatures</PageHeading>
          <p className="lede">Réutilisez-les au moment de signer, sans les redessiner.</p>
        </div>
        {signatures.length > 0 ? (
          <Button
            variant="primary"
            blocked={isFull}
            aria-describedby={isFull ? "signatures-max" : undefined}
            onClick={() => setAsked({ kind: "new" })}
          >
            <Icon name="plus" size="sm" />
            Nouvelle signature
          </Button>
        ) : null}
      </div>
      {isFull ? (
        <p className="muted" id="signatures-max">
          {`Vous avez déjà ${MAX_SAVED_SIGNATURES} signatures, le maximum. Supprimez-en une pour en ajouter une autre.`}
        </p>
      ) : null}
      {list.isError ? (
        <Alert tone="danger">
          <div>Vos signatures n’ont pas pu être chargées.</div>
          <Button size="sm" onClick={() => void list.refetch()}>
            <Icon name="refresh" size="sm" />
            Réessayer
          </Button>
        </Alert>
      ) : null}
      {list.isPending && slow ? <SkeletonRows rows={3} label="Chargement des signatures" /> : null}
      {list.data && signatures.length === 0 ? (
        <NoSignature onNew={() => setAsked({ kind: "new" })} />
      ) : null}
      {signatures.length > 0 ? <SignatureGrid signatures={signatures} onAsk={setAsked} /> : null}
      <SignatureDialogs asked={asked} signatures={signatures} onClose={() => setAsked(null)} />
    </main>
  );
}

type SignatureGridProps = {
  readonly signatures: readonly SavedSignature[];
  readonly onAsk: (asked: Asked) => void;
};

function SignatureGrid({ signatures, onAsk }: SignatureGridProps) {
  const choose = useDefault();
  const address = useListAddress(useSearchParams(), {
    orders: SIGNATURE_ORDERS,
    filters: SIGNATURE_FILTERS,
  });
  const box = useRef<HTMLInputElement>(null);
  const shown = narrowSignatures(signatures, address);
  return (
    <>
      <div className={`card ${styles.bar}`}>
        <FilterBar
          {...{ address, box }}
          label="Rechercher une signature par nom"
          placeholder="Nom de la signature"
          found={plural(shown.length, "signature")}
          preview={async (values) =>
            plural(narrowSignatures(signatures, { ...address, values }).length, "signature")
          }
        />
        {shown.length === 0 ? (
          <NothingFound
            {...{ address, box }}
            title="Aucune signature trouvée"
            what="Aucune signature"
          />
        ) : null}
      </div>
      <ul className={styles.grid} aria-label="Signatures enregistrées">
        {shown.map((signature) => (
          <SignatureCard
            key={signature.id}
            signature={signature}
            isBusy={choose.isPending}
            onDefault={() => choose.mutate(signature)}
            onRename={() => onAsk({ kind: "rename", signature })}
            onDelete={() => onAsk({ kind: "delete", signature })}
          />
        ))}
      </ul>
      <p className={`muted small ${styles.foot}`}>
        Ces tracés sont chiffrés et ne servent qu’avec votre confirmation.
      </p>
    </>
  );
}

type SignatureDialogsProps = {
  readonly asked: Asked | null;
  readonly signatures: readonly SavedSignature[];
  readonly onClose: () => void;
};

function SignatureDialogs({ asked, signatures, onClose }: SignatureDialogsProps) {
  const session = useSession();
  if (asked === null) return null;
  if (asked.kind === "rename")
    return <RenameSignatureDialog signature={asked.signature} onClose={onClose} />;
  if (asked.kind === "delete")
    return (
      <DeleteSignatureDialog
        signature={asked.signature}
        nextFocus={nextFocusTarget(asked.signature, signatures)}
        onClose={onClose}
      />
    );
  return (
    <Suspense fallback={null}>
      <NewSignatureDialog
        signerName={session.state === "member" ? fullName(session.user) : ""}
        proposedName={nextName(signatures)}
        onClose={onClose}
      />
    </Suspense>
  );
}

/** The next card, else the previous one. */
function nextFocusTarget(
  { id }: SavedSignature,
  signatures: readonly SavedSignature[],
): string | null {
  const at = signatures.findIndex((signature) => signature.id === id);
  return (signatures[at + 1] ?? signatures[at - 1])?.id ?? null;
}

function NoSignature({ onNew }: { onNew: () => void }) {
  return (
    <div className="card">
      <EmptyState
        title="Aucune signature enregistrée"
        action={
          <Button variant="primary" onClick={onNew}>
            Nouvelle signature
          </Button>
        }
      >
        Dessinez-la une fois, elle vous suivra sur tous vos documents.
      </EmptyState>
    </div>
  );
}

/** The card moves to the head of the list, and the focus with it. */
function useDefault() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: SavedSignature) => savedSignatureCalls.change(id, { is_default: true }),
    onSuccess: async ({ id, name }) => {
      await client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
      announce(`${name}, par défaut`);
      focusOnceDrawn(() => document.querySelector<HTMLElement>(`[data-signature="${id}"] button`));
    },
    onError: (error) =>
      showToast("err", "La signature n’a pas pu être modifiée.", { detail: serverSentence(error) }),
  });
}

export function RenameSignatureDialog({
  signature,
  onClose,
}: {
  signature: SavedSignature;
  onClose: () => void;
}) {
  const client = useQueryClient();
  return (
    <NameDialog
      title="Renommer la signature"
      label="Nom de la signature"
      name={signature.name}
      maxLength={MAX_SIGNATURE_NAME_LENGTH}
      words={{
        action: "Renommer",
        required: "Donnez un nom à cette signature",
        failure: "La signature n’a pas pu être renommée. Réessayez dans un instant.",
      }}
      save={(name) => savedSignatureCalls.change(signature.id, { name })}
      onDone={() => {
        showToast("ok", "Signature renommée.");
        void client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
      }}
      onClose={onClose}
    />
  );
}

/** `nextFocus`: the signature whose card takes the focus afterwards. */
type DeleteSignatureDialogProps = {
  readonly signature: SavedSignature;
  readonly nextFocus: string | null;
  readonly onClose: () => void;
};

export function DeleteSignatureDialog({
  signature,
  nextFocus,
  onClose,
}: DeleteSignatureDialogProps) {
  const client = useQueryClient();
  return (
    <DeleteDialog
      title={"Supprimer cette signature\u202f?"}
      message="Les documents déjà signés ne changent pas."
      secondary={`«\u00a0${signature.name}\u00a0»`}
      remove={() => savedSignatureCalls.remove(signature.id)}
      onDone={() => {
        showToast("ok", "Signature supprimée.");
        return client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
      }}
      focusAfter={nextFocus === null ? null : `[data-signature="${nextFocus}"] button`}
      onClose={onClose}
    />
  );
}
