import type { Envelope, Print } from "@paraphe/contracts";
import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { serverSentence } from "../../../lib/api/api-error.ts";
import { formatInstant } from "../../../lib/format/format-dates.ts";
import { saveBlob } from "../../../lib/browser/save-blob.ts";
import { PRINT_CHOICES } from "../prepare/sending/public-page-words.ts";
import { slugify } from "../../../lib/format/slugify.ts";
import { Button } from "../../../ui/button/button.tsx";
import { Icon } from "../../../ui/icon/icon.tsx";
import { Pager } from "../../../ui/pager/pager.tsx";
import { showToast } from "../../../ui/toast/toast-store.ts";
import styles from "../detail.module.css";
import { OPEN_STATUSES, PRINTS_A_PAGE, envelopeCalls } from "../envelope-calls.ts";

/** The service makes the evidence file on demand, in some seconds. */
function useEvidence() {
  return useMutation({
    mutationFn: async ({ id, title }: Pick<Envelope, "id" | "title">) => {
      saveBlob(await envelopeCalls.evidence(id), `${slugify(title)}_dossier_de_preuve.pdf`);
    },
    onSuccess: () => {
      showToast("ok", "Dossier de preuve téléchargé");
    },
    onError: (error) => {
      showToast("err", "Le dossier de preuve n’a pas pu être établi", {
        detail: serverSentence(error),
      });
    },
  });
}

export function ProofCard({ envelope }: { readonly envelope: Envelope }) {
  const evidence = useEvidence();
  return (
    <section className="card card__body stack off-paper" aria-labelledby="preuve">
      <h2 className="h2" id="preuve">
        Preuve
      </h2>
      <p className="ink2">
        Qui a signé, quand, comment, et ce que cela établit : un PDF en français, scellé par le
        service, avec l’historique et les certificats.
      </p>
      {OPEN_STATUSES.has(envelope.status) && (
        <p className="muted small">
          Des signatures sont encore attendues : le dossier établi maintenant est provisoire.
        </p>
      )}
      <div>
        <Button
          loading={evidence.isPending}
          loadingLabel="Établissement…"
          onClick={() => evidence.mutate(envelope)}
        >
          <Icon name="shield" size="sm" />
          Dossier de preuve
        </Button>
      </div>
    </section>
  );
}

export function PrintsCard({ envelope }: { readonly envelope: Envelope }) {
  const [page, setPage] = useState(1);
  const { data } = useQuery({
    queryKey: ["prints", envelope.id, page],
    queryFn: ({ signal }) => envelopeCalls.prints(envelope.id, page, signal),
    placeholderData: keepPreviousData,
  });
  if (data === undefined || data.count === 0) return null;
  return (
    <section className="card card__body stack" aria-labelledby="impressions">
      <h2 className="h2" id="impressions">
        Impressions
      </h2>
      <ul className="stack stack--sm">
        {data.results.map((print) => (
          <PrintRow key={print.id} print={print} envelope={envelope} />
        ))}
      </ul>
      <Pager page={page} pageSize={PRINTS_A_PAGE} count={data.count} onPage={setPage} />
    </section>
  );
}

type PrintRowProps = { readonly print: Print; readonly envelope: Envelope };

function PrintRow({ print, envelope: { status, sent_at } }: PrintRowProps) {
  const isReturned = status === "draft" || (sent_at !== null && print.created_at < sent_at);
  const label = PRINT_CHOICES.find(({ value }) => value === print.qr_type)?.label ?? print.qr_type;
  const made = formatInstant(print.created_at);
  return (
    <li>
      <div>{label}</div>
      <div className="muted small">
        <time dateTime={print.created_at}>{made}</time>
        {isReturned && " · version renvoyée"}
      </div>
      <div className={`row small off-paper ${styles["links"]}`}>
        <a
          href={print.verify_url}
          target="_blank"
          rel="noopener"
          aria-label={`Page de vérification, impression du ${made}`}
        >
          Page de vérification
        </a>
        {!isReturned && status !== "cancelled" && (
          <a
            href={print.printable_url}
            target="_blank"
            rel="noopener"
            aria-label={`Copie à imprimer, impression du ${made}`}
          >
            Copie à imprimer
          </a>
        )}
      </div>
    </li>
  );
}
