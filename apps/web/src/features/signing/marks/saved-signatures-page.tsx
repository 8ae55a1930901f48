import { MAX_SAVED_SIGNATURES, type SavedSignature } from "@paraphe/contracts";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { announce } from "../../../lib/announce.ts";
import { serverSentence } from "../../../lib/call-message.ts";
import { plural } from "../../../lib/format-numbers.ts";
import { useDelayed } from "../../../lib/use-delayed.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { focusOnceDrawn } from "../../../ui/focus/focus-once-drawn.ts";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { FilterBar } from "../../../ui/filter-bar/filter-bar.tsx";
import { NothingFound } from "../../../ui/filter-bar/nothing-found.tsx";
import { useListAddress } from "../../../ui/filter-bar/use-list-address.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton-rows.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import { fullName } from "../../accounts/full-name.ts";
import { useSession } from "../../accounts/use-session.ts";
import { DeleteSignatureDialog } from "./delete-signature-dialog.tsx";
import { nextName } from "./next-name.ts";
import { RenameSignatureDialog } from "./rename-signature-dialog.tsx";
import { savedSignatureCalls } from "./saved-signature-calls.ts";
import styles from "./saved-signatures.module.css";
import { SignatureCard } from "./signature-card.tsx";
import { narrowSignatures, SIGNATURE_FILTERS, SIGNATURE_ORDERS } from "./signature-list.ts";
import { savedSignaturesQuery, useSavedSignatures } from "./use-saved-signatures.ts";

const NewSignatureDialog = lazy(async () => ({ default: (await import("./new-signature-dialog.tsx")).NewSignatureDialog }));

type Asked = { readonly kind: "new" } | { readonly kind: "rename" | "delete"; readonly signature: SavedSignature };

/** `/signature/saved-signatures`: the marks one keeps, to sign again without making them. */
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
      {list.data && signatures.length === 0 ? <NoSignature onNew={() => setAsked({ kind: "new" })} /> : null}
      {signatures.length > 0 ? <SignatureGrid signatures={signatures} onAsk={setAsked} /> : null}
      <SignatureDialogs asked={asked} signatures={signatures} onClose={() => setAsked(null)} />
    </main>
  );
}

type SignatureGridProps = { readonly signatures: readonly SavedSignature[]; readonly onAsk: (asked: Asked) => void };

function SignatureGrid({ signatures, onAsk }: SignatureGridProps) {
  const choose = useDefault();
  const address = useListAddress(useSearchParams(), { orders: SIGNATURE_ORDERS, filters: SIGNATURE_FILTERS });
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
          preview={async (values) => plural(narrowSignatures(signatures, { ...address, values }).length, "signature")}
        />
        {shown.length === 0 ? <NothingFound {...{ address, box }} title="Aucune signature trouvée" what="Aucune signature" /> : null}
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
      <p className={`muted small ${styles.foot}`}>Ces tracés sont chiffrés et ne servent qu’avec votre confirmation.</p>
    </>
  );
}

type SignatureDialogsProps = {
  readonly asked: Asked | null;
  readonly signatures: readonly SavedSignature[];
  readonly onClose: () => void;
};

/** The dialog that was asked for, one at a time. */
function SignatureDialogs({ asked, signatures, onClose }: SignatureDialogsProps) {
  const session = useSession();
  if (asked === null) return null;
  if (asked.kind === "rename") return <RenameSignatureDialog signature={asked.signature} onClose={onClose} />;
  if (asked.kind === "delete")
    return <DeleteSignatureDialog signature={asked.signature} heir={heirOf(asked.signature, signatures)} onClose={onClose} />;
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

/** The card that takes the place of one that goes: the next, else the one before. */
function heirOf({ id }: SavedSignature, signatures: readonly SavedSignature[]): string | null {
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

/** Makes a signature the one proposed first. The card moves to the head of the list: the focus goes to its place. */
function useDefault() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: SavedSignature) => savedSignatureCalls.change(id, { is_default: true }),
    onSuccess: async ({ id, name }) => {
      await client.invalidateQueries({ queryKey: savedSignaturesQuery.queryKey });
      announce(`${name}, par défaut`);
      focusOnceDrawn(() => document.querySelector<HTMLElement>(`[data-signature="${id}"] button`));
    },
    onError: (error) => showToast("err", "La signature n’a pas pu être modifiée.", { detail: serverSentence(error) }),
  });
}
