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
import type { Filter } from "../../../ui/filter-bar/filters.ts";
import {
  type ListAddress,
  type Order,
  useListAddress,
} from "../../../ui/filter-bar/use-list-address.ts";
import { Icon } from "../../../ui/icon/icon.tsx";
import { PageHeading } from "../../../ui/page-heading/page-heading.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import styles from "./saved-signatures.module.css";
import { useSavedSignatures } from "./use-saved-signatures.ts";
import { type AskedDialog, SignatureCards, SignatureDialogs } from "./signature-cards.tsx";

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

export function SavedSignaturesPage() {
  const list = useSavedSignatures();
  const [asked, setAsked] = useState<AskedDialog | null>(null);
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
      <SignatureCards signatures={shown} onAsk={onAsk} />
    </>
  );
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
