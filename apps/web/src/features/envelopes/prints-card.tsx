import type { Envelope, Print } from "@paraphe/contracts";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatInstant } from "../../lib/format-dates.ts";
import { PRINT_CHOICES } from "../../lib/signing-preferences.ts";
import { Pager } from "../../ui/pager/pager.tsx";
import { envelopeCalls, PRINTS_A_PAGE } from "./envelope-calls.ts";

/** The prints made of an envelope, the latest first; nothing while there are none. Each answers as long as its paper lasts. */
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
          <PrintRow key={print.id} print={print} isShown={envelope.status !== "cancelled"} />
        ))}
      </ul>
      <Pager page={page} pageSize={PRINTS_A_PAGE} count={data.count} onPage={setPage} />
    </section>
  );
}

function PrintRow({ print, isShown }: { readonly print: Print; readonly isShown: boolean }) {
  const label = PRINT_CHOICES.find(({ value }) => value === print.qr_type)?.label ?? print.qr_type;
  const made = formatInstant(print.created_at);
  return (
    <li>
      <div>{label}</div>
      <div className="muted small">
        <time dateTime={print.created_at}>{made}</time>
      </div>
      <div className="row small">
        <a href={print.verify_url} target="_blank" rel="noopener" aria-label={`Page de vérification, impression du ${made}`}>
          Page de vérification
        </a>
        {isShown && (
          <a href={print.printable_url} target="_blank" rel="noopener" aria-label={`Copie à imprimer, impression du ${made}`}>
            Copie à imprimer
          </a>
        )}
      </div>
    </li>
  );
}
