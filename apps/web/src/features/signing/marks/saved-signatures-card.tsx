import { MAX_SAVED_SIGNATURES, type SavedSignature } from "@paraphe/contracts";
import { foldText } from "@paraphe/kernel/french-words";
import { useRef, useState } from "react";
import { useSearchParams } from "react-router";
import { plural } from "../../../lib/format/format-numbers.ts";
import { useDelayed } from "../../../lib/use-delayed.ts";
import { Alert } from "../../../ui/alert/alert.tsx";
import { Button } from "../../../ui/button/button.tsx";
import { EmptyState } from "../../../ui/empty-state/empty-state.tsx";
import { FilterBar, NothingFound } from "../../../ui/filter-bar/filter-bar.tsx";
import {
  type Filter,
  type ListAddress,
  type Order,
  useListAddress,
} from "../../../ui/filter-bar/filters.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import styles from "./saved-signatures.module.css";
import { useSavedSignatures } from "./use-saved-signatures.ts";
import { type AskedDialog, SignatureCards, SignatureDialogs } from "./signature-cards.tsx";

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

export function SavedSignaturesCard() {
  const list = useSavedSignatures();
  const [asked, setAsked] = useState<AskedDialog | null>(null);
  const slow = useDelayed(list.isPending, 200);
  const signatures = list.data?.results ?? [];
  const askNew = () => setAsked({ kind: "new" });
  return (
    <section className="card" aria-labelledby="titre-signatures">
      <div className="card__head">
        <h2 className="h2 grow" id="titre-signatures">
          Signatures enregistrées
        </h2>
        {signatures.length > 0 ? <NewButton count={signatures.length} onNew={askNew} /> : null}
      </div>
      {list.isError ? (
        <div className="card__body">
          <Alert tone="danger">
            <div>Vos signatures n’ont pas pu être chargées.</div>
            <Button size="sm" onClick={() => void list.refetch()}>
              <Icon name="refresh" size="sm" />
              Réessayer
            </Button>
          </Alert>
        </div>
      ) : null}
      {list.isPending && slow ? <SkeletonRows rows={3} label="Chargement des signatures" /> : null}
      {list.data && signatures.length === 0 ? <NoSignature onNew={askNew} /> : null}
      {signatures.length > 0 ? <SignatureGrid signatures={signatures} onAsk={setAsked} /> : null}
      <SignatureDialogs asked={asked} signatures={signatures} onClose={() => setAsked(null)} />
    </section>
  );
}

function NewButton({ count, onNew }: { readonly count: number; readonly onNew: () => void }) {
  const isFull = count >= MAX_SAVED_SIGNATURES;
  return (
    <>
      <Button
        size="sm"
        blocked={isFull}
        aria-describedby={isFull ? "signatures-max" : undefined}
        onClick={onNew}
      >
        <Icon name="plus" size="sm" />
        Nouvelle signature
      </Button>
      {isFull ? (
        <p className={`muted small ${styles.full}`} id="signatures-max">
          {`Vous avez déjà ${MAX_SAVED_SIGNATURES} signatures, le maximum. Supprimez-en une pour en ajouter une autre.`}
        </p>
      ) : null}
    </>
  );
}

type SignatureGridProps = {
  readonly signatures: readonly SavedSignature[];
  readonly onAsk: (asked: AskedDialog) => void;
};

function SignatureGrid({ signatures, onAsk }: SignatureGridProps) {
  const address = useListAddress(useSearchParams(), {
    orders: SIGNATURE_ORDERS,
    filters: SIGNATURE_FILTERS,
  });
  const box = useRef<HTMLInputElement>(null);
  const shown = narrowSignatures(signatures, address);
  return (
    <>
      <FilterBar
        {...{ address, box }}
        label="Rechercher une signature par nom"
        placeholder="Nom de la signature"
        found={plural(shown.length, "signature")}
        isEmpty={shown.length === 0}
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
      ) : (
        <div className="card__body">
          <SignatureCards signatures={shown} onAsk={onAsk} />
        </div>
      )}
    </>
  );
}

function NoSignature({ onNew }: { onNew: () => void }) {
  return (
    <EmptyState
      title="Aucune signature enregistrée"
      action={
        <Button variant="primary" onClick={onNew}>
          <Icon name="plus" size="sm" />
          Nouvelle signature
        </Button>
      }
    >
      Dessinez-la une fois, elle vous suivra sur tous vos documents.
    </EmptyState>
  );
}
