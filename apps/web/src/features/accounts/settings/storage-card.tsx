import { useQuery } from "@tanstack/react-query";
import { formatFileSize, formatPercent } from "../../../lib/format/format-numbers.ts";
import { ProgressBar } from "../../../ui/progress/progress.tsx";
import { SkeletonRows } from "../../../ui/skeleton/skeleton.tsx";
import { LoadFailure } from "./settings-layout.tsx";
import { loadStorage } from "./settings-calls.ts";

const FAILURE = "Impossible de charger votre espace de stockage";

export function StorageCard() {
  const { data, error, refetch } = useQuery({
    queryKey: ["storage"],
    queryFn: ({ signal }) => loadStorage(signal),
  });
  return (
    <section className="card" aria-labelledby="titre-stockage">
      <div className="card__head">
        <h2 className="h2" id="titre-stockage">
          Espace de stockage
        </h2>
      </div>
      <div className="card__body stack stack--sm">
        {data ? (
          <Room used={data.used_bytes} quota={data.quota_bytes} />
        ) : error ? (
          <LoadFailure error={error} fallback={FAILURE} onRetry={() => void refetch()} />
        ) : (
          <SkeletonRows rows={1} label="Chargement de votre espace de stockage" />
        )}
      </div>
    </section>
  );
}

function Room({ used, quota }: { readonly used: number; readonly quota: number | null }) {
  if (quota === null) return <p>{`Vous utilisez ${formatFileSize(used)}, sans limite.`}</p>;
  const percent = Math.min(100, Math.floor((1_000 * used) / quota) / 10);
  const words = `${formatFileSize(used)} sur ${formatFileSize(quota)}`;
  return (
    <>
      <p>{`Vous utilisez ${words} (${formatPercent(percent)}).`}</p>
      <ProgressBar percent={percent} label={words} size="lg" whole="limit" />
      <p>
        {percent >= 90
          ? "Supprimez des brouillons, des modèles ou des enveloppes annulées pour retrouver de la place."
          : "Fichiers de vos enveloppes et de vos modèles, signatures enregistrées, lots en cours."}
      </p>
    </>
  );
}
